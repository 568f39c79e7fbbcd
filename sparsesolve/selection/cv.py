"""cv_path: the lambda that best predicts held-out rows, by cross-validation."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import by_rows, read_design, read_feature_names, read_flag, read_number
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.paths.checkpoint import Checkpoint
from sparsesolve.paths.options import takes_formula
from sparsesolve.paths.path import path
from sparsesolve.paths.wrapping import warn_missed, with_encoder
from sparsesolve.results.cv_path import CVPath, choose, summary
from sparsesolve.results.doubts import doubts
from sparsesolve.results.fitted_data import explained
from sparsesolve.results.status import Status
from sparsesolve.selection.folds import Rows, passes, read_folds
from sparsesolve.selection.jobs import read_options, run_jobs
from sparsesolve.selection.measures import read_measure
from sparsesolve.selection.relaxed import beginning, blend, refitted

log = logging.getLogger(__name__)


@takes_formula
@by_rows("y", "weights", "offset", "folds", "groups", "family")
@described_by(path)
def cv_path(
    X: Any,
    y: Any = None,
    *,
    data: Any = None,
    n_folds: int = 10,
    folds: Any = None,
    groups: ArrayLike | None = None,
    measure: str | Callable[..., float] | None = None,
    keep: bool = False,
    repeats: int = 1,
    alphas: ArrayLike | None = None,
    gammas: ArrayLike | None = None,
    seed: int | np.random.Generator | None = None,
    n_jobs: int = 1,
    fit: Callable[..., Any] | None = None,
    **options: Any,
) -> CVPath:
    """Choose lambda by cross-validation: the path of all rows, scored on held-out rows.

    Every fold is held out in turn, as rows of weight 0, so X is not copied. Each fit has its own
    grid, from its own largest lambda, and is interpolated at the lambdas of the path of all rows,
    as in R's cv.glmnet. Given `lambdas` are the same for all fits.

    Parameters
    ----------
    n_folds : int, default 10
        Number of folds, drawn at random; classes, and deaths of cox, are spread evenly.
    folds : array-like (n,) or (repeats, n), splitter, or iterable, default None
        The fold that holds out each row, as labels of any kind; an object with ``split(X, y,
        groups)``, such as scikit-learn's; or pairs (train, test) of row indices.
    groups : array-like (n,), default None
        Rows with the same label are held out together. A splitter gets the labels.
    measure : str or callable, default None
        "deviance" (default), "mse", "mae"; for classes "class" (the share misclassified) and
        for two of them "auc"; for cox "C" (Harrell's concordance). glmnet's definitions: the
        deviance of gaussian is the mean squared error, and squares are summed over both of two
        classes. A callable (y, prediction, weights) -> float, smaller being better, is given y as
        the family reads it and what ``predict(kind="response")`` returns, of the rows held out.
    keep : bool, default False
        Keep the predictions of held-out rows, and the paths of the folds.
    repeats : int, default 1
        How often folds are drawn; scores are averaged over all repeats.
    alphas : array-like, default None
        Values of `alpha` to try, on the same folds; the best mean decides. If means agree to
        nine digits, the largest alpha is taken, then the largest gamma.
    gammas : array-like, default None
        Relaxed fits to try, as in :func:`relax`: 0 is the refit, 1 the path itself. R's
        relax=TRUE tries 0, 0.25, 0.5, 0.75 and 1. lambda_1se belongs to the best gamma.
    seed : int or numpy Generator, default None
        Seed of the folds.
    n_jobs : int, default 1
        Number of simultaneous fits, by joblib: threads of this process, -1 for all cores, unless
        ``joblib.parallel_config`` names another backend (loky, Dask, Ray).
    fit : callable, default None
        Another function that makes each path, in all columns of X and with weights of 0 for rows
        held out: ``paths.uni_lasso_path``, or ``functools.partial`` of one with its own arguments.
        None means :func:`path`.
    **options
        Options of :func:`path`.

    Returns
    -------
    CVPath

    Raises
    ------
    ValueError, TypeError
        Before any work starts; also if a fold leaves no row of some class, or no death, to train
        on.

    Warns
    -----
    ConvergenceWarning
        Once, for the lambdas of all fits.

    References
    ----------
    Breiman, Friedman, Olshen, Stone (1984), "Classification and Regression Trees", section 3.4
    (one standard error). Friedman, Hastie, Tibshirani (2010).

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 30))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=100)
    >>> cv = ss.cv_path(X, y, n_folds=5, seed=0)
    >>> cv.nonzero()  # at lambda_1se
    array([0, 1])
    """
    if alphas is not None and "alpha" in options:
        raise ValueError("alpha and alphas are both given; leave one out")
    if X is None:
        raise ValueError("X is None, and y a signal, whose neighbours would be held out from one "
                         "another; choose lambda by criteria(path(None, y, ...), None, y, "
                         "noise_variance=...)")  # fmt: skip
    if fit is not None and gammas is not None:
        raise ValueError("gammas relax the paths of path; leave fit or gammas out")
    doubts(X, y, options.get("family", "gaussian"))
    options = read_options(options, cv_path)
    keep = read_flag("keep", keep)
    family = read_family(options["family"])
    scorer = read_measure(measure, family)
    matrix, names = read_design(X, in_blocks=True, genotypes=True)
    names = read_feature_names(options["feature_names"], names, matrix.shape[1])
    response = family.read(y, matrix.shape[0])
    rows = Rows(family, matrix, response, options)
    drawn_anew = folds is None and seed is None
    folds, ids = read_folds(
        folds, rows.n, n_folds=n_folds, repeats=repeats, groups=groups, labels=rows.labels(),
        seed=seed, data=(matrix, response.values if rows.labels() is None else rows.labels()),
    )  # fmt: skip
    rows.refuse_untrainable(folds)
    tried = [options["alpha"]] if alphas is None else _read_all("alphas", alphas)
    blends = None if gammas is None else _read_all("gammas", gammas)[::-1]
    jobs = [job for alpha in tried
            for job in rows.jobs({**options, "alpha": alpha}, folds, fit is None)]  # fmt: skip
    if options["checkpoint"] is not None:
        root, ending = os.path.splitext(Checkpoint(options["checkpoint"]).file)
        if drawn_anew:
            raise ValueError("checkpoint of a cross-validation needs the same folds in every run; "
                             "give seed or folds")  # fmt: skip
        jobs = [({**job, "checkpoint": f"{root}.{i}{ending}"}, name)
                for i, (job, name) in enumerate(jobs)]  # fmt: skip
    relaxed = blends is not None and blends[-1] < 1.0
    log.debug("%d fits: %d folds and all rows, %d alphas", len(jobs), len(folds), len(tried))
    sums = None if fit is not None else rows.training_sums(response, options, ids)
    fits = run_jobs(jobs, (matrix, y, names), n_jobs, options["progress"], fit=fit, sums=sums,
                    refit=refitted if relaxed else None)  # fmt: skip
    found = []
    for i, alpha in enumerate(tried):
        pairs = fits[i * (len(folds) + 1) : (i + 1) * (len(folds) + 1)]
        for gamma, master, others in _blended(pairs, blends, matrix, y):
            master = with_encoder(master, X) if master.encoder is None else master
            cv = of_folds(CVPath, rows, folds, ids, scorer, master, others, keep)
            found.append(replace(cv, alpha=alpha, gamma=gamma))
    best = _best(found, -1.0 if scorer.larger else 1.0)
    warn_missed([path for pair in fits for path in pair if path is not None], options["tol"],
                also=of_choice(best, len(folds) + 1))  # fmt: skip
    return best if alphas is None and gammas is None else replace(best, candidates=tuple(found))


def _best(found, sign):
    """Return the pair with the least loss, sign times the mean score; equal ones are ranked by
    alpha.
    """
    losses = [sign * cv.mean[cv.index_min] for cv in found]
    enough = min(losses) + 1e-9 * abs(min(losses))  # closer ones differ by rounding of solvers
    alike = [cv for cv, loss in zip(found, losses, strict=True) if loss <= enough]
    return max(alike, key=lambda cv: cv.alpha)


def _blended(pairs, gammas, matrix, y):
    """Return for each gamma, the largest first, the path of all rows and those of the folds.

    Below gamma = 1 they end where the first refit ends: one with few rows ends before the others.
    """
    (master, refit), *others = pairs
    for gamma in [1.0] if gammas is None else gammas:
        if gamma == 1.0:
            yield gamma, master, [path for path, _ in others]
            continue
        ends = [late.lambdas[-1] for path, late in others if len(late.lambdas) < len(path.lambdas)]
        kept = max(1, np.count_nonzero(refit.lambdas >= max(ends, default=0.0)))
        blended = blend(master, beginning(refit, kept), gamma)
        yield gamma, explained(blended, matrix, y), [blend(*pair, gamma) for pair in others]


def _read_all(name, values):
    """Return numbers from 0 to 1 to try, ascending."""
    values = [read_number(name, value, 0, 1) for value in np.atleast_1d(values)]
    if not values:
        raise ValueError(f"{name} is empty; give one value at least")
    return sorted(set(values))


def of_folds(made, rows, folds, ids, measure, master, others, keep):
    """Return the CVPath, or another class `made`, of one path of all rows and those of folds."""
    lambdas = master.lambdas
    if not len(lambdas):
        raise ValueError(f"The path holds no solution to score: {master.stop_reason}")
    ask = partial(Rows.score, measure=measure, lambdas=lambdas)
    scored = rows.of_folds(ask, others, folds)
    scores, weights = np.array([score for score, _ in scored]), np.array([w for _, w in scored])
    mean, std = summary(scores, weights, passes([fold.test for fold in folds]))
    index_min, index_1se = choose(mean, std, measure.larger)
    return made(
        lambdas=lambdas, mean=mean, std=std, lower=mean - std, upper=mean + std,
        n_nonzero=master.df, fold_scores=scores, fold_weights=weights,
        lambda_min=float(lambdas[index_min]), lambda_1se=float(lambdas[index_1se]),
        index_min=index_min, index_1se=index_1se, measure=measure.label,
        larger_is_better=measure.larger, path=master, folds=ids,
        prevalidated=_prevalidated(rows, folds, others, lambdas) if keep else None,
        fold_paths=tuple(others) if keep else None, n_missed=n_missed(lambdas, [master, *others]),
    )  # fmt: skip


def _prevalidated(rows, folds, others, lambdas):
    """Return linear predictors of held-out rows, averaged over folds; NaN if no fold holds a row
    out.
    """
    total, count = None, np.zeros(rows.n)
    etas = rows.of_folds(
        lambda rows, path, fold: rows.link(path, lambdas, fold.test, fold), others, folds
    )
    for fold, eta in zip(folds, etas, strict=True):
        total = np.zeros((rows.n, *eta.shape[1:])) if total is None else total
        total[fold.test] += eta
        count[fold.test] += 1
    count[count == 0] = np.nan
    return total / count.reshape(-1, *[1] * (total.ndim - 1))


def n_missed(lambdas, paths):
    """Return how many paths miss their tolerance at the lambdas around each of these, (L,)."""
    count = np.zeros(len(lambdas), dtype=np.int64)
    for fit in paths:
        bad = np.array([status != Status.CONVERGED for status in fit.status], dtype=bool)
        if bad.any():
            above = np.searchsorted(-fit.lambdas, -lambdas * (1.0 - 1e-12), side="right") - 1
            below = np.searchsorted(-fit.lambdas, -lambdas * (1.0 + 1e-12), side="left")
            last = len(bad) - 1
            count += bad[np.clip(above, 0, last)] | bad[np.clip(below, 0, last)]
    return count


def of_choice(cv, n_fits):
    """Return the sentence of a warning if lambda_min depends on fits that miss tol, else ""."""
    k = cv.index_min
    if not cv.n_missed[k]:
        return ""
    return (
        f"; lambda_min = {cv.lambda_min:.4g} is chosen by scores of fits of which "
        f"{cv.n_missed[k]} of {n_fits} miss tol there"
    )
