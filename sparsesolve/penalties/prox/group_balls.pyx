"""Dual ascent for the prox of overlapping groups: one group's ball at a time.

    min |v - sum_g xi_g|^2 / 2   over   |xi_g|_2 <= radius_g,  xi_g zero outside group g

The residual b = v - sum xi_g tends to the prox of sum_g radius_g |b_g|_2. A step replaces xi_g by
the point of its ball nearest to b_g + xi_g, which is exact for that group.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), algorithm 1, which is repeated here because groups overlap.
"""
from libc.math cimport fabs, sqrt


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
