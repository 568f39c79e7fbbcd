/* Dense vector kernels. The instruction set is chosen at run time (glibc on x86-64); other
 * platforms use plain C. Every kernel takes the column in its stored type and computes in
 * double. The functions are static and in a header: each extension module has its own copy, so
 * nothing has to be linked. Those that many modules would compile stand in gram/products. */
#ifndef SPARSESOLVE_VECTOR_H
#define SPARSESOLVE_VECTOR_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SS_SIMD \
    __attribute__((unused, target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif defined(__GNUC__)
#define SS_SIMD __attribute__((unused))
#else
#define SS_SIMD
#endif

#if defined(_MSC_VER)
#define SS_RESTRICT __restrict
#define SS_PRAGMA(TEXT) /* where OpenMP 2.0 is on, "omp simd" is an error */
#else
#define SS_RESTRICT restrict
#define SS_PRAGMA(TEXT) _Pragma(TEXT)
#endif

/* sum_i (x_i - centre) v_i. Subtracting costs nothing compared with loading x, and it keeps
 * the digits that x'v - centre * sum(v) would lose if the mean is large compared with the
 * spread. */
#define SS_DOT(NAME, REAL)                                                                        \
    SS_SIMD static double NAME(ptrdiff_t n, const REAL *SS_RESTRICT x, double centre,              \
                               const double *SS_RESTRICT v) {                                     \
        double total = 0.0;                                                                       \
        SS_PRAGMA("omp simd reduction(+ : total)")                                                \
        for (ptrdiff_t i = 0; i < n; i++) total += ((double)x[i] - centre) * v[i];                \
        return total;                                                                             \
    }

/* out_k = sum_i (x_k,i - centre_k) v_i for four columns. v is read once, and the four sums
 * hide the latency of additions. */
#define SS_DOTS(NAME, REAL)                                                                       \
    SS_SIMD static void NAME(ptrdiff_t n, const REAL *const *x, const double *centre,              \
                             const double *SS_RESTRICT v, double *SS_RESTRICT out) {              \
        const REAL *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];                                \
        double c0 = centre[0], c1 = centre[1], c2 = centre[2], c3 = centre[3];                    \
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;                                            \
        SS_PRAGMA("omp simd reduction(+ : s0, s1, s2, s3)")                                       \
        for (ptrdiff_t i = 0; i < n; i++) {                                                       \
            s0 += ((double)x0[i] - c0) * v[i];                                                    \
            s1 += ((double)x1[i] - c1) * v[i];                                                    \
            s2 += ((double)x2[i] - c2) * v[i];                                                    \
            s3 += ((double)x3[i] - c3) * v[i];                                                    \
        }                                                                                         \
        out[0] = s0, out[1] = s1, out[2] = s2, out[3] = s3;                                       \
    }

/* v_i += a (x_i - centre) */
#define SS_AXPY(NAME, REAL)                                                                       \
    SS_SIMD static void NAME(ptrdiff_t n, double a, const REAL *SS_RESTRICT x, double centre,      \
                             double *SS_RESTRICT v) {                                             \
        SS_PRAGMA("omp simd")                                                                     \
        for (ptrdiff_t i = 0; i < n; i++) v[i] += a * ((double)x[i] - centre);                    \
    }

/* v_i += sum_k a_k (x_k,i - centre_k) for four columns, with one load and store of v. */
#define SS_AXPYS(NAME, REAL)                                                                      \
    SS_SIMD static void NAME(ptrdiff_t n, const double *a, const REAL *const *x,                   \
                             const double *centre, double *SS_RESTRICT v) {                       \
        const REAL *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];                                \
        double c0 = centre[0], c1 = centre[1], c2 = centre[2], c3 = centre[3];                    \
        double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];                                        \
        SS_PRAGMA("omp simd")                                                                     \
        for (ptrdiff_t i = 0; i < n; i++)                                                         \
            v[i] += (a0 * ((double)x0[i] - c0) + a1 * ((double)x1[i] - c1))                       \
                    + (a2 * ((double)x2[i] - c2) + a3 * ((double)x3[i] - c3));                    \
    }

