/* Kernels on genotypes of 2 bits, four to a byte from the low end, as PLINK's .bed files store
 * them: 0 stands for the value 2, 2 for 1 and 3 for 0; 1 is missing. One byte selects four
 * doubles of a table of 8 KB, which stays in the first cache: 8 values/ns, where columns of
 * float32 reach 4. The table reads a missing value as 0; SS_EACH_MISSING visits missing rows, 32
 * at a time, to add what they stand for. */
#ifndef SPARSESOLVE_TWO_BITS_H
#define SPARSESOLVE_TWO_BITS_H

#include <string.h>

#include "vector.h"

#define SS_VALUE(code) ((code) == 0 ? 2.0 : (code) == 2 ? 1.0 : 0.0)
#define SS_IS_ZERO(code) ((code) == 0 ? 1.0 : 0.0)
#define SS_BYTE(F, b) {F((b) & 3), F((b) >> 2 & 3), F((b) >> 4 & 3), F((b) >> 6)},
#define SS_BYTES_4(F, b) \
    SS_BYTE(F, b) SS_BYTE(F, (b) + 1) SS_BYTE(F, (b) + 2) SS_BYTE(F, (b) + 3)
#define SS_BYTES_16(F, b) \
    SS_BYTES_4(F, b) SS_BYTES_4(F, (b) + 4) SS_BYTES_4(F, (b) + 8) SS_BYTES_4(F, (b) + 12)
#define SS_BYTES_64(F, b) \
    SS_BYTES_16(F, b) SS_BYTES_16(F, (b) + 16) SS_BYTES_16(F, (b) + 32) SS_BYTES_16(F, (b) + 48)
#define SS_TABLE(F) {SS_BYTES_64(F, 0) SS_BYTES_64(F, 64) SS_BYTES_64(F, 128) SS_BYTES_64(F, 192)}

/* The four values of a byte, and where its codes are 0. Code c of b is code 0 of b ^ 0x55 c. */
static const double ss_values_of_byte[256][4] = SS_TABLE(SS_VALUE);
static const double ss_zeros_of_byte[256][4] = SS_TABLE(SS_IS_ZERO);

#undef SS_IS_ZERO
#undef SS_BYTE
#undef SS_BYTES_4
#undef SS_BYTES_16
#undef SS_BYTES_64
#undef SS_TABLE

static const uint64_t ss_low_bits = UINT64_C(0x5555555555555555);

static inline int ss_code(const uint8_t *x, ptrdiff_t i) { return x[i >> 2] >> 2 * (i & 3) & 3; }

static inline double ss_genotype(const uint8_t *x, ptrdiff_t i, double missing) {
    int code = ss_code(x, i);
    return code == 1 ? missing : SS_VALUE(code);
}

/* The codes from row `from` on, a multiple of 32, as one word; rows from n on read as code 0. */
static inline uint64_t ss_codes(const uint8_t *x, ptrdiff_t from, ptrdiff_t n) {
    uint64_t word = 0;
    ptrdiff_t left = n - from;
    memcpy(&word, x + from / 4, (size_t)(left >= 32 ? 8 : (left + 3) / 4));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return left >= 32 ? word : word & ((UINT64_C(1) << 2 * left) - 1);
}

static inline int ss_lowest_of_64(uint64_t mask) {
#if defined(__GNUC__)
    return __builtin_ctzll(mask);
#else
    return (uint32_t)mask ? ss_lowest((uint32_t)mask) : 32 + ss_lowest((uint32_t)(mask >> 32));
#endif
}

