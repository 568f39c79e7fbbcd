"""SafeBalls: safe screening by balls around earlier residuals."""
from libc.math cimport INFINITY

cdef class SafeBalls:
    cdef Py_ssize_t n
    cdef int parts
    cdef bint together
    cdef double[::1] rate, threshold    # (p,)
    # (p,) of each bound; -INFINITY: dropped
    cdef double[::1] kept
    # (parts * n,) the current residual
    cdef double[::1] last
    # product of the factors s
    cdef double scale
    # Accumulated lengths of e, each over `scale`, and largest entries.
    cdef double moved, most

    cdef void move(self, const double* r) noexcept nogil
    cdef void _wake(self) noexcept nogil
    cdef Py_ssize_t candidates(self, double lam, int* out) noexcept nogil

    cdef inline void certify(self, Py_ssize_t j, double bound) noexcept nogil:
        """Set the bound of j at the current residual."""
        if self.kept[j] > -INFINITY:
            self.kept[j] = bound / self.scale - max(self.rate[j] * self.moved,
                                                    -self.rate[j] * self.most)

    cdef inline void drop(self, Py_ssize_t j) noexcept nogil:
        """Stop screening j."""
        self.kept[j] = -INFINITY

    cdef inline bint dropped(self, Py_ssize_t j) noexcept nogil:
        return self.kept[j] == -INFINITY