/* sum_i w_i (x_i - centre)^2 */
#define SS_SQUARE(NAME, REAL)                                                                     \
    SS_SIMD static double NAME(ptrdiff_t n, const REAL *SS_RESTRICT x, double centre,              \
                               const double *SS_RESTRICT w) {                                     \
        double total = 0.0;                                                                       \
        SS_PRAGMA("omp simd reduction(+ : total)")                                                \
        for (ptrdiff_t i = 0; i < n; i++) {                                                       \
            double z = (double)x[i] - centre;                                                     \
            total += w[i] * z * z;                                                                \
        }                                                                                         \
        return total;                                                                             \
    }

/* out_i = a (x_i - centre), which unpacks a column for a matrix product. */
#define SS_UNPACK(NAME, REAL)                                                                     \
    SS_SIMD static void NAME(ptrdiff_t n, double a, const REAL *SS_RESTRICT x, double centre,      \
                             double *SS_RESTRICT out) {                                           \
        SS_PRAGMA("omp simd")                                                                     \
        for (ptrdiff_t i = 0; i < n; i++) out[i] = a * ((double)x[i] - centre);                   \
    }

/* out_i = a (x_i - centre) v_i */
#define SS_UNPACK_TIMES(NAME, REAL)                                                               \
    SS_SIMD static void NAME(ptrdiff_t n, double a, const REAL *SS_RESTRICT x, double centre,      \
                             const double *SS_RESTRICT v, double *SS_RESTRICT out) {              \
        SS_PRAGMA("omp simd")                                                                     \
        for (ptrdiff_t i = 0; i < n; i++) out[i] = a * ((double)x[i] - centre) * v[i];            \
    }

SS_DOT(ss_dot_f64, double)
SS_DOT(ss_dot_f32, float)
SS_DOTS(ss_dots_f64, double)
SS_DOTS(ss_dots_f32, float)
SS_AXPY(ss_axpy_f64, double)
SS_AXPY(ss_axpy_f32, float)
SS_AXPYS(ss_axpys_f64, double)
SS_AXPYS(ss_axpys_f32, float)
SS_SQUARE(ss_square_f64, double)
SS_SQUARE(ss_square_f32, float)
SS_UNPACK(ss_unpack_f64, double)
SS_UNPACK(ss_unpack_f32, float)
SS_UNPACK_TIMES(ss_unpack_times_f64, double)
SS_UNPACK_TIMES(ss_unpack_times_f32, float)

/* Prefetch a range of memory. */
static inline void ss_prefetch(const void *start, ptrdiff_t bytes) {
#if defined(__GNUC__)
    for (ptrdiff_t at = 0; at < bytes; at += 64) __builtin_prefetch((const char *)start + at);
#else
    (void)start, (void)bytes;
#endif
}

/* Distance of prefetches in a pass over sparse columns that follow each other in memory: the
 * hardware prefetches too late. */
#define SS_LOOK_AHEAD(x, rows, k)                                                                 \
    ss_prefetch((const char *)((x) + (k)) + 4096, 1);                                             \
    ss_prefetch((const char *)((rows) + (k)) + 2048, 1)

/* sum_k x_k v[rows_k]. Four partial sums hide the latency of additions. */
#define SS_FOUR_TERMS(k)                                                                          \
    a += x[k] * v[rows[k]];                                                                       \
    b += x[k + 1] * v[rows[k + 1]];                                                               \
    c += x[k + 2] * v[rows[k + 2]];                                                               \
    d += x[k + 3] * v[rows[k + 3]];
#define SS_SPARSE_DOT(NAME, REAL)                                                                 \
    static inline double NAME(ptrdiff_t n, const REAL *SS_RESTRICT x, const int *SS_RESTRICT rows, \
                              const double *SS_RESTRICT v) {                                      \
        double a = 0.0, b = 0.0, c = 0.0, d = 0.0;                                                \
        ptrdiff_t k = 0;                                                                          \
        for (; k + 8 <= n; k += 8) {                                                              \
            SS_LOOK_AHEAD(x, rows, k);                                                            \
            SS_FOUR_TERMS(k)                                                                      \
            SS_FOUR_TERMS(k + 4)                                                                  \
        }                                                                                         \
        for (; k + 4 <= n; k += 4) { SS_FOUR_TERMS(k) }                                           \
        for (; k < n; k++) a += x[k] * v[rows[k]];                                                \
        return (a + b) + (c + d);                                                                 \
    }

