/* The softmax loss of K classes, a block of samples at a time. Class k of sample i has the
 * index k * n + i. The class of the largest eta is treated separately, so that 1 - p is exact
 * if p rounds to 1. */
#ifndef SPARSESOLVE_SOFTMAX_H
#define SPARSESOLVE_SOFTMAX_H

#include <stddef.h>

#include "exponential.h"

#define SS_BLOCK 128 /* samples whose K values stay in cache together */

/* e_ik = exp(eta_ik - most_i), where most_i = eta_ik is the largest predictor, k = top_i.
 * rest_i is the sum over the other classes. */
SS_SIMD static void ss_softmax_exponentials(ptrdiff_t m, ptrdiff_t K, ptrdiff_t n,
                                            const double *eta, ptrdiff_t stride,
                                            double *e, double *SS_RESTRICT most,
                                                double *SS_RESTRICT top,
                                            double *SS_RESTRICT rest) {
    for (ptrdiff_t i = 0; i < m; i++) most[i] = eta[i], top[i] = rest[i] = 0.0;
    for (ptrdiff_t k = 1; k < K; k++) {
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < m; i++) {
            double x = eta[k * n + i];
            top[i] = x > most[i] ? (double)k : top[i];
            most[i] = x > most[i] ? x : most[i];
        }
    }
    for (ptrdiff_t k = 0; k < K; k++) {
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < m; i++) {
            double x = eta[k * n + i] - most[i], value = ss_exp_negative(x);
            /* Below -700 exact zeros cost nothing. */
            rest[i] += top[i] == (double)k || x < -700.0 ? 0.0 : value;
            e[k * stride + i] = value;
        }
    }
}

/* sum_i w_i (log sum_k exp(eta_ik) - y_i'eta_i), with u = w (y - p); u must not alias eta. */
SS_SIMD static double ss_softmax(ptrdiff_t m, ptrdiff_t K, ptrdiff_t n, const double *y,
                                 const double *w,
                                 const double *eta, double *u) {
    double most[SS_BLOCK], top[SS_BLOCK], rest[SS_BLOCK], loss[SS_BLOCK], total = 0.0;
    ss_softmax_exponentials(m, K, n, eta, n, u, most, top, rest);
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < m; i++) loss[i] = ss_log1p(rest[i]);
    for (ptrdiff_t k = 0; k < K; k++) {
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < m; i++) {
            double share = y[k * n + i], all = 1.0 + rest[i];
            double above = ((share - 1.0) + share * rest[i]) / all,
                other = share - u[k * n + i] / all;
            loss[i] += share != 0.0 ? share * (most[i] - eta[k * n + i]) : 0.0;
            u[k * n + i] = w[i] * (top[i] == (double)k ? above : other);
        }
    }
    SS_PRAGMA("omp simd reduction(+ : total)")
    for (ptrdiff_t i = 0; i < m; i++) total += w[i] > 0.0 ? w[i] * loss[i] : 0.0;
    return total;
}

/* h = w p (1 - p) */
SS_SIMD static void ss_softmax_curvature(ptrdiff_t m, ptrdiff_t K, ptrdiff_t n, const double *w,
                                         const double *eta,
                                         double *h) {
    double most[SS_BLOCK], top[SS_BLOCK], rest[SS_BLOCK];
    ss_softmax_exponentials(m, K, n, eta, n, h, most, top, rest);
    for (ptrdiff_t k = 0; k < K; k++) {
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < m; i++) {
            double p = h[k * n + i] / (1.0 + rest[i]);
            h[k * n + i] = w[i] * p * (top[i] == (double)k ? rest[i] / (1.0 + rest[i]) : 1.0 - p);
        }
    }
}

/* out = w p (v - p'v), computed relative to the v of the top class, because only differences
 * matter. */
SS_SIMD static void ss_softmax_hessian_times(ptrdiff_t m, ptrdiff_t K, ptrdiff_t n,
                                             const double *w, const double *eta,
                                             const double *v, double *out) {
    double most[SS_BLOCK], top[SS_BLOCK], rest[SS_BLOCK], base[SS_BLOCK], mean[SS_BLOCK];
    ss_softmax_exponentials(m, K, n, eta, n, out, most, top, rest);
    for (ptrdiff_t i = 0; i < m; i++) base[i] = v[(ptrdiff_t)top[i] * n + i], mean[i] = 0.0;
    for (ptrdiff_t k = 0; k < K; k++) {
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < m; i++) {
            out[k * n + i] /= 1.0 + rest[i];
            mean[i] += out[k * n + i] * (v[k * n + i] - base[i]);
        }
    }
    for (ptrdiff_t k = 0; k < K; k++) {
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < m; i++) out[k * n
                                              + i] *= w[i] * ((v[k * n + i] - base[i]) - mean[i]);
    }
}

/* Data of the samples of a block: most, top and rest of ss_softmax_exponentials, 1 / (1 +
 * rest), 1 / w, and sums over the classes of divergences and of u / w. */
