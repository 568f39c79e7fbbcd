/* Inner products of many columns at once, in two cases that do not suit BLAS. On x86
 * processors with 512-bit vectors, the BLAS of scipy uses 256-bit kernels on some of them.
 * Elsewhere, BLAS copies both factors before it multiplies them, which is slow if few columns
 * meet many. */
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

/* Rows and columns of the left factor that stay in cache while the right factor is read; both
 * are multiples of a tile. */
enum { SS_MANY_ROWS = 512, SS_MANY_COLUMNS = 128, SS_FEW_ROWS = 1024, SS_FEW_COLUMNS = 24 };

/* Number of columns of a factor up to which BLAS gains less than its copies cost. It is
 * smaller if the compiler does not vectorise sums. */
#if defined(_MSC_VER)
enum { SS_FEW = 8 };
#else
enum { SS_FEW = 32 };
#endif

/* Products of four columns a of the left factor with four columns b of the right one: out_k+4l
 * = a_k'b_l. */
SS_512 static inline void ss_tile(ptrdiff_t n, const double *const *a, const double *const *b,
                                  double *out) {
    const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3], *b0 = b[0], *b1 = b[1],
        *b2 = b[2], *b3 = b[3];
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;
    double u0 = 0.0, u1 = 0.0, u2 = 0.0, u3 = 0.0, v0 = 0.0, v1 = 0.0, v2 = 0.0, v3 = 0.0;
    SS_PRAGMA("omp simd reduction(+ : s0,s1,s2,s3, t0,t1,t2,t3, u0,u1,u2,u3, v0,v1,v2,v3)")
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

/* Products of four columns a with three columns b: twelve sums, three b and one a fill sixteen
 * registers. */
SS_SIMD static void ss_tile_of_three(ptrdiff_t n, const double *const *a, const double *const *b,
                                     double *out) {
    const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3], *b0 = b[0], *b1 = b[1], *b2 = b[2];
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0, t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0;
    double u0 = 0.0, u1 = 0.0, u2 = 0.0, u3 = 0.0;
    SS_PRAGMA("omp simd reduction(+ : s0, s1, s2, s3, t0, t1, t2, t3, u0, u1, u2, u3)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = a0[i], y0 = b0[i], y1 = b1[i], y2 = b2[i];
        s0 += x * y0, t0 += x * y1, u0 += x * y2;
        x = a1[i];
        s1 += x * y0, t1 += x * y1, u1 += x * y2;
        x = a2[i];
        s2 += x * y0, t2 += x * y1, u2 += x * y2;
        x = a3[i];
        s3 += x * y0, t3 += x * y1, u3 += x * y2;
    }
    double all[12] = {s0, s1, s2, s3, t0, t1, t2, t3, u0, u1, u2, u3};
    for (int k = 0; k < 12; k++) out[k] = all[k];
}

/* G (ld, count) += A'B for A (n, size) and B (n, count) with leading dimensions lda and ldb.
 * With `upper`, only the entries of G up to the diagonal are defined; others may be written.
 * TILE multiplies four columns of A by WIDE columns of B. */
#define SS_ADD_PRODUCTS(SET, NAME, TILE, WIDE, ROWS, COLUMNS)                                     \
    SET void NAME(ptrdiff_t n, ptrdiff_t size, const double *A, ptrdiff_t lda, ptrdiff_t count,   \
              const double *B, ptrdiff_t ldb, int upper, double *G, ptrdiff_t ld) {               \
        const double *a[4], *b[WIDE];                                                             \
        double tile[4 * WIDE];                                                                    \
        for (ptrdiff_t row = 0; row < n; row += ROWS)                                             \
            for (ptrdiff_t first = 0; first < size; first += COLUMNS)                             \
                for (ptrdiff_t j = upper ? first : 0; j < count; j += WIDE) {                     \
                    ptrdiff_t end = first + COLUMNS < size ? first + COLUMNS : size;              \
                    if (upper && j + WIDE < end) end = j + WIDE;                                  \
                    for (int l = 0; l < WIDE; l++)                                                \
                        b[l] = B + row + (j + l < count ? j + l : count - 1) * ldb;               \
                    for (ptrdiff_t i = first; i < end; i += 4) {                                  \
                        for (int k = 0; k < 4; k++)                                               \
                            a[k] = A + row + (i + k < size ? i + k : size - 1) * lda;             \
                        TILE(n - row < ROWS ? n - row : ROWS, a, b, tile);                        \
                        for (int l = 0; l < WIDE && j + l < count; l++)                           \
                            for (int k = 0; k < 4 && i + k < end; k++)                            \
                                G[i + k + (j + l) * ld] += tile[k + 4 * l];                       \
                    }                                                                             \
                }                                                                                 \
    }

