"""Row shifts: the constant over the classes that minimises the penalty of a row.

    argmin_c  sum_k l1 |b_k - c| + l2 (b_k - c)^2 / 2,   lower <= b_k - c <= upper

A softmax does not change with the constant. The minimiser is the median for the lasso (the lower
one of an even number, the mean of two), the mean for ridge or without a penalty, and between them
otherwise, as near as the limits allow.
"""
import numpy as np

from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows


cdef double best_shift(Py_ssize_t K, double* b, double l1, double l2, double lower,
                       double upper) noexcept nogil:
    """Return the best constant of one row; sorts b."""
    cdef double c, mean = 0.0
    cdef Py_ssize_t i, k
    for i in range(K):
        mean += b[i] / K
        c, k = b[i], i
        while k > 0 and b[k - 1] > c:
            b[k] = b[k - 1]
            k -= 1
        b[k] = c
    if K == 2 or l1 == 0.0:
        c = mean
    # The sum does not fall to the right of this value, and it is the first such value. The
    # minimum is here or just before.
    else:
        k = 0
        while k < K - 1 and l2 * K * (b[k] - mean) + l1 * (2.0 * (k + 1) - K) < 0.0:
            k += 1
        c = b[k]
        if l2 > 0.0 and k > 0:
            c = min(c, max(b[k - 1], mean + l1 * (K - 2.0 * k) / (l2 * K)))
    return max(b[K - 1] - upper, min(b[0] - lower, c))


def centre(double[:, ::1] B, ElasticNetRows net, const int[::1] which=None):
    """Subtract from every row of B (K, p) its best constant; rows of zeros stay.

    The rows are those of the features `which`, or of all. Returns how many have become zero.
    """
    cdef Py_ssize_t K = B.shape[0], i, j, k, gone = 0
    cdef double c
    cdef bint zero, some = which is not None
    cdef double[::1] row = np.empty(K)
    with nogil:
        for i in range(B.shape[1]):
            j = which[i] if some else i
            zero = True
            for k in range(K):
                row[k] = B[k, i]
                zero = zero and B[k, i] == 0.0
            if zero:
                continue
            c = best_shift(K, &row[0], 0.0 if net.grouped else net.l1[j], net.l2[j], net.lower[j],
                           net.upper[j])
            if c != 0.0:
                zero = True
                for k in range(K):
                    B[k, i] = min(max(B[k, i] - c, net.lower[j]), net.upper[j])
                    zero = zero and B[k, i] == 0.0
                gone += zero
    return gone
