"""WorkingSet: the columns that ProximalNewton solves over, and the others; PathHistory."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.screening.inactive cimport Inactive
from sparsesolve.solvers.quadratic.coefficients cimport WorkingCoefficients

cdef class PathHistory:
    cdef double[2] lams                 # the last one first; 0: there is none
    cdef int size                       # working columns at the last of them
    cdef double[:, ::1] b               # (2, capacity) their coefficients, the last ones first
    cdef double[::1] last, earlier      # (n,) linear predictors of the last two lams

    cdef void clear(self) noexcept nogil
    cdef double forward(self, double lam) noexcept nogil
    cdef int keep(self, double lam, WorkingCoefficients columns) except -1

cdef class WorkingSet(ScaledDual):
    cdef readonly Design design
    cdef readonly object penalty
    cdef readonly WorkingCoefficients quadratic
    cdef readonly Inactive inactive
    cdef PackedColumns columns                     # the working ones
    cdef PathHistory history
    cdef double fraction                # of the target gap, for the working columns
    # A smaller gap asks for digits of b: it may be of second order in their error.
    cdef double digits
    # The gap from which a target is loose, and the part of lam by which thresholds may be missed
    # then.
    cdef double loose_gap
    cdef double missed
    cdef bint exacting                  # whether the target is below `digits`
    cdef public double first_gap        # gap after the first round at the last lam
    cdef long passed                    # passes over sparse columns before this lam
    cdef bint factored                  # whether sparse columns returned to inner products
    cdef double[::1] root_w, r, u       # r: the dual point over root_w
    cdef object spans                   # of columns under the weights

    cdef int add_to_working_set(self, const int[::1] which) except -1
    cdef bint _by_columns(self, int size)
    cdef double stored(self)
    cdef bint _factor(self) except -1
    # For the subclass, which solves.
    cdef void _forget_gradients(self) noexcept nogil
