"""assess: all measures that suit a fit."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from sparsesolve.data import by_rows
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.results.cv_path import CVPath
from sparsesolve.results.path import Path
from sparsesolve.selection.assessment.known_rows import read_known_rows
from sparsesolve.selection.measures import known_measures, read_measure


@answers_keywords()
@by_rows("y", "weights", "offset", "strata")
def assess(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    strata: Any = None,
) -> dict[str, Any]:
    """Compute all measures of a fit on rows with known responses, as glmnet's assess.glmnet does.

    Cox deviance is divided by the weight of the deaths; glmnet returns the sum.

    Parameters
    ----------
    fit : Path or CVPath
    X, y : array-like
        Rows, new ones or those of the fit, and their responses.
    s : float, array-like (S,) or, of a CVPath, "lambda_1se" or "lambda_min", default None
        None means every lambda of a Path, and lambda_1se of a CVPath.
    weights, offset : array-like, default None
        For these rows; the offset is required if the fit had one.
    strata : array-like of labels (n,), default None
        For these rows, with cox: required if the fit had several. Deaths are compared within
        strata, which need not be those of the fit. A model from a file does not remember its
        strata.

    Returns
    -------
    dict of str to float, or to ndarray (S,) where s is a list or None
        "deviance", "mse", "mae", "class", "auc", "C": those that suit the family, with the
        definitions of :func:`cv_path`.

    Raises
    ------
    ValueError
        If rows or responses do not fit the path (other columns, an unknown class, a missing
        offset, missing or unexpected strata), or if no row has a positive weight.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X[:, 0] + rng.logistic(size=200) > 0
    >>> fit = ss.path(X[:100], y[:100], family="binomial")
    >>> found = ss.assess(fit, X[100:], y[100:], s=0.05)
    >>> {name: round(value, 2) for name, value in found.items()}
    {'deviance': 1.16, 'class': 0.35, 'mse': 0.41, 'mae': 0.77, 'auc': 0.77}
    """
    family, y, eta, w, single = read_known_rows(fit, X, y, s, weights, offset, strata)
    found = {}
    for name in known_measures(family):
        values = read_measure(name, family).score(family, y, eta, w)
        found[name] = float(values[0]) if single else values
    return found
