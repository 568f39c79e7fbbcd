"""Splits: choose on a part of the rows, refit on the others, once or many times.

Many splits (Meinshausen, Meier, Buhlmann 2009): with p_j^b = min(1, |E_b| p_j) of split b for the
features it chose and 1 for the others, and Q_j(g) the g-quantile over splits of p_j^b / g,

    P_j = min(1, (1 - log g0) min_{g0 <= g <= 1} Q_j(g)),    g0 = 0.05,

controls the probability of any false rejection. The quantile is the ceil(g B)-th smallest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data import (
    by_rows,
    nonfinite_error,
    read_count,
    read_design,
    read_feature_names,
    read_number,
    read_seed,
)
from sparsesolve.families import read_family
from sparsesolve.inference.polyhedral import these
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import solve_path
from sparsesolve.results.doubts import doubts
from sparsesolve.results.intervals import Intervals
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.folds import Fold, Rows
from sparsesolve.selection.jobs import read_options, run_calls
from sparsesolve.selection.refit import FAMILIES, refit
from sparsesolve.selection.relaxed import UNPENALISED

# Least quantile that is looked at.
LEAST_QUANTILE = 0.05
# The default choice stops at this share of the rows, so that the others have a fit.
MOST_CHOSEN = 1 / 6


@by_rows("y", "weights", "offset", "family")
def split(
    X: Any,
    y: Any,
    choose: Callable[..., Any] | None = None,
    *,
    share: float = 0.5,
    n_splits: int = 50,
    level: float = 0.95,
    seed: int | np.random.Generator | None = 0,
    n_jobs: int = 1,
    **options: Any,
) -> Intervals:
    """Choose features on a part of the rows, and test them on the others.

    Nothing is assumed of how the choice is made: any penalty, a cross-validated lambda, a look at
    the data. One split gives intervals, which depend on the split; many give p-values that hardly
    do, adjusted for the number of features.

    Parameters
    ----------
    X, y
        As in :func:`sparsesolve.path`.
    choose : callable, default None
        Called as choose(X, y, weights), in which the rows that are set aside have weight 0;
        returns the columns chosen. None: the lasso, or the penalty of the options, at lambda_1se
        of a cross-validation, with at most a sixth as many features as rows.
    share : float in (0, 1), default 0.5
        Share of the rows that choose; classes, and deaths of cox, are divided evenly.
    n_splits : int, default 50
        Number of divisions of the rows.
    level : float in (0, 1), default 0.95
        Level of the intervals, of one split.
    seed : int or numpy Generator, default 0
        Seed of the splits.
    n_jobs : int, default 1
        Number of splits at the same time, by joblib, in threads; -1 means all cores.
    **options
        Options of :func:`sparsesolve.path`. The family is gaussian, binomial, poisson, cox,
        probit, cloglog or negative_binomial.

    Returns
    -------
    Intervals
        One row for each feature chosen. With several splits, for each chosen by any: the median
        of its estimates, and p-values that control the probability of any false rejection, without
        intervals.

    Raises
    ------
    ValueError
        If rows of one side cannot be fitted, or with one split, chosen columns are collinear.

    References
    ----------
    Meinshausen, Meier, Buhlmann (2009), "p-values for high-dimensional regression".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 30))
    >>> y = X[:, 0] - X[:, 1] + rng.normal(size=200)
    >>> table = ss.inference.split(X, y, n_splits=5, seed=0)
    >>> sorted(table.names[:2]), table.p_values[:2].round(6)
    (['x0', 'x1'], array([0., 0.]))
    """
    ends = {"open_low": True, "open_high": True}
    share, level = (read_number(name, value, 0.0, 1.0, **ends)
                    for name, value in (("share", share), ("level", level)))  # fmt: skip
    n_splits, options = read_count("n_splits", n_splits, 1), read_options(options, split)
    doubts(X, y, options["family"])
    family = read_family(options["family"])
    if family.name.split("(")[0] not in FAMILIES:
        raise ValueError(f"split tests by family {', '.join(FAMILIES)}, not by {family.name}; "
                         "choose= may choose by any")  # fmt: skip
    matrix, names = read_columns(X, options["feature_names"])
    rows = Rows(family, matrix, family.read(y, matrix.shape[0]), options)
    rng, calls = own_stream(seed), []
    for _ in range(n_splits):
        drawn = share_of_rows(rows, share, rng)
        rows.refuse_untrainable(Drawn(drawn), part="share", advice="give a larger share")
        rows.refuse_untrainable(Drawn(~drawn), part="rest", advice="give a smaller share")
        seed = int(rng.integers(2**31)) if choose is None else None

        def tested(n_threads, wanted, drawn=drawn, seed=seed):
            """Return what one split finds."""
            own = {**options, "n_threads": n_threads}
            if choose is None:
                chosen = _choice(matrix, y, names, rows, drawn, own, seed)
            else:
                chosen = _read_choice(choose(X, y, rows.weights * drawn), matrix.shape[1])
            rest = chosen, matrix, y, names, rows.weights * ~drawn, own, level
            return _one(*rest, share) if n_splits == 1 else _tested(*rest)

        calls.append(tested)
    found = run_calls(calls, options["n_threads"], n_jobs, options["progress"])
    return found[0] if n_splits == 1 else _many(found, names, level, share, n_splits)


def read_columns(X, feature_names, dense=False):
    """Return (matrix, names or None) of X, all of whose entries are finite."""
    matrix, names = read_design(X)
    names = read_feature_names(feature_names, names, matrix.shape[1])
    if error := nonfinite_error(matrix, names):
        raise error
    if dense:
        matrix = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=float)
    return matrix, names


def own_stream(seed):
    """Return a Generator for a seed whose numbers are not those of default_rng(seed).

    Users draw data from default_rng(0) and leave seed at 0: noise that is added to y, or the
    knockoffs of X, would otherwise be the very numbers that made these.
    """
    return np.random.default_rng([0x1FE2E4CE, int(read_seed(seed).integers(2**62))])


class Drawn(list):
    """One fold that trains on the rows drawn."""

    def __init__(self, drawn):
        super().__init__([Fold(drawn, np.flatnonzero(~drawn))])


def share_of_rows(rows, share, rng):
    """Return a mask (n,) of a random share of the rows of positive weight, of each class alike."""
    labels = rows.labels()
    labels = np.where(rows.weights > 0.0, 0 if labels is None else labels, -1)
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    counts = np.floor(share * np.arange(len(labels) + 1) + rng.random() * (1.0 - 1e-12))
    drawn = np.zeros(len(labels), dtype=bool)
    drawn[order] = np.diff(counts) > 0.0
    return drawn & (rows.weights > 0.0)


def _choice(matrix, y, names, rows, drawn, options, seed):
    """Return the features of the default choice."""
    given = {**options, "weights": rows.weights * drawn, "progress": False}
    cv = cv_path(matrix, y, seed=seed, **given)
    most = max(1, int(MOST_CHOSEN * np.count_nonzero(drawn)))
    few = np.flatnonzero(cv.path.df <= most)
    return cv.path.nonzero(max(cv.lambda_1se, cv.path.lambdas[few].min(initial=np.inf)))


def _read_choice(chosen, p):
    """Return the columns that a user's function chose, ascending."""
    found = np.unique(np.asarray(chosen))
    if found.size and (found.dtype.kind not in "iu" or found[0] < 0 or found[-1] >= p):
        raise ValueError(f"choose returned {chosen!r}; it must return columns, from 0 to {p - 1}")
    return found.astype(np.intp)


