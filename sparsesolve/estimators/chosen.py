"""Estimators that choose alpha, and perhaps l1_ratio, by cross-validation."""

from numbers import Integral

import numpy as np
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from sparsesolve.data import read_choice, read_count, read_number, shown
from sparsesolve.paths.path import path
from sparsesolve.results.cv_path import choose, summary
from sparsesolve.selection import held_out
from sparsesolve.selection.cv import cv_path
from sparsesolve.selection.folds import passes

RULES = {"min": 0, "1se": 1}  # place among what `choose` returns
RIDGE = 1e-3  # of the first alpha: where the lasso would begin


def only(weights, train):
    """The weights of the rows `train`, 0 elsewhere."""
    own = np.zeros(len(weights))
    own[train] = weights[train]
    return own


def refuse_untrainable(y, weights, folds, classes=None):
    """Raise where a fold leaves no weight to train on, or none of a class; y holds codes."""
    weights = np.ones(len(y)) if weights is None else weights
    names = ["no row"] if classes is None else [f"no row of class {c!r}" for c in classes.tolist()]
    kinds = np.ones((len(y), 1)) if classes is None else np.eye(len(classes))[y]
    trained = (only(weights, train) for train, _ in folds)
    held_out.refuse_untrainable(trained, kinds, names.__getitem__)


def fold_summary(scores, folds):
    """Mean and standard error (L,) of scores (K, L) of folds that weigh the same."""
    return summary(scores, np.ones(len(folds)), passes([test for _, test in folds]))


def read_alphas(alphas, positive=False):
    """A count of alphas, or the alphas."""
    if isinstance(alphas, Integral):
        return read_count("alphas", alphas, 1)
    if np.ndim(alphas) != 1:
        raise TypeError(f"alphas must be a count or a list of numbers, not {shown(alphas)}")
    return _read_all("alphas", alphas, np.inf, positive)


def _read_all(name, values, high, positive=False):
    values = np.array([read_number(name, value, 0.0, high, open_low=positive) for value in values])
    if not len(values):
        raise ValueError(f"{name} is empty; give at least one")
    return values


def _places(rows, n):
    """Rows by number, where a fold gives a mask of them."""
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape != (n,):
        raise ValueError(f"a fold's mask has shape {rows.shape}; give one value for each row, {n}")
    return np.flatnonzero(rows) if rows.dtype == bool else rows


class Folded:
    """Mixin of what holds rows out: folds as scikit-learn takes them, by metadata routing."""

    def _folds(self, X, y, params, stratified=False):
        """Pairs (train, test); `stratified` where y holds what they should share out."""
        splitter = check_cv(self.cv, y, classifier=stratified)
        if params and not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"fit is given {', '.join(params)}, which only metadata routing can pass on; "
                "call sklearn.set_config(enable_metadata_routing=True)"
            )
        routed = process_routing(self, "fit", **params).splitter.split if params else {}
        return [tuple(_places(rows, len(y)) for rows in pair)
                for pair in splitter.split(X, y, **routed)]  # fmt: skip

    def get_metadata_routing(self):
        """What metadata fit takes and passes on: sample_weight, and what the splitter asks for."""
        mapping = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(splitter=check_cv(self.cv), method_mapping=mapping)


class Chosen(Folded):
    """Mixin of the CV forms: the grid, the choice.

    As in scikit-learn all folds share the grid of all rows, and weigh the same. Attributes besides
    those of the estimator without CV: ``alpha_``, ``l1_ratio_``, ``alphas_`` (L,) decreasing,
    ``score_path_`` (L, K) of each fold, and ``cv_path_``, the CVPath of the l1_ratio chosen. With
    several l1_ratios ``alphas_`` and ``score_path_`` have a first axis of them.
    """

    def _solve_cv(self, X, y, weights, params, labels=None):
        """Choose, and keep the solution; `labels` are what folds share out, where y cannot say."""
        stratified = is_classifier(self) or labels is not None
        folds = self._folds(X, y if labels is None else labels, params, stratified)
        refuse_untrainable(y, weights, folds, self.classes_ if is_classifier(self) else None)
        rule = RULES[read_choice("rule", self.rule, list(RULES))]
        ratios = getattr(self, "l1_ratio", 1.0)
        ratios = _read_all("l1_ratio", ratios if np.ndim(ratios) == 1 else [ratios], 1.0)
        found = [self._try(X, y, weights, float(ratio), folds, rule) for ratio in ratios]
        best = int(np.argmin([loss for _, _, loss in found]))
        cv, place, _ = found[best]
        self.alpha_, self.l1_ratio_ = float(cv.lambdas[place]), float(ratios[best])
        self.cv_path_ = cv
        alphas = np.array([cv.lambdas for cv, _, _ in found])
        scores = np.array([cv.fold_scores.T for cv, _, _ in found])
        several = len(ratios) > 1
        self.alphas_, self.score_path_ = (alphas, scores) if several else (alphas[0], scores[0])
        self._keep(cv.path, place)

    def _try(self, X, y, weights, ratio, folds, rule):
        """The CVPath of one l1_ratio, the place that it chooses, and the best mean as a loss."""
        options = {**self._options(), "alpha": ratio}
        n_jobs = 1 if self.n_jobs is None else self.n_jobs
        cv = cv_path(
            X, y, lambdas=self._grid(X, y, weights, options), weights=weights, folds=folds,
            measure=getattr(self, "measure", None), n_jobs=n_jobs,
            progress=bool(self.verbose), **options,
        )  # fmt: skip
        mean, std = fold_summary(cv.fold_scores, folds)
        places = choose(mean, std, cv.larger_is_better)
        return cv, places[rule], mean[places[0]] * (-1 if cv.larger_is_better else 1)

    def _grid(self, X, y, weights, options):
        """The alphas to try, as many as asked for from the least that selects nothing.

        What is all but ridge begins at 1 / RIDGE times the first alpha of the lasso.
        """
        alphas = read_alphas(self.alphas)
        if not isinstance(alphas, int):
            return alphas
        eps = read_number("eps", self.eps, 0, 1, open_low=True, open_high=True)
        largest = path(X, y, weights=weights, n_lambdas=1, **options).lambdas[0]
        last = RIDGE * eps if options["alpha"] <= RIDGE else eps
        return largest * np.geomspace(1.0, last, alphas)
