"""Coefficients, gradients and certificate of the working columns, of a net or of groups."""
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.working.columns cimport PackedColumns
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.solvers.certificate.gap cimport ScaledDual

cdef enum Outcome:
    CONVERGED = 0
    MAX_ITER = 1
    STALLED = 2

cdef enum:
    FAR_STEP = 10000    # a coefficient's step this long leaves visible rounding in eta

cdef class WorkingCoefficients(ScaledDual):
    cdef readonly int size              # number of working columns
    cdef readonly long iterations       # Newton steps and sweeps so far
    # Passes forward and back over the working columns, when the columns themselves are used.
    cdef readonly long passes
    cdef int capacity
    cdef PackedColumns columns          # None when only inner products are available
    cdef public Gram gram               # None when the columns themselves are used
    cdef bint curved                    # True if the path is curved between changes of the support
    cdef bint wants_residual            # True if solving uses the residual, not only g
    # (n + 1,) if wants_residual: sqrt(w) (y - Zb) less a multiple of sqrt(w), then the multiple.
    cdef double[::1] u
    # Columns added to u, or to g, since it was computed from b. Each addition rounds.
    cdef double rounding_steps
    cdef public double residual_square  # |r|^2 in the weighted norm
    cdef Py_ssize_t[::1] ranks          # working columns in ascending order of feature
    cdef int n_ranked                   # number of working columns when ranks was made
    # Length of r's projection on the unpenalised columns.
    cdef double unpenalised_norm
    # One value per working column, all in one block of memory.
    cdef object table, integers
    cdef double* b                      # coefficient
    cdef double* g                      # z_j'r
    cdef double* d                      # current step
    cdef double* q                      # the step's image Z'Z d
    cdef double* rhs                    # right-hand side of the Newton step
    cdef double* l1                     # penalty per unit of lam: l1 |b| + l2 b^2 / 2
    cdef double* l2
    cdef double* lower                  # lower limit of the coefficient
    cdef double* upper              # upper limit of the coefficient
    cdef double* diag                   # |z_j|^2
    cdef int* index                     # number of the feature
    cdef int* support                   # list of the free columns
    cdef int* order                     # column of each row of the factor
    cdef int* position                  # row of the factor of each column, the inverse of order
    cdef int* held                      # columns stopped in the current step
    cdef int* which                 # a list of columns or of features, as last made,
    cdef double* values             # and a number for each
    cdef double* x                      # room for one vector of coefficients,
    cdef double* old                    # and for those before a step
    cdef double* conjugate              # conjugate gradients: a direction,
    cdef double* product                # its product with the matrix,
    cdef double* residual               # what the solution leaves,
    cdef double cg_goal                 # and the preconditioned square of that to end at

    cdef int reserve(self, int capacity) except -1
    cpdef int append(self, Design design, penalty, const int[::1] which, const double[::1] start,
                     const double[::1] gradient) except -1
    cdef int list_nonzero(self) except -1
    cdef double primal(self, double lam) noexcept nogil
    cdef bint solved(self, double lam, double target) noexcept nogil
    cdef void estimate_unpenalised_norm(self, double lam) noexcept nogil
    # A subclass defines the penalty by these methods.
    cdef bint free(self, int j, double lam) noexcept nogil
    cdef double penalty_value(self, double lam) noexcept nogil
    cdef double column_gap(self, double lam, double scale) noexcept nogil
    cdef double penalty_change(self, const double* before, double lam) noexcept nogil
    cdef bint extrapolate(self, int count, const double* change, double lam) noexcept nogil
    # A subclass defines the solver by these methods.
    cdef int describe(self, penalty, int first) except -1
    cdef bint second_order(self, bint wanted, double lam) noexcept nogil
    cdef int solve(self, double lam, double target, long budget) noexcept nogil
    cdef int solve_in_chunks(self, double lam, double target, long limit) except -1
    cdef void restart(self) noexcept nogil
    cdef double rounding(self) noexcept nogil
    cdef void take_residual(self, const double* r) noexcept nogil
    cdef void count_rounding(self, double distance) noexcept nogil
    cdef int conjugate_gradients(self, int size, double* out, int steps, double lam,
                                 double forcing) noexcept nogil
    cdef void follow(self, double t) noexcept nogil
    cdef double times_conjugate(self, double lam) noexcept nogil
    cdef double precondition(self, double last, double lam) noexcept nogil

cdef class GroupCoefficients(WorkingCoefficients):
    cdef BlockPenalty penalty
    cdef readonly int n_groups          # working groups
    # place of each working group's first column, one more for the end; its number
    cdef int[::1] first, group
    cdef Py_ssize_t[::1] place          # where a block of each begins, of its size squared
    cdef double largest                 # |z_j|^2 or more, of any working column

    cdef bint is_penalised(self, int k, double lam) noexcept nogil
    cdef double* products(self, int k, double lam, double scale, double inflated) noexcept nogil
