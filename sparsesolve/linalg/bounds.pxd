"""CorrelationBounds: what is known of z_j'r without multiplying."""
from sparsesolve.linalg.design cimport Design
from sparsesolve.linalg.sketch cimport Sketch

cdef struct Known:                      # of one column: what a new bound needs, in one place
    double[2] product                   # z_j'r1 and z_j'r2, exact
    int[2] slot                         # where r1 and r2 are remembered; -1 nowhere
    double[2] rough                     # the same for the last two residuals, within `off`
    double[2] off
    int[2] place

cdef struct Span:                       # of two remembered residuals, against the current one
    double first, second                # coefficients of the projection
    double distance                     # from it
    long round                          # when this was computed
    int gap                             # where the difference from the projection is kept; -1 nowhere

cdef class CorrelationBounds:
    cdef Design design
    cdef readonly long products, estimates      # exact products, and products with the sketch, so far
    cdef Py_ssize_t n, p
    cdef int n_threads, n_slots, n_undecided, n_close, latest
    cdef long round
    cdef double travelled               # length of the path of r so far
    cdef double level                   # |r|^2
    cdef double reach                   # how far the last estimate may be off
    cdef Sketch sketch                  # None where it is not worth its memory
    cdef int n_gaps
    cdef float[:, ::1] gaps
    cdef const double* current          # the residual that spans are compared with
    cdef double[::1] asleep             # (p,) bound less |z_j| * travelled, as last taken; -INFINITY: not our business
    cdef double[::1] norm               # (p,) |z_j|
    cdef double[::1] threshold          # (p,) |z_j'r| is held against lam * threshold
    cdef Known* known                   # (p,)
    cdef Span* spans                    # (SLOTS, SLOTS)
    cdef int[::1] undecided, pending, awake, members
    cdef double[::1] root_w, u, exact, last, dots
    cdef double[:, ::1] remembered, inner

    cdef void leave(self, Py_ssize_t j) noexcept nogil
    cdef int examine(self, const double* r, double lam) noexcept nogil
    cdef void multiply_all(self, const double* r) noexcept nogil
    cdef int foresee(self, const double* r, double lam, int* which) noexcept nogil
    cdef void _travel(self, const double* r) noexcept nogil
    cdef void _compare(self, const double* r) noexcept nogil
    cdef void _exclude(self, double lam, int slot) noexcept nogil
    cdef void _sort(self, Py_ssize_t j, double bound, double limit) noexcept nogil
    cdef Span* _span(self, const int* slots) noexcept nogil
    cdef void _learn(self, Known* column, double product, double off, int slot) noexcept nogil
    cdef double _estimate(self, Py_ssize_t j, const Known* column) noexcept nogil
    cdef void _project(self, Span* span, int first, int second) noexcept nogil
    cdef int _new_slot(self, const double* r) noexcept nogil
