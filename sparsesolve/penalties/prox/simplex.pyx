"""The threshold of projections onto the simplex and the l1 ball, in expected O(n).

    sum_j (x_j - theta)_+ = radius

Given: x (n,) and a radius > 0. Returned: theta. One pass keeps the candidates, those above a
rising lower bound of theta. The few that remain are passed over until none drops out.
Reference: Condat, "Fast projection onto the simplex and the l1 ball" (2016), proposition 3.
"""
import numpy as np


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
