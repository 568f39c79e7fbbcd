"""Sweeps over quadratic models that are given whole: clusters of equal sizes, reweighted blocks.

Coordinate descent over clusters, for the sorted l1 norm:

    minimise over b, c   s'Hs / 2 - u's + sum_i w_i |b|_(i) + l2 |b|^2 / 2,
                         s = X (b - b_0) + Q (c - c_0)

Given: columns X (n, p) and Q (n, f), diagonal H, u (n,), w (p,), which does not rise, and a start.
Nonzero coefficients of one size are a cluster. A sweep minimises exactly over the size of one
cluster after the other; signs are kept, or change all together. Between the sizes of other
clusters the derivative of the norm is the sum of the weights of the ranks that the cluster has
there. At the size of another one it is an interval, in which the two merge. A cluster that reaches
0 leaves. A proximal step after some sweeps splits clusters, and brings coefficients back.
Invariant: r = u - Hs, and neither sweeps nor steps raise the model.

Reference: Larsson, Klopfenstein, Massias, Wallin, "Coordinate descent for SLOPE" (2023).

Block descent over a group lasso by inner products, reweighted for concave penalties:

    minimise over b   b'Gb / 2 - c'b + sum_g phi(|b_g|_2; l_g),    phi concave

Given: G (m, m), c (m,), the first entry of each block (n_blocks + 1,), lambdas l (n_blocks,) >= 0,
and b, which is changed. A round replaces phi by its tangents at b, with thresholds t_g = phi', and
sweeps. A block of one entry is minimised exactly. Of others G_gg is replaced by its largest
eigenvalue L_g, which bounds the objective from above: a proximal step.
Returned: the largest change of a block, times the root of its curvature, in the last round: the
sweeps after the first alone would not show what new thresholds still change.
Invariant: g = c - Gb, and the objective does not rise.
References: Friedman, Hastie, Tibshirani (2010), section 2.2 (covariance updates); Breheny, Huang
(2015), section 3.
"""
from libc.math cimport fabs, pow, sqrt

import numpy as np

from sparsesolve.linalg.kernels.vector cimport axpy, dot, ss_multiply, ss_scale


def cluster_descent(X, Q, h, u, w, double l2, b, c, prox, double L, double still, int rounds):
    """Lower the model in rounds until one lowers it by at most `still`.

    `prox` (v, t) is that of t times the norm and the ridge part; L, at first a guess, bounds the
    curvature along its steps. b (p,) and c (f,) are changed. Returns (L for the next call, the
    number of rounds).
    """
    cdef double lowered, square, curvature
    cdef int taken = 0
    r, lowered = np.array(u), np.inf
    while taken < rounds and lowered > still:
        taken += 1
        lowered = Clusters(X, h, r, w, l2, b).descend(Q, b, c, 0.1 * still)
        z = X.T @ r
        while True:
            step = prox(b + z / L, 1.0 / L) - b
            image = X @ step
            square, curvature = np.dot(step, step), np.dot(image, h * image)
            if curvature <= L * square or not curvature < np.inf:
                break
            L = max(1.02 * curvature / square, 1.2 * L)
        if not 0.0 < square < np.inf:
            continue
        b += step
        r -= h * image
        lowered += L * square - 0.5 * curvature
        L = max(curvature / square, 1e-3 * L)  # The next step may be longer.
    return L, taken