/* out_l = sum_k x_k panel[rows_k, l], where a row of the panel has eight values. */
SS_SIMD static void ss_sparse_panel(ptrdiff_t n, const double *SS_RESTRICT x,
                                    const int *SS_RESTRICT rows,
                                    const double *SS_RESTRICT panel, double *SS_RESTRICT out) {
    double even[8] = {0.0}, odd[8] = {0.0};
    ptrdiff_t k = 0;
    for (; k + 2 <= n; k += 2) {
        const double *p = panel + 8 * (ptrdiff_t)rows[k], *q = panel + 8 * (ptrdiff_t)rows[k + 1];
        SS_PRAGMA("omp simd")
        for (int l = 0; l < 8; l++) {
            even[l] += x[k] * p[l];
            odd[l] += x[k + 1] * q[l];
        }
    }
    for (int l = 0; l < 8; l++)
        out[l] = even[l] + odd[l] + (k < n ? x[k] * panel[8 * (ptrdiff_t)rows[k] + l] : 0.0);
}

/* v[rows_k] += a x_k. No row occurs twice, so four rows are read before one is written. */
#define SS_ADD_FOUR(k)                                                                            \
    {                                                                                             \
        double one = v[rows[k]] + a * x[k], two = v[rows[k + 1]] + a * x[k + 1];                  \
        double three = v[rows[k + 2]] + a * x[k + 2], four = v[rows[k + 3]] + a * x[k + 3];       \
        v[rows[k]] = one;                                                                         \
        v[rows[k + 1]] = two;                                                                     \
        v[rows[k + 2]] = three;                                                                   \
        v[rows[k + 3]] = four;                                                                    \
    }
#define SS_SPARSE_AXPY(NAME, REAL)                                                                \
    static inline void NAME(ptrdiff_t n, double a, const REAL *SS_RESTRICT x,                     \
                            const int *SS_RESTRICT rows, double *SS_RESTRICT v) {                 \
        ptrdiff_t k = 0;                                                                          \
        for (; k + 8 <= n; k += 8) {                                                              \
            SS_LOOK_AHEAD(x, rows, k);                                                            \
            SS_ADD_FOUR(k)                                                                        \
            SS_ADD_FOUR(k + 4)                                                                    \
        }                                                                                         \
        for (; k + 4 <= n; k += 4) SS_ADD_FOUR(k)                                                 \
        for (; k < n; k++) v[rows[k]] += a * x[k];                                                \
    }

SS_SPARSE_DOT(ss_sparse_dot_f64, double)
SS_SPARSE_DOT(ss_sparse_dot_f32, float)
SS_SPARSE_AXPY(ss_sparse_axpy_f64, double)
SS_SPARSE_AXPY(ss_sparse_axpy_f32, float)

/* out_i = a_i b_i, where out may be b. */
SS_SIMD static void ss_multiply(ptrdiff_t n, const double *SS_RESTRICT a, const double *b,
                                double *out) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) out[i] = a[i] * b[i];
}

/* out_i = a x_i */
SS_SIMD static void ss_scale(ptrdiff_t n, double a, const double *SS_RESTRICT x,
                             double *SS_RESTRICT out) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) out[i] = a * x[i];
}

/* Set last = r; return |e|^2 for the step e = r - factor last, and raise *largest to the
 * largest |e_i|. */
SS_SIMD static double ss_travel(ptrdiff_t n, double factor, const double *SS_RESTRICT r,
                                double *SS_RESTRICT last,
                                double *largest) {
    double square = 0.0, most = *largest;
    SS_PRAGMA("omp simd reduction(+ : square) reduction(max : most)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double step = r[i] - factor * last[i], size = step < 0.0 ? -step : step;
        most = size > most ? size : most;
        square += step * step;
        last[i] = r[i];
    }
    *largest = most;
    return square;
}

/* A Givens rotation of two vectors: (x, y) <- (c x + s y, c y - s x). */
SS_SIMD static void ss_rotate(ptrdiff_t n, double c, double s, double *SS_RESTRICT x,
                              double *SS_RESTRICT y) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) {
        double t = c * x[i] + s * y[i];
        y[i] = c * y[i] - s * x[i];
        x[i] = t;
    }
}

/* A Givens rotation that exchanges the two vectors: (x, y) <- (c y + s x, c x - s y). */
SS_SIMD static void ss_pass_on(ptrdiff_t n, double c, double s, double *SS_RESTRICT x,
                               double *SS_RESTRICT y) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) {
        double t = c * y[i] + s * x[i];
        y[i] = c * x[i] - s * y[i];
        x[i] = t;
    }
}

