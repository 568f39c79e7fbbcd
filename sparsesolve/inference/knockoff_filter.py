"""The knockoff filter: features that beat a copy of themselves, at a given false discovery rate.

With W_j > 0 where feature j beats its knockoff, of random sign where it has no influence,

    T = min {t in |W|, t > 0 : (1 + #{W <= -t}) / max(1, #{W >= t}) <= q}

and {W >= T} has a false discovery rate of at most q. Of several draws, the mean e_j over draws of
p 1{W_j >= T} / (1 + #{W <= -T}), with T at q / 2, is an e-value, and e-BH at q selects.

References: Barber and Candes (2015), "Controlling the false discovery rate via knockoffs"; Candes,
Fan, Janson, Lv (2018); Ren and Barber (2024), "Derandomised knockoffs: leveraging e-values".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import (
    by_rows,
    read_choice,
    read_count,
    read_design,
    read_feature_names,
    read_number,
    read_weights,
)
from sparsesolve.families import read_family
from sparsesolve.inference.knockoff_design import (
    SINGULAR,
    distances,
    fixed_copies,
    ledoit_wolf,
    model_copies,
)
from sparsesolve.inference.shares import own_stream
from sparsesolve.paths.lars import lars_path
from sparsesolve.results.doubts import doubts
from sparsesolve.results.knockoffs import Knockoffs
from sparsesolve.results.status import warn
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.jobs import read_options

# Columns with at most this many different values are not normal.
DISCRETE = 10
# Options that are of single columns, and would have to be of pairs.
OF_COLUMNS = ("penalty", "penalty_factor", "lower", "upper", "exclude", "start", "lambdas")


@by_rows("y", "weights", "offset", "family")
def knockoffs(
    X: Any,
    y: Any,
    fdr: float = 0.1,
    *,
    covariance: ArrayLike | str | None = None,
    construct: str = "mvr",
    statistic: str | None = None,
    draws: int = 1,
    seed: int | np.random.Generator | None = 0,
    **options: Any,
) -> Knockoffs:
    """Select features with control of the false discovery rate, by knockoffs.

    A knockoff is a copy of a feature that is made without y and is correlated with all others as
    the feature is. A feature that has an influence beats its copy.

    Parameters
    ----------
    X, y
        As in :func:`sparsesolve.path`. Copies are dense.
    fdr : float in (0, 1), default 0.1
        The false discovery rate: the expected share of features without influence, given the
        others, among those selected.
    covariance : array-like (p, p), "fixed", or None
        Covariance of the features, which are taken to be jointly normal. None estimates it from
        X by Ledoit and Wolf. "fixed" assumes nothing of X, but a gaussian y with errors alike,
        and n >= 2p + 1.
    construct : {"mvr", "equi"}, default "mvr"
        How far copies are from their features: minimal reconstructability, or all the same.
    statistic : {"difference", "entry"}, default None
        W compares the sizes of both coefficients at lambda_min of a cross-validation, or the
        lambdas at which each enters the lasso path, which are exact (gaussian alone). None is
        "difference", and "entry" with covariance="fixed", which no cross-validation may follow.
    draws : int, default 1
        Number of draws of knockoffs; several make the selection hardly depend on chance, at some
        loss of power.
    seed : int or numpy Generator, default 0
        Seed of the knockoffs.
    **options
        Options of :func:`sparsesolve.path`, and with "difference" of :func:`sparsesolve.cv_path`:
        any family, alpha, weights, offset. Those of single columns are refused.

    Returns
    -------
    Knockoffs

    Raises
    ------
    ValueError
        If a column is constant, the covariance is not positive definite, or there are too few
        rows for "fixed".

    Warns
    -----
    UserWarning
        If columns have few different values, so that they are not normal.

    References
    ----------
    Barber, Candes (2015). Candes, Fan, Janson, Lv (2018), "Panning for gold: model-X knockoffs".
    Spector, Janson (2022) (MVR). Ren, Barber (2024) (several draws).

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 40))
    >>> y = X[:, :10] @ np.ones(10) + rng.normal(size=200)
    >>> found = ss.inference.knockoffs(X, y, fdr=0.2, seed=0)
    >>> found.selected[:10]
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    fdr = read_number("fdr", fdr, 0.0, 1.0, open_low=True, open_high=True)
    construct = read_choice("construct", construct, ["mvr", "equi"])
    fixed = isinstance(covariance, str)
    usual = "entry" if fixed else "difference"
    statistic = read_choice("statistic", statistic or usual, ["difference", "entry"])
    if fixed and statistic == "difference":
        raise ValueError("covariance='fixed' holds for statistics of inner products alone, which "
                         "cross-validation is not; use statistic='entry'")  # fmt: skip
    draws, rng = read_count("draws", draws, 1), own_stream(seed)
    options = _read_options(options, statistic)
    doubts(X, y, options.get("family", "gaussian"))
    matrix, names = read_design(X)
    names = read_feature_names(options.pop("feature_names", None), names, matrix.shape[1])
    matrix = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=float)
    labels = [f"x{j}" if names is None else str(names[j]) for j in range(matrix.shape[1])]
    w = read_weights(options.get("weights"), len(matrix))
    columns, rule, copies = _copier(matrix, labels, w, covariance, construct, options)
    W = np.array([_statistics(columns, copies(rng), y, statistic, options, rng)
                  for _ in range(draws)])  # fmt: skip
    if draws == 1:
        T, q_values = _threshold(W[0], fdr), q_values_of(W[0])
        selected = np.flatnonzero(W[0] >= T)
    else:
        T, (selected, q_values) = np.nan, _e_bh(W, fdr)
    return Knockoffs(
        names=labels, W=W.mean(axis=0), threshold=T, selected=selected, q_values=q_values,
        fdr=fdr, covariance_rule=rule, statistic=statistic, draws=draws,
    )  # fmt: skip


