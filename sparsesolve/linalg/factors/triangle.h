/* Triangular solves, eight columns at a time. One column at a time, every entry would wait for
 * the previous one. */
#ifndef SPARSESOLVE_TRIANGLE_H
#define SPARSESOLVE_TRIANGLE_H

#include "vector.h"

/* X <- L^-1 X for L lower triangular (s, s) and X (s, count), with leading dimensions `ld` and
 * `ldx`. */
SS_SIMD static void ss_solve_forward(ptrdiff_t s, const double *SS_RESTRICT L, ptrdiff_t ld,
                                     ptrdiff_t count,
                                     double *SS_RESTRICT X, ptrdiff_t ldx) {
    ptrdiff_t start = 0;
    for (; start + 8 <= s; start += 8) {
        ptrdiff_t below = s - start - 8;
        const double *d = L + start * (ld + 1), *q = d + 8;
        const double *q1 = q + ld, *q2 = q1 + ld, *q3 = q2 + ld, *q4 = q3 + ld, *q5 = q4 + ld;
        const double *q6 = q5 + ld, *q7 = q6 + ld;
        double inverse[8];
        for (int j = 0; j < 8; j++) inverse[j] = 1.0 / d[j * (ld + 1)];
        for (ptrdiff_t c = 0; c < count; c++) {
            double *x = X + c * ldx + start, *v = x + 8, y[8];
            for (int j = 0; j < 8; j++) y[j] = x[j];
            SS_PRAGMA("GCC unroll 8")
            for (int j = 0; j < 8; j++) {
                y[j] *= inverse[j];
                SS_PRAGMA("GCC unroll 8")
                for (int i = j + 1; i < 8; i++) y[i] -= d[j * ld + i] * y[j];
            }
            for (int j = 0; j < 8; j++) x[j] = y[j];
            SS_PRAGMA("omp simd")
            for (ptrdiff_t i = 0; i < below; i++)
                v[i] -= (q[i] * y[0] + q1[i] * y[1]) + (q2[i] * y[2] + q3[i] * y[3])
                        + (q4[i] * y[4] + q5[i] * y[5]) + (q6[i] * y[6] + q7[i] * y[7]);
        }
    }
    for (; start < s; start++) {
        const double *d = L + start * (ld + 1);
        for (ptrdiff_t c = 0; c < count; c++) {
            double *x = X + c * ldx + start;
            x[0] /= d[0];
            for (ptrdiff_t i = 1; i < s - start; i++) x[i] -= d[i] * x[0];
        }
    }
}

/* x <- L'^-1 x for L lower triangular (s, s) with leading dimension `ld`. */
SS_SIMD static void ss_solve_transposed(ptrdiff_t s, const double *SS_RESTRICT L, ptrdiff_t ld,
                                        double *SS_RESTRICT x) {
    ptrdiff_t end = s - s % 8;
    for (ptrdiff_t j = s - 1; j >= end; j--) {
        double total = x[j];
        for (ptrdiff_t i = j + 1; i < s; i++) total -= L[j * ld + i] * x[i];
        x[j] = total / L[j * (ld + 1)];
    }
    for (; end > 0; end -= 8) {
        ptrdiff_t behind = s - end;
        double *y = x + end - 8;
        const double *v = x + end, *d = L + (end - 8) * (ld + 1), *q = d + 8;
        const double *q1 = q + ld, *q2 = q1 + ld, *q3 = q2 + ld, *q4 = q3 + ld, *q5 = q4 + ld;
        const double *q6 = q5 + ld, *q7 = q6 + ld;
        double t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0, t4 = 0.0, t5 = 0.0, t6 = 0.0, t7 = 0.0;
        double inverse[8];
        for (int j = 0; j < 8; j++) inverse[j] = 1.0 / d[j * (ld + 1)];
        SS_PRAGMA("omp simd reduction(+ : t0, t1, t2, t3, t4, t5, t6, t7)")
        for (ptrdiff_t i = 0; i < behind; i++) {
            t0 += q[i] * v[i];
            t1 += q1[i] * v[i];
            t2 += q2[i] * v[i];
            t3 += q3[i] * v[i];
            t4 += q4[i] * v[i];
            t5 += q5[i] * v[i];
            t6 += q6[i] * v[i];
            t7 += q7[i] * v[i];
        }
        double t[8] = {t0, t1, t2, t3, t4, t5, t6, t7};
        SS_PRAGMA("GCC unroll 8")
        for (int j = 7; j >= 0; j--) {
            y[j] = (y[j] - t[j]) * inverse[j];
            SS_PRAGMA("GCC unroll 8")
            for (int i = 0; i < j; i++) t[i] += d[i * ld + j] * y[j];
        }
    }
}

#endif
