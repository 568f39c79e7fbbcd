/* The logistic loss for vectors of samples.
 *
 * e = exp(-|eta|) is all that value, slope and curvature need; log(1 + e) = 2 artanh(e / (2 + e)), a short series since
 * e / (2 + e) <= 1/3. */
#ifndef SPARSESOLVE_LOGISTIC_H
#define SPARSESOLVE_LOGISTIC_H

#include <stddef.h>

#include "exponential.h"

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
   Where it is none by rounding it is taken for the nearest, at the price of giving the rest to another sample: the
   rest times how far eta may have to go.  The outcome that eta makes less likely, of share a and probability b, has
   the digits of the other's difference too. */
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
                         + a * (far > 700.0 ? far - 700.0 : 0.0)
                         + (lower < 0.0 ? -lower : 0.0) * (1.0 + SS_FARTHER * far));
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
#endif
