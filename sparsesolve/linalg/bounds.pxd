"""CorrelationBounds: what is known of z_j'r without multiplying."""
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.residuals cimport Residuals
from sparsesolve.linalg.sketch cimport Sketch

cdef struct Known:                      # of one column: what a new bound needs, in one place
    double[2] product                   # z_j'r1 and z_j'r2, exact
    int[2] slot                         # where r1 and r2 are remembered; -1 nowhere
    double[2] rough                     # the same for the last two residuals, within `off`
    double[2] off
    int[2] place

cdef class CorrelationBounds:
    cdef Design design
    cdef readonly long products, estimates      # exact products, and products with the sketch, so far
    cdef Py_ssize_t n, p
    cdef int n_threads, n_undecided, n_close
    cdef Residuals residuals
    cdef double reach                   # how far the last estimate may be off
    cdef Sketch sketch                  # None where it is not worth its memory
    cdef int n_gaps
    cdef float[:, ::1] gaps
    cdef double[::1] asleep             # (p,) bound less |z_j| * travelled, as last taken; -INFINITY: not our business
    cdef double[::1] norm               # (p,) |z_j|
    cdef double[::1] threshold          # (p,) |z_j'r| is held against lam * threshold
    cdef Known* known                   # (p,)
    cdef int[::1] undecided, pending, awake
    cdef double[::1] root_w, u, exact

    cdef void leave(self, Py_ssize_t j) noexcept nogil
    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef void multiply_all(self, const double* r) noexcept nogil
    cdef int foresee(self, const double* r, double lam, int* which) noexcept nogil
    cdef void _look(self, const double* r, bint there) noexcept nogil
    cdef void _exclude(self, double lam, int slot) noexcept nogil
    cdef void _sort(self, Py_ssize_t j, double bound, double limit) noexcept nogil
    cdef void _learn(self, Known* column, double product, double off, int slot) noexcept nogil
    cdef double _estimate(self, Py_ssize_t j, const Known* column) noexcept nogil
    cdef int _new_slot(self, const double* r) noexcept nogil
