"""Contiguous copies of working columns as sqrt(w) * z_j, so that passes over them run in order.

A vector of sample space is stored as an array plus a multiple of sqrt(w), its shift, so that a
centred sparse column never fills in. Dense columns do not use the shift.
"""
import numpy as np

from sparsesolve.linalg.design.design cimport Design


# Up to this many values, room for everything is allocated at once; memory that is never written
# costs nothing.
RESERVED = 100_000_000


def room_for(needed, room, whole):
    """Return the capacity to allocate: all that can be needed if that is not too much, else
    double.
    """
    return whole if needed <= whole < RESERVED else max(needed, 2 * room)


def roomier(array, room, used):
    """Return an array of more capacity that starts with the first `used` entries of this one.

    The other entries are uninitialised.
    """
    larger = np.empty(room, dtype=np.asarray(array).dtype)
    larger[:used] = array[:used]
    return larger


cdef class PackedColumns:
    """Working columns, added one after the other; `restart` removes them all."""

    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.n = root_w.shape[0]
        self.root_w, self.recentred = root_w, recentred
        self.size, self.n_threads = 0, 1

    cdef void restart(self, double[::1] root_w):
        """Remove all columns and use other weights from now on; the memory is kept."""
        self.root_w, self.size = root_w, 0

    cdef int append(self, Design design, const int* which, int count) except -1:
        """Copy the columns which[0..count) of the design."""
        return 0

    cdef double dot(self, int j, const double* v, double shift) noexcept nogil:
        """Return the product of column j with v + shift * sqrt(w).

        If columns are centred, the weighted sum of this vector is 0.
        """
        return 0.0

    cdef double square(self, int j) noexcept nogil:
        """Return the inner product of column j with itself."""
        return 0.0

    cdef double axpy(self, int j, double a, double* v) noexcept nogil:
        """Add a times column j to v; return what to add to v's shift."""
        return 0.0

    cdef void correlate(self, const double* v, double shift, double* out) noexcept nogil:
        """Set out[j] to the product of column j with v + shift * sqrt(w), for all columns."""
        self.correlate_some(0, self.size, v, shift, out)

    cdef double subtract(self, const double* b, double* v) noexcept nogil:
        """Subtract sum_j b[j] column j from v; return what to add to v's shift."""
        return self.subtract_some(0, self.size, b, v)

    cdef void correlate_some(self, int first, int count, const double* v, double shift,
                             double* out) noexcept nogil:
        """Set out[k] to the product of column first + k with v + shift * sqrt(w), for k < count.
        """
        cdef int j
        for j in range(count):
            out[j] = self.dot(first + j, v, shift)

    cdef double subtract_some(self, int first, int count, const double* b,
                              double* v) noexcept nogil:
        """Subtract sum_k b[k] column first + k, k < count, from v; return what to add to v's
        shift.
        """
        cdef double shift = 0.0
        cdef int j
        for j in range(count):
            if b[j] != 0.0:
                shift += self.axpy(first + j, -b[j], v)
        return shift

    cdef void correlate_listed(self, const int* which, int count, const double* v, double shift,
                               double* out) noexcept nogil:
        """Set out[k] to the product of column which[k] with v + shift * sqrt(w)."""
        cdef int k
        for k in range(count):
            out[k] = self.dot(which[k], v, shift)

    cdef double subtract_listed(self, const int* which, int count, const double* b,
                                double* v) noexcept nogil:
        """Subtract sum_k b[k] column which[k] from v; return what to add to v's shift."""
        cdef double shift = 0.0
        cdef int k
        for k in range(count):
            shift += self.axpy(which[k], -b[k], v)
        return shift

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        """Write inner products of the columns first.. with all columns into both triangles of G.
        """
