"""GramBasis: an orthonormal basis of selected columns, stored as its products with all columns.

Given is the Gram matrix G of p columns x_j. Basis vector e_i is stored as one array of p +
capacity values: first x_j'e_i for all j, then the coefficients of e_i in terms of the selected
columns. The first parts restricted to the selection are the rows of a Cholesky factor of its Gram
matrix. The second parts are the columns of the inverse transposed factor. Both obey one
recurrence, so adding a column takes one pass over the basis and no triangular solve.

Invariant: coefficient k of e_i is 0 for k > i.
"""
from libc.math cimport hypot, sqrt
from libc.string cimport memmove, memset

from sparsesolve.linalg.gram.products cimport subtract_all
from sparsesolve.linalg.kernels.vector cimport ss_rotate, ss_unpack_f64


cdef struct GramBasis:
    Py_ssize_t p            # all columns
    Py_ssize_t stride       # distance between basis vectors
    int size, capacity
    double* vectors         # (capacity, stride)
    double* w               # (capacity,) workspace


cdef inline double* vector(const GramBasis* s, int i) noexcept nogil:
    return s.vectors + i * s.stride


cdef inline double pivot(GramBasis* s, const double* gram_row, Py_ssize_t j) noexcept nogil:
    """Return the squared distance of column j from the span; leave its products with the basis in
    w.
    """
    cdef double square = gram_row[j]
    cdef int i
    for i in range(s.size):
        s.w[i] = vector(s, i)[j]
        square -= s.w[i] * s.w[i]
    return square


cdef inline void extend(GramBasis* s, const double* gram_row, double square) noexcept nogil:
    """Add the column with row `gram_row` of G, whose pivot `square` has just been computed."""
    cdef double* new = vector(s, s.size)
    cdef double scale = 1.0 / sqrt(square)
    cdef int i
    ss_unpack_f64(s.p, scale, gram_row, 0.0, new)
    memset(new + s.p, 0, s.capacity * sizeof(double))
    new[s.p + s.size] = scale
    for i in range(s.size):
        s.w[i] *= scale
    subtract_all(s.p + s.size, s.size, s.w, s.vectors, NULL, s.stride, new)
    s.size += 1


cdef inline double drop(GramBasis* s, int k, double* z) noexcept nogil:
    """Remove the k-th selected column.

    z (size,), the products of some vector with the basis, is rotated with the basis. The last
    basis vector stays readable behind the others: it is the direction that was lost. Returns the
    entry of z for this direction.
    """
    cdef int i, last = s.size - 1
    cdef double here, there, r, turned
    cdef double* first
    cdef double* second
    # Rotate the coefficient of column k in e_i into e_{i+1}.
    for i in range(k, last):
        first = vector(s, i)
        second = vector(s, i + 1)
        here = first[s.p + k]
        there = second[s.p + k]
        r = hypot(here, there)
        ss_rotate(s.p + i + 2, there / r, -here / r, first, second)
        turned = (there * z[i] - here * z[i + 1]) / r
        z[i + 1] = (here * z[i] + there * z[i + 1]) / r
        z[i] = turned
    for i in range(k, last):
        first = vector(s, i) + s.p + k
        memmove(first, first + 1, (last - k) * sizeof(double))
        first[last - k] = 0.0
    s.size = last
    return z[last]
