"""The group lasso by skglm's GroupBCD."""

import warnings

import numpy as np
from benchopt import BaseSolver
from skglm import GeneralizedLinearEstimator
from skglm.datafits import QuadraticGroup
from skglm.penalties import WeightedGroupL2
from skglm.solvers import GroupBCD
from skglm.utils.data import grp_converter


class Solver(BaseSolver):
    """Block coordinate descent with working sets and Anderson extrapolation."""

    name = "skglm"
    sampling_strategy = "iteration"
    requirements = ["pip::skglm"]

    def set_objective(self, X, y, size, lmbd):
        """Keep the problem."""
        self.X, self.y = X, y
        indices, pointers = grp_converter(size, X.shape[1])
        weights = np.ones(X.shape[1] // size)
        self.model = GeneralizedLinearEstimator(
            QuadraticGroup(pointers, indices),
            WeightedGroupL2(lmbd, weights, pointers, indices),
            GroupBCD(tol=1e-12, fit_intercept=False),
        )
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
            self.model.solver.max_iter = n_iter
            self.beta = self.model.fit(self.X, self.y).coef_

    def get_result(self):
        """The coefficients."""
        return {"beta": self.beta}
