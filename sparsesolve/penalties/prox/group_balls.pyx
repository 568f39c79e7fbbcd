"""Prox of overlapping groups, one group at a time, and the threshold of the simplex.

`ascend` and its like are dual:

    min |v - sum_g xi_g|^2 / 2   over   |xi_g|_2 <= radius_g,  xi_g zero outside group g

The residual b = v - sum xi_g tends to the prox of sum_g radius_g |b_g|_2. A step replaces xi_g by
the point of its ball nearest to b_g + xi_g, which is exact for that group.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), algorithm 1, which is repeated here because groups overlap.
For |b_g|_inf the balls are those of |xi_g|_1; b and xi are sizes, at least 0. The nearest point is
(x - theta)_+ with theta >= 0 from Newton's method, which begins with the theta of the last sweep.

`latent_vectors` is the same for latent groups, in the primal:

    minimise over v   |x - sum_g v_g|^2 / 2 + t sum_g d_g |v_g|_2,    v_g zero outside g

Returned: v, one group after the other, when a sweep changes nothing by more than rounding, or after
the given number of sweeps. Invariant: r = x - sum_g v_g.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), section 3; the problem here is the primal of their dual.

`threshold` is that of projections onto the simplex and the l1 ball, in expected O(n):

    sum_j (x_j - theta)_+ = radius

Given: x (n,) and a radius > 0. Returned: theta. One pass keeps the candidates, those above a
rising lower bound of theta. The few that remain are passed over until none drops out.
Reference: Condat, "Fast projection onto the simplex and the l1 ball" (2016), proposition 3.
"""
from libc.math cimport fabs, sqrt

import numpy as np


def ascend(const double[::1] radius, const int[::1] features, const int[::1] start,
           double[::1] xi, double[::1] b, Py_ssize_t sweeps, double small):
    """Sweep over the groups; return the largest change of an entry of b in the last sweep.

    Parameters
    ----------
    radius : (G,)
    features : int32 (q,), start : int32 (G + 1,)
        Group g holds features[start[g]:start[g + 1]].
    xi : (q,), b : (p,)
        Changed in place; b = v - sum xi_g.
    sweeps : int
        Most sweeps.
    small : float
        Sweeps end when the largest change is at most this.
    """
    cdef Py_ssize_t g, k, sweep
    cdef double square, scale, r, change = 0.0
    with nogil:
        for sweep in range(sweeps):
            change = 0.0
            for g in range(radius.shape[0]):
                square = 0.0
                for k in range(start[g], start[g + 1]):
                    r = b[features[k]] + xi[k]
                    square += r * r
                scale = 1.0 if square <= radius[g] * radius[g] else radius[g] / sqrt(square)
                for k in range(start[g], start[g + 1]):
                    r = b[features[k]] + xi[k]
                    change = max(change, fabs(scale * r - xi[k]))
                    xi[k] = scale * r
                    b[features[k]] = r - xi[k] if scale < 1.0 else 0.0
            if change <= small:
                break
    return change


def ascend_linf(const double[::1] radius, const int[::1] features, const int[::1] start,
                double[::1] xi, double[::1] b, double[::1] theta, Py_ssize_t sweeps):
    """Sweep over the groups with balls |xi_g|_1 <= radius_g; b and xi are at least 0.

    Parameters
    ----------
    radius, features, start, xi, b, sweeps
        As in `ascend`.
    theta : (G,)
        Threshold of each group, changed in place; any numbers at first.
    """
    cdef double[::1] room = np.empty(np.diff(start).max(initial=1))
    cdef double* x = &room[0]
    cdef Py_ssize_t g, k, sweep, first, size
    cdef double level, total, value
    with nogil:
        for sweep in range(sweeps):
            for g in range(radius.shape[0]):
                first, size = start[g], start[g + 1] - start[g]
                total = 0.0
                for k in range(size):
                    x[k] = b[features[first + k]] + xi[first + k]
                    total += x[k]
                level = 0.0 if total <= radius[g] else _level(x, size, radius[g], theta[g])
                theta[g] = level
                for k in range(size):
                    value = x[k] - level if x[k] > level else 0.0
                    xi[first + k] = value
                    b[features[first + k]] = x[k] - value


cdef double _level(const double* x, Py_ssize_t size, double radius, double level) noexcept nogil:
    """Return the level with sum_k (x_k - level)_+ = radius, for radius < sum x."""
    cdef Py_ssize_t k, count
    cdef double total, next
    cdef bint rising = False            # the first step may lower a level that is too high
    while True:
        total, count = -radius, 0
        for k in range(size):
            if x[k] > level:
                total += x[k]
                count += 1
        next = max(total / count, 0.0) if count else 0.0
        if rising and next <= level:
            return level
        rising = count > 0
        level = next


def latent_vectors(const double[::1] x, double t, const double[::1] d, const int[::1] member,
                   const int[::1] start, const double[::1] begin, double accuracy,
                   Py_ssize_t sweeps):
    """Return v (q,) for x (p,): group g has the features member[start[g]:start[g + 1]]."""
    out = np.array(begin)
    residual = np.array(x)
    cdef double[::1] v = out, r = residual
    cdef Py_ssize_t g, k, sweep
    cdef double size, toward, scale, new, moved, largest = 0.0
    for k in range(member.shape[0]):
        r[member[k]] -= v[k]
    for k in range(x.shape[0]):
        largest = max(largest, fabs(x[k]))
    with nogil:
        for sweep in range(sweeps):
            moved = 0.0
            for g in range(d.shape[0]):
                size = 0.0
                for k in range(start[g], start[g + 1]):
                    toward = r[member[k]] + v[k]
                    size += toward * toward
                size = sqrt(size)
                scale = 1.0 - t * d[g] / size if size > t * d[g] else 0.0
                for k in range(start[g], start[g + 1]):
                    new = scale * (r[member[k]] + v[k])
                    moved = max(moved, fabs(new - v[k]))
                    r[member[k]] += v[k] - new
                    v[k] = new
            if moved <= accuracy * largest:
                break
    return out


def threshold(const double[::1] x, double radius):
    """Return theta with sum_j (x_j - theta)_+ = radius."""
    cdef Py_ssize_t n = x.shape[0], i, count = 1, held = 0, kept
    cdef double[::1] near = np.empty(n), far = np.empty(n)
    cdef double value, theta
    near[0] = x[0]
    theta = near[0] - radius
    with nogil:
        # 1. One pass: candidates above a rising lower bound of theta.
        for i in range(1, n):
            value = x[i]
            if value <= theta:
                continue
            theta += (value - theta) / (count + 1)
            if theta > value - radius:
                near[count] = value
                count += 1
            else:
                # This value alone gives a better lower bound of theta; earlier candidates wait.
                for kept in range(count):
                    far[held + kept] = near[kept]
                held += count
                near[0], count, theta = value, 1, value - radius
        # 2. The candidates that waited.
        for i in range(held):
            if far[i] > theta:
                near[count] = far[i]
                count += 1
                theta += (far[i] - theta) / count
        # 3. The exact threshold of the candidates, until none drops out.
        while True:
            kept = 0
            value = 0.0
            for i in range(count):
                if near[i] > theta:
                    near[kept] = near[i]
                    value += near[i]
                    kept += 1
            theta = (value - radius) / kept
            if kept == count:
                break
            count = kept
    return theta
