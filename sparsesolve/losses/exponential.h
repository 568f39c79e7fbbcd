/* exp() and logarithms that compilers can vectorise, accurate to about one unit in the last
 * place, and the code that softmax and logistic losses share. */
#ifndef SPARSESOLVE_EXPONENTIAL_H
#define SPARSESOLVE_EXPONENTIAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "vector.h"

/* Reassociation would undo the argument reduction of exp(). It is off for the rest of the file
 * that includes this header. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-associative-math")
#elif defined(__clang__)
#pragma clang fp reassociate(off)
#endif

/* The bits of sqrt(1/2). If k is the exponent of the difference of the bits of x and these,
 * 2^-k x is in [sqrt(1/2), sqrt(2)). */
#define SS_ROOT_HALF 0x3FE6A09E667F3BCD
#define SS_LOG_TWO 0.69314718055994530942
#define SS_NEAR 0.17157287525380990239 /* (a - b) / (a + b) where a / b = sqrt(2) */
/* A probability, or a dual value, outside its range by at most this fraction of it is rounding. */
#define SS_BEYOND 1e-12
/* The predictor of the sample that takes over a rounding error is at most this times |eta|. */
#define SS_FARTHER 10.0

/* exp(x) for x <= 0. Below -700, where it is negligible compared with 1, the result is
 * exp(-700). */
static inline double ss_exp_negative(double x) {
    x = x < -700.0 ? -700.0 : x;
    double k = rint(x * 1.4426950408889634074);
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double p = 2.51003767988125e-08; /* (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2 to 1e-16 */
    p = p * r + 2.762007713646922e-07;
    p = p * r + 2.7557268478279004e-06;
    p = p * r + 2.480152131972762e-05;
    p = p * r + 0.00019841269863041851;
    p = p * r + 0.0013888888917198419;
    p = p * r + 0.008333333333330065;
    p = p * r + 0.04166666666662416;
    p = p * r + 0.16666666666666669;
    p = p * r + 0.5000000000000001;
    p = p * r + 1.0;
    p = p * r + 1.0;
    int64_t bits = (int64_t)((int32_t)k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

/* (artanh(z) / z - 1) / z^2 for s = z^2, with an error of at most 2e-16 if (1 + z) / (1 - z)
 * is in [sqrt(1/2), sqrt(2)]. */
static inline double ss_artanh_rest(double s) {
    double p = 0.07308292712444311;
    p = p * s + 0.07665855309105386;
    p = p * s + 0.09091444727837474;
    p = p * s + 0.11111105565129939;
    p = p * s + 0.14285714313001635;
    p = p * s + 0.19999999999949722;
    return p * s + 0.3333333333333335;
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
    return k * SS_LOG_TWO + 2.0 * z * (ss_artanh_rest(z * z) * (z * z) + 1.0);
}

/* a log(a / b) - a + b >= 0 for off = a - b and z = off / (a + b), where |z| <= SS_NEAR. */
static inline double ss_divergence_near(double off, double z) {
    return off * z * (1.0 + z * (1.0 + z) * ss_artanh_rest(z * z));
}

/* a log(a / b) - a + b >= 0 for a >= 0 and b > 0. off = a - b is passed separately, because a
 * and b may have lost digits of it; see `divergence` in entropy.pxd. */
static inline double ss_divergence(double a, double b, double off) {
    int64_t bits, shifted;
    double ratio = a / b > 1e-300 ? a / b : 1e-300, k, z;
    memcpy(&bits, &ratio, sizeof bits);
    shifted = bits - SS_ROOT_HALF;
    k = (double)(int32_t)(shifted >> 52);
    bits -= (shifted >> 52) << 52;
    memcpy(&ratio, &bits, sizeof ratio);
    z = (k == 0.0 ? off : ratio - 1.0) / (k == 0.0 ? a + b : ratio + 1.0);
    return k == 0.0 ? ss_divergence_near(off, z)
                    : a * (k * SS_LOG_TWO + 2.0 * z * (ss_artanh_rest(z * z) * (z * z)
                                                       + 1.0)) - off;
}
#endif
