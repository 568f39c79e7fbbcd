"""Kernels that are all but constant, less their constants, whose digits hide the rest.

    K - m 1' - 1 m' + mean(m),   m the means of K's columns

An intercept makes a dual vector u sum to 0. Then u'Ku is that of the kernel without constants, so
solutions are, and f = K u is more than theirs by the constant m'u.
"""

import numpy as np

from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.near import Near, near_factors
from sparsesolve.mkl.reading import NEGATIVE
from sparsesolve.mkl.symmetric import Symmetric

MOSTLY = 0.97  # of the trace in constants: from here on they are taken out,
LEFT = {4: 1e-2, 8: 1e-6}  # but not where as little is left, by bytes of an entry: it is rounding


def level(kernels):
    """Kernels without the constants of those that are mostly constant, and {m: its m (n,)}.

    Dense ones alone, whose copies are held as float64; the others stay the same.
    """
    n = kernels.n
    dense = [m for m, item in enumerate(kernels.items) if isinstance(item, np.ndarray)]
    means = kernels.times(dense, np.full((1, n), 1.0 / n))[:, 0]
    found, items = {}, list(kernels.items)
    for m, mean in zip(dense, means, strict=True):
        trace = float(np.trace(items[m], dtype=np.float64))
        rest = trace - mean.sum()
        if LEFT[items[m].itemsize] * trace < rest < (1.0 - MOSTLY) * trace:
            items[m] = items[m] - (mean[:, None] - 0.5 * mean.mean()) - (mean - 0.5 * mean.mean())
            found[m] = mean
    if not found:
        return kernels, found
    copies = [items[m] for m in found]
    bounds, factors = kernels.bounds.copy(), list(kernels.near.factors)
    bounds[list(found)] = np.sqrt(Symmetric(copies).survey(kernels.n_threads)[:, 1])
    allowed = [NEGATIVE[8] * float(np.trace(copy)) for copy in copies]
    for m, factor in zip(
        found, near_factors(copies, allowed, kernels.n_threads), strict=True
    ):
        factors[m] = factor
    near = Near(factors, n)
    return Kernels(items, bounds, near, kernels.names, kernels.n_threads), found
