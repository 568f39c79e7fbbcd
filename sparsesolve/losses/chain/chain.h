/* One chain of L positions and K labels: score(y) = sum_i S[i, y_i] + sum_i T[y_i, y_i+1].
 *
 * Rows of matrices with "width" in their names are padded to a multiple of SS_LANES, which keeps
 * the inner loops free of remainders. Scores may be -inf, not +inf or NaN. Forward-backward works
 * with exp(score - largest), scaled to sum 1 at every position. Terms below exp(-700) of the
 * largest are dropped. If a scale is below SS_FAINT, dropped terms may matter, and the caller uses
 * the logarithmic version. */
#ifndef SPARSESOLVE_CHAIN_H
#define SPARSESOLVE_CHAIN_H

#include "exponential.h"

#define SS_LANES 8
#define SS_FAINT 1e-200
#define SS_BATCH 8 /* positions whose pair products are added together */

/* out_b = sum_a x_a E_ab */
static inline void ss_chain_apply(ptrdiff_t K, ptrdiff_t width, const double *x, const double *E,
                                  double *SS_RESTRICT out) {
    for (ptrdiff_t b = 0; b < width; b += SS_LANES) {
        double sum[SS_LANES] = {0.0};
        for (ptrdiff_t a = 0; a < K; a++) {
            SS_PRAGMA("omp simd")
            for (int l = 0; l < SS_LANES; l++) sum[l] += x[a] * E[a * width + b + l];
        }
        for (int l = 0; l < SS_LANES; l++) out[b + l] = sum[l];
    }
}

/* Set e = exp(S - top) by row, 0 in the padding. Return 0 if a row has no finite score. */
SS_SIMD static int ss_chain_exponentials(ptrdiff_t L, ptrdiff_t K, ptrdiff_t width,
                                         const double *S, double *e, double *top) {
    for (ptrdiff_t i = 0; i < L; i++) {
        const double *s = S + i * K;
        double most = s[0], *row = e + i * width;
        SS_PRAGMA("omp simd reduction(max : most)")
        for (ptrdiff_t k = 0; k < K; k++) most = s[k] > most ? s[k] : most;
        if (most == -INFINITY) return 0;
        SS_PRAGMA("omp simd")
        for (ptrdiff_t k = 0; k < K; k++) {
            double x = s[k] - most;
            row[k] = x < -700.0 ? 0.0 : ss_exp_negative(x);
        }
        for (ptrdiff_t k = K; k < width; k++) row[k] = 0.0;
        top[i] = most;
    }
    return 1;
}

/* Write alpha_i, of sum 1, into mu (L, K). Return log Z, or NAN if a scale is faint. `q`
 * (width,) is workspace. */
SS_SIMD static double ss_chain_forward(ptrdiff_t L, ptrdiff_t K, ptrdiff_t width, const double *e,
                                       const double *top, const double *E, double top_pair,
                                       double *mu, double *q) {
    double total = (double)(L - 1) * top_pair, product = 1.0;
    for (ptrdiff_t i = 0; i < L; i++) {
        const double *row = e + i * width;
        double *alpha = mu + i * K, c = 0.0;
        if (i > 0) {
            ss_chain_apply(K, width, alpha - K, E, q);
            for (ptrdiff_t k = 0; k < width; k++) q[k] *= row[k];
        } else {
            for (ptrdiff_t k = 0; k < width; k++) q[k] = row[k];
        }
        SS_PRAGMA("omp simd reduction(+ : c)")
        for (ptrdiff_t k = 0; k < width; k++) c += q[k];
        if (!(c > SS_FAINT)) return NAN;
        double inverse = 1.0 / c;
        for (ptrdiff_t k = 0; k < K; k++) alpha[k] = q[k] * inverse;
        product *= c;
        total += top[i];
        if (product < 1e-50 || product > 1e50) total += log(product), product = 1.0;
    }
    return total + log(product);
}

/* Add X'V to M, for `count` rows. */
static inline void ss_chain_add_pairs(ptrdiff_t count, ptrdiff_t K, ptrdiff_t width,
                                      const double *X, const double *V, double *SS_RESTRICT M) {
    for (ptrdiff_t a = 0; a < K; a++)
        for (ptrdiff_t b = 0; b < width; b += SS_LANES) {
            double sum[SS_LANES] = {0.0};
            for (ptrdiff_t r = 0; r < count; r++) {
                double x = X[r * width + a];
                SS_PRAGMA("omp simd")
                for (int l = 0; l < SS_LANES; l++) sum[l] += x * V[r * width + b + l];
            }
            for (int l = 0; l < SS_LANES; l++) M[a * width + b + l] += sum[l];
        }
}

