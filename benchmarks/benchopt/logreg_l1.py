"""sparsesolve in benchopt's benchmark_logreg_l1: copy this file to its folder `solvers`.

    minimise over b    sum_i log(1 + exp(-y_i x_i'b)) + lmbd |b|_1,    y_i = -1 or 1

The package divides the sum by the number of rows n, and so is given lmbd / n.
"""

import warnings

import numpy as np
from benchopt import BaseSolver

import sparsesolve as ss

LEAST_TOL = 1e-15  # of the duality gap, relative to the objective at b = 0


class Solver(BaseSolver):
    """Proximal Newton on certified working sets, stopped by the duality gap."""

    name = "sparsesolve"
    sampling_strategy = "tolerance"
    install_cmd = "conda"
    requirements = ["pip::sparsesolve"]
    support_sparse = True

    def set_objective(self, X, y, lmbd):
        """Keep the problem; the package reads columns in place."""
        self.X = np.asfortranarray(X) if isinstance(X, np.ndarray) else X.tocsc()
        self.y, self.lmbd = y > 0, lmbd
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
            fit = ss.path(self.X, self.y, family="binomial", lambdas=[self.lmbd / len(self.y)],
                          standardize=False, intercept=False, tol=max(tol, LEAST_TOL))  # fmt: skip
            self.beta = fit.coefs.toarray()[:, 0]

    def get_result(self):
        """The coefficients."""
        return {"beta": self.beta}
