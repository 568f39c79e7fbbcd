"""Kernels that are all but constant, less their constants, whose digits hide the rest.

    K - m 1' - 1 m' + mean(m),   m the means of K's columns

An intercept makes a dual vector u sum to 0. Then u'Ku is that of the kernel without constants, so
solutions are, and f = K u is more than theirs by the constant m'u.
"""

import numpy as np

from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.low_rank_cache import LowRankCache, near_factors
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
            part = mean - 0.5 * mean.mean()
            items[m], found[m] = items[m] - part[:, None] - part, mean
    if not found:
        return kernels, found
    copies, threads = [items[m] for m in found], kernels.n_threads
    bounds = kernels.bounds.copy()
    bounds[list(found)] = np.sqrt(Symmetric(copies).survey(threads)[:, 1])
    factors = {m: kernels.near.factor(m) for m in range(kernels.size)}
    allowed = [NEGATIVE[8] * float(np.trace(copy)) for copy in copies]
    factors.update(zip(found, near_factors(copies, allowed, threads), strict=True))
    near = LowRankCache(list(factors.values()), n)
    return Kernels(items, bounds, near, kernels.names, threads), found
