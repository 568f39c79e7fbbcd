"""InactiveGroups: groups of columns that are not at work."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.solvers.screening.residuals cimport Residuals
from sparsesolve.solvers.screening.safe_balls cimport SafeBalls
from sparsesolve.solvers.screening.quantised cimport Quantised
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.screening.inactive cimport Inactive

cdef class InactiveGroups(Inactive):
    cdef Design design
    cdef BlockPenalty penalty
    cdef Residuals residuals
    cdef SafeBalls safe_balls
    cdef Quantised quantised                  # None where it is not worth its memory
    # (G,) how far per length of r the polar may be off by the sketch
    cdef double[::1] quantisation_error
    cdef int n_threads, n_undecided, n_close
    # (G,) how fast the polar of a group's products may grow as r moves
    cdef double[::1] rate
    # (G,) the polar as last estimated, and how far that may be off
    cdef double[::1] level, reach
    # (2, p) products with two remembered residuals, group by group
    cdef double[:, ::1] product
    cdef int[:, ::1] exact_at                # (G, 2) names of these residuals; -1 none
    cdef double[:, ::1] approx           # (2, p) the same for the last two residuals,
    cdef double[:, ::1] off             # (2, G) the polar of each within so much
    cdef int[:, ::1] approx_at         # (G, 2)
    cdef int[::1] undecided, close, candidates, pending, columns
    cdef double[::1] root_w, u, work, found

    cdef void measure(self, Py_ssize_t g, const double* squares, double* room) noexcept nogil
    cdef void sort(self, int g, double bound, double lam) noexcept nogil
    cdef void prefetch(self, int g) noexcept nogil
    cdef void remembered(self, int g) noexcept nogil
    cdef void learn(self, int g, const double* product, double off, int name) noexcept nogil
    cdef void estimate_all(self, int count) noexcept nogil
    cdef void estimate(self, int g) noexcept nogil
    cdef void multiply(self, const int* groups, int count, int name, const double* r) noexcept nogil
    cdef int[::1] columns_of(self, const int[::1] groups)
