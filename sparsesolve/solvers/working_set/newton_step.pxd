"""NewtonStep: steps of the coefficients and of the model's point together, which lower F."""
from sparsesolve.solvers.subproblem.coefficients cimport WorkingCoefficients
from sparsesolve.solvers.working_set.local_model cimport LocalModel
from sparsesolve.solvers.working_set.path_history cimport PathHistory
from sparsesolve.solvers.working_set.predicted_dual cimport PredictedDual

cdef class NewtonStep:
    cdef LocalModel model
    cdef PathHistory history
    cdef PredictedDual predicted        # where the last step's model leads
    cdef double gain                    # by which the last step lowered F, beyond rounding
    cdef bint eta_stale                 # whether b moved so far that the rounding of eta shows
    cdef double[::1] before, after      # coefficients of the working columns around a step
    cdef double[::1] change, slope      # the step, and Z'u

    cdef int reserve(self, int capacity) except -1
    cdef int extrapolate(self, WorkingCoefficients quadratic, double lam,
                         double forward) except -1
    cdef int descend(self, WorkingCoefficients quadratic, double lam, double target, long limit,
                     double total, bint first) except -1
    cdef void _step(self, WorkingCoefficients quadratic, double lam, double rounding, double total,
                    bint learn) noexcept nogil
