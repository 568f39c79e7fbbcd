"""Families: for each, the loss that it means, how its responses are read, and what it predicts.

A family is named (``family="poisson"``) or made by a function here (``families.huber(1.5)``)::

    gaussian       real numbers; squared error / 2
    binomial       two classes: 0 and 1, booleans, or two labels of any type, of which the last in
                   sorted order is the target; shares in [0, 1]; or two columns of counts,
                   failures before successes; logistic loss
    multinomial    several classes: labels of any type, or a column of counts or shares for each;
                   symmetric softmax, a coefficient for each feature and class, which path(...,
                   grouped=True) ties; intercepts have mean 0, each feature's coefficients the
                   shift over the classes that costs least
    poisson        numbers of at least 0, counts or rates; log link: an offset is log exposure
    cox            (time, status) or (start, stop, status): columns of an array, a frame, a dict or
                   a tuple; Breslow's partial likelihood, no intercept; cox(ties, strata)
    multigaussian  several columns of real numbers; squared error / 2; coefficients are tied
    huber(delta)                real numbers; squares near, absolute errors far away
    squared_hinge()             two classes; a smooth support vector machine
    probit(), cloglog()         two classes, shares or counts; other links
    gamma()                     positive numbers; log link
    negative_binomial(theta)    numbers of at least 0, of variance mu + mu^2 / theta; log link
    tweedie(power)              numbers of at least 0, of variance ~ mu^power; log link

Solutions are certified by the duality gap. glmnet's rule ends a path once a step gains less than
1e-5 of deviance explained (of gaussian 1e-5 of itself, of poisson 1e-4 of itself over 4 steps, of
cox 1e-3 over 4), or more than 99.9% (cox 99%) is explained. Steps in which coefficient limits hold
everything where it is do not end it: other features may be to come.

Or it is written in Python: any object with the methods ::

    value(y, eta)       loss of each sample, convex and smooth in eta
    gradient(y, eta)    its derivative in eta
    curvature(y, eta)   its second derivative

which take two arrays of shape (n,) and return one of that shape, and, if it likes, ::

    conjugate(y, v)     sup over eta of v eta - value(y, eta), infinite outside its domain: where
                        it is not given it is found by Newton's steps, at some expense
    mean(eta)           what predict(kind="response") returns; eta itself where it is not given
    name                a string

:func:`from_object` makes a family of it, once differences have shown that the derivatives belong
to the value. An exception raised in these methods ends the fit and reaches the caller.

>>> import numpy as np
>>> from sparsesolve import families
>>> class LogCosh:
...     name = "log-cosh"
...     def value(self, y, eta):
...         return np.logaddexp(eta - y, y - eta) - np.log(2)
...     def gradient(self, y, eta):
...         return np.tanh(eta - y)
...     def curvature(self, y, eta):
...         return 1 - np.tanh(eta - y) ** 2
>>> family = families.from_object(LogCosh())
>>> family
Family(name='log-cosh')
>>> loss = family.loss(np.array([1.0, 3.0]), np.array([0.5, 0.5]))  # responses and weights
>>> value, residual = loss.at(np.array([2.0, 0.0]))
>>> print(f"{value:.4f}", residual.round(4))
1.3716 [-0.3808  0.4975]
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve import checks
from sparsesolve.checks import Response
from sparsesolve.links import (
    above_log_log_two,
    above_zero,
    exp,
    expit,
    identity,
    largest,
    ndtr,
    one_minus_exp_minus_exp,
    softmax,
)
from sparsesolve.losses import LOSSES, PythonLoss
from sparsesolve.solvers.path import StopRule

__all__ = [
    "FAMILIES", "Family", "Response", "StopRule", "binomial", "cloglog", "cox", "from_object",
    "gamma", "gaussian", "huber", "multigaussian", "multinomial", "negative_binomial", "poisson",
    "probit", "read_family", "squared_hinge", "tweedie",
]  # fmt: skip


@dataclass(frozen=True)
class Family:
    """A kind of response."""

    name: str  #: with its parameter, as "huber(delta=1.0)"
    loss: Callable = field(repr=False)  #: (values, weights) -> Loss
    read: Callable = field(repr=False)  #: (y, n) -> Response
    #: linear predictor -> mean of y, of the same shape; classes, if several, along axis 1
    mean: Callable = field(repr=False)
    #: when a path ends
    stop: StopRule = field(default=StopRule(), repr=False)
    #: linear predictor -> index of the likeliest class; None where y has no classes
    classify: Callable | None = field(default=None, repr=False)
    intercept: bool = field(default=True, repr=False)  #: whether one can be told from the data
    #: whether eta has a row per class or response
    several: bool = field(default=False, repr=False)


def huber(delta: float = 1.0) -> Family:
    """Squared error near, absolute error far from the response.

    Parameters
    ----------
    delta : float > 0, default 1
        Residual, in units of y, at which the loss ``r^2 / 2`` turns into
        ``delta |r| - delta^2 / 2``.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

    References
    ----------
    Huber (1964), "Robust estimation of a location parameter".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + rng.standard_t(1, size=200)
    >>> ss.path(X, y, family=ss.families.huber(1.0)).coef(0.2).round(2)
    array([0.74, 0.  , 0.  , 0.  , 0.  ])
    """
    delta = checks.read_number("delta", delta, 0, inf, open_low=True)
    loss = partial(LOSSES["huber"], delta=delta)
    return Family(f"huber(delta={delta!r})", loss, checks.read_real, identity)


def squared_hinge() -> Family:
    """Squared hinge loss of two classes: a smooth support vector machine.

    ``max(0, 1 - y eta)^2 / 2`` for y = -1 and 1, whatever labels you give. It has no
    probabilities: ``predict(kind="response")`` returns the linear predictor.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> fit = ss.path(X, np.sign(X[:, 0] + X[:, 1]), family=ss.families.squared_hinge())
    >>> fit.nonzero(s=0.5 * fit.lambdas[0])
    array([0, 1])
    """
    return Family("squared_hinge", LOSSES["squared_hinge"], checks.read_sides, identity,
                  classify=above_zero)  # fmt: skip


def probit() -> Family:
    """Two classes, or counts of successes, of probability Phi(eta), the normal distribution.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + rng.normal(size=200) > 0
    >>> ss.path(X, y, family=ss.families.probit()).nonzero(0.1)
    array([0])
    """
    return Family("probit", LOSSES["probit"], checks.read_binary, ndtr, classify=above_zero)


def cloglog() -> Family:
    """Two classes, or counts of successes, of probability 1 - exp(-exp(eta)).

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] > np.log(rng.exponential(size=200))
    >>> ss.path(X, y, family=ss.families.cloglog()).nonzero(0.1)
    array([0])
    """
    return Family("cloglog", LOSSES["cloglog"], checks.read_binary, one_minus_exp_minus_exp,
                  classify=above_log_log_two)  # fmt: skip


def gamma() -> Family:
    """Positive responses of mean exp(eta) and of a standard deviation proportional to it.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

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
    return Family("gamma", LOSSES["gamma"], checks.read_positive, exp)


