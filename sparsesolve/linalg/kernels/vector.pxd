"""Dense vector kernels (vector.h); the instruction set is chosen at run time if possible."""

cdef extern from "vector.h" nogil:
    void ss_prefetch(const void* start, Py_ssize_t bytes) noexcept
    double ss_dot_f64(Py_ssize_t n, const double* x, double centre, const double* v) noexcept
    double ss_dot_f32(Py_ssize_t n, const float* x, double centre, const double* v) noexcept
    void ss_dots_f64(Py_ssize_t n, const double* const* x, const double* centre, const double* v,
                     double* out) noexcept
    void ss_dots_f32(Py_ssize_t n, const float* const* x, const double* centre, const double* v,
                     double* out) noexcept
    void ss_axpy_f64(Py_ssize_t n, double a, const double* x, double centre, double* v) noexcept
    void ss_axpy_f32(Py_ssize_t n, double a, const float* x, double centre, double* v) noexcept
    void ss_axpys_f64(Py_ssize_t n, const double* a, const double* const* x, const double* centre,
                      double* v) noexcept
    void ss_axpys_f32(Py_ssize_t n, const double* a, const float* const* x, const double* centre,
                      double* v) noexcept
    double ss_sparse_dot_f64(Py_ssize_t n, const double* x, const int* rows,
                             const double* v) noexcept
    double ss_sparse_dot_f32(Py_ssize_t n, const float* x, const int* rows,
                             const double* v) noexcept
    void ss_sparse_panel(Py_ssize_t n, const double* x, const int* rows, const double* panel,
                         double* out) noexcept
    void ss_sparse_axpy_f64(Py_ssize_t n, double a, const double* x, const int* rows,
                            double* v) noexcept
    void ss_sparse_axpy_f32(Py_ssize_t n, double a, const float* x, const int* rows,
                            double* v) noexcept
    double ss_square_f64(Py_ssize_t n, const double* x, double centre, const double* w) noexcept
    double ss_square_f32(Py_ssize_t n, const float* x, double centre, const double* w) noexcept
    void ss_unpack_f64(Py_ssize_t n, double a, const double* x, double centre, double* out) noexcept
    void ss_unpack_f32(Py_ssize_t n, double a, const float* x, double centre, double* out) noexcept
    void ss_unpack_times_f64(Py_ssize_t n, double a, const double* x, double centre,
                             const double* v,
                             double* out) noexcept
    void ss_unpack_times_f32(Py_ssize_t n, double a, const float* x, double centre, const double* v,
                             double* out) noexcept
    double ss_largest_f64(Py_ssize_t n, const double* x) noexcept
    double ss_largest_f32(Py_ssize_t n, const float* x) noexcept
    double ss_survey_f64(Py_ssize_t n, const double* x, double shift, const double* w,
                         double* sums) noexcept
    double ss_survey_f32(Py_ssize_t n, const float* x, double shift, const double* w,
                         double* sums) noexcept
    Py_ssize_t ss_candidates(Py_ssize_t n, const double* kept, const double* rate,
                        const double* threshold,
                        double travelled, double most, double lam, int* out) noexcept
    void ss_rotate(Py_ssize_t n, double c, double s, double* x, double* y) noexcept
    void ss_pass_on(Py_ssize_t n, double c, double s, double* x, double* y) noexcept
    void ss_take_in(Py_ssize_t n, double scale, double a, double* row, double* along,
                    double* left) noexcept
    Py_ssize_t ss_reach(Py_ssize_t start, Py_ssize_t n, double lam, double step, const double* w,
                        const double* c,
                        const double* along) noexcept
    Py_ssize_t ss_find(Py_ssize_t n, const double* x, double value, double other) noexcept
    double ss_step_largest(Py_ssize_t n, double step, const double* a, bint one_sided,
                           double* c) noexcept
    double ss_meetings(Py_ssize_t n, double lam, double least, const double* c, const double* a,
                       bint one_sided,
                       double* rate) noexcept
    void ss_scale(Py_ssize_t n, double a, const double* x, double* out) noexcept
    double ss_travel(Py_ssize_t n, double factor, const double* r, double* last,
                     double* largest) noexcept
    void ss_multiply(Py_ssize_t n, const double* a, const double* b, double* out) noexcept


cdef inline double dot(Py_ssize_t n, const double* x, const double* y) noexcept nogil:
    return ss_dot_f64(n, x, 0.0, y)


cdef inline void axpy(Py_ssize_t n, double a, const double* x, double* y) noexcept nogil:
    ss_axpy_f64(n, a, x, 0.0, y)
