"""Families of real numbers: gaussian, multigaussian for several columns of them, and huber."""

from __future__ import annotations

from functools import partial
from math import inf

from sparsesolve.data import read_number, read_real, read_several
from sparsesolve.families.family import Family, maker
from sparsesolve.families.links import identity
from sparsesolve.losses import LOSSES
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
