/* A column in one byte a value against a vector in two; instruction set as in vector.h. */
#ifndef SPARSESOLVE_SKETCH_H
#define SPARSESOLVE_SKETCH_H

#include <stdint.h>
#include "vector.h"

#define SS_BYTE 127         /* the largest value of a column, */
#define SS_FINE 8191        /* and of a vector: */
#define SS_SAFE 2048        /* so many products of the two are a number of 32 bits */

/* n is a multiple of 64 */
SS_SIMD static double ss_dot_i8(ptrdiff_t n, const int8_t *SS_RESTRICT x,
                                const int16_t *SS_RESTRICT v) {
    double total = 0.0;
    for (; n > 0; n -= SS_SAFE, x += SS_SAFE, v += SS_SAFE) {
        int32_t part = 0;
        /* n is a multiple of 64 already; the mask lets compilers leave out the remainder loop */
        int whole = n < SS_SAFE ? (int)n & ~63 : SS_SAFE;
        for (int i = 0; i < whole; i++) part += (int32_t)x[i] * (int32_t)v[i];
        total += part;
    }
    return total;
}

/* q_i = z_i / unit to the nearest whole number; returns at least the length of z - unit * q */
#define SS_QUANTISE(NAME, INT)                                                                    \
    SS_SIMD static double NAME(ptrdiff_t n, const double *SS_RESTRICT z, double unit,             \
                               INT *SS_RESTRICT q) {                                              \
        double lost = 0.0, per = unit > 0.0 ? 1.0 / unit : 0.0;                                   \
        SS_PRAGMA("omp simd reduction(+ : lost)")                                                 \
        for (ptrdiff_t i = 0; i < n; i++) {                                                       \
            int32_t whole = (int32_t)(z[i] * per + (z[i] < 0.0 ? -0.5 : 0.5));                    \
            double rest = z[i] - unit * (double)whole;                                            \
            q[i] = (INT)whole;                                                                    \
            lost += rest * rest;                                                                  \
        }                                                                                         \
        return sqrt(lost) * (1.0 + 1e-9);                                                         \
    }

SS_QUANTISE(ss_quantise_i8, int8_t)
SS_QUANTISE(ss_quantise_i16, int16_t)

#endif