def negative_binomial(theta: float) -> Family:
    """Counts of mean mu = exp(eta) and variance mu + mu^2 / theta.

    Parameters
    ----------
    theta : float > 0
        Size; the family tends to Poisson's as it grows.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

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
    theta = checks.read_number("theta", theta, 0, inf, open_low=True)
    loss = partial(LOSSES["negative_binomial"], theta=theta)
    return Family(f"negative_binomial(theta={theta!r})", loss, checks.read_amounts, exp)


def tweedie(power: float) -> Family:
    """Amounts, zeros among them, of mean mu = exp(eta) and variance proportional to mu^power.

    Parameters
    ----------
    power : float in (1, 2)
        Near 1 as Poisson's, near 2 as gamma's.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

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
    power = checks.read_number("power", power, 1, 2, open_low=True, open_high=True)
    loss = partial(LOSSES["tweedie"], power=power)
    return Family(f"tweedie(power={power!r})", loss, checks.read_amounts, exp)


def cox(ties: str = "breslow", strata: Any = None) -> Family:
    """Proportional hazards: y is (time, status), or (start, stop, status) for late entries.

    Parameters
    ----------
    ties : {"breslow", "efron"}, default "breslow"
        How deaths at one time share the risk.
    strata : array-like (n,), default None
        Labels of any kind; each stratum has a baseline hazard of its own.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.path` and its kin.

    References
    ----------
    Cox (1972), "Regression models and life-tables"; Breslow (1974) and Efron (1977) on ties.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> time, status = rng.exponential(np.exp(-X[:, 0])), rng.random(200) < 0.8
    >>> family = ss.families.cox(ties="efron")
    >>> ss.path(X, {"time": time, "status": status}, family=family).nonzero(0.2)
    array([0])
    """
    checks.read_choice("ties", ties, ["breslow", "efron"])
    return Family("cox", partial(LOSSES["cox"], ties=ties), partial(_read_survival, strata),
                  exp, StopRule(gain=1e-3, steps=4, relative=True, explained=0.99),
                  intercept=False)  # fmt: skip


