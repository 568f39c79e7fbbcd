"""Cholesky factors of matrices of rank one below their diagonal: L L' in O(n)."""

from sparsesolve.linalg.factors.root cimport Root

cdef class Semiseparable(Root):
    cdef unsigned char[::1] first           # (q,) True where a block of the diagonal starts
    cdef double[::1] x, pivot, q            # (q,) L_jj = pivot_j, L_ij = x_i q_j c_ij
    cdef double[::1] fade                   # (q,) factors of c_ij, the product over j < k <= i

    cdef void factor(self, const double* diagonal, const double* x, const double* coupling,
                     const double* fade, const double* floor) noexcept nogil
