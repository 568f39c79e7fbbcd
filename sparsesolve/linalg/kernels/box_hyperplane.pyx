"""Projection onto the intersection of a box and a hyperplane, in O(n).

    minimise over x   sum_i d_i^2 (x_i - m_i)^2 / 2      with  l <= x <= u,  sum_i a_i x_i = z

The solution is x_i(t) = clip(m_i + t a_i / d_i^2, l_i, u_i) where sum_i a_i x_i(t) = z. With the
kinks t1_i <= t2_i of x_i that sum is

    f(t) = sum_i a_i m_i + sum_i s_i clip(t, t1_i, t2_i),      s_i = a_i^2 / d_i^2,

which does not decrease. Given: checked arrays. Returned: x, with a'x = z to the last digits of the
sum. Newton steps on f stay within a bracket. If a step does not drop a quarter of the kinks, the
next point is a random kink, so that the expected work is O(n), and ties leave together.
Invariant: the remaining samples have a kink strictly inside the bracket; the sums of the others
have a closed form. If f is flat at z, any t there gives the same x. At the end, the residual of x
corrects t.
Reference: Cominetti, Mascarenhas, Silva, "A Newton's method for the continuous quadratic knapsack
problem" (2014); Kiwiel, "Breakpoint searching algorithms for the continuous quadratic knapsack
problem" (2008).
"""
from libc.math cimport INFINITY, fabs

import numpy as np

# The attainable sums may miss z by this fraction of the sum of sizes, which is rounding.
cdef double ROUNDING = 1e-12
# A residual below this fraction of that sum is not corrected; it is far below its rounding.
cdef double NEGLIGIBLE = 1e-18
# If a Newton step keeps more than this fraction of the samples, the next point is a random kink.
cdef double SHRUNK = 0.75
# Terms that are summed before the partial sums are, which reduces rounding.
DEF BLOCK = 512
# The residual corrects t at most this often.
DEF CORRECTIONS = 3


cdef inline double _clip(double x, double low, double high) noexcept nogil:
    return low if x < low else high if x > high else x


def project(const double[::1] m, const double[::1] lower, const double[::1] upper,
            const double[::1] a, double z, const double[::1] d):
    """Return the projection of checked arrays (n,); see sparsesolve/penalties/prox/balls.py."""
    cdef Py_ssize_t n = m.shape[0], i
    cdef double least = 0.0, most = 0.0, size = fabs(z), t, df, left, last = INFINITY
    cdef bint free = True
    out = np.empty(n)
    cdef double[::1] x = out
    with nogil:
        for i in range(n):
            if a[i] != 0.0:
                least += a[i] * (lower[i] if a[i] > 0.0 else upper[i])
                most += a[i] * (upper[i] if a[i] > 0.0 else lower[i])
                size += fabs(a[i]) * (max(fabs(lower[i]), fabs(upper[i]))
                                      if fabs(lower[i]) < INFINITY and fabs(upper[i]) < INFINITY
                                      else fabs(m[i]))
    if z < least - ROUNDING * size or z > most + ROUNDING * size:
        missed = least - z if z < least else z - most
        bound = f"at least {least:g}" if z < least else f"at most {most:g}"
        raise ValueError(f"a'x is {bound} within the bounds, so no x has a'x = {z:g}: it is "
                         f"missed by {missed:g}")
    z = min(max(z, least), most)
    t = _root(m, lower, upper, a, d, z)
    with nogil:
        for i in range(CORRECTIONS + 1):
            left = z - _at(m, lower, upper, a, d, t, x, &df)
            if fabs(left) <= NEGLIGIBLE * size or not df > 0.0:
                break
            if not fabs(left) < 0.5 * fabs(last):
                break
            if i < CORRECTIONS:
                t += left / df
                last = left
    return out


cdef double _at(const double[::1] m, const double[::1] lower, const double[::1] upper,
                const double[::1] a, const double[::1] d, double t, double[::1] x,
                double* df) noexcept nogil:
    """Fill x(t) and return a'x; df[0] becomes the slope of f at t."""
    cdef Py_ssize_t n = m.shape[0], i, start
    cdef double total = 0.0, part, slope = 0.0, rate, c
    for start in range(0, n, BLOCK):
        part = 0.0
        for i in range(start, min(start + BLOCK, n)):
            rate = a[i] / (d[i] * d[i])
            c = m[i] + t * rate if rate != 0.0 else m[i]
            x[i] = _clip(c, lower[i], upper[i])
            part += a[i] * x[i]
            slope += a[i] * rate if lower[i] < c < upper[i] else 0.0
        total += part
    df[0] = slope
    return total


cdef double _root(const double[::1] m, const double[::1] lower, const double[::1] upper,
                  const double[::1] a, const double[::1] d, double z):
    """Return t with f(t) = z, or the limit t at which f tends to z."""
    cdef Py_ssize_t n = m.shape[0], i, k, kept, count = 0
    cdef double low = -INFINITY, high = INFINITY, t = 0.0, value, slope, rate, back, s, part
    # f is fixed + df t plus the terms of the remaining samples.
    cdef double fixed = 0.0, df = 0.0
    cdef double[::1] first = np.empty(n), last = np.empty(n), weight = np.empty(n)
    cdef unsigned long long drawn = 88172645463325252
    with nogil:
        # 1. The kinks and the weight of each sample.
        for i in range(n):
            if a[i] == 0.0:
                continue
            rate = a[i] / (d[i] * d[i])
            back = 1.0 / rate
            first[count] = ((lower[i] if rate > 0.0 else upper[i]) - m[i]) * back
            last[count] = ((upper[i] if rate > 0.0 else lower[i]) - m[i]) * back
            weight[count] = a[i] * rate
            fixed += a[i] * m[i]
            count += 1
        while count > 0:
            # 2. Value and slope of f at t; shrink the bracket.
            value, slope = fixed + df * t, df
            for k in range(0, count, BLOCK):
                part = 0.0
                for i in range(k, min(k + BLOCK, count)):
                    part += weight[i] * _clip(t, first[i], last[i])
                    slope += weight[i] if first[i] < t < last[i] else 0.0
                value += part
            if value == z:
                return t
            if value < z:
                low = t
            else:
                high = t
            # 3. Keep samples with a kink inside. The others are at one end, or between, throughout.
            kept = 0
            for i in range(count):
                s = weight[i]
                if last[i] <= low:
                    fixed += s * last[i]
                elif first[i] >= high:
                    fixed += s * first[i]
                elif first[i] <= low and last[i] >= high:
                    df += s
                else:
                    first[kept], last[kept], weight[kept] = first[i], last[i], s
                    kept += 1
            # 4. Newton step; if it keeps too many samples or leaves the bracket, a random kink.
            t = t + (z - value) / slope if slope > 0.0 else INFINITY
            if kept > 0 and (kept > SHRUNK * count or not low < t < high):
                drawn ^= drawn << 13
                drawn ^= drawn >> 7
                drawn ^= drawn << 17
                i = <Py_ssize_t> (drawn % <unsigned long long> kept)
                t = first[i] if low < first[i] < high else last[i]
            count = kept
    # 5. f is linear within the bracket.
    if df > 0.0:
        return min(max((z - fixed) / df, low), high)
    if low == -INFINITY:
        return high if high < INFINITY else 0.0
    return low if high == INFINITY or fixed >= z else high
