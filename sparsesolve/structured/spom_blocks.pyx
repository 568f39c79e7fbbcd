"""Blocks of parameters of SPOM: theta_m = c_m times the stored parameters.

Shrinking a group costs one product. `Features` store V (p, K) (spom_features.pyx). `Kernel`
stores coefficients A (n, K) and the scores of all training positions (spom_kernels.pyx). Means of
iterates are sum_t c(t) V(t) = clock V - B, where clock is the sum of c so far and B the sum of
clock times each change of V.

In the dual (`dual`, see spom_dual.py) the stored parameters are sum_i phi(x_i) D_i for dual
variables D, and theta_m is beta_m / (lam N) times that. So weights change without touching
anything else.
"""


cdef class Block:
    """Parameters in G groups, with the methods of a pass.

    `state` (3, G) is the block's part of c, square and clock of all blocks.
    """

    def __init__(self, Py_ssize_t K, state, bint averaged):
        self.K, self.n_groups, self.averaged = K, state.shape[1], averaged
        self.c, self.square, self.clock = state
        self.c[:] = 1.0

    cdef void add_scores(self, Py_ssize_t first, Py_ssize_t L, double* S) noexcept nogil:
        """Add the scores of training positions first .. first + L to S (L, K)."""

    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D,
                     double step) noexcept nogil:
        """Add step sum_i phi(x_i) D_i to theta, for D (L, K); with `dual` to the stored
        parameters.
        """

    cdef double curvature(self, Py_ssize_t first, Py_ssize_t L, const double* D) noexcept nogil:
        """Return sum_g c_g |sum_i phi_g(x_i) D_i|^2."""
        return 0.0
