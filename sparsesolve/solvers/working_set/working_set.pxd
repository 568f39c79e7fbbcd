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
    cdef double steps                       # of conjugate gradients per Newton direction, as last seen
    cdef double share                       # of the gap asked for that working columns may take
    cdef double digits                      # the smallest gap that may be of second order in what b is off by,
    cdef double loose                       # the gap from which one is loose,
    cdef double missed                      # and by what share of lam thresholds may be missed there
    cdef readonly double missing            # what unpenalised directions may gain, unseen by the dual point
    cdef bint exacting                      # and whether less is asked for
    cdef double opening                     # gap after the first round at the last lam
    cdef double growth                      # columns that enter for a quadratic to be solved, averaged
    cdef long models                        # quadratics of other losses solved since the last came in
    cdef double renewed                     # share of the Gram matrix that is made anew in a Newton step
    cdef int foreseen                       # columns let in before the last solve
    cdef bint surveys                       # whether products tell them, not extrapolation
    cdef double level                       # |response|^2
    cdef double[::1] root_w, response, r, u
    cdef object spans                       # of columns under the weights
    cdef double[::1] solved, earlier        # (n,) residuals of the last two lams
    cdef double[:, ::1] solved_b            # (2, capacity) their coefficients of the working columns,
    cdef int n_solved                       # so many at the last
    cdef double[2] lams                     # these lams
    cdef double[2] drifts                   # how far rounding took the last residual, and it beside the one before
    cdef double opened, turn                # the same for the start at this lam: see WorkingCoefficients.rounding
    cdef bint refreshed                     # whether the residual was made anew at this lam

    cpdef solve(self, double lam, double target, long budget)
    cdef int add_to_working_set(self, const int[::1] which) except -1
    cdef int _choose(self) except -1
    cdef bint _ridged(self) noexcept nogil
    cdef int _extrapolate_and_grow(self, double lam) except -1
    cdef double _goal(self, double lam, double target, double outside) noexcept nogil
    cdef double _settled(self, double lam) noexcept nogil
    cdef void _refresh(self) noexcept nogil
    cdef int _keep_history(self, double lam) except -1
    cdef int _extrapolate(self, double lam, double forward) except -1
    # what a subclass with another loss says
    cdef int fit(self, double lam, double goal, long limit) except -1
    cdef double samples_gap(self, double scale) noexcept nogil
    cdef double primal(self, double lam) noexcept nogil
