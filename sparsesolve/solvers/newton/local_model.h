/* Loops over the samples of a step, for local_model.pyx and predicted_dual.pyx. The instruction
 * set is that of vector.h. */
#ifndef SPARSESOLVE_LOSS_MODEL_H
#define SPARSESOLVE_LOSS_MODEL_H

#include "vector.h"

/* image_i = shift - image_i inverse_i */
SS_SIMD static void ss_center_image(ptrdiff_t n, double shift, const double *SS_RESTRICT inverse,
                                    double *SS_RESTRICT image) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) image[i] = shift - image[i] * inverse[i];
}

/* image_i = forward (eta_i - earlier_i) + image_i inverse_i + shift */
SS_SIMD static void ss_extrapolate_image(ptrdiff_t n, double forward, const double *SS_RESTRICT eta,
                                         const double *SS_RESTRICT earlier,
                                         const double *SS_RESTRICT inverse, double shift,
                                         double *SS_RESTRICT image) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++)
        image[i] = forward * (eta[i] - earlier[i]) + image[i] * inverse[i] + shift;
}

/* sum_i w_i (a_i - b_i) */
SS_SIMD static double ss_mean_difference(ptrdiff_t n, const double *SS_RESTRICT w,
                                         const double *SS_RESTRICT a,
                                         const double *SS_RESTRICT b) {
    double total = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total)")
    for (ptrdiff_t i = 0; i < n; i++) total += w[i] * (a[i] - b[i]);
    return total;
}

/* out_i = a_i + b_i */
SS_SIMD static void ss_add(ptrdiff_t n, const double *SS_RESTRICT a, const double *SS_RESTRICT b,
                           double *SS_RESTRICT out) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) out[i] = a[i] + b[i];
}

/* out_i = u_i inverse_i; adds the sums of u_i and out_i^2 to `sums` */
SS_SIMD static void ss_measure(ptrdiff_t n, const double *SS_RESTRICT u,
                               const double *SS_RESTRICT inverse, double *SS_RESTRICT out,
                               double *SS_RESTRICT sums) {
    double total = 0.0, square = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total, square)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double q = u[i] * inverse[i];
        out[i] = q;
        total += u[i];
        square += q * q;
    }
    sums[0] += total;
    sums[1] += square;
}

/* adds the sums of h_i image_i^2 and (u_i - trial_i) image_i to `sums` */
SS_SIMD static void ss_curvature_along(ptrdiff_t n, const double *SS_RESTRICT u,
                                       const double *SS_RESTRICT trial,
                                       const double *SS_RESTRICT h,
                                       const double *SS_RESTRICT image,
                                       double *SS_RESTRICT sums) {
    double modelled = 0.0, along = 0.0;
    SS_PRAGMA("omp simd reduction(+ : modelled, along)")
    for (ptrdiff_t i = 0; i < n; i++) {
        modelled += h[i] * image[i] * image[i];
        along += (u[i] - trial[i]) * image[i];
    }
    sums[0] += modelled;
    sums[1] += along;
}

/* v_i = u_i - s h_i image_i */
SS_SIMD static void ss_predict_dual(ptrdiff_t n, double s, const double *SS_RESTRICT u,
                                    const double *SS_RESTRICT h, const double *SS_RESTRICT image,
                                    double *SS_RESTRICT v) {
    SS_PRAGMA("omp simd")
    for (ptrdiff_t i = 0; i < n; i++) v[i] = u[i] - s * h[i] * image[i];
}

/* sum_i (v_i - u_i)^2 inverse_i^2 */
SS_SIMD static double ss_weighted_distance(ptrdiff_t n, const double *SS_RESTRICT v,
                                const double *SS_RESTRICT u, const double *SS_RESTRICT inverse) {
    double total = 0.0;
    SS_PRAGMA("omp simd reduction(+ : total)")
    for (ptrdiff_t i = 0; i < n; i++) {
        double off = (v[i] - u[i]) * inverse[i];
        total += off * off;
    }
    return total;
}

#endif