def from_object(law: object, y: ArrayLike = (0.0, 1.0)) -> Family:
    """A family written in Python; what `law` must offer stands at the top of this module.

    Parameters
    ----------
    law : object
    y : sequence of float, default (0, 1)
        Responses at which its derivatives are compared with differences of its value. Those of
        a fit are looked at as well, once they are known.

    Returns
    -------
    Family
        What ``family=law`` makes of it too.

    Raises
    ------
    TypeError, ValueError
        If a method is missing, or a derivative does not belong to the value: which and where.

    Examples
    --------
    >>> import sparsesolve as ss
    >>> class Square:
    ...     def value(self, y, eta):
    ...         return (y - eta) ** 2 / 2
    ...     def gradient(self, y, eta):
    ...         return eta - y
    ...     def curvature(self, y, eta):
    ...         return 0.0 * eta
    >>> ss.families.from_object(Square())
    Traceback (most recent call last):
    ...
    ValueError: Square: curvature is ... but gradient rises by 1 per unit of eta there; ...
    """
    if isinstance(law, type):
        raise TypeError(f"family is the class {law.__name__}; pass an object, {law.__name__}()")
    name = getattr(law, "name", type(law).__name__)
    if not isinstance(name, str):
        raise TypeError(f"name of the family's object must be a string, not {name!r}")
    checks.check_derivatives(law, name, y)
    return Family(name, partial(PythonLoss, law=law), partial(_read_for, law, name),
                  getattr(law, "mean", identity))  # fmt: skip


def read_family(family):
    """The Family that a name, a Family or a user's object stands for."""
    if isinstance(family, Family):
        return family
    if isinstance(family, str):
        here = ELSEWHERE.get(family, f"families.{family}(...)" if family in MAKERS else family)
        if family not in FAMILIES and here != family:
            raise ValueError(
                f"family must be one of {', '.join(map(repr, FAMILIES))}, not {family!r}, which "
                f"is {here} here"
            )
        return FAMILIES[checks.read_choice("family", family, list(FAMILIES))]
    if any(family is maker for maker in MAKERS.values()):
        name = family.__name__
        raise TypeError(f"family is the function {name}; call it: family=families.{name}(...)")
    if isinstance(family, type) or hasattr(family, "value"):
        return from_object(family)
    listed = ", ".join(map(repr, FAMILIES))
    raise TypeError(
        f"family must be one of {listed}, or one made by sparsesolve.families, not {family!r}"
    )


def _read_for(law, name, y, n):
    """Real responses, a few of which have shown that the object's derivatives hold for them."""
    response = checks.read_real(y, n)
    few = np.quantile(response.values, np.linspace(0, 1, 5), method="nearest") if n else []
    checks.check_derivatives(law, name, np.unique(few))
    return response


def _read_survival(strata, y, n):
    labels = None if strata is None else checks.read_strata(strata, n)[1]
    return Response(checks.read_survival(y, n, strata), strata=labels)


gaussian = Family(
    "gaussian", LOSSES["gaussian"], checks.read_real, identity, StopRule(relative=True)
)
binomial = Family("binomial", LOSSES["binomial"], checks.read_binary, expit, classify=above_zero)
multinomial = Family(
    "multinomial", LOSSES["multinomial"], checks.read_classes, softmax,
    classify=largest, several=True,
)  # fmt: skip
multigaussian = Family(
    "multigaussian", LOSSES["multigaussian"], checks.read_several, identity,
    StopRule(relative="rest"), several=True,
)  # fmt: skip
poisson = Family(
    "poisson", LOSSES["poisson"], checks.read_amounts, exp,
    StopRule(gain=1e-4, steps=4, relative=True),
)  # fmt: skip

NAMED = (gaussian, binomial, multinomial, poisson, cox(), multigaussian)
FAMILIES = {family.name: family for family in NAMED}

ELSEWHERE = {  # names of other packages
    "mgaussian": "'multigaussian'",
    "logistic": "'binomial'",
    "softmax": "'multinomial'",
}

MADE = (huber, squared_hinge, probit, cloglog, cox, gamma, negative_binomial, tweedie)
MAKERS = {maker.__name__: maker for maker in MADE}
