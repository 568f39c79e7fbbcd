"""Families of amounts with mean exp(eta): poisson, gamma, negative_binomial and tweedie."""

from __future__ import annotations

from functools import partial
from math import inf

from sparsesolve.data import read_amounts, read_number, read_positive
from sparsesolve.families.family import Family, maker
from sparsesolve.families.links import exp
from sparsesolve.losses import LOSSES
from sparsesolve.solvers.follow import StopRule

poisson = Family(
    "poisson", LOSSES["poisson"], read_amounts, exp,
    StopRule(gain=1e-4, steps=4, relative=True),
)  # fmt: skip


@maker
def gamma() -> Family:
    """Positive responses with mean exp(eta) and a standard deviation proportional to it.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = np.exp(X[:, 0]) * rng.gamma(3.0, size=200)
    >>> ss.path(X, y, family=ss.families.gamma()).nonzero(0.5)
    array([0])
    """
    return Family("gamma", LOSSES["gamma"], read_positive, exp)


@maker
def negative_binomial(theta: float) -> Family:
    """Counts with mean mu = exp(eta) and variance mu + mu^2 / theta.

    Parameters
    ----------
    theta : float > 0
        Size; the family tends to Poisson as it grows.

    Raises
    ------
    ValueError, TypeError
        If `theta` is not a positive number.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = rng.poisson(np.exp(X[:, 0]) * rng.gamma(2.0, 0.5, size=200))
    >>> ss.path(X, y, family=ss.families.negative_binomial(2.0)).nonzero(0.3)
    array([0])
    """
    theta = read_number("theta", theta, 0, inf, open_low=True)
    loss = partial(LOSSES["negative_binomial"], theta=theta)
    return Family(f"negative_binomial(theta={theta!r})", loss, read_amounts, exp)


@maker
def tweedie(power: float) -> Family:
    """Amounts, with exact zeros, with mean mu = exp(eta) and variance proportional to mu^power.

    Parameters
    ----------
    power : float in (1, 2)
        Near 1 it resembles Poisson, near 2 gamma.

    Raises
    ------
    ValueError, TypeError
        If `power` is not strictly between 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> claims = rng.poisson(np.exp(X[:, 0]))
    >>> cost = np.array([rng.gamma(2.0, size=k).sum() for k in claims])
    >>> ss.path(X, cost, family=ss.families.tweedie(1.5)).nonzero(1.0)
    array([0])
    """
    power = read_number("power", power, 1, 2, open_low=True, open_high=True)
    loss = partial(LOSSES["tweedie"], power=power)
    return Family(f"tweedie(power={power!r})", loss, read_amounts, exp)
