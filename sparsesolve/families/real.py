"""Families of real numbers: gaussian, multigaussian, huber, quantile and epsilon_insensitive."""

from __future__ import annotations

from functools import partial
from math import inf

from sparsesolve.data import read_number, read_real, read_several
from sparsesolve.families.family import STOP_OF_PIECES, Family, maker
from sparsesolve.families.links import identity
from sparsesolve.losses import KINKED, LOSSES
from sparsesolve.solvers.follow import StopRule

gaussian = Family(
    "gaussian", LOSSES["gaussian"], read_real, identity, StopRule(relative=True)
)
multigaussian = Family(
    "multigaussian", LOSSES["multigaussian"], read_several, identity,
    StopRule(relative="rest"), several=True,
)  # fmt: skip


@maker
def huber(delta: float = 1.0) -> Family:
    r"""Huber loss: squared error for small residuals, absolute error for large ones.

    Parameters
    ----------
    delta : float > 0, default 1
        Residual, in units of y, at which the loss :math:`r^2 / 2` turns into
        :math:`\delta |r| - \delta^2 / 2`.

    Raises
    ------
    ValueError, TypeError
        If `delta` is not a positive number.

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
    delta = read_number("delta", delta, 0, inf, open_low=True)
    loss = partial(LOSSES["huber"], delta=delta)
    return Family(f"huber(delta={delta!r})", loss, read_real, identity)


@maker
def quantile(q: float = 0.5) -> Family:
    """Pinball loss of real numbers: a path of conditional quantiles.

    The loss is ``q r`` for residuals ``r = y - eta`` above 0 and ``(q - 1) r`` below; at q = 0.5
    it is half the absolute error.

    Parameters
    ----------
    q : float in (0, 1), default 0.5
        The quantile.

    Raises
    ------
    ValueError, TypeError
        If `q` is not a number between 0 and 1.

    References
    ----------
    Koenker, Bassett (1978), "Regression quantiles".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + rng.standard_t(1, size=200)
    >>> ss.path(X, y, family=ss.families.quantile(0.5), lambdas=[0.1]).nonzero(0.1)
    array([0])
    """
    q = read_number("q", q, 0, 1, open_low=True, open_high=True)
    loss = partial(KINKED["quantile"], q=q)
    return Family(f"quantile(q={q!r})", loss, read_real, identity, STOP_OF_PIECES, smooth=False)


@maker
def epsilon_insensitive(epsilon: float = 0.1) -> Family:
    """Absolute error of real numbers beyond `epsilon`: support vector regression.

    Parameters
    ----------
    epsilon : float >= 0, default 0.1
        Errors up to this size, in units of y, cost nothing.

    Raises
    ------
    ValueError, TypeError
        If `epsilon` is not a number of at least 0.

    References
    ----------
    Smola, Schoelkopf (2004), "A tutorial on support vector regression".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + 0.1 * rng.normal(size=200)
    >>> family = ss.families.epsilon_insensitive(0.2)
    >>> ss.path(X, y, family=family, lambdas=[0.1]).nonzero(0.1)
    array([0])
    """
    epsilon = read_number("epsilon", epsilon, 0, inf)
    loss = partial(KINKED["epsilon_insensitive"], epsilon=epsilon)
    name = f"epsilon_insensitive(epsilon={epsilon!r})"
    return Family(name, loss, read_real, identity, STOP_OF_PIECES, smooth=False)