typedef struct {
    double most[SS_BLOCK], top[SS_BLOCK], rest[SS_BLOCK], inverse[SS_BLOCK], unit[SS_BLOCK];
    double sum[SS_BLOCK], surplus[SS_BLOCK];
} ss_softmax_samples;

/* Compute the sums of a block if the ratios of all shares to probabilities are in [sqrt(1/2),
 * sqrt(2)]; return whether they are. */
SS_SIMD static int ss_softmax_near(ptrdiff_t m, ptrdiff_t K, ptrdiff_t n, const double *y,
                                   const double *w,
                                   const double *eta, const double *u, const double *e,
                                       ss_softmax_samples *at) {
    double room = INFINITY;
    for (ptrdiff_t i = 0; i < m; i++) at->sum[i] = at->surplus[i] = 0.0;
    for (ptrdiff_t k = 0; k < K; k++) {
        SS_PRAGMA("omp simd reduction(min : room)")
        for (ptrdiff_t i = 0; i < m; i++) {
            double share = y[k * n + i], v = u[k * n + i] * at->unit[i], s = share - v;
            double p = e[k * SS_BLOCK + i] * at->inverse[i], far = at->most[i] - eta[k * n + i];
            double above = ((share - 1.0) + share * at->rest[i]) * at->inverse[i];
            double off = at->top[i] == (double)k ? above - v : s - p, z = off / (s + p);
            double left = s > 0.0 && far < 600.0 ? SS_NEAR - fabs(z) : -1.0;
            left = w[i] > 0.0 ? left : u[k * n + i] == 0.0 ? SS_NEAR : -1.0;
            room = left < room ? left : room;
            at->surplus[i] += v;
            at->sum[i] += ss_divergence_near(off, z);
        }
    }
    return room >= 0.0;
}

/* Compute the sums of a block for any u; return the smallest share. A share that is negative
 * by rounding counts as 0, and the cost of giving the rest to another sample is added. */
SS_SIMD static double ss_softmax_far(ptrdiff_t m, ptrdiff_t K, ptrdiff_t n, const double *y,
                                     const double *w,
                                     const double *eta, const double *u, const double *e,
                                         ss_softmax_samples *at) {
    double least = 0.0;
    for (ptrdiff_t i = 0; i < m; i++) at->sum[i] = at->surplus[i] = 0.0;
    for (ptrdiff_t k = 0; k < K; k++) {
        SS_PRAGMA("omp simd reduction(min : least)")
        for (ptrdiff_t i = 0; i < m; i++) {
            double share = y[k * n + i], v = u[k * n + i] / (w[i] > 0.0 ? w[i] : 1.0),
                s = share - v, lower = s, off;
            double p = e[k * SS_BLOCK + i] * at->inverse[i], far = at->most[i] - eta[k * n + i];
            double above = ((share - 1.0) + share * at->rest[i]) * at->inverse[i];
            s = s > 0.0 ? s : 0.0;
            off = at->top[i] == (double)k && lower > 0.0 ? above - v : s - p;
            /* A share that is NaN counts as outside. */
            lower = (w[i] > 0.0 && lower == lower) || u[k * n + i] == 0.0 ? lower : -1.0;
            least = lower < least ? lower : least;
            at->surplus[i] += v;
            at->sum[i] += ss_divergence(s, p, off)
                + (s > 0.0 && far > 700.0 ? s * (far - 700.0) : 0.0)
                          + (lower < 0.0 ? -lower * (1.0 + SS_FARTHER * far) : 0.0);
        }
    }
    return least;
}

/* F(eta) + F*(-u) + eta'u = sum_i w_i KL(s_i, p_i) with s = y - u / w; infinite if s is not on
 * the simplex. */
SS_SIMD static double ss_softmax_gap(ptrdiff_t m, ptrdiff_t K, ptrdiff_t n, const double *y,
                                     const double *w,
                                     const double *eta, const double *u, double *SS_RESTRICT e) {
    ss_softmax_samples at;
    double total = 0.0, least = 0.0;
    ss_softmax_exponentials(m, K, n, eta, SS_BLOCK, e, at.most, at.top, at.rest);
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < m; i++) {
        at.inverse[i] = 1.0 / (1.0 + at.rest[i]);
        at.unit[i] = 1.0 / (w[i] > 0.0 ? w[i] : 1.0);
    }
    if (!ss_softmax_near(m, K, n, y, w, eta, u, e, &at)) least = ss_softmax_far(m, K, n, y, w,
        eta, u, e, &at);
    SS_PRAGMA("omp simd reduction(+ : total) reduction(min : least)")
    for (ptrdiff_t i = 0; i < m; i++) {
        double outside = -fabs(at.surplus[i]) / (double)K;
        least = outside < least ? outside : least;
        total += w[i] > 0.0 ? w[i] * at.sum[i] : 0.0;
    }
    return least < -SS_BEYOND ? INFINITY : total;
}

#endif
