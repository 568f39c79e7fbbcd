/* Whether threads share passes, by how late they came back from the last; one judgement for each calling thread. */
#ifndef SPARSESOLVE_TEAM_H
#define SPARSESOLVE_TEAM_H

#ifdef _OPENMP
#include <omp.h>
#else
static double omp_get_wtime(void) { return 0.0; }
#endif

#if defined(_MSC_VER)
#define SS_THREAD_LOCAL __declspec(thread)
#else
#define SS_THREAD_LOCAL __thread
#endif

typedef struct {
    int level;      /* passes made alone after the next late one: ALONE << level */
    int punctual;   /* shared passes in a row that were not late */
    long alone;     /* passes still to be made alone */
} ss_team;

static SS_THREAD_LOCAL ss_team ss_team_here;

static ss_team *ss_here(void) { return &ss_team_here; }

#endif