cdef class Clusters:
    """Numbered clusters of one model. `at` has their numbers, from the largest size down."""

    cdef const double[::1, :] X
    cdef const double[::1] h, total
    cdef double[::1] r, sign, size, curvature, direction, weighted
    cdef Py_ssize_t[::1] at, place, rank, first, last, following, count, queue
    cdef Py_ssize_t n, left
    cdef double l2, level

    def __init__(self, X, h, r, w, double l2, b):
        cdef const double[::1] length = np.abs(b)
        cdef const Py_ssize_t[::1] order = np.argsort(np.negative(length), kind="stable")
        cdef Py_ssize_t p = len(b), m = np.count_nonzero(b), i, j, k = -1
        self.X, self.h, self.r, self.sign, self.l2 = X, h, r, np.sign(b), l2
        self.n, self.total = len(r), np.concatenate([[0.0], np.cumsum(w)])
        self.size = np.zeros(m)
        self.direction, self.weighted = np.empty(self.n), np.empty(self.n)
        self.curvature = np.full(m, -1.0)  # d'Hd of a cluster's direction d; -1 where not known
        self.at, self.place, self.queue = np.arange(m), np.arange(m), np.arange(m)
        self.rank, self.count = np.zeros(m, dtype=np.intp), np.zeros(m, dtype=np.intp)
        # The members of a cluster as a list; -1 follows the last.
        self.first, self.last = np.zeros(m, dtype=np.intp), np.zeros(m, dtype=np.intp)
        self.following = np.full(p, -1)
        for i in range(m):
            j = order[i]
            if k >= 0 and length[j] == self.size[k]:
                self.following[self.last[k]] = j
            else:
                k += 1
                self.size[k], self.first[k], self.rank[k] = length[j], j, i
            self.last[k] = j
            self.count[k] += 1
        self.left = k + 1
        self.level = h[0] if np.min(h) == np.max(h) else -1.0  # what all of h are, or -1

    cdef void write(self, double[::1] b):
        cdef Py_ssize_t i, j
        b[:] = 0.0
        for i in range(self.left):
            j = self.first[self.at[i]]
            while j >= 0:
                b[j] = self.sign[j] * self.size[self.at[i]]
                j = self.following[j]

    def descend(self, Q, double[::1] b, double[::1] c, double still):
        """Sweep until a sweep lowers the model by at most `still`; return what all did.

        Writes b and c. r is the caller's.
        """
        cdef double lowered = 0.0, last
        cdef int k
        # Sweeps between two proximal steps. 200 x 400 and 500 x 2,000 with correlation 0 to .9:
        # 2 take 1.2 to 1.4 times as long as 5, and 5 take .9 to 1.4 of the time of 10.
        for k in range(10):
            last = self.sweep() + self.sweep_unpenalised(Q, c)
            lowered += last
            if last <= still:
                break
        self.write(b)
        return lowered

    cdef double sweep(self) noexcept nogil:
        """Minimise over every size; return a lower bound of what that lowers the model by."""
        cdef double lowered = 0.0
        cdef Py_ssize_t i, clusters = self.left
        for i in range(clusters):
            self.queue[i] = self.at[i]
        for i in range(clusters):
            if self.count[self.queue[i]]:
                lowered += self.minimise(self.queue[i])
        return lowered

    cdef double minimise(self, Py_ssize_t k) noexcept nogil:
        """Minimise over the size of cluster k."""
        cdef const double* d = self.direction_of(k)
        cdef double a, v, flip, new, moved
        cdef Py_ssize_t i, other, to
        if self.curvature[k] < 0.0:
            self.curvature[k] = self.square(d)
        a = self.curvature[k] + self.count[k] * self.l2
        if not a > 0.0:
            return 0.0
        v = dot(self.n, d, &self.r[0])
        if self.count[k] == 1:  # Its direction is the column without the sign.
            v *= self.sign[self.first[k]]
        v += self.curvature[k] * self.size[k]
        flip = -1.0 if v < 0.0 else 1.0
        new = self.minimiser(k, fabs(v), a, &to, &other)
        moved = flip * new - self.size[k]
        if moved != 0.0:
            self.subtract(moved if self.count[k] > 1 else moved * self.sign[self.first[k]], d)
        if flip < 0.0:
            i = self.first[k]
            while i >= 0:
                self.sign[i] = -self.sign[i]
                i = self.following[i]
        self.size[k] = new
        self.move(k, to)
        if new == 0.0:
            self.left -= 1
            self.count[k] = 0
        elif other >= 0:
            self.merge(k, other)
        return 0.5 * a * moved * moved

    cdef double square(self, const double* d) noexcept nogil:
        """Return d'Hd."""
        if self.level >= 0.0:
            return self.level * dot(self.n, d, d)
        ss_multiply(self.n, &self.h[0], d, &self.weighted[0])
        return dot(self.n, &self.weighted[0], d)

    cdef void subtract(self, double moved, const double* d) noexcept nogil:
        """Subtract H times a multiple of d from the residual."""
        if self.level >= 0.0:
            axpy(self.n, -moved * self.level, d, &self.r[0])
            return
        ss_multiply(self.n, &self.h[0], d, &self.weighted[0])
        axpy(self.n, -moved, &self.weighted[0], &self.r[0])

    cdef const double* direction_of(self, Py_ssize_t k) noexcept nogil:
        """Return the column of a cluster of one, of others the sum (n,) of columns with signs."""
        cdef double* d = &self.direction[0]
        cdef Py_ssize_t j = self.first[k]
        if self.count[k] == 1:
            return &self.X[0, j]
        ss_scale(self.n, self.sign[j], &self.X[0, j], d)
        j = self.following[j]
        while j >= 0:
            axpy(self.n, self.sign[j], &self.X[0, j], d)
            j = self.following[j]
        return d

    cdef double minimiser(self, Py_ssize_t k, double v, double a, Py_ssize_t* to,
                          Py_ssize_t* other) noexcept nogil:
        """Return argmin_c a c^2 / 2 - v c + the norm, over c >= 0, for cluster k at size c.

        `to` becomes its new place, `other` the cluster that has this size already, or -1.
        """
        cdef Py_ssize_t i = self.place[k], t, rank = self.rank[k]
        to[0], other[0] = i, -1
        while i > 0:
            t = self.at[i - 1]
            if v - self.weights(k, rank) < a * self.size[t]:
                break
            i -= 1
            rank -= self.count[t]
            if v - self.weights(k, rank) <= a * self.size[t]:
                to[0], other[0] = i, t
                return self.size[t]
        if i == self.place[k]:
            while i < self.left - 1:
                t = self.at[i + 1]
                if v - self.weights(k, rank) > a * self.size[t]:
                    break
                i += 1
                rank += self.count[t]
                if v - self.weights(k, rank) >= a * self.size[t]:
                    to[0], other[0] = i, t
                    return self.size[t]
        to[0] = i
        v -= self.weights(k, rank)
        if v <= 0.0:
            to[0] = self.left - 1
            return 0.0
        return v / a

    cdef inline double weights(self, Py_ssize_t k, Py_ssize_t rank) noexcept nogil:
        """Return the weights of cluster k if its largest rank is `rank`."""
        return self.total[rank + self.count[k]] - self.total[rank]

    cdef void move(self, Py_ssize_t k, Py_ssize_t to) noexcept nogil:
        """Bring cluster k to another place of the order."""
        cdef Py_ssize_t i = self.place[k], t, step = 1 if to > i else -1
        while i != to:
            t = self.at[i + step]
            self.at[i], self.place[t] = t, i
            self.rank[t] -= step * self.count[k]
            self.rank[k] += step * self.count[t]
            i += step
        self.at[to], self.place[k] = k, to

    cdef void merge(self, Py_ssize_t k, Py_ssize_t t) noexcept nogil:
        """Make cluster k, which has come next to t, a part of it."""
        cdef Py_ssize_t i
        self.following[self.last[t]] = self.first[k]
        self.last[t] = self.last[k]
        self.rank[t] = min(self.rank[t], self.rank[k])
        self.count[t] += self.count[k]
        self.count[k], self.curvature[t] = 0, -1.0
        self.left -= 1
        for i in range(self.place[k], self.left):
            self.at[i] = self.at[i + 1]
            self.place[self.at[i]] = i

    cdef double sweep_unpenalised(self, const double[::1, :] Q, double[::1] c) noexcept nogil:
        """Minimise over each of c."""
        cdef double lowered = 0.0, slope, curvature
        cdef Py_ssize_t f
        for f in range(Q.shape[1]):
            slope, curvature = dot(self.n, &Q[0, f], &self.r[0]), self.square(&Q[0, f])
            if not curvature > 0.0:
                continue
            self.subtract(slope / curvature, &Q[0, f])
            c[f] += slope / curvature
            lowered += 0.5 * slope * slope / curvature
        return lowered


