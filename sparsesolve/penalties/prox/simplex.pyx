"""The threshold of projections onto the simplex and the l1 ball, in expected O(n).

    sum_j (x_j - theta)_+ = radius

Given: x (n,) and a radius > 0. Returned: theta. One pass keeps the candidates, those above a
rising lower bound of theta. The few that remain are passed over until none drops out.
Reference: Condat, "Fast projection onto the simplex and the l1 ball" (2016), proposition 3.
"""
from libc.math cimport copysign, fabs

import numpy as np


def threshold(const double[::1] x, double radius, bint sizes=False):
    """Return theta with sum_j (x_j - theta)_+ = radius; for |x_j| if `sizes`."""
    cdef Py_ssize_t n = x.shape[0], i, count = 1, held = 0, kept
    cdef double[::1] near = np.empty(n), far = np.empty(n)
    cdef double value, theta
    near[0] = fabs(x[0]) if sizes else x[0]
    theta = near[0] - radius
    with nogil:
        # 1. One pass: candidates above a rising lower bound of theta.
        for i in range(1, n):
            value = fabs(x[i]) if sizes else x[i]
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


def shrink_to_ball(const double[::1] x, double radius):
    """Return the projection (n,) onto the l1 ball of that radius, or None if a sum is not a
    number.
    """
    cdef Py_ssize_t n = x.shape[0], i
    cdef double total = 0.0, theta = 0.0, over
    out = np.empty(n)
    cdef double[::1] b = out
    for i in range(n):
        total += fabs(x[i])
    if not total - total == 0.0:
        return None
    if total <= radius:
        return np.array(x)
    if radius > 0.0:
        theta = max(threshold(x, radius, True), 0.0)
    for i in range(n):
        over = fabs(x[i]) - theta
        b[i] = copysign(over, x[i]) if over > 0.0 and radius > 0.0 else 0.0
    return out
