"""Penalties as a user may write them, in plain numpy, each by the shortest way there is."""

import numpy as np


class Largest:
    """max |b_j|, by sorting."""

    def value(self, b):
        return np.abs(b).max()

    def prox(self, v, t):
        size = np.sort(np.abs(v))[::-1]
        if size.sum() <= t:
            return np.zeros_like(v)
        cut = (np.cumsum(size) - t) / np.arange(1, len(v) + 1)
        level = cut[np.flatnonzero(size > cut)[-1]]
        return np.clip(v, -level, level)

    def polar(self, z):
        return np.abs(z).sum()


class SquaredL1:
    """|b|_1^2 / 2: no norm, so it tells its conjugate |z|_inf^2 / (2 lam)."""

    def value(self, b):
        return np.abs(b).sum() ** 2 / 2

    def prox(self, v, t):
        size = np.sort(np.abs(v))[::-1]
        cut = t * np.cumsum(size) / (1 + t * np.arange(1, len(v) + 1))
        level = cut[np.flatnonzero(size > cut)[-1]] if size[0] > 0 else 0.0
        return np.sign(v) * np.maximum(np.abs(v) - level, 0)

    def polar(self, z):
        return 0.0 if not z.any() else np.inf

    def conjugate(self, z, lam):
        return np.abs(z).max() ** 2 / (2 * lam)

    def feasible_scale(self, z, lam):
        return 1.0


class Steps:
    """|b_1 - b_0| + |b_3 - b_2| + ..., which does not see the means of its pairs."""

    def __init__(self, n_features):
        self.n_features = n_features

    def value(self, b):
        return np.abs(b[1::2] - b[::2]).sum()

    def prox(self, v, t):
        half, mean = (v[1::2] - v[::2]) / 2, (v[1::2] + v[::2]) / 2
        half = np.sign(half) * np.maximum(np.abs(half) - t, 0)
        return np.stack([mean - half, mean + half], axis=1).ravel()

    def polar(self, z):
        return np.abs(z[1::2] - z[::2]).max() / 2

    def kernel(self):
        return np.kron(np.eye(self.n_features // 2), np.ones((2, 1)))
