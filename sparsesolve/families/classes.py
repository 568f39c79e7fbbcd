"""Families of classes: binomial, multinomial, hinge, squared_hinge, probit and cloglog."""

from __future__ import annotations

from sparsesolve.data import read_binary, read_classes, read_sides
from sparsesolve.families.family import STOP_OF_PIECES, Family, maker
from sparsesolve.families.links import (
    above_log_log_two,
    above_zero,
    expit,
    identity,
    largest,
    ndtr,
    one_minus_exp_minus_exp,
    softmax,
)
from sparsesolve.losses import KINKED, LOSSES

binomial = Family("binomial", LOSSES["binomial"], read_binary, expit, classify=above_zero)
multinomial = Family(
    "multinomial", LOSSES["multinomial"], read_classes, softmax,
    classify=largest, several=True,
)  # fmt: skip


@maker
def hinge() -> Family:
    r"""Hinge loss of two classes, the loss of support vector machines.

    The loss is :math:`\max(0, 1 - y \eta)` for y = -1 and 1, whatever labels you give. It has no
    probabilities: ``predict(kind="response")`` returns the linear predictor. With ``alpha=0`` a
    path is that of the linear support vector machine with ``lambda = 1 / (C n)`` and an
    unpenalised intercept. `squared_hinge` is smooth, and solved faster.
    :func:`sparsesolve.mkl_path` takes it for kernels.

    References
    ----------
    Cortes, Vapnik (1995), "Support-vector networks".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = np.sign(X[:, 0] + X[:, 1])
    >>> fit = ss.path(X, y, family=ss.families.hinge(), lambdas=[0.1])
    >>> fit.nonzero(s=0.1)
    array([0, 1])
    >>> bool(fit.gaps.max() <= 1e-7)
    True
    """
    return Family("hinge", KINKED["hinge"], read_sides, identity, STOP_OF_PIECES,
                  classify=above_zero, smooth=False)  # fmt: skip


@maker
def squared_hinge() -> Family:
    r"""Squared hinge loss of two classes: a smooth support vector machine.

    The loss is :math:`\max(0, 1 - y \eta)^2 / 2` for y = -1 and 1, whatever labels you give.
    It has no probabilities: ``predict(kind="response")`` returns the linear predictor.

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
    return Family("squared_hinge", LOSSES["squared_hinge"], read_sides, identity,
                  classify=above_zero)  # fmt: skip


@maker
def probit() -> Family:
    """Two classes, or counts of successes, with probability Phi(eta), the normal distribution.

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
    return Family("probit", LOSSES["probit"], read_binary, ndtr, classify=above_zero)


@maker
def cloglog() -> Family:
    """Two classes, or counts of successes, with probability 1 - exp(-exp(eta)).

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
    return Family("cloglog", LOSSES["cloglog"], read_binary, one_minus_exp_minus_exp,
                  classify=above_log_log_two)  # fmt: skip
