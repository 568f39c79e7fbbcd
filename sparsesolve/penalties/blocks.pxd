"""The contract of a penalty that is a sum over disjoint groups of features."""
from libc.math cimport fabs, sqrt


cdef inline double length(Py_ssize_t n, const double* x) noexcept nogil:
    """Return |x|_2 of n numbers of any size."""
    cdef double square = 0.0, largest = 0.0
    cdef Py_ssize_t j
    for j in range(n):
        square += x[j] * x[j]
    if 1e-280 < square < 1e300 or square != square:
        return sqrt(square)
    # Squares are beyond floats, or have lost digits.
    for j in range(n):
        largest = max(largest, fabs(x[j]))
    if largest == 0.0 or largest - largest != 0.0:
        return largest
    square = 0.0
    for j in range(n):
        square += (x[j] / largest) * (x[j] / largest)
    return largest * sqrt(square)


cdef enum Mask:
    # Products of coordinates that cannot move in that direction count as 0.
    MOVING = 0
    # In addition, products of coordinates whose move ends at a limit count as 0.
    UNBOUNDED = 1
    # All products count.
    ALL = 2

cdef class BlockPenalty:
    cdef readonly object groups, given          # as the user gave them: groups, and weights or None
    cdef readonly object layout                 # Groups, set when the number of features is known
    cdef readonly Py_ssize_t n_groups
    cdef readonly int[::1] start, member, of    # see Groups
    cdef readonly double alpha
    cdef readonly double[::1] factors  # (G,) penalty factors of lam; 0 leaves a group unpenalised
    cdef readonly double[::1] weight  # (G,) alpha times factor times weight of each group's norm
    cdef readonly double[::1] l1                # (G,) weight of the l1 norm inside each group
    cdef readonly double[::1] ridge  # (G,) weight of half the squared l2 norm of each group
    cdef readonly double[::1] lower, upper      # (p,) limits, group by group
    cdef readonly bint limited
    cdef double[::1] work, masked               # workspace for one block

    cdef Py_ssize_t size(self, Py_ssize_t g) noexcept nogil
    cdef bint block_unpenalised(self, Py_ssize_t g) noexcept nogil
    cdef double limit(self, Py_ssize_t place, double towards) noexcept nogil
    cdef double block_value(self, Py_ssize_t g, const double* b, double lam) noexcept nogil
    cdef double block_polar(self, Py_ssize_t g, const double* z, Mask mask) noexcept nogil
    cdef double block_conjugate(self, Py_ssize_t g, const double* z, double lam) noexcept nogil
    cdef double block_scale(self, Py_ssize_t g, const double* z, double lam,
                            bint strict) noexcept nogil
    # what a subclass says of one block
    cdef double norm(self, Py_ssize_t g, const double* b) noexcept nogil
    cdef double dual_norm(self, Py_ssize_t g, const double* z) noexcept nogil
    cdef double reach(self, Py_ssize_t g) noexcept nogil
    cdef void block_prox(self, Py_ssize_t g, double h, const double* x, double lam,
                         double* b) noexcept nogil
    cdef bint is_round(self, Py_ssize_t g) noexcept nogil
    cdef void diagonal_prox(self, Py_ssize_t g, const double* h, const double* x, double lam,
                            double near,
                            double* b) noexcept nogil
    cdef int tangent(self, Py_ssize_t g, const double* b, const double* z, double lam,
                     int* tangent_of, double* sign, double* slope) noexcept nogil
    cdef int merge(self, Py_ssize_t g, const double* b, const double* d, double t, double near,
                 int* tangent_of,
                 double* sign, double* slope) noexcept nogil
    cdef void stop(self, Py_ssize_t g, const double* b, double* d) noexcept nogil
    cdef void second_derivative(self, Py_ssize_t g, const double* b, double lam,
                                const int* tangent_of, double* H, int ld) noexcept nogil
