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

from sparsesolve.data import (
    by_rows,
    less_offset,
    read_choice,
    read_count,
    read_number,
    read_offset,
    read_penalty_factor,
    read_weights,
)
from sparsesolve.families import read_family
from sparsesolve.inference.knockoff_design import (
    SINGULAR,
    distances,
    fixed_copies,
    is_positive_definite,
    ledoit_wolf,
    model_copies,
)
from sparsesolve.inference.polyhedral import FEWEST
from sparsesolve.inference.splitting import own_stream, read_columns
from sparsesolve.paths.lars import lars_path
from sparsesolve.results.doubts import doubts
from sparsesolve.results.knockoffs import Knockoffs
from sparsesolve.results.status import warn
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.jobs import read_options, refuse_checkpoint

# Options that are of single columns, and would have to be of pairs.
OF_COLUMNS = ("penalty", "lower", "upper", "exclude", "start", "lambdas")


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
        and n >= 2p + 1. With p + 5 < n < 2p + 1 rows are added that hold zeros in X and noise of
        the estimated level in y, so that it holds for many rows alone.
    construct : {"mvr", "equi"}, default "mvr"
        How far copies are from their features: minimal reconstructability, or all the same.
    statistic : {"difference", "entry"}, default None
        W compares the sizes of both coefficients at lambda_min of a cross-validation, or the
        lambdas at which each enters the lasso path, which are exact (gaussian alone). None is
        "difference", and "entry" with covariance="fixed", which no cross-validation may follow.
    draws : int, default 1
        Number of draws of knockoffs; several make the selection hardly depend on chance, at some
        loss of power: each draw must pass 2 / fdr features, in place of 1 / fdr.
    seed : int or numpy Generator, default 0
        Seed of the knockoffs.
    **options
        Options of :func:`sparsesolve.path`, and with "difference" of :func:`sparsesolve.cv_path`:
        any family, alpha, weights, offset. ``penalty_factor`` 0 makes a column a covariate: it
        stays in the model and is not tested; features need to be normal only given it. Other
        options of single columns are refused.

    Returns
    -------
    Knockoffs

    Raises
    ------
    ValueError
        If a column is constant or a combination of covariates, the covariance is not positive
        definite, or there are too few rows for "fixed".

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
    refuse_checkpoint(options, knockoffs)
    options = _read_options(options, statistic)
    doubts(X, y, options.get("family", "gaussian"))
    matrix, names = read_columns(X, options.pop("feature_names", None), dense=True)
    labels = [f"x{j}" if names is None else str(names[j]) for j in range(matrix.shape[1])]
    factor = read_penalty_factor(options.pop("penalty_factor", None), matrix.shape[1],
                                 labels=names)  # fmt: skip
    factor = np.ones(matrix.shape[1]) if factor is None else factor
    tested = np.flatnonzero(factor > 0.0)
    if not len(tested) or np.isinf(factor).any():
        raise ValueError("penalty_factor leaves nothing to test" if not len(tested) else
                         "penalty_factor holds inf; leave that column out of X")  # fmt: skip
    columns, others, y, rule, copies = _copier(
        matrix, y, labels, tested, covariance, construct, options, rng)  # fmt: skip
    if len(np.unique(factor)) > 1:
        options["penalty_factor"] = np.concatenate([factor[tested]] * 2 + [np.zeros(
            others.shape[1])])  # fmt: skip
    W = np.array([_statistics(columns, copies(rng), others, y, statistic, options, rng)
                  for _ in range(draws)])  # fmt: skip
    if draws == 1:
        T, q_values = _threshold(W[0], fdr), q_values_of(W[0])
        selected = np.flatnonzero(W[0] >= T)
    else:
        T, (selected, q_values) = np.nan, _e_bh(W, fdr)
    of_all = np.full(len(factor), np.nan), np.ones(len(factor))
    of_all[0][tested], of_all[1][tested] = W.mean(axis=0), q_values
    return Knockoffs(
        names=labels, W=of_all[0], threshold=T, selected=tested[selected], q_values=of_all[1],
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


def _copier(X, y, names, tested, covariance, construct, options, rng):
    """Return (columns tested, covariates, y, the assumption in words, a function of rng that
    returns knockoffs); options change with them.
    """
    w = read_weights(options.get("weights"), len(X))
    w = np.ones(len(X)) if w is None else w
    mean = w @ X / w.sum()
    size = np.sqrt(w @ (X - mean) ** 2 / w.sum())
    flat = np.flatnonzero(~(size > 1e-12 * (np.abs(mean) + size)))
    if len(flat):
        raise ValueError(f"column {names[flat[0]]!r} is constant; leave it out")
    others = np.delete(X, tested, axis=1)
    k = others.shape[1]
    given = f", given {k} covariate{'s' * (k > 1)}" if k else ""
    if isinstance(covariance, str):
        read_choice("covariance", covariance, ["fixed"])
        if (w != w[0]).any():
            raise ValueError("covariance='fixed' is of rows of equal weight, and weights differ")
        if options.get("intercept", True):
            X, others = X - mean, others - np.delete(mean, tested)
        left = X[:, tested] - others @ np.linalg.lstsq(others, X[:, tested], rcond=None)[0]
        d = np.linalg.norm(left, axis=0) / np.linalg.norm(X[:, tested], axis=0)
        _refuse_explained(d, names, tested)
        return _fixed(X[:, tested], others, y, construct, options, given, rng)
    few = [j for j in tested if len(np.unique(X[:, j])) <= min(10, len(X) - 1)]
    if few:
        shown = ", ".join(repr(names[j]) for j in few[:5]) + ", ..." * (len(few) > 5)
        warn(f"columns {shown} have few different values: normal knockoffs are not of their law, "
             "and the false discovery rate may exceed fdr; with n >= 2 p + 1 and a gaussian y use "
             "covariance='fixed'", UserWarning)  # fmt: skip
    Z = (X - mean) / size
    rest = np.setdiff1d(np.arange(len(size)), tested)
    if covariance is None:
        root = np.sqrt(w)[:, None]
        R = Z[:, tested] - Z[:, rest] @ np.linalg.lstsq(
            root * Z[:, rest], root * Z[:, tested], rcond=None)[0]  # fmt: skip
        d = np.sqrt(w @ R**2 / w.sum())
        _refuse_explained(d, names, tested)
        R = R / d
        S, share = ledoit_wolf(R[w > 0.0])
        rule = ("features are jointly normal with the covariance estimated from them (Ledoit and "
                f"Wolf, {100 * share:.0f} % of the identity)")  # fmt: skip
    else:
        S = _read_covariance(covariance, X.shape[1])
        inner = np.linalg.solve(S[np.ix_(rest, rest)], S[np.ix_(rest, tested)])
        R = (X - mean)[:, tested] - (X - mean)[:, rest] @ inner
        S = S[np.ix_(tested, tested)] - S[np.ix_(tested, rest)] @ inner
        R = R / np.sqrt(np.diag(S))
        rule = "features are jointly normal with that covariance"
    d = np.sqrt(np.diag(S))
    S = S / np.outer(d, d)
    s = distances(S, construct)
    return R, Z[:, rest], y, rule + given, model_copies(R, S, s)


def _fixed(X, others, y, construct, options, given, rng):
    """Return what `_copier` does, by the inner products of columns and y alone."""
    (n, p), rule = X.shape, f"y is gaussian with errors of one variance{given} (fixed-X knockoffs)"
    y = read_family("gaussian").read(y, n).values
    offset = read_offset(options.pop("offset", None), n)
    y = y if offset is None else less_offset(y, offset)
    if options.pop("intercept", True):
        others = np.column_stack([np.ones(n), others])
    k = others.shape[1]
    added = max(2 * p + k - n, 0)
    if added and n - p - k < FEWEST:
        raise ValueError(
            f"covariance='fixed' needs {2 * p + k} rows, or {p + k + FEWEST} to estimate the "
            f"noise level and add rows; X has {n}"
        )
    if added:
        both = np.column_stack([others, X])
        left = y - both @ np.linalg.lstsq(both, y, rcond=None)[0]
        sigma = np.linalg.norm(left) / np.sqrt(n - p - k)
        y = np.concatenate([y, sigma * rng.standard_normal(added)])
        X, others = (np.concatenate([part, np.zeros((added, part.shape[1]))])
                     for part in (X, others))  # fmt: skip
        rule += f", for many rows: {added} were added, of the noise level estimated"
    options.update(intercept=False, standardize=False, weights=None)
    columns, copies = fixed_copies(X, others, construct)
    return columns, np.zeros((len(y), 0)), y, rule, copies


def _refuse_explained(d, names, tested):
    """Raise ValueError if covariates explain a feature of variance 1 but for d (p,)."""
    if d.min() < np.sqrt(SINGULAR):
        raise ValueError(f"column {names[tested[d.argmin()]]!r} is a combination of the "
                         "covariates; leave it out")  # fmt: skip


def _read_covariance(covariance, p):
    """Return a covariance (p, p), positive definite."""
    S = np.asarray(covariance, dtype=float)
    if S.shape != (p, p) or not np.isfinite(S).all() or np.abs(S - S.T).max() > 1e-8 * np.abs(
        S).max():  # fmt: skip
        raise ValueError(f"covariance has shape {S.shape}; it must be symmetric, {(p, p)}, finite")
    if (np.diag(S) <= 0.0).any():
        raise ValueError("covariance has a diagonal entry that is not positive")
    d = np.sqrt(np.diag(S))
    if not is_positive_definite(unit := S / np.outer(d, d)):
        raise ValueError(f"covariance is not positive definite: its least eigenvalue is "
                         f"{np.linalg.eigvalsh(unit)[0]:.2g} for unit diagonal")  # fmt: skip
    return S


def _statistics(X, copies, others, y, statistic, options, rng):
    """Return W (p,); columns change places with their knockoffs at random, so that no tie favours
    features.
    """
    p = X.shape[1]
    swap = rng.random(p) < 0.5
    both = np.hstack([np.where(swap, copies, X), np.where(swap, X, copies), others])
    if statistic == "difference":
        cv = cv_path(both, y, **{"seed": int(rng.integers(2**31)), **options})
        coefs = cv.coef("lambda_min")
        size = np.abs(coefs) if coefs.ndim == 1 else np.linalg.norm(coefs, axis=0)
        W = size[:p] - size[p : 2 * p]
    else:
        size = entry_lambdas(lars_path(both, y, **options))
        size = np.stack([size[:p], size[p : 2 * p]])
        W = size.max(axis=0) * np.sign(size[0] - size[1])
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
