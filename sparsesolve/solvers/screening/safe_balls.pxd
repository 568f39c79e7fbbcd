"""SafeBalls: what need not be looked at yet, as the residual moves."""
from libc.math cimport INFINITY

cdef class SafeBalls:
    cdef Py_ssize_t n
    cdef int parts
    cdef bint together
    cdef double[::1] rate, threshold    # (p,)
    cdef double[::1] kept               # (p,) of each bound; -INFINITY: not our business any more
    cdef double[::1] last               # (parts * n,) the residual now
    cdef double scale                   # product of the factors that took each residual nearest to the next
    cdef double moved, most         # lengths of the residual's ways beside these factors, each over `scale`, and
                                        # their largest entries

    cdef void move(self, const double* r) noexcept nogil
    cdef void _wake(self) noexcept nogil
    cdef Py_ssize_t candidates(self, double lam, int* out) noexcept nogil

    cdef inline void certify(self, Py_ssize_t j, double bound) noexcept nogil:
        """This is the bound of j at the residual now."""
        if self.kept[j] > -INFINITY:
            self.kept[j] = bound / self.scale - max(self.rate[j] * self.moved, -self.rate[j] * self.most)

    cdef inline void drop(self, Py_ssize_t j) noexcept nogil:
        """j is looked after by somebody else from now on."""
        self.kept[j] = -INFINITY

    cdef inline bint dropped(self, Py_ssize_t j) noexcept nogil:
        return self.kept[j] == -INFINITY
