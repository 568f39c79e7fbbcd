"""Quadratic: the penalised least-squares problem over a growing set of working columns."""
from sparsesolve.linalg.design cimport Design
from sparsesolve.penalties.elastic_net cimport ElasticNet

cdef enum Outcome:
    CONVERGED = 0
    MAX_ITER = 1
    STALLED = 2

cdef class Quadratic:
    cdef readonly int size              # working columns
    cdef int capacity
    cdef readonly long iterations       # Newton steps and sweeps so far
    cdef public double residual_square  # |r|^2 in the weighted norm
    cdef double slack                   # how far u may be from orthogonal to the unpenalised columns
    cdef int n_support, n_held
    # per working column, all in one block of memory
    cdef double[:, ::1] table
    cdef int[:, ::1] integers
    cdef double *b, *g, *d, *q, *rhs, *l1, *l2, *lower, *upper, *diag
    cdef int *index, *support, *order, *position, *held

    cdef int reserve(self, int capacity) except -1
    cdef int add(self, Design design, ElasticNet penalty, const int* which, const double* start,
                 const double* gradient, int count) except -1
    cdef int solve(self, double lam, double target, long budget) noexcept nogil
    cdef double gap(self, double lam, double scale) noexcept nogil
    cdef double scale(self, double lam, bint strict) noexcept nogil
    cdef double best_gap(self, double lam) noexcept nogil
    cdef bint free(self, int j, double lam) noexcept nogil
    cdef bint solved(self, double lam, double target) noexcept nogil
    cdef void estimate_slack(self, double lam) noexcept nogil
    cdef bint newton(self, double lam) noexcept nogil
    cdef double collect(self, double lam) noexcept nogil
    cdef int clip(self, double lam) noexcept nogil
    cdef double first_event(self, double lam) noexcept nogil
    cdef void rescale(self, double t) noexcept nogil
    cdef void settle(self, double lam) noexcept
    cdef double line_step(self, double lam) noexcept nogil
    cdef double minimiser(self, int j, double lam) noexcept nogil
    cdef bint worth(self, int j, double new, double lam, bint whole) noexcept nogil
    # what a subclass says
    cdef double effort(self) noexcept
    cdef double inner(self, int i, int j) noexcept nogil
    cdef void refresh(self, const double* response, double* r) noexcept nogil
    cdef void direction(self, double lam) noexcept nogil
    cdef void image(self) noexcept nogil
    cdef void advance(self, double lam, double t) noexcept nogil
    cdef int sweep(self, double lam, bint whole) noexcept nogil
    cdef bint unbind(self, double lam) noexcept nogil
