/* Kernels on dosages of 16 bits: 0..32768 stand for 0..2 in steps of 2^-14, as PLINK 2 stores
 * them, and 65535 is missing. The select costs less than the memory that it waits for. */
#ifndef SPARSESOLVE_DOSAGES_H
#define SPARSESOLVE_DOSAGES_H

#include "vector.h"

#define SS_LOST 65535
#define SS_STEP (1.0 / 16384.0)

static inline double ss_dosage(uint16_t x, double missing) {
    return x == SS_LOST ? missing : (double)x * SS_STEP;
}

/* sum_i (x_i - centre) v_i. `missing` is what a missing x_i stands for. */
SS_SIMD static double ss_dot_16(ptrdiff_t n, const uint16_t *SS_RESTRICT x, double missing,
                                double centre, const double *SS_RESTRICT v) {
    double total = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total)")
    for (ptrdiff_t i = 0; i < n; i++) total += (ss_dosage(x[i], missing) - centre) * v[i];
    return total;
}

/* v_i += a (x_i - centre) */
SS_SIMD static void ss_axpy_16(ptrdiff_t n, double a, const uint16_t *SS_RESTRICT x,
                               double missing, double centre, double *SS_RESTRICT v) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) v[i] += a * (ss_dosage(x[i], missing) - centre);
}

/* out_i = a (x_i - centre) */
SS_SIMD static void ss_unpack_16(ptrdiff_t n, double a, const uint16_t *SS_RESTRICT x,
                                 double missing, double centre, double *SS_RESTRICT out) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) out[i] = a * (ss_dosage(x[i], missing) - centre);
}

/* sum_i w_i (x_i - centre)^2 */
SS_SIMD static double ss_square_16(ptrdiff_t n, const uint16_t *SS_RESTRICT x, double missing,
                                   double centre, const double *SS_RESTRICT w) {
    double total = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double z = ss_dosage(x[i], missing) - centre;
        total += w[i] * z * z;
    }
    return total;
}

/* The mean of the values that are not missing under weights w; 0 if their weight is 0. */
SS_SIMD static double ss_mean_16(ptrdiff_t n, const uint16_t *SS_RESTRICT x,
                                 const double *SS_RESTRICT w) {
    double total = 0.0, seen = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total, seen)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double known = x[i] == SS_LOST ? 0.0 : w[i];
        total += known * ((double)x[i] * SS_STEP);
        seen += known;
    }
    return seen > 0.0 ? total / seen : 0.0;
}

#endif
