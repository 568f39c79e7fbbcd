/* A column in one byte a value against a vector in single precision; instruction set as in vector.h. */
#ifndef SPARSESOLVE_SKETCH_H
#define SPARSESOLVE_SKETCH_H

#include <stdint.h>
#include "vector.h"

SS_SIMD static float ss_dot_i8(ptrdiff_t n, const int8_t *SS_RESTRICT x, const float *SS_RESTRICT v) {
    float part[64] = {0.0f}, total = 0.0f;      /* side by side: one sum would wait for its own last addition */
    ptrdiff_t i = 0;
    for (; i + 64 <= n; i += 64) {
        _Pragma("omp simd")
        for (int k = 0; k < 64; k++) part[k] += (float)x[i + k] * v[i + k];
    }
    _Pragma("omp simd reduction(+ : total)")
    for (int k = 0; k < 64; k++) total += part[k];
    _Pragma("omp simd reduction(+ : total)")
    for (ptrdiff_t k = i; k < n; k++) total += (float)x[k] * v[k];
    return total;
}

/* q_i = z_i / unit to the nearest whole number in -127..127; returns the sum of squares of z - unit * q */
SS_SIMD static double ss_quantise(ptrdiff_t n, const double *SS_RESTRICT z, double unit, int8_t *SS_RESTRICT q) {
    double lost = 0.0, per = unit > 0.0 ? 1.0 / unit : 0.0;
    _Pragma("omp simd reduction(+ : lost)")
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t whole = (int32_t)(z[i] * per + (z[i] < 0.0 ? -0.5 : 0.5));
        double rest = z[i] - unit * (double)whole;
        q[i] = (int8_t)whole;
        lost += rest * rest;
    }
    return lost;
}

#endif
