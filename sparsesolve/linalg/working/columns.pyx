"""Working columns copied side by side as sqrt(w) * z_j, so that passes over them run in order and at full speed.

A vector of sample space is kept as a stored part plus a multiple of sqrt(w), its shift: a centred sparse column
never fills in. Dense columns leave the shift alone.
"""
import numpy as np

from sparsesolve.linalg.design.design cimport Design


RESERVED = 100_000_000  # values for which there is room at once: what is not used is not touched


def room_for(needed, room, whole):
    """Room for so many values: for all that may come, where they are not too many; else twice what there was."""
    return whole if needed <= whole < RESERVED else max(needed, 2 * room)


def roomier(array, room, used):
    """An array with room for more, that begins with the `used` first entries of this one; the rest is not touched."""
    larger = np.empty(room, dtype=np.asarray(array).dtype)
    larger[:used] = array[:used]
    return larger


cdef class PackedColumns:
    """Working columns; they come one after the other, or `restart` forgets all."""

    def __cinit__(self, double[::1] root_w, bint recentred=False):
        self.n = root_w.shape[0]
        self.root_w, self.recentred = root_w, recentred
        self.size, self.n_threads = 0, 1

    cdef void restart(self, double[::1] root_w):
        """Hold no columns, and from now on those under other weights; the memory is kept."""
        self.root_w, self.size = root_w, 0

    cdef int append(self, Design design, const int* which, int count) except -1:
        """Copy the design's columns which[0..count)."""
        return 0

    cdef double dot(self, int j, const double* v, double shift) noexcept nogil:
        """Product of column j with v + shift * sqrt(w), a vector whose weighted sum is zero if columns are centred."""
        return 0.0

    cdef double square(self, int j) noexcept nogil:
        """Inner product of column j with itself."""
        return 0.0

    cdef double axpy(self, int j, double a, double* v) noexcept nogil:
        """v += a * column j; returns what is to be added to v's shift."""
        return 0.0

    cdef void correlate(self, const double* v, double shift, double* out) noexcept nogil:
        """out[j] = product of column j with v + shift * sqrt(w), for all columns."""
        self.correlate_some(0, self.size, v, shift, out)

    cdef double subtract(self, const double* b, double* v) noexcept nogil:
        """v -= sum_j b[j] column j; returns what is to be added to v's shift."""
        return self.subtract_some(0, self.size, b, v)

    cdef void correlate_some(self, int first, int count, const double* v, double shift, double* out) noexcept nogil:
        """The same for the columns first, first + 1, ..., of which out[0] is the first."""
        cdef int j
        for j in range(count):
            out[j] = self.dot(first + j, v, shift)

    cdef double subtract_some(self, int first, int count, const double* b, double* v) noexcept nogil:
        """The same for the columns first, first + 1, ..., of which b[0] is the first one's."""
        cdef double shift = 0.0
        cdef int j
        for j in range(count):
            if b[j] != 0.0:
                shift += self.axpy(first + j, -b[j], v)
        return shift

    cdef void correlate_listed(self, const int* which, int count, const double* v, double shift,
                               double* out) noexcept nogil:
        """out[k] = the same for column which[k]."""
        cdef int k
        for k in range(count):
            out[k] = self.dot(which[k], v, shift)

    cdef double subtract_listed(self, const int* which, int count, const double* b, double* v) noexcept nogil:
        """v -= sum_k b[k] column which[k]; returns what is to be added to v's shift."""
        cdef double shift = 0.0
        cdef int k
        for k in range(count):
            shift += self.axpy(which[k], -b[k], v)
        return shift

    cdef void products(self, int first, double* G, int ld) noexcept nogil:
        """Inner products of columns first.. with all columns, into both triangles of G."""

    # the same for a stretch of rows, which only dense columns can be cut into

    cdef double subtract_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* b, double* v) noexcept nogil:
        return self.subtract(b, v)

    cdef void correlate_rows(self, Py_ssize_t start, Py_ssize_t stop, const double* v, double shift,
                             double* out) noexcept nogil:
        """out += the part of these rows."""
        cdef int j
        for j in range(self.size):
            out[j] += self.dot(j, v, shift)
