/* State of the decision whether threads share passes, by how late they finished the last ones.
 * Every calling thread has its own. */
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

/* From here on the calling thread runs every parallel region alone, whatever its num_threads. */
static void ss_stay_alone(void) {
#if defined(_OPENMP) && !defined(_MSC_VER) /* Windows has no fork, and its OpenMP no levels */
    omp_set_max_active_levels(0);
#endif
}

typedef struct {
int level;      /* the next late pass is followed by ALONE << level passes of one thread */
    int punctual;   /* shared passes in a row that were not late */
long alone;     /* passes that one thread still makes alone */
} ss_team;

static SS_THREAD_LOCAL ss_team ss_team_here;

static ss_team *ss_here(void) { return &ss_team_here; }

#endif
