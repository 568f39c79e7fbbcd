"""Columns that follow an autoregression, and twenty groups that matter."""

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    """n x p, in groups of `size` columns."""

    name = "Simulated"
    parameters = {"n_samples, n_features, size": [(500, 5000, 5), (500, 5000, 10)]}

    def get_data(self):
        """Draw the same data in every call, from one seed."""
        rng = np.random.default_rng(0)
        n, p = self.n_samples, self.n_features
        X = rng.normal(size=(n, p))
        for j in range(1, p):
            X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
        b = np.zeros((p // self.size, self.size))
        b[rng.permutation(len(b))[:20]] = rng.normal(size=(20, self.size))
        y = X @ b.ravel()
        y += y.std() * rng.normal(size=n) / np.sqrt(3)
        return {"X": np.asfortranarray(X), "y": y - y.mean(), "size": self.size}
