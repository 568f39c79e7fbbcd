/* Solving with a triangle, eight columns at a time: one by one, every entry would wait for the last. */
#ifndef SPARSESOLVE_TRIANGLE_H
#define SPARSESOLVE_TRIANGLE_H

#include "vector.h"

/* x <- L'^-1 x for L lower triangular (s, s), its columns `ld` apart */
SS_SIMD static void ss_solve_transposed(ptrdiff_t s, const double *SS_RESTRICT L, ptrdiff_t ld,
                                        double *SS_RESTRICT x) {
    for (ptrdiff_t end = s; end > 0;) {
        ptrdiff_t start = end > 8 ? end - 8 : 0, behind = s - end;
        const double *q = L + start * ld + end, *v = x + end;
        if (end - start == 8) {
            const double *q1 = q + ld, *q2 = q1 + ld, *q3 = q2 + ld, *q4 = q3 + ld, *q5 = q4 + ld;
            const double *q6 = q5 + ld, *q7 = q6 + ld;
            double t0 = 0.0, t1 = 0.0, t2 = 0.0, t3 = 0.0, t4 = 0.0, t5 = 0.0, t6 = 0.0, t7 = 0.0;
            _Pragma("omp simd reduction(+ : t0, t1, t2, t3, t4, t5, t6, t7)")
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
            x[start] -= t0;
            x[start + 1] -= t1;
            x[start + 2] -= t2;
            x[start + 3] -= t3;
            x[start + 4] -= t4;
            x[start + 5] -= t5;
            x[start + 6] -= t6;
            x[start + 7] -= t7;
        } else {
            for (ptrdiff_t j = start; j < end; j++, q += ld) {
                double total = 0.0;
                _Pragma("omp simd reduction(+ : total)")
                for (ptrdiff_t i = 0; i < behind; i++) total += q[i] * v[i];
                x[j] -= total;
            }
        }
        for (ptrdiff_t j = end - 1; j >= start; j--) {
            x[j] /= L[j + j * ld];
            for (ptrdiff_t i = start; i < j; i++) x[i] -= L[j + i * ld] * x[j];
        }
        end = start;
    }
}

#endif
