"""Centring of kernels that are nearly constant, as the constant hides the digits of the rest.

    K - m 1' - 1 m' + mean(m),   m the means of K's columns

With an intercept a dual vector u sums to 0. Then u'Ku is the same for the kernel and the centred
one, and so are the solutions. The functions f = K u differ by the constant m'u.
"""

import numpy as np

from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.low_rank_cache import LowRankCache, near_factors
from sparsesolve.mkl.reading import NEGATIVE
from sparsesolve.mkl.symmetric import Symmetric

# A kernel is centred if constants are at least the share MOSTLY of its trace, and if what remains
# is more than rounding: more than the share LEFT of the trace, by the bytes of an entry.
MOSTLY = 0.97
LEFT = {4: 1e-2, 8: 1e-6}


def level(kernels):
    """Centre kernels that are mostly constant; return all kernels, and {m: column means (n,)}.

    Only dense kernels are centred, in copies of float64.
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
