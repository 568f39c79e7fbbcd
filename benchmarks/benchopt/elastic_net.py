"""sparsesolve in benchopt's benchmark_elastic_net: copy this file to its folder `solvers`.

    minimise over b, b0    |y - X b - b0|^2 / (2 n)
                           + lmbda (l1_ratio |b|_1 + (1 - l1_ratio) |b|^2 / 2)

which is the package's own objective, with alpha = l1_ratio.
"""

import warnings

import numpy as np
from benchopt import BaseSolver
from benchopt.stopping_criterion import SufficientProgressCriterion

import sparsesolve as ss

LEAST_TOL = 1e-15  # of the duality gap, relative to the objective at b = 0


class Solver(BaseSolver):
    """Certified working sets, stopped by the duality gap."""

    name = "sparsesolve"
    # One solution may meet several tolerances: the same objective again is no lack of progress.
    stopping_criterion = SufficientProgressCriterion(patience=9, strategy="tolerance")
    install_cmd = "conda"
    requirements = ["pip::sparsesolve"]
    support_sparse = True

    def set_objective(self, X, y, l1_ratio, lmbda, fit_intercept):
        """Keep the problem; the package reads columns in place."""
        self.X = np.asfortranarray(X) if isinstance(X, np.ndarray) else X.tocsc()
        self.y, self.alpha, self.lmbda = y, l1_ratio, lmbda
        self.fit_intercept = fit_intercept
        warnings.filterwarnings("ignore", category=ss.ConvergenceWarning)

    def warm_up(self):
        """Nothing is compiled; a first call loads modules."""
        self.run_once(1e-3)

    def get_next(self, tol):
        """A tenth of the last tolerance."""
        return min(1e-2, tol / 10)

    def run(self, tol):
        """Solve to that gap; at a tolerance above 1 the answer is b = 0."""
        self.beta = np.zeros(self.X.shape[1] + self.fit_intercept)
        if tol <= 1.0:
            fit = ss.path(self.X, self.y, alpha=self.alpha, lambdas=[self.lmbda],
                          standardize=False, intercept=self.fit_intercept,
                          tol=max(tol, LEAST_TOL))  # fmt: skip
            b = fit.coefs.toarray()[:, 0]
            self.beta = np.append(b, fit.intercepts) if self.fit_intercept else b

    def get_result(self):
        """The coefficients, and the intercept as the last."""
        return {"beta": self.beta}
