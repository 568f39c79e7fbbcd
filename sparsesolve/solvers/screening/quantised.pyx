"""A dense design quantised to one byte a value, for bounds on products with short vectors.

It takes an eighth of the memory traffic. For every column the length of the quantisation error is
known, so a product with a vector v is known within error_j |v| by Cauchy-Schwarz. This bound is
certain, and close when v is short. Vectors are quantised to two bytes a value, so that products are
exact whole numbers.
"""
from libc.stdint cimport int16_t

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.kernels.vector cimport ss_largest_f64, ss_multiply, ss_prefetch

QUANTISED_VALUES = costs.screening.QUANTISED_VALUES
QUANTISED_BYTES = costs.screening.QUANTISED_BYTES
QUANTISED_ROWS = costs.screening.QUANTISED_ROWS
# The unit of a column that is not quantised yet.
cdef double NOT_DRAWN = -1.0


cpdef Quantised quantised(Design design, double[::1] root_w):
    """The sketch of a design, or None where it is not worth its memory."""
    cdef Py_ssize_t values = design.n * design.p
    if (design.stored == values and design.n >= QUANTISED_ROWS
            and QUANTISED_VALUES <= values <= QUANTISED_BYTES):
        return Quantised(design, root_w)
    return None


cdef class Quantised:
    """sqrt(w) * z_j of the columns drawn so far, in bytes."""

    def __init__(self, Design design, double[::1] root_w):
        self.design, self.root_w, self.z = design, root_w, np.empty(design.n)
        self.n = padded(design.n)
        self.bytes = np.zeros((design.p, self.n), dtype=np.int8)
        self.unit, self.error = np.full(design.p, NOT_DRAWN), np.empty(design.p)

    cdef void draw(self, Py_ssize_t j) noexcept nogil:
        """Draw column j, which costs least while it is in cache, unless that is done."""
        cdef Py_ssize_t n = self.design.n
        if self.unit[j] == NOT_DRAWN:
            col.unpack(&self.design.columns[j], n, 0, n, &self.z[0])
            ss_multiply(n, &self.root_w[0], &self.z[0], &self.z[0])
            self.take(j, &self.z[0])

    cdef void take(self, Py_ssize_t j, const double* z) noexcept nogil:
        """Draw column j, which sqrt(w) * z_j is."""
        self.unit[j] = ss_largest_f64(self.design.n, z) / SS_BYTE
        self.error[j] = ss_quantise_i8(self.design.n, z, self.unit[j], <int8_t*> &self.bytes[j, 0])

    cdef double dot(self, Py_ssize_t j, const int16_t* v) noexcept nogil:
        """Product of quantised column j with a vector of whole numbers, within error[j] |v|."""
        return self.unit[j] * ss_dot_i8(self.n, <const int8_t*> &self.bytes[j, 0], v)

    cdef void prefetch(self, Py_ssize_t j) noexcept nogil:
        """Column j will be wanted soon."""
        ss_prefetch(&self.bytes[j, 0], min(self.n, 1024))
