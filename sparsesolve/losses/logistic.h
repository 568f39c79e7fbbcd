/* The logistic loss for vectors of samples, with an exp() and a log1p() that compilers can vectorise.
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

/* 2 artanh(z) = log((1 + z) / (1 - z)) for |z| <= 1/3 */
static inline double ss_log_ratio(double z) {
    double s = z * z, p = 1.0 / 33.0;
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
    p = p * s + 1.0 / 3.0;
    return 2.0 * z * (p * s + 1.0);
}

/* log(1 + e) for 0 <= e <= 1 */
static inline double ss_log1p_unit(double e) { return ss_log_ratio(e / (2.0 + e)); }

/* log(x) for x > 0, not denormal */
static inline double ss_log_positive(double x) {
    int64_t bits, shifted;
    double m, k;
    memcpy(&bits, &x, sizeof bits);
    shifted = bits - 0x3FE6A09E667F3BCD; /* of sqrt(1/2): m will be in [sqrt(1/2), sqrt(2)) */
    k = (double)(int32_t)(shifted >> 52);
    bits -= (shifted >> 52) << 52;
    memcpy(&m, &bits, sizeof m);
    return k * 6.93147180369123816490e-01 + (k * 1.90821492927058770002e-10 + ss_log_ratio((m - 1.0) / (m + 1.0)));
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

/* F(eta) + F*(-u) + eta'u = sum_i w_i KL(s_i, p_i) with s = y - u / w; infinite where s is not a probability.
   Where it is none by rounding it is taken for the nearest, at the price of giving the rest to another sample.  Of s and
   1 - s it is the lesser that has all its digits, so the other's entropy is written in it too. */
SS_SIMD static double ss_logistic_gap(ptrdiff_t n, const double *SS_RESTRICT y, const double *SS_RESTRICT w,
                                      const double *SS_RESTRICT eta, const double *SS_RESTRICT u) {
    double total = 0.0, least = 0.0;
    _Pragma("omp simd reduction(+ : total) reduction(min : least)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = eta[i], v = u[i] / (w[i] > 0.0 ? w[i] : 1.0), s = y[i] - v, rest = (1.0 - y[i]) + v;
        double lower = s < rest ? s : rest, out = lower < 0.0 ? -lower : 0.0;
        double few = lower > 1e-300 ? lower : 1e-300;
        double inside = x > 0.0 ? rest : s;
        inside = inside > 0.0 ? (inside < 1.0 ? inside : 1.0) : 0.0;
        least = lower < least ? lower : least;
        total += w[i] * (ss_log1p_unit(ss_exp_negative(-fabs(x))) + inside * fabs(x) + few * ss_log_positive(few)
                         + (1.0 - few) * ss_log_ratio(few / (few - 2.0)) + out * (1.0 + fabs(x)));
    }
    return least < -1e-12 ? INFINITY : total; /* less is rounding */
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#endif
