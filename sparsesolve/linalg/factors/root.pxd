"""Triangular factors L of a second derivative L L'."""

cdef class Root:
    cdef readonly Py_ssize_t n
    cdef readonly Py_ssize_t[::1] order     # (q,) positions of the rows of L in vectors (n,)

    cdef void multiply_transposed(self, double* z) noexcept nogil
    cdef void solve(self, double* u) noexcept nogil
    cdef void solve_transposed(self, double* z) noexcept nogil

cdef class DenseRoot(Root):
    cdef double[::1, :] L                   # (q, q), only the lower triangle is used
    cdef double[::1] work                   # (q,)

    cdef bint factor(self) noexcept nogil
    cdef void _apply(self, double* z, char* transposed, bint inverse) noexcept nogil

cdef class Semiseparable(Root):
    cdef unsigned char[::1] first           # (q,) True where a block of the diagonal starts
    cdef double[::1] x, pivot, q            # (q,) L_jj = pivot_j, L_ij = x_i q_j c_ij
    cdef double[::1] fade                   # (q,) factors of c_ij, the product over j < k <= i

    cdef void factor(self, const double* diagonal, const double* x, const double* coupling,
                     const double* fade, const double* floor) noexcept nogil