/* row *= scale; along += a row; left -= row^2 */
SS_SIMD static void ss_take_in(ptrdiff_t n, double scale, double a, double *SS_RESTRICT row,
                               double *SS_RESTRICT along, double *SS_RESTRICT left) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) {
        double x = scale * row[i];
        row[i] = x;
        along[i] += a * x;
        left[i] -= x * x;
    }
}

/* The first i >= start whose correlation c_i reaches its bound lam w_i before lam has
 * decreased by `step`, or already exceeds it; n if there is none. along_i is the decrease of
 * c_i per unit of lam. */
SS_SIMD static ptrdiff_t ss_reach(ptrdiff_t start, ptrdiff_t n, double lam, double step,
                                  const double *SS_RESTRICT w,
                                  const double *SS_RESTRICT c, const double *SS_RESTRICT along) {
    for (; start < n; start += 32) {
        ptrdiff_t stop = start + 32 < n ? start + 32 : n;
        int any = 0;
        SS_PRAGMA("omp simd reduction(| : any)")
        for (ptrdiff_t i = start; i < stop; i++) {
            double now = lam * w[i], up = now - c[i], down = now + c[i];
            any |= (up < step * (w[i] - along[i])) | (down < step * (w[i] + along[i]))
                   | (up < 0.0) | (down < 0.0);
        }
        if (any)
            for (ptrdiff_t i = start; i < stop; i++) {
                double now = lam * w[i], up = now - c[i], down = now + c[i];
                if (up < step * (w[i] - along[i]) || down < step * (w[i] + along[i])
                    || up < 0.0 || down < 0.0)
                    return i;
            }
    }
    return n;
}

/* The first i with x_i == value or x_i == other, n if there is none. */
SS_SIMD static ptrdiff_t ss_find(ptrdiff_t n, const double *SS_RESTRICT x, double value,
                                 double other) {
    for (ptrdiff_t start = 0; start < n; start += 32) {
        ptrdiff_t stop = start + 32 < n ? start + 32 : n;
        int any = 0;
        SS_PRAGMA("omp simd reduction(| : any)")
        for (ptrdiff_t i = start; i < stop; i++) any |= (x[i] == value) | (x[i] == other);
        if (any)
            for (ptrdiff_t i = start; i < stop; i++)
                if (x[i] == value || x[i] == other) return i;
    }
    return n;
}

/* c -= step * a. Returns the largest |c_i|, or with one_sided the largest c_i if it is
 * positive. */
SS_SIMD static double ss_step_largest(ptrdiff_t n, double step, const double *SS_RESTRICT a,
                                      int one_sided,
                                      double *SS_RESTRICT c) {
    double largest = 0.0;
    if (one_sided) {
        SS_PRAGMA("omp simd reduction(max : largest)")
        for (ptrdiff_t i = 0; i < n; i++) {
            c[i] -= step * a[i];
            largest = c[i] > largest ? c[i] : largest;
        }
    } else {
        SS_PRAGMA("omp simd reduction(max : largest)")
        for (ptrdiff_t i = 0; i < n; i++) {
            double z = c[i] - step * a[i];
            c[i] = z;
            z = z < 0 ? -z : z;
            largest = z > largest ? z : largest;
        }
    }
    return largest;
}

/* Find where correlations c - t a reach the level lam - t, with both signs or one: rate_i = 1
 * / t at this point, and 0 or less if they do not reach it. Returns the largest rate. A
 * correlation that rounding has put on or above lam counts as `least` below it. */
SS_SIMD static double ss_meetings(ptrdiff_t n, double lam, double least,
                                  const double *SS_RESTRICT c,
                                  const double *SS_RESTRICT a, int one_sided,
                                      double *SS_RESTRICT rate) {
    double largest = 0.0;
    if (one_sided) {
        SS_PRAGMA("omp simd reduction(max : largest)")
        for (ptrdiff_t i = 0; i < n; i++) {
            double room = lam - c[i];
            double z = (1.0 - a[i]) / (room > least ? room : least);
            rate[i] = z;
            largest = z > largest ? z : largest;
        }
    } else {
        SS_PRAGMA("omp simd reduction(max : largest)")
        for (ptrdiff_t i = 0; i < n; i++) {
            double above = lam - c[i], below = lam + c[i], up = 1.0 - a[i], down = 1.0 + a[i];
            above = above > least ? above : least;
            below = below > least ? below : least;
            int first = up * below > down * above; /* one division in place of two */
            double z = (first ? up : down) / (first ? above : below);
            rate[i] = z;
            largest = z > largest ? z : largest;
        }
    }
    return largest;
}

