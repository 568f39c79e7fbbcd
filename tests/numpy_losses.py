"""Losses of one sample as plain numpy functions: what tests compare with, written to be obvious.

They take y as the package's losses do: shares of successes for binomial, -1 and 1 for the squared
hinge. Where a second derivative is 0 or does not exist, `bend` may be any small positive number.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy


@dataclass(frozen=True)
class Loss:
    """One sample's loss as numpy functions of (y, eta); the conjugate is a function of (y, v)."""

    value: Callable
    slope: Callable
    bend: Callable
    conjugate: Callable | None = None  # inf outside its domain
    least: Callable | None = None  # (y) -> the infimum over eta; -conjugate(y, 0) when not given

    def saturated(self, y):
        """The least value for every y."""
        return self.least(y) if self.least else -self.conjugate(y, np.zeros_like(y))


def _binomial_conjugate(y, v):
    s, rest = y + v, (1.0 - y) - v
    inside = (s >= -1e-13) & (rest >= -1e-13)
    s, rest = np.clip(s, 0.0, 1.0), np.clip(rest, 0.0, 1.0)
    return np.where(inside, xlogy(s, s) + xlogy(rest, rest), np.inf)


def _binomial_slope(y, eta):
    return np.where(eta > 0, (1.0 - y) - expit(-eta), expit(eta) - y)


def _poisson_conjugate(y, v):
    s = y + v
    at = np.maximum(s, 0.0)
    return np.where(s >= -1e-13 * (1 + y), xlogy(at, at) - at, np.inf)


def _exp(eta):
    with np.errstate(over="ignore"):
        return np.exp(eta)


BINOMIAL = Loss(
    lambda y, eta: np.logaddexp(0.0, -np.abs(eta)) + np.where(eta > 0, 1.0 - y, -y) * eta,
    _binomial_slope, lambda y, eta: expit(eta) * expit(-eta), _binomial_conjugate)

POISSON = Loss(lambda y, eta: _exp(eta) - y * eta, lambda y, eta: _exp(eta) - y,
               lambda y, eta: _exp(eta), _poisson_conjugate)

GAUSSIAN = Loss(lambda y, eta: (y - eta) ** 2 / 2, lambda y, eta: eta - y,
                lambda y, eta: np.ones_like(eta), lambda y, v: v * v / 2 + y * v)

SQUARED_HINGE = Loss(
    lambda y, eta: np.maximum(1 - y * eta, 0.0) ** 2 / 2,
    lambda y, eta: -y * np.maximum(1 - y * eta, 0.0),
    lambda y, eta: np.where(y * eta < 1, 1.0, 1e-4),
    lambda y, v: np.where(y * v <= 1e-13, v * v / 2 + y * v, np.inf))


def huber(delta):
    """Quadratic inside delta, linear outside."""
    def value(y, eta):
        r = np.abs(y - eta)
        return np.where(r <= delta, r * r / 2, delta * (r - delta / 2))

    return Loss(value, lambda y, eta: np.clip(eta - y, -delta, delta),
                lambda y, eta: np.where(np.abs(y - eta) <= delta, 1.0, 1e-4),
                lambda y, v: np.where(np.abs(v) <= delta * (1 + 1e-13), v * v / 2 + y * v, np.inf))
