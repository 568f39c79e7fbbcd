"""Relaxed fits: the selected features of a path, refitted without penalty, and blends of both."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import answers_keywords, by_rows, read_number
from sparsesolve.linalg.design.genotypes import MixedColumns
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import path as fit_path
from sparsesolve.paths.path import solve_path
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.penalties import GroupL2
from sparsesolve.results.cv_path import CVPath, path_of
from sparsesolve.results.fitted_data import (
    FittedData,
    explained,
    refuse_lost_limits,
    with_rows,
)
from sparsesolve.results.path import Path
from sparsesolve.results.prediction import is_signal
from sparsesolve.selection.jobs import at_the_same_time

# Every path takes these options.
ROWS = ("weights", "offset", "intercept", "standardize", "n_threads")
# Options of a fit at one lambda, which nothing may end before it.
ONE_FIT = {"stop": None, "dfmax": None, "pmax": None, "start": None, "progress": False}
# Options of a fit of some columns without penalty.
UNPENALISED = {**ONE_FIT, "penalty": None, "alpha": 1.0, "lambdas": [0.0], "solver": "auto",
               "feature_names": None, "exclude": None}  # fmt: skip
# Rows that must be left over when features are refitted, as in glmnet.
SPARE = 3


@answers_keywords()
@by_rows("y", "weights", "offset")
def relax(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    gamma: float = 0.0,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Path:
    """Relax a path: mix it with fits of the same features without penalty.

    At every lambda the selected features are fitted without penalty, within the limits of the
    path, and the two solutions are mixed: coefficients and intercepts are `gamma` times those of
    the path plus (1 - gamma) times those of the refit, as in R's glmnet(relax=TRUE).

    Parameters
    ----------
    fit : Path or CVPath
        A path that is not relaxed yet; for a CVPath its path is used.
    X, y : array-like
        The data of the fit (a path does not keep them).
    gamma : float in [0, 1], default 0.0
        0 is the refit, 1 the path itself.
    weights, offset : array-like, default None
        Those of the fit, for a path from a file, which does not hold them. Default: those that
        the path knows.

    Returns
    -------
    Path
        At the lambdas before the first that selects more features than there are rows, minus 3.
        `gaps` are those of the refits. If they are not small, as with perfectly separable
        classes, no finite fit without penalty is optimal.

    Raises
    ------
    ValueError
        If X and y are not the data of the fit, the path is relaxed already (as that of a CVPath
        may be, by its `gamma`), does not know its rows, or its first lambda selects too many
        features.

    Warns
    -----
    ConvergenceWarning
        Once, with the lambdas whose refit misses the tolerance of the path.

    References
    ----------
    Meinshausen (2007), "Relaxed lasso". Hastie, Tibshirani, Tibshirani (2020), "Best subset,
    forward stepwise or lasso?".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 30))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=100)
    >>> fit = ss.path(X, y)
    >>> fit.coef(0.5)[:3].round(2), ss.relax(fit, X, y).coef(0.5)[:3].round(2)
    (array([ 1.62, -0.39,  0.  ]), array([ 2.09, -0.91,  0.  ]))
    """
    gamma = read_number("gamma", gamma, 0.0, 1.0)
    path = path_of(fit)
    if is_signal(path):
        from sparsesolve.selection.pieces import relaxed_by_pieces

        return relaxed_by_pieces(with_rows(path, weights, offset), y, gamma)
    if path.fitter is _no_fit:
        raise ValueError(
            "The path is relaxed already, and would be moved twice; relax that of the data, "
            "path(X, y)"
        )
    refuse_lost_limits(path)
    path = with_rows(path, weights, offset)
    tol = options_of(path)["tol"]
    data = FittedData(path, X, y, in_blocks=True)
    data.refuse_others()
    matrix = data.matrix
    refit = refitted(path, matrix, y)
    warn_missed([refit], tol)
    return explained(blend(path, refit, gamma), matrix, y)


def refitted(path, matrix, y, report=None):
    """Return the path with the features of each lambda fitted without penalty, if rows allow.

    `report` is called after each fit.
    """
    weights = options_of(path)["weights"]
    if not len(path.lambdas):
        raise ValueError(f"The path holds no solution to refit: {path.stop_reason}")
    rows = matrix.shape[0] if weights is None else np.count_nonzero(weights)
    supports = list(takewhile(lambda support: len(support) <= rows - SPARE, path.nonzero()))
    if not supports:
        raise ValueError(
            f"the first lambda selects {path.df[0]} features, and X has {rows} rows of positive "
            f"weight; a fit without penalty takes at least {SPARE} more rows than features: begin "
            f"the path at a larger lambda, or with alpha=1"
        )
    different = {support.tobytes(): support for support in supports if len(support)}

    def calls(matrix):
        return [partial(without_penalty, path, matrix, y, support, report)
                for support in different.values()]  # fmt: skip

    found = at_the_same_time(calls, matrix)
    fits = dict(zip(different, found, strict=True))
    several = isinstance(path.coefs, list)
    K = len(path.coefs) if several else 1
    coefs, intercepts = [[] for _ in range(K)], []
    names = ("dev_ratio", "gaps", "n_iters", "status")
    columns = {name: getattr(path, name)[: len(supports)].copy() for name in names}
    for k, support in enumerate(supports):
        one = fits.get(support.tobytes())
        own = path.coefs if several else [path.coefs]
        theirs = [None] * K if one is None else (one.coefs if several else [one.coefs])
        for into, mine, new in zip(coefs, own, theirs, strict=True):
            into.append(mine[:, [k]] if new is None else _placed(new, support, mine.shape[0]))
        intercepts.append(path.intercepts[..., k] if one is None else one.intercepts[..., 0])
        for name, column in columns.items():
            column[k] = column[k] if one is None else getattr(one, name)[0]
    endless = [support[one.unbounded] for support, one in
               ((support, fits.get(support.tobytes())) for support in supports)
               if one is not None and one.unbounded is not None]  # fmt: skip
    stacked = [sparse.csc_array(sparse.hstack(part, format="csc")) for part in coefs if part]
    # a copy without knots
    plain = Path(**{field.name: getattr(path, field.name) for field in fields(Path)})
    return replace(
        plain, lambdas=path.lambdas[: len(supports)], df=path.df[: len(supports)], **columns,
        coefs=stacked if several else stacked[0],
        intercepts=np.array(intercepts).T, fitter=_no_fit,
        unbounded=endless[0] if endless else path.unbounded,
        stop_reason="features of each lambda fitted without penalty",
    )  # fmt: skip


def blend(path, refit, gamma):
    """Return gamma times the path plus 1 - gamma times its refit; its deviance is not set yet."""
    L = len(refit.lambdas)

    def mix(a, b):
        return gamma * a[..., :L] + (1.0 - gamma) * b

    if isinstance(path.coefs, list):
        pairs = zip(path.coefs, refit.coefs, strict=True)
        coefs = [sparse.csc_array(mix(a, b)) for a, b in pairs]
    else:
        coefs = sparse.csc_array(mix(path.coefs, refit.coefs))
    return replace(
        refit, coefs=coefs, intercepts=mix(path.intercepts, refit.intercepts),
        dev_ratio=np.full(L, np.nan), stop_reason=f"{refit.stop_reason}, gamma = {gamma:g}",
    )  # fmt: skip


def beginning(path, count):
    """Return the path without the lambdas after the first `count`."""
    cut = {name: getattr(path, name)[..., :count] for name in
           ("lambdas", "df", "dev_ratio", "gaps", "n_iters", "status", "intercepts")}  # fmt: skip
    coefs = path.coefs
    cut["coefs"] = [c[:, :count] for c in coefs] if isinstance(coefs, list) else coefs[:, :count]
    return replace(path, **cut)


def without_penalty(path, matrix, y, support, report=None):
    """Return the fit of the columns `support` alone, with one lambda."""
    own = {**UNPENALISED, "penalty_factor": np.zeros(len(support))}
    given = options_of(path)
    if path.family == "multigaussian" and given["penalty"] is not None:
        own["penalty"] = GroupL2(range(len(support)))  # limits need blocks, not tied rows
    own["standardize"] = bool(given["standardize"])  # bases of groups are for their own penalty
    for side in ("lower", "upper"):
        limit = given[side]
        own[side] = limit if limit is None or np.ndim(limit) == 0 else np.asarray(limit)[support]
    matrix = matrix.imputed(path.means) if isinstance(matrix, MixedColumns) else matrix
    return solve_path(matrix[:, support], y, PathOptions(**{**given, **own}), report=report)


def options_of(path):
    """Return the fit's options as those of sparsesolve.path, without those of knots or steps."""
    given = path.options or {}
    if "family" not in given and "weights" not in given:
        raise ValueError(
            "The path does not know the rows it was fitted to (it comes from X'X); fit the data "
            "again"
        )
    names = fit_path.__kwdefaults__ if "family" in given else ROWS
    known = {name: given[name] for name in names if name in given}
    lower = {"lower": 0.0} if given.get("positive") else {}
    return {**fit_path.__kwdefaults__, **known, **lower}


def _placed(coefs, support, p):
    """Return one column of coefficients of the features `support`, among all p."""
    values = coefs.toarray().ravel()
    return sparse.csc_array((values, support, [0, len(support)]), shape=(p, 1))


def _no_fit(X, y, **options):
    raise ValueError("A relaxed path is known at its own lambdas; refit a longer path by relax")
