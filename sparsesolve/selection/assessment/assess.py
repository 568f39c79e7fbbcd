"""assess: all measures that suit a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import by_rows
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.selection.assessment.known_rows import read_known_rows
from sparsesolve.selection.measures import Scores, known_measures, misclassified, read_measure


@answers_keywords()
@by_rows("y", "weights", "offset", "strata")
def assess(
    fit: Any,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
    strata: Any = None,
) -> Scores:
    """Compute all measures of a fit on rows with known responses, as glmnet's assess.glmnet does.

    Cox deviance is divided by the weight of the deaths; glmnet returns the sum.

    Parameters
    ----------
    fit : Path, CVPath, MKLPath, OnlineFit, CRFPath, SPOM, or a cross-validation of them
    X, y : array-like
        Rows, new ones or those of the fit, and their responses; X is what the fit's `predict`
        takes, and y of sequences what `crf_path` takes.
    s : float, array-like (S,) or, of a cross-validation, "lambda_1se" or "lambda_min"
        Default: every lambda of a path, and lambda_1se of a cross-validation.
    weights, offset : array-like, default None
        For these rows (or sequences); the offset is required if the fit had one.
    lengths : array-like (n_sequences,), default None
        For chains, where X is one table: the rows of each sequence.
    strata : array-like of labels (n,), default None
        For these rows, with cox: required if the fit had several. Deaths are compared within
        strata, which need not be those of the fit. A model from a file does not remember its
        strata.

    Returns
    -------
    Scores
        A dict of str to float, or to ndarray (S,) where there are several lambdas: "deviance",
        "mse", "mae", "class", "auc", "C", those that suit the family, with the definitions of
        :func:`cv_path`. With several lambdas it has ``lambdas``, ``to_frame()`` and ``plot()``.
        Chains are measured by position: by the probabilities of each label, and "class" by the
        best sequence of labels.

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
    rows = read_known_rows(fit, X, y, s, weights, offset, strata, lengths)
    found = measures_of([rows])
    return Scores(found, rows.lambdas, larger=("auc", "C")) if np.ndim(rows.lambdas) else (
        Scores(found))  # fmt: skip


def measures_of(blocks):
    """Return the measures of rows that come in blocks, an iterable of KnownRows, as `assess` does.

    Means are added up block by block. Ranks (auc, C) and cox need all rows at once: of these
    responses and linear predictors are kept.
    """
    totals, kept, last = {}, [], None
    for rows in blocks:
        if not len(rows.weights):
            continue
        last, family, names = rows, rows.family, known_measures(rows.family)
        names = names if rows.eta is not None else ["class"]
        for name in names:
            if _of_all_rows(name, family):
                continue
            scores = _score(name, rows)
            most = rows.weights.max()  # the unit, so that sums do not overflow
            totals.setdefault(name, []).append((scores, most, (rows.weights / most).sum()))
        if any(_of_all_rows(name, family) for name in names):
            kept.append((rows.y, rows.eta, rows.weights))
    if last is None:
        raise ValueError("no row counts: every row has weight 0")
    joined = [np.concatenate(parts) for parts in zip(*kept, strict=True)]
    found = {}
    for name in names:
        if _of_all_rows(name, family):
            values = read_measure(name, family).score(family, *joined)
        else:
            scores, units, sums = zip(*totals[name], strict=True)
            weights = np.array(sums) * (np.array(units) / max(units))
            values = scores[0] if len(scores) == 1 else np.average(scores, 0, weights)
        found[name] = values if np.ndim(last.lambdas) else float(values[0])
    return found


def _score(name, rows):
    """Return a measure of some rows."""
    if name == "class":
        w = rows.weights / rows.weights.max()  # the unit of weights has no effect
        return misclassified(rows.family, rows.y, rows.codes(), w)
    measure = read_measure(name, rows.family)
    return measure.score(rows.family, rows.y, rows.eta, rows.weights)


def _of_all_rows(name, family):
    return name in ("auc", "C") or family.name == "cox"
