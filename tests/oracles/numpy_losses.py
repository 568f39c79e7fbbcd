"""Losses of one sample as plain numpy functions: what tests compare with, written to be obvious.

They take y as the package's losses do: shares of successes for binomial, probit and cloglog, -1
and 1 for the squared hinge. Where a second derivative is 0 or does not exist, `bend` may be any
small positive number.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, expit, hyp1f1, log_ndtr, ndtr, xlogy


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


def _finite_exp(eta):
    """Neither 0 nor infinite, so that 0 times it is 0."""
    return np.exp(np.clip(eta, -700.0, 700.0))


def _bent(x):
    """exp(x) - 1 - x, to the last digits of small ones as well."""
    x = np.clip(x, -700.0, 700.0)
    return 0.5 * x * x * hyp1f1(1.0, 3.0, x)


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


def _entropy(y):
    return -xlogy(y, y) - xlogy(1.0 - y, 1.0 - y)


def _mills(x):
    """phi(x) / Phi(x)."""
    return np.sqrt(2 / np.pi) / erfcx(-x / np.sqrt(2))


def _log_ndtr(x):
    """To the last digits of small ones as well."""
    return np.where(x > 0, np.log1p(-ndtr(-np.abs(x))), log_ndtr(x))


PROBIT = Loss(
    lambda y, eta: -y * _log_ndtr(eta) - (1 - y) * _log_ndtr(-eta),
    lambda y, eta: (1 - y) * _mills(-eta) - y * _mills(eta),
    lambda y, eta: y * _mills(eta) * (_mills(eta) + eta)
    + (1 - y) * _mills(-eta) * (_mills(-eta) - eta),
    least=_entropy)


def _odds(m):
    """m / (exp(m) - 1)."""
    with np.errstate(over="ignore"):
        return m / np.expm1(m)


def _cloglog_bend(y, eta):
    m = _finite_exp(eta)
    return y * _odds(m) * (_odds(m) + m - 1) + (1 - y) * m


def _log_success(eta):
    """log(1 - exp(-exp(eta))), to the last digits of small ones as well."""
    m = _finite_exp(eta)
    with np.errstate(divide="ignore"):
        far = np.where(eta > 0, np.log1p(-np.exp(-m)), np.log(-np.expm1(-m)))
    return np.where(eta > -30, far, eta)


CLOGLOG = Loss(
    lambda y, eta: (1 - y) * _finite_exp(eta) - y * _log_success(eta),
    lambda y, eta: -y * _odds(_finite_exp(eta)) + (1 - y) * _finite_exp(eta),
    _cloglog_bend, least=_entropy)


def _gamma_conjugate(y, v):
    s = np.maximum(1.0 - v, 0.0)
    return np.where(v <= 1 + 1e-13, xlogy(s, s / y) - s, np.inf)


GAMMA = Loss(lambda y, eta: y * _exp(-eta) + eta, lambda y, eta: 1 - y * _exp(-eta),
             lambda y, eta: y * _exp(-eta), _gamma_conjugate)

LOG_COSH = Loss(
    lambda y, eta: np.logaddexp(eta - y, y - eta) - np.log(2), lambda y, eta: np.tanh(eta - y),
    lambda y, eta: np.maximum(1 - np.tanh(eta - y) ** 2, 1e-4),
    lambda y, v: np.where(np.abs(v) <= 1, (xlogy(1 + v, 1 + v) + xlogy(1 - v, 1 - v)) / 2 + v * y,
                          np.inf))


def negative_binomial(theta):
    """Minus the log-likelihood of size theta and mean exp(eta), less what does not hold eta."""
    def conjugate(y, v):
        s, rest, size = y + v, theta - v, y + theta
        a, b = np.maximum(s, 0.0), np.maximum(rest, 0.0)
        inside = np.minimum(s, rest) >= -1e-13 * (1 + size)
        return np.where(inside, xlogy(a, a * theta / size) + xlogy(b, b / size), np.inf)

    return Loss(lambda y, eta: (y + theta) * np.logaddexp(0.0, eta - np.log(theta)) - y * eta,
                lambda y, eta: (y + theta) * expit(eta - np.log(theta)) - y,
                lambda y, eta: (y + theta) / (2 + np.exp(eta) / theta + theta * np.exp(-eta)),
                conjugate)


def tweedie(power):
    """Half the unit deviance of variance mu ** power, by positive terms."""
    a, b, exp = 2.0 - power, power - 1.0, _finite_exp

    def value(y, eta):
        off = eta - np.log(np.where(y > 0, y, 1.0))
        return np.where(y > 0, y**a * (_bent(a * off) / a + _bent(-b * off) / b), exp(a * eta) / a)

    return Loss(value, lambda y, eta: exp(a * eta) - y * exp(-b * eta),
                lambda y, eta: a * exp(a * eta) + b * y * exp(-b * eta), least=np.zeros_like)


class LogCosh:
    """A user's family, of numpy alone."""

    value = staticmethod(LOG_COSH.value)
    gradient = staticmethod(LOG_COSH.slope)

    def curvature(self, y, eta):
        return 1 - np.tanh(eta - y) ** 2


class CertifiedLogCosh(LogCosh):
    conjugate = staticmethod(LOG_COSH.conjugate)