def _read_options(options, statistic):
    """Return the options after the refusal of those that are not of pairs."""
    given = [name for name in OF_COLUMNS if options.get(name) is not None]
    if given:
        raise ValueError(f"{given[0]} is of single columns, and knockoffs come in pairs; leave it "
                         "out")  # fmt: skip
    known = cv_path if statistic == "difference" else lars_path
    family = read_family(options.get("family", "gaussian"))
    if statistic == "entry":
        if family.name != "gaussian":
            raise ValueError("statistic='entry' is of family='gaussian'; use 'difference'")
        options = {name: value for name, value in options.items() if name != "family"}
        unknown = [name for name in options if name not in known.__kwdefaults__]
        if unknown:
            raise ValueError(f"{unknown[0]} is not an option of lars_path, which "
                             "statistic='entry' uses")  # fmt: skip
        return options
    read_options({k: v for k, v in options.items() if k not in cv_path.__kwdefaults__}, cv_path)
    return dict(options)


def _copier(X, names, w, covariance, construct, options):
    """Return (columns, the assumption in words, a function of rng that returns knockoffs)."""
    n, p = X.shape
    w = np.ones(n) if w is None else w
    mean = w @ X / w.sum()
    size = np.sqrt(w @ (X - mean) ** 2 / w.sum())
    flat = np.flatnonzero(~(size > 1e-12 * (np.abs(mean) + size)))
    if len(flat):
        raise ValueError(f"column {names[flat[0]]!r} is constant; leave it out")
    if isinstance(covariance, str):
        read_choice("covariance", covariance, ["fixed"])
        if read_family(options.get("family", "gaussian")).name != "gaussian":
            raise ValueError("covariance='fixed' is of family='gaussian'; others need a law of X")
        if n < 2 * p + 1 or (w != w[0]).any():
            raise ValueError(f"covariance='fixed' needs 2 p + 1 = {2 * p + 1} rows of equal "
                             f"weight; X has {n}")  # fmt: skip
        columns = fixed_copies(X, np.random.default_rng(0), construct)[0]
        rule = "y is gaussian with errors of one variance (fixed-X knockoffs)"
        return columns, rule, lambda rng: fixed_copies(X, rng, construct)[1]
    few = [j for j in range(p) if len(np.unique(X[:, j])) <= min(DISCRETE, n - 1)]
    if few:
        shown = ", ".join(repr(names[j]) for j in few[:5]) + ", ..." * (len(few) > 5)
        warn(f"columns {shown} have few different values: normal knockoffs are not of their law, "
             "and the false discovery rate may exceed fdr; with n >= 2 p + 1 and a gaussian y use "
             "covariance='fixed'", UserWarning)  # fmt: skip
    Z = (X - mean) / size
    if covariance is None:
        S, share = ledoit_wolf(Z[w > 0.0])
        rule = ("features are jointly normal with the covariance estimated from them (Ledoit and "
                f"Wolf, {100 * share:.0f} % of the identity)")  # fmt: skip
    else:
        S = _read_covariance(covariance, p)
        rule = "features are jointly normal with that covariance"
    d = np.sqrt(np.diag(S))
    S, unit = S / np.outer(d, d), (d / size if covariance is not None else np.ones(p))
    Z = Z / unit if covariance is not None else Z
    s = distances(S, construct)
    return Z, rule, lambda rng: model_copies(Z, S, s, rng)


