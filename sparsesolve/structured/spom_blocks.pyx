"""Blocks of parameters of SPOM: theta_m = c_m times what is stored, so that shrinking a group
costs one product.

`Features` store V (p, K) (spom_features.pyx), `Kernel` coefficients A (n, K) and the scores of all
training positions (spom_kernels.pyx). Means of iterates: sum_t c(t) V(t) = clock V - B, clock the
sum of c so far, B the sum of clock times each change of V.

In the dual (`dual`, see spom_dual.py) what is stored is sum_i phi(x_i) D_i for dual variables D,
and theta_m = beta_m / (lam N) times that: weights change without touching anything else.
"""


cdef class Block:
    """What the pass asks of parameters in G groups; `state` (3, G) is its part of c, square and clock of all blocks."""

    def __init__(self, Py_ssize_t K, state, bint averaged):
        self.K, self.n_groups, self.averaged = K, state.shape[1], averaged
        self.c, self.square, self.clock = state
        self.c[:] = 1.0

    cdef void add_scores(self, Py_ssize_t first, Py_ssize_t L, double* S) noexcept nogil:
        """S (L, K) += scores of training positions first .. first + L."""

    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D, double step) noexcept nogil:
        """theta += step sum_i phi(x_i) D_i for D (L, K); with `dual` what is stored += that."""

    cdef double curvature(self, Py_ssize_t first, Py_ssize_t L, const double* D) noexcept nogil:
        """sum_g c_g |sum_i phi_g(x_i) D_i|^2."""
        return 0.0
