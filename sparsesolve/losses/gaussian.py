"""Squared error."""

import numpy as np


class Gaussian:
    """F(eta) = sum_i w_i (y_i - eta_i)^2 / 2.

    Every method works sample by sample and returns an array of the shape of ``eta``; weights and
    sums are the caller's. ``conjugate`` is the supremum over eta of ``v * eta - value(y, eta)``.
    """

    name = "gaussian"
    quadratic = True  # the curvature is constant: one quadratic model is exact
    curvature_bound = 1.0

    @staticmethod
    def value(y, eta):
        """Loss of each sample."""
        return 0.5 * (y - eta) ** 2

    @staticmethod
    def gradient(y, eta):
        """Derivative in eta."""
        return eta - y

    @staticmethod
    def curvature(y, eta):
        """Second derivative in eta."""
        return np.ones_like(eta)

    @staticmethod
    def conjugate(y, v):
        """Convex conjugate at v."""
        return 0.5 * v**2 + y * v

    @staticmethod
    def response(eta):
        """Mean of y given eta."""
        return eta

    @staticmethod
    def deviance(y, eta):
        """Contribution of each sample to the deviance."""
        return (y - eta) ** 2