def _read_covariance(covariance, p):
    """Return a covariance (p, p), positive definite."""
    S = np.asarray(covariance, dtype=float)
    if S.shape != (p, p) or not np.isfinite(S).all() or np.abs(S - S.T).max() > 1e-8 * np.abs(
        S).max():  # fmt: skip
        raise ValueError(f"covariance has shape {S.shape}; it must be symmetric, {(p, p)}, finite")
    if (np.diag(S) <= 0.0).any():
        raise ValueError("covariance has a diagonal entry that is not positive")
    d = np.sqrt(np.diag(S))
    least = np.linalg.eigvalsh(S / np.outer(d, d))[0]
    if least < SINGULAR:
        raise ValueError(
            f"covariance is not positive definite: its least eigenvalue is {least:.2g} for unit "
            "diagonal"
        )
    return S


def _statistics(X, copies, y, statistic, options, rng):
    """Return W (p,); columns change places with their knockoffs at random, so that no tie favours
    features.
    """
    p = X.shape[1]
    swap = rng.random(p) < 0.5
    both = np.hstack([np.where(swap, copies, X), np.where(swap, X, copies)])
    if statistic == "difference":
        cv = cv_path(both, y, **{"seed": int(rng.integers(2**31)), **options})
        coefs = cv.coef("lambda_min")
        size = np.abs(coefs) if coefs.ndim == 1 else np.linalg.norm(coefs, axis=0)
        W = size[:p] - size[p:]
    else:
        size = entry_lambdas(lars_path(both, y, **options))
        W = np.maximum(size[:p], size[p:]) * np.sign(size[:p] - size[p:])
    return np.where(swap, -W, W)


def entry_lambdas(path):
    """Return the lambda (p,) at which each feature enters: the knot before its first nonzero."""
    found = np.zeros(path.n_features)
    for k in range(len(path.lambdas) - 1, 0, -1):
        found[path.nonzero(path.lambdas[k])] = path.lambdas[k - 1]
    return found


def _ratios(W, t):
    """Return the estimated false discovery proportions at thresholds t (m,)."""
    return np.array([(1.0 + np.sum(-x >= W)) / max(1, np.sum(x <= W)) for x in t])


def _threshold(W, fdr):
    """Return T, inf where nothing is selected."""
    t = np.unique(np.abs(W[W != 0.0]))
    good = t[_ratios(W, t) <= fdr]
    return float(good.min(initial=np.inf))


def q_values_of(W):
    """Return the least fdr (p,) at which each feature is selected, at most 1."""
    t = np.unique(np.abs(W[W != 0.0]))
    least = np.minimum.accumulate(_ratios(W, t)) if len(t) else np.ones(0)
    found = np.ones(len(W))
    up = W > 0.0
    found[up] = np.minimum(1.0, least[np.searchsorted(t, W[up])])
    return found


def _e_bh(W, fdr):
    """Return (features selected, q-values) of several draws W (M, p)."""
    p = W.shape[1]
    T = [_threshold(one, fdr / 2.0) for one in W]
    e = np.mean([p * (one >= t) / (1.0 + np.sum(one <= -t)) for one, t in zip(W, T, strict=True)],
                axis=0)  # fmt: skip
    order = np.argsort(-e, kind="stable")
    with np.errstate(divide="ignore"):
        q = p / (np.arange(1, p + 1) * e[order])
    found = np.empty(p)
    found[order] = np.minimum(1.0, np.minimum.accumulate(q[::-1])[::-1])
    return np.flatnonzero(found <= fdr * (1.0 + 1e-12)), found
