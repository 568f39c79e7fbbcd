"""The group lasso by sparsesolve: working sets of groups, stopped by the duality gap."""

import warnings

import numpy as np
from benchopt import BaseSolver

import sparsesolve as ss

LEAST_TOL = 1e-15  # of the duality gap, relative to the objective at b = 0


class Solver(BaseSolver):
    """GroupL2 with weights of 1."""

    name = "sparsesolve"
    sampling_strategy = "tolerance"

    def set_objective(self, X, y, size, lmbd):
        """Keep the problem; the package reads columns in place."""
        self.X, self.y, self.lmbd = X, y, lmbd
        groups = np.arange(X.shape[1]) // size
        weights = np.ones(X.shape[1] // size)
        self.penalty = ss.penalties.GroupL2(groups, weights=weights)
        warnings.filterwarnings("ignore", category=ss.ConvergenceWarning)

    def warm_up(self):
        """Nothing is compiled; a first call loads modules."""
        self.run_once(1e-3)

    def get_next(self, tol):
        """A tenth: one solution may meet several tolerances, which is no lack of progress."""
        return min(1e-2, tol / 10)

    def run(self, tol):
        """Solve to that gap; at a tolerance above 1 the answer is b = 0."""
        self.beta = np.zeros(self.X.shape[1])
        if tol <= 1.0:
            fit = ss.path(self.X, self.y, penalty=self.penalty, lambdas=[self.lmbd],
                          standardize=False, intercept=False, tol=max(tol, LEAST_TOL))  # fmt: skip
            self.beta = fit.coefs.toarray()[:, 0]

    def get_result(self):
        """The coefficients."""
        return {"beta": self.beta}
