/* Products of the stored values of a column with eight vectors. A block of rows of these
 * vectors stays in cache; it starts with row `first` and stores the eight values of a row next
 * to each other. `rows` is NULL if every row is stored. */
#ifndef SPARSESOLVE_EIGHT_H
#define SPARSESOLVE_EIGHT_H

#include "vector.h"

#define SS_EIGHT 8

#define SS_SPREAD_GATHER_EIGHT(SPREAD, GATHER, REAL)                                              \
    /* block_r += x_k b for r = rows_k */                                                         \
    SS_SIMD static void SPREAD(ptrdiff_t n, const REAL *SS_RESTRICT x,                            \
                               const int *SS_RESTRICT rows, int first,                            \
                               const double *SS_RESTRICT b, double *SS_RESTRICT block) {          \
        for (ptrdiff_t k = 0; k < n; k++) {                                                       \
            double *SS_RESTRICT row = block + SS_EIGHT * (rows ? (ptrdiff_t)rows[k] - first : k), \
                value = x[k];                                                                     \
            SS_PRAGMA("omp simd")                                                                 \
            for (int l = 0; l < SS_EIGHT; l++) row[l] += value * b[l];                            \
        }                                                                                         \
    }                                                                                             \
    /* sum += sum_k x_k block_r: two sums at a time, for one would wait for its last addition */  \
    SS_SIMD static void GATHER(ptrdiff_t n, const REAL *SS_RESTRICT x,                            \
                               const int *SS_RESTRICT rows, int first,                            \
                               const double *SS_RESTRICT block, double *SS_RESTRICT sum) {        \
        double even[SS_EIGHT] = {0.0}, odd[SS_EIGHT] = {0.0};                                     \
        ptrdiff_t k = 0;                                                                          \
        for (; k + 2 <= n; k += 2) {                                                              \
            const double *p = block + SS_EIGHT * (rows ? (ptrdiff_t)rows[k] - first : k);         \
            const double *q = block + SS_EIGHT * (rows ? (ptrdiff_t)rows[k + 1] - first : k + 1); \
            double one = x[k], two = x[k + 1];                                                    \
            SS_PRAGMA("omp simd")                                                                 \
            for (int l = 0; l < SS_EIGHT; l++) {                                                  \
                even[l] += one * p[l];                                                            \
                odd[l] += two * q[l];                                                             \
            }                                                                                     \
        }                                                                                         \
        for (int l = 0; l < SS_EIGHT; l++) sum[l] += even[l] + odd[l];                            \
        if (k < n) {                                                                              \
            const double *p = block + SS_EIGHT * (rows ? (ptrdiff_t)rows[k] - first : k);         \
            for (int l = 0; l < SS_EIGHT; l++) sum[l] += x[k] * p[l];                             \
        }                                                                                         \
    }

SS_SPREAD_GATHER_EIGHT(ss_spread_f64, ss_gather_f64, double)
SS_SPREAD_GATHER_EIGHT(ss_spread_f32, ss_gather_f32, float)

/* block (n, 8) from the first K vectors of `rows`, `stride` apart, padded with zeros; and
 * back. */
SS_SIMD static void ss_side_by_side(ptrdiff_t n, ptrdiff_t K, const double *SS_RESTRICT rows,
                                    ptrdiff_t stride,
                                    double *SS_RESTRICT block) {
    for (ptrdiff_t l = 0; l < SS_EIGHT; l++)
        for (ptrdiff_t i = 0; i < n; i++)
            block[SS_EIGHT * i + l] = l < K ? rows[l * stride + i] : 0.0;
}
SS_SIMD static void ss_one_by_one(ptrdiff_t n, ptrdiff_t K, const double *SS_RESTRICT block,
                                  double *SS_RESTRICT rows,
                                  ptrdiff_t stride) {
    for (ptrdiff_t l = 0; l < K; l++)
        for (ptrdiff_t i = 0; i < n; i++) rows[l * stride + i] = block[SS_EIGHT * i + l];
}

#endif
