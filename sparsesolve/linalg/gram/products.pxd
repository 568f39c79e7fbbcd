"""Inner products of many columns at once (products.pyx)."""

cdef enum:
    STRETCH = 65536         # values of columns that stay in cache between two uses


cdef inline Py_ssize_t stretch(int size) noexcept nogil:
    """Return the number of rows such that `size` columns stay in cache between two uses."""
    return max(STRETCH // max(size, 1), 64)


cdef void add_products(Py_ssize_t n, int size, const double* A, int lda, int count, const double* B,
                       int ldb,
                       double* G, int ld) noexcept nogil
cdef void add_gram(Py_ssize_t n, int size, const double* A, int lda, double* G,
                   int ld) noexcept nogil
cdef void share_products(Py_ssize_t n, int size, const double* A, int lda, int count,
                         const double* B, int ldb,
                         double* G, int ld, int n_threads) noexcept nogil
cdef void share_dots(Py_ssize_t n, int count, const double* Z, const int* which, const double* v,
                     double* out,
                     int n_threads) noexcept nogil
cdef void share_subtract(Py_ssize_t n, int count, const double* b, const double* Z,
                         const int* which, double* v,
                         int n_threads) noexcept nogil
cdef void share_gram(Py_ssize_t n, int size, const double* A, int lda, double* G, int ld,
                     int n_threads) noexcept nogil
cdef void subtract_all(Py_ssize_t n, Py_ssize_t count, const double* w, const double* q,
                       const int* which, Py_ssize_t stride, double* out) noexcept nogil
cdef void add_dots(Py_ssize_t n, Py_ssize_t count, const double* q, const int* which,
                   Py_ssize_t stride, const double* v, double* out) noexcept nogil