def _fitted(chosen, matrix, y, names, weights, options, level):
    """Return the Refit of the features chosen, on rows of positive weight."""
    own = {**options, **UNPENALISED, "penalty_factor": None, "weights": weights, "lower": None,
           "upper": None, "standardize": True}  # fmt: skip
    labels = [f"x{j}" if names is None else str(names[j]) for j in chosen]
    part = matrix[:, chosen]
    alone = solve_path(part, y, PathOptions(**own), np.array(labels, dtype=object))
    return refit(alone, part, y, 0.0, level=level)


def _tested(chosen, *rest):
    """Return (features, estimates, p-values) of one split; p is 1 where there is no fit."""
    if not len(chosen):
        return chosen, np.zeros(0), np.zeros(0)
    try:
        table = _fitted(chosen, *rest)
    except ValueError:  # collinear, separated or too many on these rows: they say nothing
        return chosen, np.full(len(chosen), np.nan), np.ones(len(chosen))
    kept = table.features >= 0
    found = np.full(len(chosen), np.nan), np.ones(len(chosen))
    for to, values in zip(found, (table.estimates, table.p_values), strict=True):
        to[table.features[kept]] = values[kept]
    return chosen, *found


def _one(chosen, matrix, y, names, weights, options, level, share):
    """Return the Intervals of one split."""
    if not len(chosen):
        none = np.zeros(0)
        return Intervals([], chosen, none, none, none, none, none, level, "split",
                         ["The rows that choose chose no feature."])  # fmt: skip
    try:
        table = _fitted(chosen, matrix, y, names, weights, options, level)
    except ValueError as error:
        raise ValueError(f"the rows that took no part have no fit of the {len(chosen)} features "
                         f"chosen ({error}); give a smaller share") from error  # fmt: skip
    kept = np.flatnonzero(table.features >= 0)
    parts = {name: getattr(table, name)[kept] for name in
             ("estimates", "errors", "p_values", "lower", "upper")}  # fmt: skip
    features, m = chosen[table.features[kept]], len(kept)
    return Intervals(
        names=[table.names[k] for k in kept], features=features, **parts, level=level,
        method="split", sigma=float(np.sqrt(table.dispersion)),
        sigma_rule="the rows that took no part" if np.isfinite(table.degrees_of_freedom) else "",
        words=[
            f"{100 * share:g} % of the rows chose {these(m)}, the others measure "
            f"{'it' if m == 1 else 'them'}: each interval covers the coefficient of the best fit "
            f"on {'it' if m == 1 else 'them'} with probability {100 * level:g} %, however the "
            "choice was made.",
            "Another split gives another table: do not try several and show one.",
        ],
    )  # fmt: skip


