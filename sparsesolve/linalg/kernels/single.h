/* Single-precision kernels for models that are approximate anyway: one vector x and K vectors
 * v_k = v + k ld. Several v_k are processed for one load of x. Instruction sets are chosen as
 * in vector.h. */
#ifndef SPARSESOLVE_SINGLE_H
#define SPARSESOLVE_SINGLE_H

#include "vector.h"

#define SS_LANES 32 /* sums side by side: one would wait for its own last addition */

/* out_k = x'v_k */
SS_SIMD static void ss_dots_single(ptrdiff_t n, int K, const float *SS_RESTRICT x,
                                   const float *SS_RESTRICT v,
                                   ptrdiff_t ld, float *SS_RESTRICT out) {
    for (; K >= 4; K -= 4, v += 4 * ld, out += 4) {
        const float *v1 = v + ld, *v2 = v + 2 * ld, *v3 = v + 3 * ld;
        float a[SS_LANES] = {0.0f}, b[SS_LANES] = {0.0f}, c[SS_LANES] = {0.0f},
            d[SS_LANES] = {0.0f};
        ptrdiff_t i = 0;
        for (; i + SS_LANES <= n; i += SS_LANES) {
            SS_PRAGMA("omp simd")
            for (int k = 0; k < SS_LANES; k++) {
                float z = x[i + k];
                a[k] += z * v[i + k];
                b[k] += z * v1[i + k];
                c[k] += z * v2[i + k];
                d[k] += z * v3[i + k];
            }
        }
        for (; i < n; i++) {
            a[0] += x[i] * v[i];
            b[0] += x[i] * v1[i];
            c[0] += x[i] * v2[i];
            d[0] += x[i] * v3[i];
        }
        for (int k = 1; k < SS_LANES; k++) {
            a[0] += a[k];
            b[0] += b[k];
            c[0] += c[k];
            d[0] += d[k];
        }
        out[0] = a[0];
        out[1] = b[0];
        out[2] = c[0];
        out[3] = d[0];
    }
    for (; K > 0; K--, v += ld, out++) {
        float part[2 * SS_LANES] = {0.0f}, total = 0.0f;
        ptrdiff_t i = 0;
        for (; i + 2 * SS_LANES <= n; i += 2 * SS_LANES) {
            SS_PRAGMA("omp simd")
            for (int k = 0; k < 2 * SS_LANES; k++) part[k] += x[i + k] * v[i + k];
        }
        for (; i < n; i++) total += x[i] * v[i];
        for (int k = 0; k < 2 * SS_LANES; k++) total += part[k];
        *out = total;
    }
}

/* v_k += a_k x */
SS_SIMD static void ss_axpys_single(ptrdiff_t n, int K, const float *SS_RESTRICT a,
                                    const float *SS_RESTRICT x,
                                    float *SS_RESTRICT v, ptrdiff_t ld) {
    for (; K >= 4; K -= 4, v += 4 * ld, a += 4) {
        float *v1 = v + ld, *v2 = v + 2 * ld, *v3 = v + 3 * ld;
        float a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < n; i++) {
            float z = x[i];
            v[i] += a0 * z;
            v1[i] += a1 * z;
            v2[i] += a2 * z;
            v3[i] += a3 * z;
        }
    }
    for (; K > 0; K--, v += ld, a++) {
        float a0 = a[0];
        SS_PRAGMA("omp simd")
        for (ptrdiff_t i = 0; i < n; i++) v[i] += a0 * x[i];
    }
}

#endif
