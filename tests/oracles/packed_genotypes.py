"""Genotypes drawn, packed bit by bit as PLINK does, and imputed by plain numpy."""

import numpy as np
from sparsesolve.linalg.design.genotypes import TwoBits

CODES = {2: 0, -1: 1, 1: 2, 0: 3}  # PLINK's: the first allele twice, missing, once, never


def packed(G, gap=0):
    """TwoBits of values 0, 1, 2, and -1 for missing; columns stand `gap` bytes apart."""
    n, p = G.shape
    size = (n + 3) // 4
    data = np.full((size + gap) * p, 0x55, dtype=np.uint8)
    for j in range(p):
        data[(size + gap) * j : (size + gap) * j + size] = 0
        for i in range(n):
            data[(size + gap) * j + i // 4] |= CODES[int(G[i, j])] << 2 * (i % 4)
    return TwoBits(data, (size + gap) * np.arange(p), n)


def drawn(n, p, seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    G = rng.binomial(2, rng.uniform(0.05, 0.95, p), (n, p))
    return np.where(rng.random((n, p)) < missing, -1, G)


def imputed(G, w):
    """Replace missing values by the weighted mean of the others in their column."""
    seen = G >= 0
    weight = np.maximum((w[:, None] * seen).sum(axis=0), 1e-300)
    mean = (w[:, None] * np.where(seen, G, 0)).sum(axis=0) / weight
    return np.where(seen, G, mean), mean
