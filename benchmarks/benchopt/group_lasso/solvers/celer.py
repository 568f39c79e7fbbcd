"""The group lasso by celer's GroupLasso."""

import warnings

import numpy as np
from benchopt import BaseSolver
from celer import GroupLasso


class Solver(BaseSolver):
    """Working sets with dual extrapolation, by outer iterations."""

    name = "celer"
    sampling_strategy = "iteration"
    requirements = ["pip::celer"]

    def set_objective(self, X, y, size, lmbd):
        """Keep the problem."""
        self.X, self.y = X, y
        self.model = GroupLasso(groups=size, alpha=lmbd, fit_intercept=False, tol=1e-12,
                                max_iter=1, max_epochs=50_000)  # fmt: skip
        warnings.filterwarnings("ignore")

    def warm_up(self):
        """Compile."""
        self.run_once(1)

    def get_next(self, stop_val):
        """One iteration more."""
        return stop_val + 1

    def run(self, n_iter):
        """So many outer iterations from nothing."""
        self.beta = np.zeros(self.X.shape[1])
        if n_iter > 0:
            self.model.max_iter = n_iter
            self.beta = self.model.fit(self.X, self.y).coef_

    def get_result(self):
        """The coefficients."""
        return {"beta": self.beta}
