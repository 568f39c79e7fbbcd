"""Prices: the cheapest way of solving over the working columns."""
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef enum Way:
    UNCHANGED = 0
    BY_PRODUCTS = 1                     # a factor of the Gram matrix
    BY_COLUMNS = 2                      # conjugate gradients
    BY_ROWS = 3                         # the n x n system

cdef class Prices:
    cdef double n                       # rows
    cdef double values                  # stored values of the working columns
    cdef double steps                   # conjugate gradients per Newton direction, as last seen
    cdef double growth                  # columns added between quadratic models, averaged
    # quadratic models of other losses solved since a column was added
    cdef long models
    cdef double renewed                 # share of the Gram matrix that a Newton step recomputes

    cdef void enter(self, int count) noexcept nogil
    cdef Way cheapest(self, WorkingCoefficients quadratic)
    cdef double refresh(self, WorkingCoefficients quadratic)
    cdef bint filling_pays(self, WorkingCoefficients quadratic, long before, bint stuck)

cdef bint solves_by_rows(WorkingCoefficients quadratic)
