"""Linear support vector machines with C by cross-validation along the path."""

from numbers import Integral

import numpy as np

from sparsesolve.data import read_choice, read_count, read_number
from sparsesolve.results.cv_path import choose
from sparsesolve.selection.cv import cv_path

from .base import warning_as_scikit_learn
from .chosen import RULES, Folded, fold_summary, refuse_untrainable
from .margin import MarginClassifier
from .svr import MarginRegressor


def read_Cs(Cs):
    """Return the values of C (L,), ascending: a count of them from 1e-4 to 1e4, or a list."""
    if isinstance(Cs, Integral):
        return np.geomspace(1e-4, 1e4, read_count("Cs", Cs, 1))
    if np.ndim(Cs) != 1 or len(Cs) == 0:
        raise ValueError("Cs must be a count or a list of positive numbers")
    return np.unique([read_number("Cs", C, 0.0, np.inf, open_low=True) for C in Cs])


class ChosenC(Folded):
    """Mixin: the grid of C, its scores on folds, and the choice.

    All folds share the grid of lambdas.

    Parameters
    ----------
    Cs : int or list of float
        Number of log-spaced values from 1e-4 to 1e4, or the values.
    rule : {"min", "1se"}
        The C of the best mean score, or the smallest within one standard error of it.

    Attributes
    ----------
    C_ : float
        The chosen value.
    Cs_ : (L,)
        Ascending.
    score_path_ : (L, F)
        The measure on each of F folds.
    cv_paths_ : list of CVPath
        One, or one for each class.
    """

    def _paths(self, X, problems, weights, folds, measure):
        """Return a CVPath over all C for each problem's response, and the values of C."""
        self.Cs_ = read_Cs(self.Cs)
        lambdas = np.array([self._level(C, X, weights) for C in self.Cs_])
        n_jobs = 1 if self.n_jobs is None else self.n_jobs
        with warning_as_scikit_learn():
            self.cv_paths_ = [
                cv_path(X, y, lambdas=lambdas, weights=weights, folds=folds, keep=True,
                        measure=measure, n_jobs=n_jobs, progress=bool(self.verbose),
                        **self._options()) for y in problems
            ]  # fmt: skip

    def _choose(self, scores, folds):
        """Return the chosen place on the path of scores (F, L); smaller scores are better."""
        rule = RULES[read_choice("rule", self.rule, list(RULES))]
        mean, std = fold_summary(scores, folds)
        place = choose(mean, std, False)[rule]  # lambdas decrease as C increases
        self.C_, self.score_path_ = float(self.Cs_[place]), scores.T
        return place


class LinearSVCCV(ChosenC, MarginClassifier):
    """:class:`LinearSVC` with C by cross-validation along the path, each fit certified.

    Parameters
    ----------
    measure : {"class", "hinge"}, default "class"
        The score to compare: the share of rows in the wrong class, or the mean hinge loss, over
        all classes.
    cv : int, splitter or iterable, default None
        Folds as scikit-learn takes them; None means 5, stratified.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import LinearSVCCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 3))
    >>> model = LinearSVCCV(Cs=[0.01, 0.1, 1.0], loss="hinge").fit(X, X[:, 0] > 0)
    >>> round(model.score(X, X[:, 0] > 0), 2)
    0.97
    """

    multi_class = "ovr"

    def __init__(self, *, Cs=10, loss="squared_hinge", l1_ratio=0.0, fit_intercept=True,
                 class_weight=None, probability=False, measure="class", cv=None, rule="min",
                 tol=None, max_iter=None, verbose=False, n_jobs=None, penalty_factor=None,
                 lower=None, upper=None, exclude=None): ...

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        X, codes, weights = self._read(X, y, sample_weight)
        read_choice("measure", self.measure, ("class", "hinge"))
        folds = self._folds(X, codes, params, stratified=True)
        refuse_untrainable(codes, weights, folds, self.classes_)
        self._paths(X, self._sides(codes), weights, folds, "class")
        place = self._choose(self._scores(X, codes, weights, folds), folds)
        self._fit_each(X, codes, weights, self.cv_paths_[0].lambdas[: place + 1])
        if self.probability:
            scores = np.column_stack([cv.prevalidated[:, place] for cv in self.cv_paths_])
            self._keep_sigmoids(codes, weights, scores)
        return self

    def _scores(self, X, codes, weights, folds):
        """Return the measure (F, L) on the held-out rows of each fold."""
        w = np.ones(len(codes)) if weights is None else weights
        sides, lambdas = self._sides(codes), self.cv_paths_[0].lambdas
        found = np.full((len(folds), len(lambdas)), np.nan)
        for f, (_, test) in enumerate(folds):
            if w[test].sum() == 0.0:
                continue
            eta = np.stack([np.asarray(cv.fold_paths[f].predict(X[test], s=lambdas))
                            for cv in self.cv_paths_])  # fmt: skip
            if self.measure == "hinge":
                margins = eta * np.stack([side[test] for side in sides])[:, :, None]
                lost = np.maximum(0.0, 1.0 - margins).mean(axis=0)
            else:
                chosen = (eta[0] > 0.0).astype(int) if len(eta) == 1 else eta.argmax(axis=0)
                lost = (chosen != codes[test][:, None]).astype(float)
            found[f] = w[test] @ lost / w[test].sum()
        return found


class LinearSVRCV(ChosenC, MarginRegressor):
    """:class:`LinearSVR` with C by cross-validation along the path, each fit certified.

    Parameters
    ----------
    measure : str or callable, default "mse"
        The score to compare: "mse", "mae" or a function, as in :func:`sparsesolve.cv_path`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import LinearSVRCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 3))
    >>> model = LinearSVRCV(Cs=[0.001, 1.0]).fit(X, X[:, 0] + 0.1 * rng.normal(size=80))
    >>> model.C_
    1.0
    """

    def __init__(self, *, Cs=10, epsilon=0.0, loss="epsilon_insensitive", l1_ratio=0.0,
                 fit_intercept=True, measure="mse", cv=None, rule="min", tol=1e-10, max_iter=None,
                 verbose=False, n_jobs=None, penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...

    def fit(self, X, y, sample_weight=None, **params):
        """Choose and fit; `params`, such as groups, go to the splitter by metadata routing."""
        X, y, weights = self._read(X, y, sample_weight)
        folds = self._folds(X, y, params)
        refuse_untrainable(y, weights, folds)
        self._paths(X, [y], weights, folds, self.measure)
        cv = self.cv_paths_[0]
        scores = np.asarray(cv.fold_scores) * (-1 if cv.larger_is_better else 1)
        place = self._choose(scores, folds)
        self._fit_one(X, y, weights, cv.lambdas[: place + 1])
        return self
