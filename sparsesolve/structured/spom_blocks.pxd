"""Blocks of parameters of SPOM, each a scalar times what is stored."""

cdef class Block:
    cdef readonly Py_ssize_t K, n_groups
    # (G,) multiplier of the stored parameters of each group
    cdef double[::1] c
    cdef double[::1] square                 # (G,) squared norms of the stored parameters
    cdef double[::1] clock                  # (G,) sum of c over the averaged iterates
    cdef bint averaged
    # True if `change` moves the stored parameters in place of theta
    cdef public bint dual

    cdef void add_scores(self, Py_ssize_t first, Py_ssize_t L, double* S) noexcept nogil
    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D,
                     double step) noexcept nogil
    cdef double curvature(self, Py_ssize_t first, Py_ssize_t L, const double* D) noexcept nogil
