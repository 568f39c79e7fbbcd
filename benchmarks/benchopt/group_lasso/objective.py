"""The group lasso as a benchmark of benchopt: no benchmark of it was to be had from the project.

    minimise over b    |y - X b|^2 / (2 n) + lmbd sum_g |b_g|,    groups of equal size
"""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """Squared error with the Euclidean norm of every group, without intercept."""

    name = "Group lasso"
    min_benchopt_version = "1.7"
    parameters = {"reg": [0.1, 0.01]}

    def set_data(self, X, y, size):
        """Lambda is a share of the least at which b = 0."""
        self.X, self.y, self.size = X, y, size
        norms = np.linalg.norm((X.T @ y).reshape(-1, size), axis=1)
        self.lmbd = self.reg * norms.max() / len(y)

    def get_one_result(self):
        """An answer of the right shape."""
        return {"beta": np.zeros(self.X.shape[1])}

    def evaluate_result(self, beta):
        """The objective, and the duality gap of the residual scaled until it is feasible."""
        n, groups = len(self.y), beta.reshape(-1, self.size)
        r = self.y - self.X @ beta
        norms = np.linalg.norm((self.X.T @ r).reshape(-1, self.size), axis=1)
        value = r @ r / (2 * n) + self.lmbd * np.linalg.norm(groups, axis=1).sum()
        u = r / max(1.0, norms.max() / (self.lmbd * n))
        dual = (self.y @ self.y - (self.y - u) @ (self.y - u)) / (2 * n)
        return {"value": value, "duality_gap": value - dual,
                "support_size": int(np.any(groups != 0.0, axis=1).sum())}  # fmt: skip

    def get_objective(self):
        """What a solver is given."""
        return {"X": self.X, "y": self.y, "size": self.size, "lmbd": self.lmbd}
