"""What the certificate needs of a loss, in numpy: mean losses, their conjugates, best intercepts.

Everything works on columns: eta (n, L) holds one linear predictor per lambda, y is (n, 1), and
R = y - mean(eta), so that u = R / n is minus the gradient of the mean loss. A dual point t R has

    dual(y, t R) = -(1/n) sum_i l*(y_i, -t R_i),   valid where 1'R = 0.
"""

import numpy as np


def _x_log_x(x):
    return x * np.log(np.maximum(x, np.finfo(float).tiny))


class Gaussian:
    """(y - eta)^2 / 2."""

    @staticmethod
    def value(y, eta):
        return ((y - eta) ** 2).mean(axis=0) / 2

    @staticmethod
    def mean(eta):
        return eta

    @staticmethod
    def bend(eta):
        return np.ones_like(eta)

    @staticmethod
    def intercept(y, eta):
        return (y - eta).mean(axis=0)

    @staticmethod
    def dual(y, R):
        return (y * R).mean(axis=0) - (R**2).mean(axis=0) / 2

    @staticmethod
    def best_multiple(y, R):
        """t with the largest dual value."""
        return (y * R).mean(axis=0) / np.maximum((R**2).mean(axis=0), np.finfo(float).tiny)


class Binomial:
    """log(1 + exp(eta)) - y eta, y in [0, 1]."""

    @staticmethod
    def value(y, eta):
        positive = np.maximum(eta, 0.0)
        return (positive + np.log1p(np.exp(eta - 2 * positive)) - y * eta).mean(axis=0)

    @staticmethod
    def mean(eta):
        e = np.exp(-np.abs(eta))
        return np.where(eta > 0, 1.0, e) / (1.0 + e)

    @staticmethod
    def bend(eta):
        e = np.exp(-np.abs(eta))
        return e / (1.0 + e) ** 2

    @classmethod
    def intercept(cls, y, eta):
        """Newton's method, steps of at most 1."""
        b0 = np.zeros(eta.shape[1])
        for _ in range(100):
            slope = (cls.mean(b0 + eta) - y).mean(axis=0)
            bend = cls.bend(b0 + eta).mean(axis=0)
            step = np.clip(slope / np.maximum(bend, 1e-12), -1.0, 1.0)
            b0 -= step
            if np.abs(step).max() < 1e-13:
                break
        return b0

    @staticmethod
    def dual(y, R):
        s = np.clip(y - R, 0.0, 1.0)  # a probability between the model's and y: rounding alone
        return -(_x_log_x(s) + _x_log_x(1.0 - s)).mean(axis=0)

    @staticmethod
    def best_multiple(y, R):
        return np.ones(R.shape[1])


class Poisson:
    """exp(eta) - y eta."""

    @staticmethod
    def value(y, eta):
        return (np.exp(eta) - y * eta).mean(axis=0)

    @staticmethod
    def mean(eta):
        return np.exp(eta)

    bend = mean

    @staticmethod
    def intercept(y, eta):
        top = eta.max(axis=0)
        return np.log(y.mean()) - np.log(np.exp(eta - top).mean(axis=0)) - top

    @staticmethod
    def dual(y, R):
        s = np.maximum(y - R, 0.0)
        return -(_x_log_x(s) - s).mean(axis=0)

    @staticmethod
    def best_multiple(y, R):
        return np.ones(R.shape[1])


LOSSES = {"gaussian": Gaussian, "binomial": Binomial, "poisson": Poisson}


def null_residual(name, y):
    """y - mean at the model of the intercept alone."""
    y = np.asarray(y, dtype=np.float64)[:, None]
    loss, eta = LOSSES[name], np.zeros_like(y)
    return (y - loss.mean(eta + loss.intercept(y, eta))).ravel()
