/* exp() and logarithms that compilers can vectorise, good to about one unit in the last place, and what softmax and
 * logistic losses have in common. */
#ifndef SPARSESOLVE_EXPONENTIAL_H
#define SPARSESOLVE_EXPONENTIAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "vector.h"

/* Reassociation would undo the argument reduction of exp(): off for the rest of the file that includes this. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-associative-math")
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

/* bits of sqrt(1/2): what they are taken off has 2^k to spare, so that 2^-k times it is in [sqrt(1/2), sqrt(2)) */
#define SS_ROOT_HALF 0x3FE6A09E667F3BCD
#define SS_ROUNDING (-1e-12) /* of a probability: below it, it is none */
#define SS_FARTHER 10.0      /* times as far as it is: where the predictor of such a sample may come to lie */

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

/* log(1 + e) for e >= 0 */
static inline double ss_log1p(double e) {
    int64_t bits, shifted;
    double sum = 1.0 + e, k, z;
    memcpy(&bits, &sum, sizeof bits);
    shifted = bits - SS_ROOT_HALF;
    k = (double)(int32_t)(shifted >> 52);
    bits -= (shifted >> 52) << 52;
    memcpy(&sum, &bits, sizeof sum);
    z = k == 0.0 ? e / (2.0 + e) : (sum - 1.0) / (sum + 1.0);
    return k * 0.69314718055994530942 + 2.0 * z * (ss_artanh_rest(z * z) * (z * z) + 1.0);
}

/* a log(a / b) - a + b >= 0 for a >= 0 and b > 0; off = a - b, of which they may have lost digits; as in entropy.pxd */
static inline double ss_divergence(double a, double b, double off) {
    int64_t bits, shifted;
    double ratio = a / b > 1e-300 ? a / b : 1e-300, k, z, rest;
    memcpy(&bits, &ratio, sizeof bits);
    shifted = bits - SS_ROOT_HALF;
    k = (double)(int32_t)(shifted >> 52);
    bits -= (shifted >> 52) << 52;
    memcpy(&ratio, &bits, sizeof ratio);
    z = (k == 0.0 ? off : ratio - 1.0) / (k == 0.0 ? a + b : ratio + 1.0);
    rest = ss_artanh_rest(z * z);
    return k == 0.0 ? off * z * (1.0 + z * (1.0 + z) * rest)
                    : a * (k * 0.69314718055994530942 + 2.0 * z * (rest * (z * z) + 1.0)) - off;
}
#endif
