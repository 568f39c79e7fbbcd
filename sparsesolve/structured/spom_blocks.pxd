"""Blocks of parameters of SPOM, each a scalar times what is stored."""

cdef class Block:
    cdef readonly Py_ssize_t K, n_groups
    cdef double[::1] c                      # (G,) what the stored parameters of a group are multiplied by
    cdef double[::1] square                 # (G,) squared norms of the stored parameters
    cdef double[::1] clock                  # (G,) sum of c over the iterates that are averaged
    cdef bint averaged
    cdef public bint dual                   # whether `change` moves what is stored, in place of theta

    cdef void add_scores(self, Py_ssize_t first, Py_ssize_t L, double* S) noexcept nogil
    cdef void change(self, Py_ssize_t first, Py_ssize_t L, const double* D, double step) noexcept nogil
    cdef double curvature(self, Py_ssize_t first, Py_ssize_t L, const double* D) noexcept nogil