def aggregated(p):
    """Return the p-values (m,) of splits (B, m) as in the head of this file."""
    B = len(p)
    shares = np.arange(1, B + 1) / B  # the k-th smallest serves quantiles up to k / B
    shares, ordered = shares[:, None], np.sort(p, axis=0)
    kept = shares[:, 0] >= LEAST_QUANTILE - 1e-12
    least = (ordered / shares)[kept].min(axis=0)
    return np.minimum(1.0, (1.0 - np.log(LEAST_QUANTILE)) * np.minimum(1.0, least))


def _many(tests, names, level, share, n_splits):
    """Return the Intervals of many splits."""
    features = np.unique(np.concatenate([chosen for chosen, *_ in tests])).astype(np.intp)
    p, b = np.ones((n_splits, len(features))), np.full((n_splits, len(features)), np.nan)
    for k, (chosen, estimates, p_values) in enumerate(tests):
        at = np.searchsorted(features, chosen)
        p[k, at], b[k, at] = np.minimum(1.0, len(chosen) * p_values), estimates
    known = np.isfinite(b).any(axis=0)
    middle = np.full(len(features), np.nan)
    middle[known] = np.nanmedian(b[:, known], axis=0)
    found = aggregated(p)
    order = np.argsort(found, kind="stable")
    features, none = features[order], np.full(len(features), np.nan)
    failed = sum(bool(len(e)) and not np.isfinite(e).any() for _, e, _ in tests)
    words = [
        f"{n_splits} times, {100 * share:g} % of the rows chose features and the others tested "
        f"them: features with p below {1 - level:.3g} are a false choice in any of them with "
        f"probability at most {1 - level:.3g}; estimates are medians, without intervals."
    ]
    words += [f"{failed} splits had no fit and count as p = 1."] * bool(failed)
    return Intervals(
        names=[f"x{j}" if names is None else str(names[j]) for j in features], features=features,
        estimates=middle[order], errors=none, p_values=found[order], lower=none, upper=none,
        level=level, method="split", words=words,
    )  # fmt: skip
