/* The logistic loss for vectors of samples, with an exp() and logarithms that compilers can vectorise.
 *
 * e = exp(-|eta|) is all that value, slope and curvature need; log(1 + e) = 2 artanh(e / (2 + e)), a short series since
 * e / (2 + e) <= 1/3.  Both are good to about one unit in the last place. */
#ifndef SPARSESOLVE_LOGISTIC_H
#define SPARSESOLVE_LOGISTIC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vector.h"

/* Reassociation would undo the argument reduction of exp(). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-associative-math")
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

/* exp(x) for x <= 0; below -700, where it is nothing beside 1, exp(-700) */
static inline double ss_exp_negative(double x) {
    x = x < -700.0 ? -700.0 : x;
    double k = rint(x * 1.4426950408889634074);
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    int64_t bits = (int64_t)((int32_t)k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

/* (artanh(z) / z - 1) / z^2 for s = z^2 <= 1/9 */
static inline double ss_artanh_rest(double s) {
    double p = 1.0 / 33.0;
    p = p * s + 1.0 / 31.0;
    p = p * s + 1.0 / 29.0;
    p = p * s + 1.0 / 27.0;
    p = p * s + 1.0 / 25.0;
    p = p * s + 1.0 / 23.0;
    p = p * s + 1.0 / 21.0;
    p = p * s + 1.0 / 19.0;
    p = p * s + 1.0 / 17.0;
    p = p * s + 1.0 / 15.0;
    p = p * s + 1.0 / 13.0;
    p = p * s + 1.0 / 11.0;
    p = p * s + 1.0 / 9.0;
    p = p * s + 1.0 / 7.0;
    p = p * s + 1.0 / 5.0;
    return p * s + 1.0 / 3.0;
}

/* log(1 + e) for 0 <= e <= 1 */
static inline double ss_log1p_unit(double e) {
    double z = e / (2.0 + e);
    return 2.0 * z * (ss_artanh_rest(z * z) * (z * z) + 1.0);
}

/* a log(a / b) - a + b >= 0 for a >= 0 and b > 0; off = a - b, of which they may have lost digits; as in entropy.pxd */
static inline double ss_divergence(double a, double b, double off) {
    int64_t bits, shifted;
    double ratio = a / b > 1e-300 ? a / b : 1e-300, k, z, rest;
    memcpy(&bits, &ratio, sizeof bits);
    shifted = bits - 0x3FE6A09E667F3BCD; /* of sqrt(1/2): ratio 2^-k will be in [sqrt(1/2), sqrt(2)) */
    k = (double)(int32_t)(shifted >> 52);
    bits -= (shifted >> 52) << 52;
    memcpy(&ratio, &bits, sizeof ratio);
    z = (k == 0.0 ? off : ratio - 1.0) / (k == 0.0 ? a + b : ratio + 1.0);
    rest = ss_artanh_rest(z * z);
    return k == 0.0 ? off * z * (1.0 + z * (1.0 + z) * rest)
                    : a * (k * 0.69314718055994530942 + 2.0 * z * (rest * (z * z) + 1.0)) - off;
}

/* sum_i w_i (log(1 + exp(eta_i)) - y_i eta_i), with u_i = w_i (y_i - p_i) exact where p_i rounds to 0 or 1 */
SS_SIMD static double ss_logistic(ptrdiff_t n, const double *SS_RESTRICT y, const double *SS_RESTRICT w,
                                  const double *SS_RESTRICT eta, double *SS_RESTRICT u) {
    double total = 0.0;
    _Pragma("omp simd reduction(+ : total)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = eta[i], e = ss_exp_negative(-fabs(x)), share = e / (1.0 + e);
        /* the outcome on the side of eta: 1 - y and the probability of 0 where eta > 0 */
        double other = x > 0.0 ? 1.0 - y[i] : y[i];
        total += w[i] * (ss_log1p_unit(e) + (x > 0.0 ? other * x : -other * x));
        u[i] = w[i] * (x > 0.0 ? share - other : other - share);
    }
    return total;
}

/* h_i = w_i p_i (1 - p_i) */
SS_SIMD static void ss_logistic_curvature(ptrdiff_t n, const double *SS_RESTRICT w, const double *SS_RESTRICT eta,
                                          double *SS_RESTRICT h) {
    _Pragma("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) {
        double e = ss_exp_negative(-fabs(eta[i]));
        h[i] = w[i] * e / ((1.0 + e) * (1.0 + e));
    }
}

#define SS_ROUNDING (-1e-12) /* of a probability: below it, it is none */

/* F(eta) + F*(-u) + eta'u = sum_i w_i KL(s_i, p_i) with s = y - u / w; infinite where s is not a probability.
   Where it is none by rounding it is taken for the nearest, at the price of giving the rest to another sample.  The
   outcome that eta makes less likely, of share a and probability b, has the digits of the other's difference too. */
SS_SIMD static double ss_logistic_gap(ptrdiff_t n, const double *SS_RESTRICT y, const double *SS_RESTRICT w,
                                      const double *SS_RESTRICT eta, const double *SS_RESTRICT u) {
    double total = 0.0, least = 0.0;
    _Pragma("omp simd reduction(+ : total) reduction(min : least)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = eta[i], v = u[i] / (w[i] > 0.0 ? w[i] : 1.0), s = y[i] - v, rest = (1.0 - y[i]) + v;
        double far = fabs(x), e = ss_exp_negative(-far), b = e / (1.0 + e), lower = s < rest ? s : rest;
        double a = x > 0.0 ? rest : s, other = x > 0.0 ? s : rest, off;
        lower = w[i] > 0.0 || u[i] == 0.0 ? lower : -1.0;
        least = lower < least ? lower : least;
        a = a > 0.0 ? a : 0.0;
        other = other > 0.0 ? other : 0.0;
        off = a - b;
        total += w[i] * (ss_divergence(a, b, off) + ss_divergence(other, 1.0 / (1.0 + e), -off)
                         + a * (far > 700.0 ? far - 700.0 : 0.0) + (lower < 0.0 ? -lower : 0.0) * (1.0 + far));
    }
    return least < SS_ROUNDING ? INFINITY : total;
}

/* Whether F*(-u) is finite. */
SS_SIMD static int ss_logistic_admits(ptrdiff_t n, const double *SS_RESTRICT y, const double *SS_RESTRICT w,
                                      const double *SS_RESTRICT u) {
    double least = 0.0;
    _Pragma("omp simd reduction(min : least)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double v = u[i] / (w[i] > 0.0 ? w[i] : 1.0), s = y[i] - v, rest = (1.0 - y[i]) + v;
        double lower = w[i] > 0.0 || u[i] == 0.0 ? (s < rest ? s : rest) : -1.0;
        least = lower < least ? lower : least;
    }
    return least >= SS_ROUNDING;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif
