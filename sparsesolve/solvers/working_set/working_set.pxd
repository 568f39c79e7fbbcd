"""WorkingSet: solver state along a path, certified over all columns."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.solvers.certificate.gap cimport ScaledDual
from sparsesolve.solvers.screening.inactive cimport Inactive
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients

cdef class WorkingSet(ScaledDual):
    cdef readonly Design design
    cdef readonly object penalty
    cdef readonly WorkingCoefficients quadratic
    cdef readonly Inactive inactive
    cdef PackedColumns columns                     # the working ones
    cdef double working_values              # stored values of the working columns
    # conjugate gradients per Newton direction, as last seen
    cdef double steps
    # of the target gap, for the working columns
    cdef double share
    # A smaller gap asks for digits of b: it may be of second order in their error.
    cdef double digits
    # The gap from which a target is loose, and the share of lam by which thresholds may be missed
    # then.
    cdef double loose
    cdef double missed
    # what steps along unpenalised directions may gain, which the dual point does not see
    cdef readonly double missing
    # whether the target is below `digits`
    cdef bint exacting
    # gap after the first round at the last lam
    cdef public double opening
    # columns added between quadratic models, averaged
    cdef double growth
    # quadratic models of other losses solved since a column was added
    cdef long models
    # share of the Gram matrix that a Newton step recomputes
    cdef double renewed
    # columns added before the last solve
    cdef int foreseen
    # whether products, not extrapolated bounds, tell which to add
    cdef bint surveys
    cdef double level                       # |response|^2
    cdef double[::1] root_w, response, r, u
    cdef object spans                       # of columns under the weights
    cdef double[::1] solved, earlier        # (n,) residuals of the last two lams
    # (2, capacity) coefficients of the working columns at the last two lams
    cdef double[:, ::1] solved_b
    # columns of the last of them
    cdef int n_solved
    # the last two lams, the last one first
    cdef double[2] lams
    # Rounding of the last residual, and its change since the one before.
    cdef double[2] drifts
    # The same at the start of this lam, see WorkingCoefficients.rounding.
    cdef double opened, turn
    # whether the residual was recomputed at this lam
    cdef bint refreshed

    cdef int add_to_working_set(self, const int[::1] which) except -1
    cdef int _choose(self) except -1
    cdef bint _solves_by_rows(self) noexcept
    cdef bint _ridged(self) noexcept nogil
    cdef int _extrapolate_and_grow(self, double lam) except -1
    cpdef double goal(self, double lam, double target, double outside)
    cdef double _settled(self, double lam) noexcept nogil
    cdef void _refresh(self) noexcept nogil
    cdef int _keep_history(self, double lam) except -1
    cdef int _extrapolate(self, double lam, double forward) except -1
    # For subclasses with another loss.
    cpdef int fit(self, double lam, double goal, long limit) except -1
    cdef double samples_gap(self, double scale) noexcept nogil
    cdef double primal(self, double lam) noexcept nogil
