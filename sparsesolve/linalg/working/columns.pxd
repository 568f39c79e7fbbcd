"""PackedColumns: contiguous copies of the working columns as sqrt(w) * z_j."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.factors.root cimport Root

cdef class PackedColumns:
    cdef readonly int size
    cdef readonly Py_ssize_t n
    cdef readonly bint dense  # columns are dense
    cdef double[::1] root_w                 # (n,)
    cdef Root root  # L, if dense columns are stored as L'(sqrt(w) z_j); None for I
    cdef public int n_threads               # for passes over many values; 1 by default
    cdef bint recentred  # columns are centred by their mean under w, not by that of the design

    cdef void restart(self, double[::1] root_w)
    cdef int append(self, Design design, const int* which, int count) except -1
    cdef double dot(self, int j, const double* v, double shift) noexcept nogil
    cdef double square(self, int j) noexcept nogil
    cdef double axpy(self, int j, double a, double* v) noexcept nogil
    cdef void correlate(self, const double* v, double shift, double* out) noexcept nogil
    cdef double subtract(self, const double* b, double* v) noexcept nogil
    cdef void correlate_some(self, int first, int count, const double* v, double shift,
                             double* out) noexcept nogil
    cdef double subtract_some(self, int first, int count, const double* b, double* v) noexcept nogil
    cdef void correlate_listed(self, const int* which, int count, const double* v, double shift,
                               double* out) noexcept nogil
    cdef double subtract_listed(self, const int* which, int count, const double* b,
                                double* v) noexcept nogil
    cdef void products(self, int first, double* G, int ld) noexcept nogil
