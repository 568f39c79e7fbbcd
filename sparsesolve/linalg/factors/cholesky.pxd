"""Cholesky factor that grows by blocks of rows and shrinks by Givens rotations."""

cdef class Cholesky:
    cdef readonly int size          # rows of the factor
    cdef int capacity
    cdef double[::1] factor         # lower triangle, column-major, leading dimension `capacity`
    cdef double[::1] spike, turned
    cdef double* L                  # &factor[0]

    cdef int reserve(self, int capacity) except -1
    cdef int append(self, int count, double* cross, double* corner, const double* scale,
                    double tiny,
                    int* accepted) noexcept nogil
    cdef void grow(self, const double* row, int stride, double pivot) noexcept nogil
    cdef void remove(self, int position, double* carried=*, int width=*,
                     int stride=*) noexcept nogil
    cdef void truncate(self, int size) noexcept nogil
    cdef void solve(self, double* x) noexcept nogil
    cdef void transposed_solve(self, double* x) noexcept nogil
    cdef void half_solve(self, double* x) noexcept nogil
