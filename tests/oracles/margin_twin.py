"""Slow twins of ridge-penalised losses with kinks: objectives in numpy, a dual by SLSQP."""

import numpy as np
from kinked_oracle import pieces  # the lines of each loss
from scipy.optimize import minimize


def objective(kind, X, y, w, lam, b, b0):
    """sum_i w_i f(y_i, x_i'b + b0) + lam |b|^2 / 2."""
    slopes, constants = pieces(kind, y)
    return w @ (slopes * (X @ b + b0) + constants).max(axis=0) + 0.5 * lam * b @ b


def lower_bound(kind, X, y, w, lam, intercept):
    """A value of the dual near its maximum: weights of the lines of each row, on simplices.

    The dual variables of row i are t_i >= 0 of sum w_i, one a line; its value is the sum of t c
    less |X'(sum of t s)|^2 / (2 lam). Feasible up to 1e-12, which the caller allows for.
    """
    slopes, constants = pieces(kind, y)
    k, n = slopes.shape

    def negative(t):
        z = X.T @ (slopes * t.reshape(k, n)).sum(axis=0)
        gradient = slopes * (X @ z) / lam - constants
        return 0.5 * z @ z / lam - constants.ravel() @ t, gradient.ravel()

    sums = np.tile(np.eye(n), k)
    level = np.r_[w, 0.0] if intercept else w
    rows = np.vstack([sums, slopes.ravel()]) if intercept else sums
    start = np.tile(w / k, k)
    found = minimize(
        negative, start, jac=True, method="SLSQP", bounds=[(0, None)] * (k * n),
        constraints={"type": "eq", "fun": lambda t: rows @ t - level, "jac": lambda t: rows},
        options={"ftol": 1e-13, "maxiter": 500},
    )  # fmt: skip
    return -found.fun
