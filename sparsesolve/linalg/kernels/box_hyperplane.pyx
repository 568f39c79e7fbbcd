"""Projection onto the intersection of a box and a hyperplane, in O(n).

    minimise over x   sum_i d_i^2 (x_i - m_i)^2 / 2      with  l <= x <= u,  sum_i a_i x_i = z

The solution is x_i(t) = clip(m_i + t a_i / d_i^2, l_i, u_i) with t such that f(t) = sum_i a_i
x_i(t) = z. The function f is nondecreasing and has two kinks for each nonzero a_i of either sign.
The search evaluates f at the median kink inside the bracket. The median is found by rank, not by
value, so that ties halve the kinks too. Sums over what lies outside the bracket are kept. If f is
flat at z, any t there yields the same x.

References: Pardalos and Kovoor, "An algorithm for a singly constrained class of quadratic
programs subject to upper and lower bounds" (1990); Kiwiel, "Breakpoint searching algorithms for
the continuous quadratic knapsack problem" (2008).
"""
from libc.math cimport INFINITY, fabs

import numpy as np

# A sum may miss z by at most this multiple of the sum of the sizes of its terms.
cdef double ROUNDING = 1e-12


cdef inline double _clip(double x, double low, double high) noexcept nogil:
    return low if x < low else high if x > high else x


cdef double _rank_value(double* v, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    """Return the k-th smallest of v (n,) and reorder v, by Hoare's selection, which halves ties.
    """
    cdef Py_ssize_t low = 0, high = n - 1, i, j
    cdef double pivot, kept
    while low < high:
        pivot = v[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while v[i] < pivot:
                i += 1
            while v[j] > pivot:
                j -= 1
            if i <= j:
                kept = v[i]
                v[i] = v[j]
                v[j] = kept
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return v[k]
    return v[low]


def project(const double[::1] m, const double[::1] lower, const double[::1] upper,
            const double[::1] a, double z, const double[::1] d):
    """Return the projection of checked arrays (n,); sparsesolve/prox/box.py describes them."""
    cdef Py_ssize_t n = m.shape[0], i
    cdef double least = 0.0, most = 0.0, size = fabs(z), t
    out = np.empty(n)
    cdef double[::1] x = out
    for i in range(n):
        if a[i] != 0.0:
            least += a[i] * (lower[i] if a[i] > 0.0 else upper[i])
            most += a[i] * (upper[i] if a[i] > 0.0 else lower[i])
            size += fabs(a[i]) * (
                max(fabs(lower[i]), fabs(upper[i]))
                if fabs(lower[i]) < INFINITY and fabs(upper[i]) < INFINITY else fabs(m[i]))
    if z < least - ROUNDING * size or z > most + ROUNDING * size:
        missed = least - z if z < least else z - most
        raise ValueError(
            f"a'x is {'at least' if z < least else 'at most'} {least if z < least else most:g} "
            f"within the bounds, so no x has a'x = {z:g}: it is missed by {missed:g}")
    t = _root(m, lower, upper, a, d, min(max(z, least), most))
    for i in range(n):
        x[i] = m[i] if a[i] == 0.0 else (
            m[i] + t * (a[i] / (d[i] * d[i])) if fabs(t) < INFINITY else
            (upper[i] if a[i] > 0.0 else lower[i]) if t > 0.0 else
            (lower[i] if a[i] > 0.0 else upper[i]))
        x[i] = _clip(x[i], lower[i], upper[i])
    return out


cdef double _root(const double[::1] m, const double[::1] lower, const double[::1] upper,
                  const double[::1] a, const double[::1] d, double z):
    """Return t with f(t) = z; f attains or approaches z."""
    cdef Py_ssize_t n = m.shape[0], i, j, k, count, left
    cdef double t_low = -INFINITY, t_high = INFINITY, fixed = 0.0
    cdef double t, start, end, value, slope, rate, c
    cdef int[::1] live = np.flatnonzero(a).astype(np.intc)
    cdef double[::1] first = np.empty(n), last = np.empty(n), kinks = np.empty(2 * n)
    # a'x over the entries that are strictly inside their box in all of the bracket is base + bend
    # t.
    cdef double base = 0.0, bend = 0.0
    count = live.shape[0]
    for k in range(count):
        i = live[k]
        rate = a[i] / (d[i] * d[i])
        start, end = (lower[i] - m[i]) / rate, (upper[i] - m[i]) / rate
        first[i], last[i] = (start, end) if rate > 0.0 else (end, start)
    while True:
        left = 0
        for k in range(count):
            i = live[k]
            if t_low < first[i] < t_high:
                kinks[left] = first[i]
                left += 1
            if t_low < last[i] < t_high:
                kinks[left] = last[i]
                left += 1
        if left == 0:
            break
        t = _rank_value(&kinks[0], left, left // 2)
        value = fixed + base + bend * t
        for k in range(count):
            i = live[k]
            c = m[i] + t * (a[i] / (d[i] * d[i]))
            value += a[i] * _clip(c, lower[i], upper[i])
        if value == z:
            return t
        if value < z:
            t_low = t
        else:
            t_high = t
        # Keep the entries with a kink inside the bracket. All others are at an end, or strictly
        # inside their box, in all of it.
        k = 0
        for j in range(count):
            i = live[j]
            if last[i] <= t_low:
                fixed += a[i] * (upper[i] if a[i] > 0.0 else lower[i])
            elif first[i] >= t_high:
                fixed += a[i] * (lower[i] if a[i] > 0.0 else upper[i])
            elif first[i] <= t_low and last[i] >= t_high:
                base += a[i] * m[i]
                bend += a[i] * (a[i] / (d[i] * d[i]))
            else:
                live[k] = i
                k += 1
        count = k
    for k in range(count):
        i = live[k]
        if first[i] <= t_low and last[i] >= t_high:
            base += a[i] * m[i]
            bend += a[i] * (a[i] / (d[i] * d[i]))
        elif last[i] <= t_low:
            fixed += a[i] * (upper[i] if a[i] > 0.0 else lower[i])
        else:
            fixed += a[i] * (lower[i] if a[i] > 0.0 else upper[i])
    if bend > 0.0:
        return min(max((z - fixed - base) / bend, t_low), t_high)
    if t_low == -INFINITY:
        return t_high if t_high < INFINITY else 0.0
    return t_low if t_high == INFINITY or fixed >= z else t_high