/* The index of the lowest set bit of a mask that has one. */
static inline int ss_lowest(uint32_t mask) {
#if defined(__GNUC__)
    return __builtin_ctz(mask);
#else
    int place = 0;
    while (!(mask >> place & 1)) place++;
    return place;
#endif
}

/* List in out the i with kept_i + rate_i * travelled >= lam * threshold_i, or with kept_i -
 * rate_i * most if the rate is negative; return their number. They are few, so 32 comparisons
 * are packed into one mask and only set bits are visited. */
SS_SIMD static ptrdiff_t ss_candidates(ptrdiff_t n, const double *SS_RESTRICT kept,
                                  const double *SS_RESTRICT rate,
                                  const double *SS_RESTRICT threshold, double travelled,
                                      double most, double lam,
                                  int *SS_RESTRICT out) {
    ptrdiff_t count = 0;
    for (ptrdiff_t start = 0; start < n; start += 32) {
        int size = start + 32 < n ? 32 : (int)(n - start);
        uint32_t mask = 0;
        SS_PRAGMA("omp simd reduction(| : mask)")
        for (int i = 0; i < size; i++) {
            double one = rate[start + i] * travelled, other = -rate[start + i] * most;
            mask |= (uint32_t)(kept[start + i] + (one > other ? one : other)
                               >= lam * threshold[start + i]) << i;
        }
        for (; mask; mask &= mask - 1) out[count++] = (int)start + ss_lowest(mask);
    }
    return count;
}

/* The largest |x_i|, or infinity if one is NaN. A comparison detects NaN, because a compiler
 * that may reorder sums simplifies x - x to 0. */
#define SS_LARGEST(NAME, REAL)                                                                    \
    SS_SIMD static double NAME(ptrdiff_t n, const REAL *x) {                                      \
        double largest = 0.0, strange = 0.0;                                                      \
        SS_PRAGMA("omp simd reduction(max : largest) reduction(+ : strange)")                     \
        for (ptrdiff_t i = 0; i < n; i++) {                                                       \
            double z = x[i] < 0 ? -(double)x[i] : (double)x[i];                                   \
            strange += z <= DBL_MAX ? 0.0 : 1.0;                                                  \
            largest = z > largest ? z : largest;                                                  \
        }                                                                                         \
        return strange > 0.0 ? HUGE_VAL : largest;                                                \
    }

/* The largest |x_i| as above, and in the same pass sums[0] = sum_i w_i (x_i - shift) and
 * sums[1] = sum_i w_i (x_i - shift)^2. */
#define SS_SURVEY(NAME, REAL)                                                                     \
    SS_SIMD static double NAME(ptrdiff_t n, const REAL *SS_RESTRICT x, double shift,               \
                               const double *SS_RESTRICT w, double *SS_RESTRICT sums) {           \
        double largest = 0.0, strange = 0.0, first = 0.0, second = 0.0;                           \
        SS_PRAGMA("omp simd reduction(max : largest) reduction(+ : strange, first, second)")      \
        for (ptrdiff_t i = 0; i < n; i++) {                                                       \
            double z = (double)x[i] - shift;                                                      \
            double size = x[i] < 0 ? -(double)x[i] : (double)x[i];                                \
            strange += size <= DBL_MAX ? 0.0 : 1.0;                                               \
            largest = size > largest ? size : largest;                                            \
            first += w[i] * z;                                                                    \
            second += w[i] * z * z;                                                               \
        }                                                                                         \
        sums[0] = first;                                                                          \
        sums[1] = second;                                                                         \
        return strange > 0.0 ? HUGE_VAL : largest;                                                \
    }

SS_LARGEST(ss_largest_f64, double)
SS_LARGEST(ss_largest_f32, float)
SS_SURVEY(ss_survey_f64, double)
SS_SURVEY(ss_survey_f32, float)

#endif
