/* Inner products of many columns at once, on x86 processors with vectors of 512 bits: the BLAS that comes with scipy
 * takes its kernels for 256 bits on some of them. */
#ifndef SPARSESOLVE_PRODUCTS_H
#define SPARSESOLVE_PRODUCTS_H

#include "vector.h"

#if defined(__linux__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SS_512 __attribute__((unused, target("arch=x86-64-v4,prefer-vector-width=512")))
#define SS_512_HERE __builtin_cpu_supports("x86-64-v4")
#else
#define SS_512 SS_SIMD
#define SS_512_HERE 0
#endif

enum { SS_ROWS = 512, SS_COLUMNS = 128 }; /* of the left factor, which stay in cache while the right one passes by */

/* The columns a of the left factor and b of the right one, four each: out_k+4l = a_k'b_l */
SS_512 static inline void ss_tile(ptrdiff_t n, const double *const *a, const double *const *b, double *out) {
    const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3], *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;
    double u0 = 0.0, u1 = 0.0, u2 = 0.0, u3 = 0.0, v0 = 0.0, v1 = 0.0, v2 = 0.0, v3 = 0.0;
    _Pragma("omp simd reduction(+ : s0, s1, s2, s3, t0, t1, t2, t3, u0, u1, u2, u3, v0, v1, v2, v3)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x0 = a0[i], x1 = a1[i], x2 = a2[i], x3 = a3[i], y = b0[i];
        s0 += x0 * y, s1 += x1 * y, s2 += x2 * y, s3 += x3 * y;
        y = b1[i];
        t0 += x0 * y, t1 += x1 * y, t2 += x2 * y, t3 += x3 * y;
        y = b2[i];
        u0 += x0 * y, u1 += x1 * y, u2 += x2 * y, u3 += x3 * y;
        y = b3[i];
        v0 += x0 * y, v1 += x1 * y, v2 += x2 * y, v3 += x3 * y;
    }
    double all[16] = {s0, s1, s2, s3, t0, t1, t2, t3, u0, u1, u2, u3, v0, v1, v2, v3};
    for (int k = 0; k < 16; k++) out[k] = all[k];
}

/* G (ld, count) += A'B for A (n, size) and B (n, count), their columns lda and ldb apart.  `upper`: of the columns of
 * G, entries up to the diagonal alone; others may be written. */
SS_512 static void ss_add_products(ptrdiff_t n, ptrdiff_t size, const double *A, ptrdiff_t lda, ptrdiff_t count,
                                   const double *B, ptrdiff_t ldb, int upper, double *G, ptrdiff_t ld) {
    const double *a[4], *b[4];
    double tile[16];
    for (ptrdiff_t row = 0; row < n; row += SS_ROWS)
        for (ptrdiff_t first = 0; first < size; first += SS_COLUMNS)
            for (ptrdiff_t j = upper ? first : 0; j < count; j += 4) {
                ptrdiff_t end = first + SS_COLUMNS < size ? first + SS_COLUMNS : size;
                if (upper && j + 4 < end) end = j + 4;
                for (int l = 0; l < 4; l++) b[l] = B + row + (j + l < count ? j + l : count - 1) * ldb;
                for (ptrdiff_t i = first; i < end; i += 4) {
                    for (int k = 0; k < 4; k++) a[k] = A + row + (i + k < size ? i + k : size - 1) * lda;
                    ss_tile(n - row < SS_ROWS ? n - row : SS_ROWS, a, b, tile);
                    for (int l = 0; l < 4 && j + l < count; l++)
                        for (int k = 0; k < 4 && i + k < end; k++) G[i + k + (j + l) * ld] += tile[k + 4 * l];
                }
            }
}

#endif