static inline int ss_bits(uint64_t word) {
#if defined(__GNUC__)
    return __builtin_popcountll(word);
#else
    word -= word >> 1 & ss_low_bits;
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = word + (word >> 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(word * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* Execute the body for every row i in begin..end whose genotype is missing. */
#define SS_EACH_MISSING(x, begin, end, i, BODY)                                                   \
    for (ptrdiff_t from = (begin) & ~(ptrdiff_t)31; from < (end); from += 32) {                   \
        uint64_t codes = ss_codes(x, from, end), left = codes & ~(codes >> 1) & ss_low_bits;      \
        for (; left; left &= left - 1) {                                                          \
            ptrdiff_t i = from + ss_lowest_of_64(left) / 2;                                       \
            if (i >= (begin)) { BODY }                                                            \
        }                                                                                         \
    }

static inline double ss_missing_dot(ptrdiff_t n, const uint8_t *x, const double *v) {
    double total = 0.0;
    SS_EACH_MISSING(x, 0, n, i, total += v[i];)
    return total;
}

static inline double ss_of_four(const double *s) { return (s[0] + s[1]) + (s[2] + s[3]); }

/* sum_i (x_i - centre) v_i. `missing` is what a missing x_i stands for; 0 if none is missing. */
SS_SIMD static double ss_dot_2b(ptrdiff_t n, const uint8_t *SS_RESTRICT x, double missing,
                                double centre, const double *SS_RESTRICT v) {
    double even[4] = {0.0}, odd[4] = {0.0}, all[4] = {0.0}, total, sum;
    ptrdiff_t b = 0, whole = n / 4;
    for (; b + 2 <= whole; b += 2) {
        const double *s = ss_values_of_byte[x[b]], *t = ss_values_of_byte[x[b + 1]];
        const double *u = v + 4 * b;
        SS_PRAGMA("omp simd")
        for (int q = 0; q < 4; q++) {
            even[q] += s[q] * u[q];
            odd[q] += t[q] * u[q + 4];
            all[q] += u[q] + u[q + 4];
        }
    }
    total = ss_of_four(even) + ss_of_four(odd), sum = ss_of_four(all);
    for (ptrdiff_t i = 4 * b; i < n; i++) total += ss_genotype(x, i, 0.0) * v[i], sum += v[i];
    if (missing != 0.0) total += missing * ss_missing_dot(n, x, v);
    return total - centre * sum;
}

/* out_k = sum_i (x_k,i - centre_k) v_i for four columns. */
SS_SIMD static void ss_dots_2b(ptrdiff_t n, const uint8_t *const *x, const double *missing,
                               const double *centre, const double *SS_RESTRICT v,
                               double *SS_RESTRICT out) {
    const uint8_t *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    double s0[4] = {0.0}, s1[4] = {0.0}, s2[4] = {0.0}, s3[4] = {0.0}, all[4] = {0.0}, sum;
    for (ptrdiff_t b = 0; b < n / 4; b++) {
        const double *t0 = ss_values_of_byte[x0[b]], *t1 = ss_values_of_byte[x1[b]];
        const double *t2 = ss_values_of_byte[x2[b]], *t3 = ss_values_of_byte[x3[b]];
        const double *u = v + 4 * b;
        SS_PRAGMA("omp simd")
        for (int q = 0; q < 4; q++) {
            s0[q] += t0[q] * u[q];
            s1[q] += t1[q] * u[q];
            s2[q] += t2[q] * u[q];
            s3[q] += t3[q] * u[q];
            all[q] += u[q];
        }
    }
    out[0] = ss_of_four(s0), out[1] = ss_of_four(s1);
    out[2] = ss_of_four(s2), out[3] = ss_of_four(s3), sum = ss_of_four(all);
    for (ptrdiff_t i = n / 4 * 4; i < n; i++) {
        for (int k = 0; k < 4; k++) out[k] += ss_genotype(x[k], i, 0.0) * v[i];
        sum += v[i];
    }
    for (int k = 0; k < 4; k++) {
        if (missing[k] != 0.0) out[k] += missing[k] * ss_missing_dot(n, x[k], v);
        out[k] -= centre[k] * sum;
    }
}

/* v_i += a (x_i - centre) */
SS_SIMD static void ss_axpy_2b(ptrdiff_t n, double a, const uint8_t *SS_RESTRICT x,
                               double missing, double centre, double *SS_RESTRICT v) {
    double shift = a * centre;
    for (ptrdiff_t b = 0; b < n / 4; b++) {
        const double *t = ss_values_of_byte[x[b]];
        double *u = v + 4 * b;
        SS_PRAGMA("omp simd")
        for (int q = 0; q < 4; q++) u[q] += a * t[q] - shift;
    }
    for (ptrdiff_t i = n / 4 * 4; i < n; i++) v[i] += a * ss_genotype(x, i, 0.0) - shift;
    if (missing != 0.0) SS_EACH_MISSING(x, 0, n, i, v[i] += a * missing;)
}

/* v_i += sum_k a_k (x_k,i - centre_k) for four columns. */
SS_SIMD static void ss_axpys_2b(ptrdiff_t n, const double *a, const uint8_t *const *x,
                                const double *missing, const double *centre,
                                double *SS_RESTRICT v) {
    const uint8_t *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    double shift = (a0 * centre[0] + a1 * centre[1]) + (a2 * centre[2] + a3 * centre[3]);
    for (ptrdiff_t b = 0; b < n / 4; b++) {
        const double *t0 = ss_values_of_byte[x0[b]], *t1 = ss_values_of_byte[x1[b]];
        const double *t2 = ss_values_of_byte[x2[b]], *t3 = ss_values_of_byte[x3[b]];
        double *u = v + 4 * b;
        SS_PRAGMA("omp simd")
        for (int q = 0; q < 4; q++)
            u[q] += (a0 * t0[q] + a1 * t1[q]) + (a2 * t2[q] + a3 * t3[q]) - shift;
    }
    for (ptrdiff_t i = n / 4 * 4; i < n; i++)
        v[i] += (a0 * ss_genotype(x0, i, 0.0) + a1 * ss_genotype(x1, i, 0.0))
                + (a2 * ss_genotype(x2, i, 0.0) + a3 * ss_genotype(x3, i, 0.0)) - shift;
    for (int k = 0; k < 4; k++)
        if (missing[k] != 0.0) SS_EACH_MISSING(x[k], 0, n, i, v[i] += a[k] * missing[k];)
}

/* out_i = a (x_i - centre) for the rows begin..end. */
SS_SIMD static void ss_unpack_2b(ptrdiff_t begin, ptrdiff_t end, double a,
                                 const uint8_t *SS_RESTRICT x, double missing, double centre,
                                 double *SS_RESTRICT out) {
    ptrdiff_t i = begin;
    for (; i < end && i & 3; i++) out[i - begin] = a * (ss_genotype(x, i, 0.0) - centre);
    for (; i + 4 <= end; i += 4) {
        const double *t = ss_values_of_byte[x[i / 4]];
        double *u = out + (i - begin);
        SS_PRAGMA("omp simd")
        for (int q = 0; q < 4; q++) u[q] = a * (t[q] - centre);
    }
    for (; i < end; i++) out[i - begin] = a * (ss_genotype(x, i, 0.0) - centre);
    if (missing != 0.0)
        SS_EACH_MISSING(x, begin, end, row, out[row - begin] = a * (missing - centre);)
}

/* out_c = the weight of the rows with code c = 0..3, which is exactly 0 if there are none. */
SS_SIMD static void ss_weigh_2b(ptrdiff_t n, const uint8_t *SS_RESTRICT x,
                                const double *SS_RESTRICT w, double *SS_RESTRICT out) {
    double s0[4] = {0.0}, s2[4] = {0.0}, s3[4] = {0.0};
    for (ptrdiff_t b = 0; b < n / 4; b++) {
        const double *t0 = ss_zeros_of_byte[x[b]], *t2 = ss_zeros_of_byte[x[b] ^ 0xaa];
        const double *t3 = ss_zeros_of_byte[x[b] ^ 0xff], *u = w + 4 * b;
        SS_PRAGMA("omp simd")
        for (int q = 0; q < 4; q++) {
            s0[q] += t0[q] * u[q];
            s2[q] += t2[q] * u[q];
            s3[q] += t3[q] * u[q];
        }
    }
    out[0] = ss_of_four(s0), out[2] = ss_of_four(s2), out[3] = ss_of_four(s3);
    for (ptrdiff_t i = n / 4 * 4; i < n; i++)
        if (ss_code(x, i) != 1) out[ss_code(x, i)] += w[i];
    out[1] = ss_missing_dot(n, x, w);
}

/* out_c = the number of rows with code c = 0..3 among the rows whose low bit is set in `rows`, an
 * array of words of 2 bits a row; among all n if it is NULL. */
SS_SIMD static void ss_count_2b(ptrdiff_t n, const uint8_t *x, const uint64_t *rows,
                                int64_t *out) {
    int64_t low = 0, high = 0, both = 0, all = 0;
    for (ptrdiff_t from = 0; from < n; from += 32) {
        ptrdiff_t left = n - from;
        uint64_t codes = ss_codes(x, from, n), seen = rows ? rows[from / 32] : ss_low_bits;
        if (left < 32) seen &= (UINT64_C(1) << 2 * left) - 1;
        uint64_t first = codes & seen, second = codes >> 1 & seen;
        low += ss_bits(first), high += ss_bits(second);
        both += ss_bits(first & second), all += ss_bits(seen);
    }
    out[1] = low - both, out[2] = high - both, out[3] = both;
    out[0] = all - low - high + both;
}

/* Write the genotypes of the rows which[0..m) of a column to the 2-bit column `out`. */
static inline void ss_take_2b(ptrdiff_t m, const int64_t *which, const uint8_t *x, uint8_t *out) {
    for (ptrdiff_t b = 0; 4 * b < m; b++) {
        int byte = 0, held = m - 4 * b < 4 ? (int)(m - 4 * b) : 4;
        for (int q = 0; q < held; q++) byte |= ss_code(x, which[4 * b + q]) << 2 * q;
        out[b] = (uint8_t)byte;
    }
}

/* A vector of n rows is rounded for ss_near_2b to whole numbers up to 1365 in size, so that eight
 * products with codes up to 3 fit into 16 bits. Its rows are dealt into blocks of 256, as 64 bytes
 * of a column have them in words of 16 bits: number 32 l + k of a block is for row l of word k. The
 * last block ends where columns end; rows of the block before it count 0 there. Sums of 32 bits
 * hold 2^24 rows. */
enum { SS_LEVELS = 1365, SS_WORDS = 32, SS_BLOCK = 256, SS_MOST_ROWS = 1 << 24 };

/* Set q to u / step, rounded, sums[0] to its total and sums[1] to step. Returns the length of
 * (u - step q) / root_w, and 4e-11 of that of u / root_w: the rounding of three terms that cancel
 * in a column whose mean is at most 2^16 standard deviations. Infinity if u is not of usual size.
 * Where root_w is 0, so is u. */
static inline double ss_round_2b(ptrdiff_t n, const double *u, const double *root_w, int16_t *q,
                                 double *sums) {
    ptrdiff_t size = (n + 3) / 4, last = (size - 1) / 64;
    double most = 0.0, off = 0.0, length = 0.0, total = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) most = fabs(u[i]) > most ? fabs(u[i]) : most;
    if (!(most > 1e-250 && most < 1e250)) return INFINITY;
    sums[1] = most / SS_LEVELS;
    memset(q, 0, (size_t)(last + 1) * SS_BLOCK * sizeof *q);
    for (ptrdiff_t i = 0; i < n; i++) {
        double level = u[i] / sums[1];
        int whole = (int)(level + (level < 0.0 ? -0.5 : 0.5));
        ptrdiff_t block = i / SS_BLOCK;
        int at = (int)(i - 4 * (block < last ? 64 * block : size - 64));
        q[SS_BLOCK * block + SS_WORDS * (at % 8) + at / 8] = (int16_t)whole;
        if (root_w[i] > 0.0) {
            double own = (level - whole) / root_w[i];
            off += own * own;
            length += level / root_w[i] * (level / root_w[i]);
        }
        total += whole;
    }
    sums[0] = total;
    return sums[1] * ((1.0 + 1e-9) * sqrt(off) + 4e-11 * sqrt(length));
}

/* sums[0] = sum_i c_i q_i with c_i = 2, 1 and 0 for the values 0, 1 and 2. MORE counts missing rows
 * in sums[1] if c_i is 3 there. */
#define SS_NEAR(NAME, CODES, MORE)                                                                \
    SS_SIMD static void NAME(ptrdiff_t n, const uint8_t *SS_RESTRICT x,                            \
                             const int16_t *SS_RESTRICT q, int64_t *sums) {                       \
        ptrdiff_t size = (n + 3) / 4;                                                             \
        int32_t total[SS_WORDS] = {0}, lost[SS_WORDS] = {0};                                      \
        for (ptrdiff_t at = 0; at < size; at += 64, q += SS_BLOCK) {                              \
            uint16_t c[SS_WORDS];                                                                 \
            int16_t s[SS_WORDS] = {0}, t[SS_WORDS] = {0};                                         \
            memcpy(c, x + (at + 64 <= size ? at : size - 64), 64);                                \
            for (int k = 0; k < SS_WORDS; k++)                                                    \
                c[k] = (uint16_t)((c[k] & 0x5555) << 1 | ((CODES) & 0x5555));                     \
            for (int l = 0; l < 8; l++)                                                           \
                for (int k = 0; k < SS_WORDS; k++) {                                              \
                    int16_t own = c[k] >> 2 * l & 3, by = q[SS_WORDS * l + k];                    \
                    s[k] += own * by;                                                             \
                    MORE;                                                                         \
                }                                                                                 \
            for (int k = 0; k < SS_WORDS; k++) total[k] += s[k], lost[k] += t[k];                 \
        }                                                                                         \
        sums[0] = sums[1] = 0;                                                                    \
        for (int k = 0; k < SS_WORDS; k++) sums[0] += total[k], sums[1] += lost[k];               \
    }

SS_NEAR(ss_near_2b, c[k] >> 1 & ~c[k], (void)by)
SS_NEAR(ss_near_missing_2b, c[k] >> 1 ^ c[k], t[k] += by & -(own == 3))

#undef SS_VALUE

#endif