/* Turn alpha in mu into marginals. Add w times pair marginals over E to M (K, width); write
 * the pair marginals themselves into `pairs` (L - 1, K, K), if given. Et is E transposed;
 * `work` has (2 SS_BATCH + 1) width. Return 0 if a scale is faint. */
SS_SIMD static int ss_chain_backward(ptrdiff_t L, ptrdiff_t K, ptrdiff_t width, const double *e,
                                     const double *E, const double *Et, double w, double *mu,
                                     double *M, double *pairs, double *work) {
    double *X = work, *V = work + SS_BATCH * width, *beta = work + 2 * SS_BATCH * width;
    ptrdiff_t held = 0;
    for (ptrdiff_t k = 0; k < width; k++) beta[k] = k < K ? 1.0 : 0.0;
    for (ptrdiff_t i = L - 2; i >= 0; i--) {
        double *x = X + held * width, *v = V + held * width, *alpha = mu + i * K;
        double Z = 0.0, sum = 0.0;
        const double *row = e + (i + 1) * width;
        for (ptrdiff_t k = 0; k < width; k++) v[k] = row[k] * beta[k];
        ss_chain_apply(K, width, v, Et, beta);
        SS_PRAGMA("omp simd reduction(+ : Z, sum)")
        for (ptrdiff_t k = 0; k < K; k++) Z += alpha[k] * beta[k], sum += beta[k];
        if (!(Z > SS_FAINT * sum && sum > SS_FAINT)) return 0;
        double inverse = 1.0 / Z, scale = 1.0 / sum;
        for (ptrdiff_t k = 0; k < K; k++) x[k] = alpha[k] * inverse, alpha[k] = x[k] * beta[k];
        if (pairs)
            for (ptrdiff_t a = 0; a < K; a++)
                for (ptrdiff_t b = 0; b < K; b++)
                    pairs[(i * K + a) * K + b] = x[a] * E[a * width + b] * v[b];
        for (ptrdiff_t k = 0; k < K; k++) beta[k] *= scale, x[k] *= w;
        if (++held == SS_BATCH) ss_chain_add_pairs(held, K, width, X, V, M), held = 0;
    }
    ss_chain_add_pairs(held, K, width, X, V, M);
    return 1;
}

/* Return log sum_a exp(x_a + t_a), with t_a at a stride. */
static inline double ss_chain_log_sum(ptrdiff_t K, const double *x, const double *t,
                                      ptrdiff_t stride) {
    double most = -INFINITY, sum = 0.0;
    for (ptrdiff_t a = 0; a < K; a++) {
        double value = x[a] + t[a * stride];
        most = value > most ? value : most;
    }
    if (most == -INFINITY) return most;
    for (ptrdiff_t a = 0; a < K; a++) sum += exp(x[a] + t[a * stride] - most);
    return most + log(sum);
}

/* Replace logarithms by numbers of sum 1. */
static void ss_chain_shares(ptrdiff_t K, double *x) {
    double most = -INFINITY, sum = 0.0;
    for (ptrdiff_t k = 0; k < K; k++) most = x[k] > most ? x[k] : most;
    for (ptrdiff_t k = 0; k < K; k++) sum += x[k] = exp(x[k] - most);
    for (ptrdiff_t k = 0; k < K; k++) x[k] /= sum;
}

/* The logarithm of the sum of exp(alpha_a + T_ab + v_b), in two parts that are not added: where
 * scores are large, the first has no digits left for the second. */
static void ss_chain_pair_sum(ptrdiff_t K, ptrdiff_t width, const double *alpha, const double *T,
                              const double *v, double *most, double *sum) {
    *most = -INFINITY, *sum = 0.0;
    for (ptrdiff_t a = 0; a < K; a++)
        for (ptrdiff_t b = 0; b < K; b++) {
            double x = alpha[a] + T[a * width + b] + v[b];
            *most = x > *most ? x : *most;
        }
    for (ptrdiff_t a = 0; a < K; a++)
        for (ptrdiff_t b = 0; b < K; b++)
            *sum += exp(alpha[a] + T[a * width + b] + v[b] - *most);
}

/* Compute marginals in logarithms, for scores of any range: node marginals into mu; w times
 * pair marginals are added to P (K, K). T is (K, width), `work` has 2 K. Each position is divided
 * by its own sum: that of another has lost digits where scores are large. Return log Z,
 * -INFINITY if every labelling is impossible. */