SS_ADD_PRODUCTS(SS_512 static, ss_add_products, ss_tile, 4, SS_MANY_ROWS, SS_MANY_COLUMNS)
SS_ADD_PRODUCTS(static inline, ss_add_few_products, ss_tile_of_three, 3, SS_FEW_ROWS,
                SS_FEW_COLUMNS)

/* Start of vector k of the list `which`; without a list, vectors follow each other in memory. */
static inline const double *ss_listed(const double *q, const int *which, ptrdiff_t k,
                                      ptrdiff_t stride) {
    return q + (which ? which[k] : k) * stride;
}

/* F(0) F(1) ... F(N - 1). */
#define SS_EACH_1(F) F(0)
#define SS_EACH_2(F) F(0) F(1)
#define SS_EACH_4(F) SS_EACH_2(F) F(2) F(3)
#define SS_EACH_5(F) SS_EACH_4(F) F(4)
#define SS_EACH_8(F) SS_EACH_5(F) F(5) F(6) F(7)

/* Vectors k, k + 1, ... of the list. Beyond the end of the list the last vector is repeated
 * with weight 0. */
#define SS_NEXT(l) \
    const double *q##l = ss_listed(q, which, k + l < count ? k + l : count - 1, stride);
#define SS_WEIGHT(l) const double w##l = k + l < count ? w[k + l] : 0.0;
#define SS_WEIGHTED(l) + w##l * q##l[i]
#define SS_SUM(l) double s##l = 0.0;
#define SS_PRODUCT(l) s##l += q##l[i] * v[i];
#define SS_GIVE(l) if (k + l < count) out[k + l] += s##l;

/* WIDTH vectors at once while more than REST are left. */
#define SS_SUBTRACT_WHILE(REST, WIDTH)                                                            \
    for (; count - k > REST; k += WIDTH) {                                                        \
        SS_EACH_##WIDTH(SS_NEXT) SS_EACH_##WIDTH(SS_WEIGHT)                                       \
        SS_PRAGMA("omp simd")                                                                     \
        for (ptrdiff_t i = 0; i < n; i++) out[i] -= 0.0 SS_EACH_##WIDTH(SS_WEIGHTED);             \
    }
#define SS_DOTS_WHILE(REST, WIDTH, SUMS)                                                          \
    for (; count - k > REST; k += WIDTH) {                                                        \
        SS_EACH_##WIDTH(SS_NEXT) SS_EACH_##WIDTH(SS_SUM)                                          \
        SS_PRAGMA(SUMS)                                                                           \
        for (ptrdiff_t i = 0; i < n; i++) { SS_EACH_##WIDTH(SS_PRODUCT) }                         \
        SS_EACH_##WIDTH(SS_GIVE)                                                                  \
    }

/* out -= sum_k w_k q_k, with few loads and stores of out. */
SS_SIMD static void ss_subtract_all(ptrdiff_t n, ptrdiff_t count, const double *SS_RESTRICT w,
                                    const double *SS_RESTRICT q, const int *which, ptrdiff_t stride,
                                    double *SS_RESTRICT out) {
    ptrdiff_t k = 0;
    SS_SUBTRACT_WHILE(5, 8)
    SS_SUBTRACT_WHILE(4, 5)
    SS_SUBTRACT_WHILE(2, 4)
    SS_SUBTRACT_WHILE(1, 2)
    SS_SUBTRACT_WHILE(0, 1)
}

/* out_k += sum_i q_k,i v_i for the listed vectors. Several are processed at a time: v is read
 * once for all, and their loads from memory overlap. */
SS_SIMD static void ss_add_dots(ptrdiff_t n, ptrdiff_t count, const double *SS_RESTRICT q,
                                const int *which,
                                ptrdiff_t stride, const double *SS_RESTRICT v,
                                    double *SS_RESTRICT out) {
    ptrdiff_t k = 0;
    SS_DOTS_WHILE(5, 8, "omp simd reduction(+ : s0, s1, s2, s3, s4, s5, s6, s7)")
    SS_DOTS_WHILE(4, 5, "omp simd reduction(+ : s0, s1, s2, s3, s4)")
    SS_DOTS_WHILE(2, 4, "omp simd reduction(+ : s0, s1, s2, s3)")
    SS_DOTS_WHILE(1, 2, "omp simd reduction(+ : s0, s1)")
    SS_DOTS_WHILE(0, 1, "omp simd reduction(+ : s0)")
}

#endif
