"""The family of survival times: cox, with ties and strata."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

from sparsesolve.data import Response, read_choice, read_strata, read_survival
from sparsesolve.families.family import Family, maker
from sparsesolve.families.links import exp
from sparsesolve.losses import LOSSES
from sparsesolve.solvers.follow import StopRule


@maker
def cox(ties: str = "breslow", strata: Any = None) -> Family:
    """Proportional hazards: y is (time, status), or (start, stop, status) for late entries.

    Parameters
    ----------
    ties : {"breslow", "efron"}, default "breslow"
        How deaths at the same time share the risk.
    strata : array-like (n,), default None
        Labels of any kind; each stratum has its own baseline hazard.

    Raises
    ------
    ValueError
        If `ties` is neither; `strata` are read with the response, when a path is fitted.

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
    read_choice("ties", ties, ["breslow", "efron"])
    strata = list(strata) if hasattr(strata, "__next__") else deepcopy(strata)
    return Family("cox", partial(LOSSES["cox"], ties=ties), partial(_read_survival, strata), exp,
                  StopRule(gain=1e-3, steps=4, relative=True, explained=0.99),
                  intercept=False)  # fmt: skip


def _read_survival(strata, y, n):
    labels = None if strata is None else read_strata(strata, n)[1]
    return Response(read_survival(y, n, strata), strata=labels)
