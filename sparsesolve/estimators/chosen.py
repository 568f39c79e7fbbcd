"""Estimators that choose alpha, and perhaps l1_ratio, by cross-validation."""

from numbers import Integral, Real

import numpy as np
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import check_scalar
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from sparsesolve.data import read_choice, read_count, read_number, shown
from sparsesolve.paths.path import path
from sparsesolve.results.cv_path import choose, summary
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.folds import passes
from sparsesolve.selection.folds import refuse_untrainable as refuse

from .base import warning_as_scikit_learn

# Each rule names its place in the result of `choose`.
RULES = {"min": 0, "1se": 1}
# A first alpha below this is rounding: y does not vary.
RESOLUTION = float(np.finfo(float).resolution)
# With an l1_ratio below this, the first alpha is that of the lasso divided by this, as in glmnet.
RIDGE = 1e-3


def only(weights, train):
    """Return the weights of the rows `train`, and 0 elsewhere."""
    own = np.zeros(len(weights))
    own[train] = weights[train]
    return own


def refuse_untrainable(y, weights, folds, classes=None):
    """Raise if a fold leaves no weight to train on, or none of a class; y holds codes."""
    weights = np.ones(len(y)) if weights is None else weights
    names = ["no row"] if classes is None else [f"no row of class {c!r}" for c in classes.tolist()]
    kinds = np.ones((len(y), 1)) if classes is None else np.eye(len(classes))[y]
    trained = (only(weights, train) for train, _ in folds)
    refuse(trained, kinds, names.__getitem__)


def fold_summary(scores, folds):
    """Return mean and standard error (L,) of scores (K, L) of folds with equal weights."""
    return summary(scores, np.ones(len(folds)), passes([test for _, test in folds]))


def read_alphas(alphas, positive=False):
    """Return a count of alphas, or the alphas."""
    if isinstance(alphas, Integral):
        return read_count("alphas", alphas, 1)
    if np.ndim(alphas) != 1:
        raise TypeError(f"alphas must be a count or a list of numbers, not {shown(alphas)}")
    for i, alpha in enumerate(alphas):
        check_scalar(alpha, f"alphas[{i}]", Real, min_val=0.0)
    return _read_all("alphas", alphas, np.inf, positive)


def _read_all(name, values, high, positive=False):
    values = np.array([read_number(name, value, 0.0, high, open_low=positive) for value in values])
    if not len(values):
        raise ValueError(f"{name} is empty; give at least one")
    return values


def _places(rows, n):
    """Return rows by number, if a fold gives a mask of them."""
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape != (n,):
        raise ValueError(f"a fold's mask has shape {rows.shape}; give one value for each row, {n}")
    return np.flatnonzero(rows) if rows.dtype == bool else rows


def _as_asked(cv, grid):
    """Return the requested alphas (L,), decreasing and perhaps repeated, and scores (L, K)."""
    return grid, cv.fold_scores.T[np.searchsorted(-cv.lambdas, -grid)]


class Folded:
    """Mixin of estimators that hold rows out: folds as in scikit-learn, by metadata routing.

    A subclass defines `_solve_cv`, which chooses and keeps the solution.
    """

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        self._refuse_unrouted(params)
        self._solve_cv(*self._read(X, y, sample_weight), params)
        return self

    def _folds(self, X, y, params, stratified=False):
        """Return pairs (train, test); with `stratified`, y holds the classes to share out."""
        splitter = check_cv(self.cv, y, classifier=stratified)
        self._refuse_unrouted(params)
        routed = process_routing(self, "fit", **params).splitter.split if params else {}
        return [tuple(_places(rows, len(y)) for rows in pair)
                for pair in splitter.split(X, y, **routed)]  # fmt: skip

    def _refuse_unrouted(self, params):
        """Raise ValueError for metadata that needs routing, if routing is not enabled."""
        if params and not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"[{', '.join(params)}] is only supported if enable_metadata_routing=True; call "
                "sklearn.set_config(enable_metadata_routing=True)"
            )

    def get_metadata_routing(self):
        """Return the metadata that fit passes on: sample_weight, and that of the splitter."""
        mapping = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(splitter=check_cv(self.cv), method_mapping=mapping)