cdef inline double slope(double x, double lam, const double* form) noexcept nogil:
    """phi'(x; lam), by the four numbers of `Concave.form`."""
    if form[2] == 0.0:
        return min(max(lam - (x - form[0] * lam) / form[1], 0.0), lam)
    return form[3] * lam * pow(x + form[1], form[2])


def weighted_sweeps(const double[:, ::1] G, const double[::1] c, double[::1] b,
                    const Py_ssize_t[::1] start, const double[::1] curvature,
                    const double[::1] lam, form, double still, int rounds,
                    double size_unit=1.0, double slope_unit=1.0):
    """At most so many rounds of new thresholds and sweeps, until a sweep moves b by `still`.

    `curvature` are the L_g (n_blocks,). phi' is taken at size_unit |b_g|, and counts slope_unit.
    """
    cdef Py_ssize_t m = b.shape[0], blocks = lam.shape[0], block, j
    cdef double[::1] g = np.subtract(c, np.dot(G, b)), scratch = np.empty(m + blocks)
    cdef const double[::1] shape = np.array(form)
    cdef double* t = &scratch[m]
    cdef double length, moved = 0.0
    cdef int k
    with nogil:
        for k in range(rounds):
            for block in range(blocks):
                length = 0.0
                for j in range(start[block], start[block + 1]):
                    length += b[j] * b[j]
                t[block] = 0.0 if lam[block] <= 0.0 else (
                    slope_unit * slope(size_unit * sqrt(length), lam[block], &shape[0]))
            moved = 0.0
            for block in range(3):      # sweeps between new thresholds, which cost about one
                moved = max(moved, sweep(G, b, g, start, curvature, t, &scratch[0]))
            if moved <= still:
                break
    return moved


cdef double sweep(const double[:, ::1] G, double[::1] b, double[::1] g,
                  const Py_ssize_t[::1] start, const double[::1] curvature, const double* t,
                  double* step) noexcept nogil:
    """One sweep over all blocks, in place; return the largest change."""
    cdef Py_ssize_t m = b.shape[0], block, j, k
    cdef double L, length, shrinkage, square, moved = 0.0
    for block in range(curvature.shape[0]):
        L = curvature[block]
        if L <= 0.0:
            continue
        length = square = 0.0
        for j in range(start[block], start[block + 1]):
            length += (g[j] + L * b[j]) ** 2
        length = sqrt(length)
        shrinkage = 0.0 if length <= t[block] else (1.0 - t[block] / length) / L
        for j in range(start[block], start[block + 1]):
            step[j] = shrinkage * (g[j] + L * b[j]) - b[j]
            square += step[j] * step[j]
        if square == 0.0:
            continue
        for j in range(start[block], start[block + 1]):
            b[j] += step[j]
            for k in range(m):
                g[k] -= step[j] * G[j, k]
        moved = max(moved, sqrt(square * L))
    return moved
