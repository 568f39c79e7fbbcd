"""WorkingCoefficients: coefficients and gradients of the columns at work, and the certificate
over them."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.solvers.certificate.gap cimport ScaledDual

cdef enum Outcome:
    CONVERGED = 0
    MAX_ITER = 1
    STALLED = 2

cdef enum:
    FAR_STEP = 10000    # of a coefficient: its rounding shows in eta

cdef class WorkingCoefficients(ScaledDual):
    cdef readonly int size              # working columns
    cdef readonly long iterations       # Newton steps and sweeps so far
    # over the working columns, there and back, where these are taken as they are
    cdef readonly long passes
    cdef int capacity
    cdef PackedColumns columns                 # None when the inner products are all there is
    cdef bint curved                    # whether the path is, between two changes of what is zero
    cdef bint wants_start               # whether a start near the solution saves work
    cdef bint wants_residual            # whether solving works on the residual, not only on g
    # (n + 1,) then: sqrt(w) (y - Zb), less a multiple of sqrt(w), and that
    cdef double[::1] u
    cdef bint counts_rounding_steps            # whether these are counted:
    # columns added to u, or to g, since it was made from b, each with its rounding
    cdef double rounding_steps
    cdef public double residual_square  # |r|^2 in the weighted norm
    cdef Py_ssize_t[::1] ranks          # working columns in ascending order of feature,
    cdef int n_ranked                   # as there were so many
    # length of r's projection on the columns that nothing holds back
    cdef double unpenalised_norm
    # these features, where inner products do not tell it; or None
    cdef object unresolved
    # per working column, all in one block of memory
    cdef object table, integers
    cdef double* b                      # coefficient
    cdef double* g                      # z_j'r
    cdef double* d                      # step under way
    cdef double* q                      # its image Z'Z d
    cdef double* rhs                    # what the Newton step is to remove
    cdef double* l1                     # the penalty per unit of lam: l1 |b| + l2 b^2 / 2
    cdef double* l2
    cdef double* lower                  # limits
    cdef double* upper
    cdef double* diag                   # |z_j|^2
    cdef int* index                     # number of the feature
    cdef int* support                   # the free columns, listed
    cdef int* order                     # which column a row of the factor is
    cdef int* position                  # and back
    cdef int* held                      # stopped in the step under way
    cdef int* which                     # features whose coefficients are not zero, and
    cdef double* values                 # these, as last listed

    cdef int reserve(self, int capacity) except -1
    cdef int list_nonzero(self) except -1
    cdef int add(self, const int* which, const double* start, const double* gradient,
                 int count) except -1
    cdef double primal(self, double lam) noexcept nogil
    cdef bint solved(self, double lam, double target) noexcept nogil
    cdef void estimate_unpenalised_norm(self, double lam) noexcept nogil
    cdef int update_unpenalised_norm(self, double lam) except -1
    # what a subclass says of the penalty
    cdef bint free(self, int j, double lam) noexcept nogil
    cdef double penalty_value(self, double lam) noexcept nogil
    cdef double column_gap(self, double lam, double scale) noexcept nogil
    cdef double charge(self, const double* before, double lam) noexcept nogil
    cdef bint extrapolate(self, int count, const double* change, double lam) noexcept nogil
    # what a subclass says of solving
    cpdef int append(self, Design design, penalty, const int[::1] which, const double[::1] start,
                     const double[::1] gradient) except -1
    cdef bint second_order(self, bint wanted, double lam) noexcept nogil
    cdef int solve(self, double lam, double target, long budget) noexcept nogil
    cdef int solve_in_chunks(self, double lam, double target, long limit) except -1
    cdef void inner_with(self, int j, const int* which, int count, double* out) noexcept nogil
    cdef double effort(self) noexcept
    cdef void restart(self) noexcept nogil
    cdef void refresh(self, const double* response, double* r) noexcept nogil
    cdef void _leave(self, const double* response, double* r) noexcept nogil
    cdef double rounding(self) noexcept nogil
    cdef void copy_residual(self, const double* response, double* r) noexcept nogil
    cdef void take_residual(self, const double* r) noexcept nogil
    cdef void sync_residual(self, const double* response, const double* missing, double drift,
                            double* r) noexcept nogil
