"""The pretrained lasso: a path on few rows that begins at a model of many."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from sparsesolve.data import by_rows, read_design, read_number, refuse_other_names
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.paths.guided import OF_COEFFICIENTS, in_columns_of, inner_options
from sparsesolve.paths.options import takes_formula
from sparsesolve.paths.path import path, solve_path
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.path import Path

OTHERS = "the pretrained model has other classes or responses than y"


@takes_formula
@by_rows("y", "weights", "offset", "family")
@described_by(path)
def pretrained_path(
    X: Any,
    y: Any = None,
    pretrained: Any = None,
    *,
    data: Any = None,
    s: float | str | None = None,
    trust: float = 0.5,
    **options: Any,
) -> Path:
    r"""Solve a lasso on few rows that is guided by a model of many: the pretrained lasso.

    With coefficients :math:`b^0` of the pretrained model, whose nonzero ones are the features S,
    and :math:`t` = `trust`, the predictor is :math:`t (b_0^0 + x'b^0) + b_0 + x'b`, with

    .. math:: \min_{b_0, b}\; \sum_i w_i f\bigl(y_i, t (b^0_0 + x_i'b^0) + b_0 + x_i'b\bigr)
              + \lambda \Bigl(\sum_{j \in S} |b_j| + \frac{1}{1 - t} \sum_{j \notin S} |b_j|\Bigr).

    So the model of the few rows is that of the many where they say nothing else, and features
    that the many selected enter more easily. 0 is a lasso of the few rows alone; with 1 no other
    features enter.

    Parameters
    ----------
    pretrained : Path or CVPath
        A model of the same columns and the same kind of response, on other rows or on all groups
        of rows.
    s : float or str, default None
        Its lambda; of a CVPath also "lambda_min" or "lambda_1se", which is the default.
    trust : float from 0 to 1, default 0.5
        1 - alpha of the paper. Compare several by :func:`sparsesolve.cv_path`.
    **options
        Options of :func:`sparsesolve.path`, except `penalty`, `grouped`, `penalty_factor`,
        `lower`, `upper`, `start` and `checkpoint`.

    Returns
    -------
    Path
        The path of the sums t b^0 + b. `lambdas` and `gaps` are those of the problem above; its
        factors are scaled to mean 1, as those of :func:`sparsesolve.path`.

    Notes
    -----
    Cross-validate by ``cv_path(X, y, fit=partial(pretrained_path, pretrained=model, trust=0.5))``.
    Where the model was fitted to the same rows, its predictions are optimistic there.

    References
    ----------
    Craig, Pilanci, Le Menestrel, Narasimhan, Rivas, Gullaksen, Dehghannasiri, Salzman, Taylor,
    Tibshirani (2025), "Pretraining and the lasso".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(530, 50))
    >>> y = X[:, :5].sum(axis=1) + X[:, 5] * (np.arange(530) < 30) + rng.normal(size=530)
    >>> model = ss.cv_path(X[30:], y[30:], seed=0)
    >>> fit = ss.paths.pretrained_path(X[:30], y[:30], model, trust=0.8)
    >>> fit.coef(0.3)[:7].round(1)
    array([1.1, 1. , 0.8, 0.9, 0.8, 0.8, 0. ])
    """
    trust = read_number("trust", trust, 0, 1)
    inner = inner_options("pretrained_path", options, own=("pretrained", "s", "trust"),
                          refused=(*OF_COEFFICIENTS, "penalty_factor"))  # fmt: skip
    matrix, names = read_design(X)
    base, intercept = _model(pretrained, s, matrix.shape[1], names)
    if read_family(inner.family).several != (base.ndim == 2):
        raise ValueError(OTHERS)
    known = trust * (np.asarray(matrix @ base.T) + intercept)
    offset = inner.offset
    inner.offset = known if offset is None else known + np.asarray(offset)
    beyond = 1.0 / (1.0 - trust) if trust < 1.0 else np.inf
    inner.penalty_factor = np.where(np.atleast_2d(base).any(axis=0), 1.0, beyond)
    found = solve_path(matrix, y, inner, names)
    added = [scipy.sparse.csc_array(trust * b[:, None]) for b in np.atleast_2d(base)]
    ones = np.ones((1, len(found.lambdas)))
    several = isinstance(found.coefs, list)
    own = found.coefs if several else [found.coefs]
    classes = getattr(pretrained, "path", pretrained).class_names
    if len(own) != len(added) or found.class_names is not None and (
        list(found.class_names) != list(classes)
    ):
        raise ValueError(OTHERS)
    sums = [mine + more @ ones for mine, more in zip(own, added, strict=True)]
    fit = in_columns_of(
        X, y, found, matrix, sums if several else sums[0],
        found.intercepts + trust * np.asarray(intercept)[..., None],
        partial(pretrained_path, pretrained=pretrained, s=s, trust=trust),
        offset=offset, penalty_factor=None,
    )  # fmt: skip
    warn_missed([fit], inner.tol)
    return fit


def _model(pretrained, s, p, names):
    """Return the coefficients (p,) or (K, p) and the intercepts of the pretrained model."""
    fit = getattr(pretrained, "path", pretrained)
    if not isinstance(fit, Path):
        raise TypeError("pretrained must be what path or cv_path return, of the same columns")
    if fit is pretrained and not isinstance(s, (int, float)):
        raise ValueError("s is missing: say at which lambda the pretrained path is taken")
    if fit.n_features != p:
        raise ValueError(f"X has {p} columns; the pretrained model has {fit.n_features}")
    if names is not None and fit.feature_names is not None:
        refuse_other_names(fit.feature_names, names, "the pretrained model has",
                           "give the same columns in the same order")  # fmt: skip
    s = pretrained.read_s("lambda_1se" if s is None else s) if fit is not pretrained else s
    return np.asarray(fit.coef(s)), np.asarray(fit.intercept(s))
