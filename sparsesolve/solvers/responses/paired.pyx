"""Z'F''Z between single coefficients of K responses, where columns of Z are sparse.

Given: columns x_j - c_j by their stored values, a mask (K, m) of coefficients, and F'' = diag(a) -
r aa' for every sample. Returned: products with the matrix, and its diagonal. Few responses of a
column are active, so vectors hold only the masked coefficients, response by response.
"""
from libc.string cimport memset

import numpy as np


cdef class PairedCurvature:
    """Products with the matrix Z'F''Z, and its diagonal.

    Parameters
    ----------
    columns : SparseColumns
    mask : (K, m) booleans
    A, r : (K, n), (n,)
    """
    cdef const double[::1] values, offset, r
    cdef const int[::1] rows, column
    # starts: of columns in the stored values; first: of responses among the coefficients
    cdef const long long[::1] starts, first
    cdef const double[:, ::1] A
    cdef double[:, ::1] image
    cdef double[::1] along

    def __init__(self, columns, mask, A, r):
        matrix = columns.matrix
        self.values, self.rows = matrix.data, matrix.indices.astype(np.intc)
        self.starts, self.offset = matrix.indptr.astype(np.longlong), columns.offset
        self.column = np.nonzero(mask)[1].astype(np.intc)
        self.first = np.append(0, np.cumsum(mask.sum(axis=1))).astype(np.longlong)
        self.A, self.r, self.image, self.along = A, r, np.empty(A.shape), np.empty(A.shape[1])

    def diagonal(self):
        """Return the squared norms of the columns under the diagonal of F''."""
        out, H = np.empty(self.column.shape[0]), self.A * (1.0 - np.multiply(self.r, self.A))
        cdef double[::1] o = out
        cdef const double[:, ::1] h = H
        cdef const double[::1] whole = H.sum(axis=1)
        cdef double total, square
        cdef Py_ssize_t k, t
        cdef long long at
        cdef int j
        for k in range(h.shape[0]):
            for t in range(self.first[k], self.first[k + 1]):
                j, total, square = self.column[t], 0.0, 0.0
                for at in range(self.starts[j], self.starts[j + 1]):
                    total += self.values[at] * h[k, self.rows[at]]
                    square += self.values[at] * self.values[at] * h[k, self.rows[at]]
                o[t] = square - self.offset[j] * (2.0 * total - self.offset[j] * whole[k])
        return out

    def product(self, const double[::1] x):
        """Return the matrix times x."""
        out = np.empty(x.shape[0])
        with nogil:
            self._combine(x)
            self._multiply()
        self._correlate(out)
        return out

    cdef void _combine(self, const double[::1] x) noexcept nogil:
        """Set image = Zx."""
        cdef Py_ssize_t k, i, t, n = self.image.shape[1]
        cdef double back
        cdef double* image
        cdef long long at
        cdef int j
        for k in range(self.image.shape[0]):
            image, back = &self.image[k, 0], 0.0
            memset(image, 0, n * sizeof(double))
            for t in range(self.first[k], self.first[k + 1]):
                j = self.column[t]
                back += self.offset[j] * x[t]
                for at in range(self.starts[j], self.starts[j + 1]):
                    image[self.rows[at]] += self.values[at] * x[t]
            for i in range(n):
                image[i] -= back

    cdef void _multiply(self) noexcept nogil:
        """Set image = F'' image."""
        cdef Py_ssize_t k, i, n = self.image.shape[1]
        cdef const double* a
        cdef double* image
        cdef double* along = &self.along[0]
        memset(along, 0, n * sizeof(double))
        for k in range(self.image.shape[0]):
            a, image = &self.A[k, 0], &self.image[k, 0]
            for i in range(n):
                along[i] += a[i] * image[i]
        for i in range(n):
            along[i] *= self.r[i]
        for k in range(self.image.shape[0]):
            a, image = &self.A[k, 0], &self.image[k, 0]
            for i in range(n):
                image[i] = a[i] * (image[i] - along[i])

    cdef void _correlate(self, double[::1] out) noexcept nogil:
        """Set out = Z'image."""
        cdef Py_ssize_t k, i, t
        cdef double total, whole
        cdef const double* image
        cdef long long at
        cdef int j
        for k in range(self.image.shape[0]):
            image, whole = &self.image[k, 0], 0.0
            for i in range(self.image.shape[1]):
                whole += image[i]
            for t in range(self.first[k], self.first[k + 1]):
                j, total = self.column[t], 0.0
                for at in range(self.starts[j], self.starts[j + 1]):
                    total += self.values[at] * image[self.rows[at]]
                out[t] = total - self.offset[j] * whole
