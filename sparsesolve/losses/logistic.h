/* The logistic loss for vectors of samples. Value, slope and curvature all follow from e =
 * exp(-|eta|). */
#ifndef SPARSESOLVE_LOGISTIC_H
#define SPARSESOLVE_LOGISTIC_H

#include <stddef.h>

#include "exponential.h"

#define SS_HALFWAY 0.41421356237309504880 /* sqrt(2) - 1 */
#define SS_SAMPLES 256                    /* met at a time: they stay in the first cache */

/* sum_i w_i (log(1 + exp(eta_i)) - y_i eta_i), with u_i = w_i (y_i - p_i), which is exact if
 * p_i rounds to 0 or 1. */
SS_SIMD static double ss_logistic(ptrdiff_t n, const double *SS_RESTRICT y,
                                  const double *SS_RESTRICT w,
                                  const double *SS_RESTRICT eta, double *SS_RESTRICT u) {
    double total = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = eta[i], e = ss_exp_negative(-fabs(x)), all = 1.0 + e;
        /* log(1 + e) = 2 artanh(top / bottom), plus log 2 if 1 + e is halved first. */
        double top = e > SS_HALFWAY ? e - 1.0 : e, bottom = e > SS_HALFWAY ? e + 3.0 : e + 2.0;
        double share = e / all, z = top / bottom;
        double log_all = 2.0 * z * (ss_artanh_rest(z * z) * (z * z) + 1.0)
            + (e > SS_HALFWAY ? SS_LOG_TWO : 0.0);
        /* The outcome on the side of eta: if eta > 0, 1 - y and the probability of 0. */
        double other = x > 0.0 ? 1.0 - y[i] : y[i], side = x > 0.0 ? w[i] : -w[i];
        total += w[i] * (log_all + other * fabs(x));
        u[i] = side * (share - other);
    }
    return total;
}

/* h_i = w_i p_i (1 - p_i) */
SS_SIMD static void ss_logistic_curvature(ptrdiff_t n, const double *SS_RESTRICT w,
                                          const double *SS_RESTRICT eta,
                                          double *SS_RESTRICT h) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) {
        double e = ss_exp_negative(-fabs(eta[i]));
        h[i] = w[i] * e / ((1.0 + e) * (1.0 + e));
    }
}

/* sum_i w_i KL(s_i, p_i) with s = y - u / w if all ratios of probabilities are in [sqrt(1/2),
 * sqrt(2)], else -1. The outcomes have the probabilities e / all and 1 / all; their shares
 * under s are a and other = 1 - a. One division yields off = a - e / all as well as z and t,
 * the arguments of artanh for the two outcomes. The order of the factors keeps them from
 * underflowing. `room` is the distance to SS_NEAR. */
SS_SIMD static double ss_logistic_gap_near(ptrdiff_t n, const double *SS_RESTRICT y,
                                           const double *SS_RESTRICT w,
                                           const double *SS_RESTRICT eta,
                                               const double *SS_RESTRICT u) {
    double total = 0.0, room = INFINITY;
    SS_PRAGMA("omp simd reduction(+ : total) reduction(min : room)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = eta[i], v = u[i] / (w[i] > 0.0 ? w[i] : 1.0), s = y[i] - v,
            rest = (1.0 - y[i]) + v;
        double e = ss_exp_negative(-fabs(x)), all = 1.0 + e, a = x > 0.0 ? rest : s,
            other = x > 0.0 ? s : rest;
        double less = a * all - e, more = a * all + e, most = other * all + 1.0;
        double inverse = 1.0 / (all * more * most), off = less * (more * most * inverse);
        double z = less * (all * most * inverse), t = -less * (all * more * inverse);
        double left = SS_NEAR - (fabs(z) > fabs(t) ? fabs(z) : fabs(t));
        left = a > 0.0 && other > 0.0 && fabs(x) < 600.0 ? left : -1.0;
        left = w[i] > 0.0 ? left : u[i] == 0.0 ? SS_NEAR : -1.0;
        room = left < room ? left : room;
        total += w[i] * (ss_divergence_near(off, z) + ss_divergence_near(-off, t));
    }
    return room >= 0.0 ? total : -1.0;
}

/* F(eta) + F*(-u) + eta'u = sum_i w_i KL(s_i, p_i) with s = y - u / w, infinite if s is not a
 * probability. If s is outside [0, 1] by rounding only, it is moved to the edge. The cost of
 * giving the rest to another sample is added: the rest times the largest distance of eta. The
 * outcome that eta makes less likely, with share a and probability b, determines the
 * difference of both to all digits. */
SS_SIMD static double ss_logistic_gap_far(ptrdiff_t n, const double *SS_RESTRICT y,
                                          const double *SS_RESTRICT w,
                                          const double *SS_RESTRICT eta,
                                              const double *SS_RESTRICT u) {
    double total = 0.0, least = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total) reduction(min : least)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = eta[i], v = u[i] / (w[i] > 0.0 ? w[i] : 1.0), s = y[i] - v,
            rest = (1.0 - y[i]) + v;
        double far = fabs(x), e = ss_exp_negative(-far), b = e / (1.0 + e),
            lower = s < rest ? s : rest;
        double a = x > 0.0 ? rest : s, other = x > 0.0 ? s : rest, off;
        lower = (w[i] > 0.0 && lower == lower) || u[i] == 0.0 ? lower : -1.0; /* NaN is outside */
        least = lower < least ? lower : least;
        a = a > 0.0 ? a : 0.0;
        other = other > 0.0 ? other : 0.0;
        off = a - b;
        total += w[i] * (ss_divergence(a, b, off) + ss_divergence(other, 1.0 / (1.0 + e), -off)
                         + a * (far > 700.0 ? far - 700.0 : 0.0)
                         + (lower < 0.0 ? -lower : 0.0) * (1.0 + SS_FARTHER * far));
    }
    return least < -SS_BEYOND ? INFINITY : total;
}

/* The gap of ss_logistic_gap_far, computed by ss_logistic_gap_near for blocks of samples whose
 * dual point is near. */
static double ss_logistic_gap(ptrdiff_t n, const double *y, const double *w, const double *eta,
                              const double *u) {
    double total = 0.0;
    for (ptrdiff_t i = 0; i < n; i += SS_SAMPLES) {
        ptrdiff_t m = n - i < SS_SAMPLES ? n - i : SS_SAMPLES;
        double part = ss_logistic_gap_near(m, y + i, w + i, eta + i, u + i);
        total += part >= 0.0 ? part : ss_logistic_gap_far(m, y + i, w + i, eta + i, u + i);
    }
    return total;
}

/* True if F*(-u) is finite. */
SS_SIMD static int ss_logistic_admits(ptrdiff_t n, const double *SS_RESTRICT y,
                                      const double *SS_RESTRICT w,
                                      const double *SS_RESTRICT u) {
    double least = 0.0;
    SS_PRAGMA("omp simd reduction(min : least)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double v = u[i] / (w[i] > 0.0 ? w[i] : 1.0), s = y[i] - v, rest = (1.0 - y[i]) + v;
        double lower = (w[i] > 0.0 && v == v) || u[i] == 0.0 ? (s < rest ? s : rest) : -1.0;
        least = lower < least ? lower : least;
    }
    return least >= -SS_BEYOND;
}
#endif
