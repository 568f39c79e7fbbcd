"""Elastic net on the coefficients of K responses, single or tied across the responses.

    Omega(B) = sum_j v_j (alpha pen(B_j) + (1 - alpha) |B_j|_2^2 / 2)

with pen = |B_j|_1, or |B_j|_2 where the K coefficients of a feature are tied ("grouped").
Coefficients B and products C = Z'u are arrays (K, p), one row per response. On such arrays
ElasticNetRows keeps the contract of ``penalty.py``. Solvers of K responses also call it feature
by feature, in compiled code.
"""
from cython cimport final
from libc.math cimport INFINITY, copysign, fabs, sqrt

import numpy as np

from sparsesolve.penalties import norm

from sparsesolve.penalties cimport elastic_net

cdef double NO_PENALTY = norm.NO_PENALTY


@final
cdef class ElasticNetRows:
    """Elastic net on arrays (K, p), which also answers feature by feature.

    Parameters
    ----------
    net : ElasticNet
        The factors, limits and alpha that hold for all K coefficients of a feature.
    grouped : bool
        Tie the coefficients of a feature by their l2 norm. Limits must be infinite or 0 then.
    """

    def __init__(self, net, bint grouped=False):
        self.grouped, self.alpha, self.factors = grouped, net.alpha, net.factors
        self.l1, self.l2, self.lower, self.upper = net.l1, net.l2, net.lower, net.upper

    def take(self, const int[::1] which):
        """Return the penalty on some features; -1 stands for an unpenalised one."""
        cdef ElasticNetRows part = ElasticNetRows.__new__(ElasticNetRows)
        cdef Py_ssize_t i, j, count = which.shape[0]
        cdef double[:, ::1] table = np.zeros((5, count))
        table[3], table[4] = -INFINITY, INFINITY
        for i in range(count):
            j = which[i]
            if j >= 0:
                table[0, i], table[1, i], table[2, i] = self.factors[j], self.l1[j], self.l2[j]
                table[3, i], table[4, i] = self.lower[j], self.upper[j]
        part.grouped, part.alpha = self.grouped, self.alpha
        part.factors, part.l1, part.l2, part.lower, part.upper = (table[0], table[1], table[2],
                table[3], table[4])
        return part

    cdef bint is_unpenalised(self, Py_ssize_t j, double b, double c, double lam) noexcept nogil:
        """Return True if a coefficient has no penalty, and is not pressed on a limit."""
        return (lam * self.l1[j] <= NO_PENALTY and lam * self.l2[j] <= NO_PENALTY
                and not (b >= self.upper[j] and c >= 0.0) and not (b <= self.lower[j] and c <= 0.0))

    cdef void row_prox(self, Py_ssize_t j, double lam, int K, const double* x, const double* h,
                       double* b) noexcept nogil:
        """Return b = argmin sum_k (h_k b_k^2 / 2 - x_k b_k) + lam Omega_j(b).

        If coefficients are grouped, h[0] is the curvature of all k.
        """
        cdef double norm = 0.0
        cdef int k
        if not self.grouped:
            for k in range(K):
                b[k] = elastic_net.prox(x[k], h[k], lam * self.l1[j], lam * self.l2[j],
                                        self.lower[j], self.upper[j])
            return
        for k in range(K):
            norm += x[k] * x[k]
        norm = sqrt(norm)
        if norm <= lam * self.l1[j] or self.upper[j] == 0.0:
            norm = 0.0
        else:
            norm = (1.0 - lam * self.l1[j] / norm) / (h[0] + lam * self.l2[j])
        for k in range(K):
            b[k] = norm * x[k]

    # Methods on whole arrays.

    def prox(self, const double[:, ::1] X, double lam=1.0):
        """Return argmin_B |B - X|^2 / 2 + lam Omega(B)."""
        cdef int K = X.shape[0]
        cdef Py_ssize_t j
        cdef double[:, ::1] rows = np.ascontiguousarray(X.T), out = np.empty((X.shape[1], K))
        cdef double[::1] h = np.ones(K)
        for j in range(X.shape[1]):
            self.row_prox(j, lam, K, &rows[j, 0], &h[0], &out[j, 0])
        return np.ascontiguousarray(np.transpose(out))

    cpdef double value(self, const double[:, ::1] B, double lam=1.0):
        """Return lam * Omega(B)."""
        cdef double total = 0.0, size, one
        cdef Py_ssize_t j, k
        for j in range(B.shape[1]):
            size = row_norm(B, j) if self.grouped else 0.0
            if self.grouped:
                total += elastic_net.value(size, lam * self.l1[j], lam * self.l2[j])
                continue
            for k in range(B.shape[0]):
                one = B[k, j]
                if one != 0.0:
                    total += elastic_net.value(one, lam * self.l1[j], lam * self.l2[j])
        return total

    def polar(self, C):
        """Return the least lam with B = 0 optimal for the linear term -C'B, or inf."""
        sizes, l1 = self.sizes(C), np.asarray(self.l1)
        if sizes[l1 == 0.0].any():
            return np.inf
        return float((sizes / np.where(l1 > 0.0, l1, 1.0)).max(initial=0.0))

    def sizes(self, const double[:, ::1] C, const int[::1] which=None):
        """Return the size of the products of each feature, (count,): max_k |C_jk|, or |C_j|_2.

        B_j = 0 is optimal where the size is at most lam l1_j. A product that pushes against a
        limit at 0 does not count. Columns of C belong to the features `which`, or to all.
        """
        out = np.empty(C.shape[1])
        cdef double[::1] o = out
        cdef Py_ssize_t i
        for i in range(C.shape[1]):
            o[i] = self.row_polar(C, i, i if which is None else which[i])
        return out

    cdef double row_polar(self, const double[:, ::1] C, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
        """Return the size of the products of feature j, in column i of C; see `sizes`."""
        cdef double most = 0.0
        cdef Py_ssize_t k
        if self.grouped:
            return row_norm(C, i) if self.upper[j] > 0.0 else 0.0
        for k in range(C.shape[0]):
            if (self.upper[j] if C[k, i] > 0.0 else -self.lower[j]) > 0.0:
                most = max(most, fabs(C[k, i]))
        return most

    def smooth_part(self, const double[:, ::1] B, const double[:, ::1] g, double lam):
        """Return the coefficients (K, p) at which the penalty is smooth or absent, and the
        gradient there.

        g = Z'u.
        """
        mask, left = np.zeros((B.shape[0], B.shape[1]),
                              dtype=bool), np.zeros((B.shape[0], B.shape[1]))
        cdef unsigned char[:, ::1] m = mask.view(np.uint8)
        cdef double[:, ::1] rest = left
        cdef double l1, l2, size, slope
        cdef Py_ssize_t j, k
        for j in range(B.shape[1]):
            l1, l2 = lam * self.l1[j], lam * self.l2[j]
            size = row_norm(B, j) if self.grouped else 0.0
            if self.grouped and ((size == 0.0 and l1 != 0.0) or not self.upper[j] > 0.0):
                continue
            for k in range(B.shape[0]):
                if self.grouped:
                    m[k, j], rest[k, j] = True, g[k, j] - (l1 / size if size > 0.0
                                                           else l1) * B[k, j] - l2 * B[k, j]
                elif B[k, j] != 0.0 or l1 == 0.0:
                    slope = g[k, j] - l2 * B[k, j]
                    slope -= l1 if B[k, j] > 0.0 else -l1 if B[k, j] < 0.0 else 0.0
                    if not (B[k, j] >= self.upper[j] and slope > 0.0 or B[k, j] <= self.lower[j]
                            and slope < 0.0):
                        m[k, j], rest[k, j] = True, slope
        return mask, left

    def gains(self, const double[:, ::1] B, const double[:, ::1] g, double lam,
              const double[::1] diagonal):
        """Return expected decreases, of coefficients that leave zero and of free ones."""
        mask, left = self.smooth_part(B, g, lam)
        cdef const unsigned char[:, ::1] m = mask.view(np.uint8)
        cdef const double[:, ::1] rest = left
        cdef double leaving = 0.0, moving = 0.0, square, over
        cdef Py_ssize_t j, k
        for j in range(B.shape[1]):
            square = max(diagonal[j], 1e-300)
            for k in range(B.shape[0]):
                moving += rest[k, j] * rest[k, j] / square
                if self.grouped or B[k, j] != 0.0 or m[k, j]:
                    continue
                if (self.upper[j] if g[k, j] > 0.0 else -self.lower[j]) > 0.0:
                    over = max(fabs(g[k, j]) - lam * self.l1[j], 0.0)
                    leaving += over * over / square
            if self.grouped and not m[0, j] and self.upper[j] != 0.0:
                over = max(row_norm(g, j) - lam * self.l1[j], 0.0)
                leaving += over * over / square
        return leaving, moving

    def stop_at_zero(self, const double[:, ::1] B, double[:, ::1] moved, double lam):
        """Set to zero, in place, the coefficients that passed zero on their way from B."""
        cdef double product
        cdef Py_ssize_t j, k
        for j in range(B.shape[1]):
            if lam * self.l1[j] > 0.0:
                product = 0.0
                for k in range(B.shape[0]):
                    product += moved[k, j] * B[k, j]
                    if not self.grouped and moved[k, j] * B[k, j] < 0.0:
                        moved[k, j] = 0.0
                if self.grouped and product <= 0.0:
                    for k in range(B.shape[0]):
                        moved[k, j] = 0.0

    def unpenalised(self, B, C, double lam=1.0):
        """Return a mask (p,) of features with an unpenalised coefficient that is free to move."""
        return self.unpenalised_each(B, C, lam).any(axis=0)

    def unpenalised_each(self, const double[:, ::1] B, const double[:, ::1] C, double lam=1.0):
        """Return a mask (K, p) of the unpenalised coefficients; see `is_unpenalised`."""
        out = np.zeros((B.shape[0], B.shape[1]), dtype=np.uint8)
        cdef unsigned char[:, ::1] o = out
        cdef Py_ssize_t j, k
        for j in range(B.shape[1]):
            if lam * self.l1[j] <= NO_PENALTY and lam * self.l2[j] <= NO_PENALTY:
                for k in range(B.shape[0]):
                    o[k, j] = self.is_unpenalised(j, B[k, j], C[k, j], lam)
        return out.view(bool)

    def feasible_scale(self, C, double lam=1.0):
        """Return the largest s <= 1 for which conjugate(s C) is finite."""
        return self.scale_at(np.zeros_like(C), C, lam)

    cpdef double scale_at(self, const double[:, :] B, const double[:, :] C, double lam,
                          bint strict=False, const double[::1] longer=None) noexcept nogil:
        """Return the largest s <= 1 for which the conjugate at s C is finite, at coefficients B.

        Unpenalised coefficients without a limit are left out: the caller makes C = 0 there. With
        `strict` the scale is that of the lasso without limits. Products, or tied ones together,
        may differ from C by `longer` (p,): the answer then holds for all of them.
        """
        cdef double s = 1.0, l2, off
        cdef Py_ssize_t j, k
        for j in range(B.shape[1]):
            l2 = 0.0 if strict else lam * self.l2[j]
            off = longer[j] if longer is not None else 0.0
            if self.grouped:
                if not self.is_unpenalised(j, B[0, j], C[0, j], lam):
                    s = min(s, elastic_net.feasible_scale(
                        row_norm(C, j) + off, lam * self.l1[j], l2, 0.0, self.upper[j]))
                continue
            for k in range(B.shape[0]):
                if not self.is_unpenalised(j, B[k, j], C[k, j], lam):
                    s = min(s, elastic_net.feasible_scale(
                        C[k, j] + copysign(off, C[k, j]), lam * self.l1[j], l2,
                        -INFINITY if strict and self.lower[j] < 0.0 else self.lower[j],
                        INFINITY if strict and self.upper[j] > 0.0 else self.upper[j]))
        return s

    def conjugate(self, const double[:, ::1] C, double lam=1.0):
        """Return sup_B C'B - lam Omega(B) within the limits."""
        cdef double total = 0.0, l1, l2
        cdef Py_ssize_t j, k
        for j in range(C.shape[1]):
            l1, l2 = lam * self.l1[j], lam * self.l2[j]
            if self.grouped:
                total += elastic_net.conjugate(row_norm(C, j), l1, l2, 0.0, self.upper[j])
                continue
            for k in range(C.shape[0]):
                total += elastic_net.conjugate(C[k, j], l1, l2, self.lower[j], self.upper[j])
        return total

    cpdef double excess(self, const double[:, :] B, const double[:, :] C, double lam,
                        double scale, const double[::1] longer=None) noexcept nogil:
        """Return lam Omega(B) + (lam Omega)*(scale C) - scale B'C, a sum of nonnegative terms.

        longer: as of `scale_at`; the answer then bounds that of each of these products.
        """
        cdef double total = 0.0, inner, l1, l2, size, off
        cdef Py_ssize_t j, k
        for j in range(B.shape[1]):
            l1, l2, inner = lam * self.l1[j], lam * self.l2[j], 0.0
            off = scale * longer[j] if longer is not None else 0.0
            if self.grouped:
                if self.is_unpenalised(j, B[0, j], C[0, j], lam):
                    continue
                for k in range(B.shape[0]):
                    inner += scale * B[k, j] * C[k, j]
                size = row_norm(B, j)
                total += elastic_net.fenchel_young(size, scale * row_norm(C, j) + off,
                                                   inner - off * size, l1, l2, 0.0, self.upper[j])
                continue
            for k in range(B.shape[0]):
                if not self.is_unpenalised(j, B[k, j], C[k, j], lam):
                    total += elastic_net.fenchel_young(
                        B[k, j], scale * C[k, j] + copysign(off, C[k, j]),
                        scale * B[k, j] * C[k, j] - off * fabs(B[k, j]), l1, l2,
                        self.lower[j], self.upper[j])
        return total


cdef double best_shift(Py_ssize_t K, double* b, double l1, double l2, double lower,
                       double upper) noexcept nogil:
    """Return argmin_c sum_k l1 |b_k - c| + l2 (b_k - c)^2 / 2, lower <= b_k - c <= upper; sorts b.

    It is the median for the lasso (the lower one of an even number, the mean of two), the mean for
    ridge or without a penalty, and between them otherwise, as near as the limits allow.
    """
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
    """Subtract from every row of B (K, p) its best constant, with which a softmax does not change.

    Rows of zeros stay. The rows are those of the features `which`, or of all. Returns how many
    have become zero.
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