class Chosen(Folded):
    """Mixin of the CV forms: the grid and the choice.

    As in scikit-learn all folds share the grid of all rows and have equal weights.

    Parameters
    ----------
    l1_ratio : float or list of float
        1 is the lasso, 0 ridge regression; of a list, the one of the best mean score is chosen.
    eps : float
        Last alpha over the first, for the default grid. With an `l1_ratio` of at most 0.001 it is
        relative to a thousandth of the first, where the lasso's grid begins.
    alphas : int or array-like
        Number of log-spaced alphas, or the alphas.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The chosen values; the latter is 1 if there is no such parameter.
    alphas_ : (L,) or, with several l1_ratios, (R, L)
        Decreasing.
    score_path_ : (L, K) or (R, L, K)
        The score on each of K folds: `measure`, or else the mean squared error.
    cv_path_ : CVPath
        The cross-validation of the chosen l1_ratio.
    """

    def _solve_cv(self, X, y, weights, params, labels=None):
        """Choose, and keep the solution; folds are stratified by `labels`, or by y if it holds
        classes.
        """
        stratified = is_classifier(self) or labels is not None
        folds = self._folds(X, y if labels is None else labels, params, stratified)
        refuse_untrainable(y, weights, folds, self.classes_ if is_classifier(self) else None)
        rule = RULES[read_choice("rule", self.rule, list(RULES))]
        ratios = getattr(self, "l1_ratio", 1.0)
        ratios = _read_all("l1_ratio", ratios if np.ndim(ratios) == 1 else [ratios], 1.0)
        with warning_as_scikit_learn():
            found = [self._try(X, y, weights, float(ratio), folds, rule) for ratio in ratios]
        best = int(np.argmin([loss for _, _, loss, _ in found]))
        cv, place, *_ = found[best]
        self.alpha_, self.l1_ratio_ = float(cv.lambdas[place]), float(ratios[best])
        self.cv_path_ = cv
        tried = [_as_asked(each, grid) for each, _, _, grid in found]
        alphas, scores = (np.array(parts) for parts in zip(*tried, strict=True))
        several = len(ratios) > 1
        given = not isinstance(read_alphas(self.alphas), int)
        self.alphas_ = alphas if several and not given else alphas[0]
        self.score_path_ = scores if several else scores[0]
        self._keep(cv.path, place)
        self._round(X, y, weights)

    def _try(self, X, y, weights, ratio, folds, rule):
        """Return the CVPath of one l1_ratio, the chosen place, the best mean as a loss, and the
        grid.
        """
        options = {**self._options(), "alpha": ratio}
        n_jobs = 1 if self.n_jobs is None else self.n_jobs
        grid = self._grid(X, y, weights, options)
        cv = cv_path(
            X, y, lambdas=np.unique(grid), weights=weights, folds=folds,
            measure=getattr(self, "measure", None), n_jobs=n_jobs,
            progress=bool(self.verbose), **options,
        )  # fmt: skip
        mean, std = fold_summary(cv.fold_scores, folds)
        places = choose(mean, std, cv.larger_is_better)
        loss = mean[places[0]] * (-1 if cv.larger_is_better else 1)
        return cv, places[rule], loss, np.sort(grid)[::-1]

    def _grid(self, X, y, weights, options):
        """Return the alphas to try, as many as requested, from the least that selects nothing.

        If the penalty is nearly ridge, the first is 1 / RIDGE times the first alpha of the lasso.
        """
        alphas = read_alphas(self.alphas)
        if not isinstance(alphas, int):
            return alphas
        eps = read_number("eps", self.eps, 0, 1, open_low=True)
        largest = self._first_alpha(X, y, weights, options)
        if not largest > RESOLUTION:  # y does not vary: any alpha selects nothing
            return np.full(alphas, RESOLUTION)
        last = RIDGE * eps if options["alpha"] <= RIDGE else eps
        return largest * np.geomspace(1.0, last, alphas)

    def _first_alpha(self, X, y, weights, options):
        """Return the least alpha that selects nothing; near ridge, the one at which glmnet
        begins.
        """
        return path(X, y, weights=weights, n_lambdas=1, **options).lambdas[0]
