/* Symmetric matrices, of which only the lower triangle is read, row by row. The instruction
 * set is chosen as in vector.h. */
#ifndef SPARSESOLVE_SYMMETRIC_H
#define SPARSESOLVE_SYMMETRIC_H

#include "vector.h"

/* Four rows K_0..K_3 of a symmetric matrix, without their diagonal block. Every entry is read once
 * and serves both its row, sums_r += K_r'u[:count], and its column,
 * out[:count] += sum_r K_r v_r. */
#define SS_FOUR_ROWS(NAME, REAL)                                                                  \
    SS_SIMD static void NAME(ptrdiff_t count, const REAL *SS_RESTRICT k, ptrdiff_t stride,         \
                             const double *SS_RESTRICT u, const double *SS_RESTRICT v,             \
                             double *SS_RESTRICT out, double *SS_RESTRICT sums) {                 \
        const REAL *SS_RESTRICT k1 = k + stride, *SS_RESTRICT k2 = k + 2 * stride;                \
        const REAL *SS_RESTRICT k3 = k + 3 * stride;                                              \
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;                                            \
        double v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];                                        \
        SS_PRAGMA("omp simd reduction(+ : s0, s1, s2, s3)")                                       \
        for (ptrdiff_t j = 0; j < count; j++) {                                                   \
            double a = (double)k[j], b = (double)k1[j], c = (double)k2[j], d = (double)k3[j];     \
            s0 += a * u[j];                                                                       \
            s1 += b * u[j];                                                                       \
            s2 += c * u[j];                                                                       \
            s3 += d * u[j];                                                                       \
            out[j] += (a * v0 + b * v1) + (c * v2 + d * v3);                                      \
        }                                                                                         \
        sums[0] += s0;                                                                            \
        sums[1] += s1;                                                                            \
        sums[2] += s2;                                                                            \
        sums[3] += s3;                                                                            \
    }

/* Compare a stretch of row i with the same stretch of column i, and return the largest difference.
 * Add to the sums of |K_ij| of the row and of the rows that it crosses, and to sum K_ij^2. The last
 * becomes NaN where an entry is NaN or infinite. A comparison finds these, as a compiler that may
 * reorder sums may also take 0 times NaN for 0. */
#define SS_SURVEY_ROW(NAME, REAL)                                                                 \
    SS_SIMD static double NAME(ptrdiff_t count, const REAL *SS_RESTRICT row,                      \
                               const REAL *SS_RESTRICT column, ptrdiff_t stride,                  \
                               double *SS_RESTRICT crossed, double *SS_RESTRICT sums) {           \
        double apart = 0.0, total = 0.0, squares = 0.0, strange = 0.0;                            \
        SS_PRAGMA("omp simd reduction(max : apart) reduction(+ : total, squares, strange)")       \
        for (ptrdiff_t j = 0; j < count; j++) {                                                   \
            double x = (double)row[j], gap = fabs(x - (double)column[j * stride]), size = fabs(x); \
            apart = gap > apart ? gap : apart;                                                    \
            total += size;                                                                        \
            squares += x * x;                                                                     \
            strange += gap <= DBL_MAX ? 0.0 : 1.0;                                                \
            crossed[j] += size;                                                                   \
        }                                                                                         \
        sums[0] += total;                                                                         \
        sums[1] += strange > 0.0 ? NAN : squares;                                                 \
        return apart;                                                                             \
    }

SS_FOUR_ROWS(ss_four_rows_f64, double)
SS_FOUR_ROWS(ss_four_rows_f32, float)
SS_SURVEY_ROW(ss_survey_row_f64, double)
SS_SURVEY_ROW(ss_survey_row_f32, float)

#endif