static double ss_chain_logarithmic(ptrdiff_t L, ptrdiff_t K, ptrdiff_t width, const double *S,
                                   const double *T, double w, double *mu, double *P,
                                   double *pairs, double *work) {
    double *beta = work, *v = work + K, total, most = -INFINITY;
    for (ptrdiff_t i = 0; i < L; i++)
        for (ptrdiff_t k = 0; k < K; k++) {
            double before = i ? ss_chain_log_sum(K, mu + (i - 1) * K, T + k, width) : 0.0;
            mu[i * K + k] = S[i * K + k] + before;
        }
    for (ptrdiff_t k = 0; k < K; k++) {
        double value = mu[(L - 1) * K + k];
        most = value > most ? value : most;
        beta[k] = 0.0;
    }
    if (most == -INFINITY) return most;
    total = 0.0;
    for (ptrdiff_t k = 0; k < K; k++) total += exp(mu[(L - 1) * K + k] - most);
    total = most + log(total);
    ss_chain_shares(K, mu + (L - 1) * K);
    for (ptrdiff_t i = L - 2; i >= 0; i--) {
        double *alpha = mu + i * K, sum;
        for (ptrdiff_t k = 0; k < K; k++) v[k] = S[(i + 1) * K + k] + beta[k];
        ss_chain_pair_sum(K, width, alpha, T, v, &most, &sum);
        for (ptrdiff_t a = 0; a < K; a++) {
            for (ptrdiff_t b = 0; b < K; b++) {
                double pair = exp(alpha[a] + T[a * width + b] + v[b] - most) / sum;
                if (P) P[a * K + b] += w * pair;
                if (pairs) pairs[(i * K + a) * K + b] = pair;
            }
            beta[a] = ss_chain_log_sum(K, v, T + a * width, 1);
        }
        for (ptrdiff_t k = 0; k < K; k++) alpha[k] += beta[k];
        ss_chain_shares(K, alpha);
    }
    return total;
}

/* Find the labelling of the largest score, the first of equals; return its score. T (K, width)
 * and delta (L, width) have -inf in the padding. */
SS_SIMD static double ss_chain_viterbi(ptrdiff_t L, ptrdiff_t K, ptrdiff_t width, const double *S,
                                       const double *T, double *delta, int *path) {
    for (ptrdiff_t i = 0; i < L; i++) {
        double *row = delta + i * width;
        for (ptrdiff_t k = K; k < width; k++) row[k] = -INFINITY;
        if (i == 0) {
            for (ptrdiff_t k = 0; k < K; k++) row[k] = S[k];
            continue;
        }
        for (ptrdiff_t b = 0; b < width; b += SS_LANES) {
            double most[SS_LANES];
            for (int l = 0; l < SS_LANES; l++) most[l] = -INFINITY;
            for (ptrdiff_t a = 0; a < K; a++) {
                double x = row[a - width];
                SS_PRAGMA("omp simd")
                for (int l = 0; l < SS_LANES; l++) {
                    double value = x + T[a * width + b + l];
                    most[l] = value > most[l] ? value : most[l];
                }
            }
            for (int l = 0; l < SS_LANES && b + l < K; l++) row[b + l] = most[l] + S[i * K + b + l];
        }
    }
    double *last = delta + (L - 1) * width;
    int label = 0;
    for (ptrdiff_t k = 1; k < K; k++) label = last[k] > last[label] ? (int)k : label;
    double best = last[label];
    path[L - 1] = label;
    for (ptrdiff_t i = L - 2; i >= 0; i--) {
        const double *row = delta + i * width;
        int from = 0;
        for (ptrdiff_t a = 1; a < K; a++)
            if (row[a] + T[a * width + label] > row[from] + T[from * width + label]) from = (int)a;
        path[i] = label = from;
    }
    return best;
}

/* out_i (K,) = sum_j x_ij w_j for rows i of a compressed sparse matrix and rows w_j (K,) */
SS_SIMD static void ss_row_products(ptrdiff_t first, ptrdiff_t last, ptrdiff_t K,
                                    const long long *start, const int *at, const double *x,
                                    const double *w, double *SS_RESTRICT out) {
    for (ptrdiff_t i = first; i < last; i++) {
        double *o = out + i * K;
        long long j = start[i];
        for (ptrdiff_t k = 0; k < K; k++) o[k] = 0.0;
        for (; j + 3 < start[i + 1]; j += 4) {
            const double *a = w + at[j] * K, *b = w + at[j + 1] * K, *c = w + at[j + 2] * K,
                         *d = w + at[j + 3] * K;
            double p = x[j], q = x[j + 1], r = x[j + 2], s = x[j + 3];
            SS_PRAGMA("omp simd")
            for (ptrdiff_t k = 0; k < K; k++) o[k] += (p * a[k] + q * b[k]) + (r * c[k] + s * d[k]);
        }
        for (; j < start[i + 1]; j++) {
            const double *a = w + at[j] * K;
            SS_PRAGMA("omp simd")
            for (ptrdiff_t k = 0; k < K; k++) o[k] += x[j] * a[k];
        }
    }
}

#endif
