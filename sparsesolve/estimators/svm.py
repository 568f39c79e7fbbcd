"""Linear support vector machines for classes and real responses, and C by cross-validation."""

from functools import partial
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn import svm
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sparsesolve import families
from sparsesolve.data import read_choice, read_count, read_flag, read_number, read_real
from sparsesolve.families.family import STOP_OF_PIECES, Family
from sparsesolve.families.links import identity
from sparsesolve.losses import KINKED, LOSSES
from sparsesolve.results.cv_path import choose
from sparsesolve.results.status import Status, warn
from sparsesolve.selection.cv import cv_path
from sparsesolve.solvers.margin.multiclass import crammer_singer

from .base import TYPES, Net, read_pair, read_sample_weight, warning_as_scikit_learn
from .chosen import RULES, Folded, fold_summary, refuse_untrainable
from .margin import Fit, MarginClassifier, exported, level, read_rows, total_weight

# With max_iter=None the multi-class dual takes at most this many sweeps.
SWEEPS = 10_000


class LinearSVC(MarginClassifier):
    r"""Linear support vector classification, with a certificate and an unpenalised intercept.

    Minimises :math:`\lVert b \rVert^2 / 2 + C \sum_i s_i\, f(y_i (x_i^\top b + b_0))` with
    s the sample weights times the class weights and f the loss.

    Parameters
    ----------
    C : float > 0, default 1.0
        Weight of the losses: ``1 / (lambda sum s)``, with "squared_hinge" half of that.
    loss : {"squared_hinge", "hinge"}, default "squared_hinge"
        ``max(0, 1 - m)^2`` or ``max(0, 1 - m)``.
    l1_ratio : float in [0, 1], default 0.0
        0 is scikit-learn's ``penalty="l2"``; 1 is its ``penalty="l1"``, ``|b|_1``; values between
        them are the elastic net.
    multi_class : {"ovr", "crammer_singer"}, default "ovr"
        With three classes or more: each against the others, or the joint loss of Crammer and
        Singer, a hinge with the l2 penalty.
    fit_intercept : bool, default True
        Fit unpenalised intercepts. With "crammer_singer" the intercept is the coefficient of one
        more column, of value `intercept_scaling`, and is penalised, like all of scikit-learn's.
    intercept_scaling : float, default 1.0
        Value of that column; otherwise ignored.
    probability : bool, default False
        Provide ``predict_proba``, by Platt scaling on held-out scores; this takes five more fits
        per class.
    tol : float, default None
        Duality gap to reach, relative to the loss of the model without features; None means 1e-10,
        with "squared_hinge" 1e-14, with "crammer_singer" 1e-6.
    max_iter : int, default None
        Most steps; None means 100,000, with "crammer_singer" 10,000 sweeps.
    dual, verbose, random_state
        Parameters of scikit-learn, accepted and ignored: the solution does not depend on them.

    Attributes
    ----------
    support_ : (m,)
        Rows with a nonzero dual variable in any of the problems; with l1_ratio > 0, factors or
        limits rows with a loss.
    dual_coef_ : (1, m) or (K, m)
        With the plain l2 penalty: ``coef_ = dual_coef_ @ X[support_]``.
    gap_ : float
        The largest certificate of the problems.
    sigmoids_ : (1, 2) or (K, 2)
        Slope and offset of Platt's sigmoids, if `probability`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsesolve.estimators import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC(loss="hinge", C=10.0).fit(X, y)
    >>> round(model.score(X, y), 2), model.coef_.shape
    (0.95, (3, 4))
    """

    def __init__(self, C=1.0, *, loss="squared_hinge", l1_ratio=0.0, multi_class="ovr",
                 fit_intercept=True, intercept_scaling=1.0, class_weight=None, probability=False,
                 tol=None, max_iter=None, dual="auto", verbose=0, random_state=None,
                 penalty_factor=None, lower=None, upper=None, exclude=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and labels y (n,); sample_weight (n,) multiplies C."""
        X, codes, weights = self._read(X, y, sample_weight)
        if self.multi_class == "crammer_singer":
            return self._fit_jointly(X, codes, weights)
        lam = self._level(self.C, X, weights)
        self._fit_each(X, codes, weights, lam)
        if self.probability:
            scores = self._score_held_out(X, codes, weights, lam)
            self._keep_sigmoids(codes, weights, scores)
        return self

    def _fit_jointly(self, X, codes, weights):
        """Fit with the loss of Crammer and Singer."""
        if self.l1_ratio != 0.0:
            raise ValueError(
                "multi_class='crammer_singer' has the l2 penalty; leave l1_ratio at 0"
            )
        if self._restricted():
            raise ValueError(
                "multi_class='crammer_singer' takes no factors and limits of features; leave them "
                "out, or use multi_class='ovr'"
            )
        C = read_number("C", self.C, 0.0, np.inf, open_low=True)
        lam = level(C, total_weight(weights, X.shape[0]), False)
        n, K = X.shape[0], len(self.classes_)
        sweeps = SWEEPS if self.max_iter is None else read_count("max_iter", self.max_iter, 1)
        intercept = read_flag("fit_intercept", self.fit_intercept)
        scale = read_number("intercept_scaling", self.intercept_scaling, 0.0, np.inf,
                            open_low=True) if intercept else 1.0  # fmt: skip
        tol = 1e-6 if self.tol is None else read_number("tol", self.tol, 0.0, np.inf)
        w = np.ones(n) if weights is None else weights
        rows = with_column(X, scale) if intercept else X
        W, alpha, self.gap_, code, made = crammer_singer(
            rows, codes, w / w.sum(), lam, tol, sweeps, K
        )
        if code != Status.CONVERGED:
            with warning_as_scikit_learn():
                warn(f"The gap is {self.gap_:.1e} after {made} sweeps; tol is {tol:.1e}. "
                     "Allow more by max_iter, or scale the columns of X")  # fmt: skip
        self.intercept_ = scale * W[-1] if intercept else np.zeros(K)
        self.coef_ = np.ascontiguousarray((W[:-1] if intercept else W).T)
        duals = alpha.T / lam
        if K == 2:  # as in scikit-learn: the difference of the two
            self.coef_ = self.coef_[1:] - self.coef_[:1]
            self.intercept_ = self.intercept_[1:] - self.intercept_[:1]
            duals = duals[1:] - duals[:1]
        self.support_ = np.flatnonzero(duals.any(axis=0)).astype(np.intc)
        self.dual_coef_, self.n_iter_ = duals[:, self.support_], max(made, 1)
        return self


def with_column(X, value):
    """Return X with one more column, which is constant."""
    if sparse.issparse(X):
        return sparse.hstack([X, np.full((X.shape[0], 1), value)]).tocsr()
    return np.column_stack([X, np.full(X.shape[0], value)])


def squared_insensitive(epsilon):
    """Return the family of max(|y - eta| - epsilon, 0)^2 / 2."""
    loss = partial(LOSSES["squared_epsilon_insensitive"], epsilon=epsilon)
    name = f"squared_epsilon_insensitive(epsilon={epsilon!r})"
    return Family(name, loss, read_real, identity, STOP_OF_PIECES)


class MarginRegressor(RegressorMixin, Net):
    """Base class of real responses with the epsilon-insensitive loss or its square."""

    def _read(self, X, y, sample_weight):
        X, y = read_pair(
            self, X, y, accept_sparse=("csr", "csc"), dtype=TYPES, y_numeric=True
        )
        read_choice("loss", self.loss, ("epsilon_insensitive", "squared_epsilon_insensitive"))
        read_number("epsilon", self.epsilon, 0.0, np.inf)
        return X, np.asarray(y, dtype=float), read_sample_weight(sample_weight, X.shape[0])

    @property
    def _squared(self):
        return self.loss == "squared_epsilon_insensitive"

    def _options(self):
        epsilon = float(self.epsilon)
        family = families.epsilon_insensitive(epsilon)
        family = squared_insensitive(epsilon) if self._squared else family
        ratio = read_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        return {**super()._options(), "family": family, "alpha": ratio, "grouped": False}

    def _level(self, C, X, weights):
        C = read_number("C", C, 0.0, np.inf, open_low=True)
        return level(C, total_weight(weights, X.shape[0]), self._squared)

    def _fit_one(self, X, y, weights, lambdas):
        """Fit at the last of lambdas, and set the attributes."""
        w = np.ones(X.shape[0]) if weights is None else weights
        shares, epsilon = w / w.sum(), float(self.epsilon)
        kinds, name = (LOSSES, "squared_epsilon_insensitive") if self._squared else (
            KINKED, "epsilon_insensitive")  # fmt: skip
        options, ridge = self._options(), self.l1_ratio == 0.0 and not self._restricted()
        rows = read_rows(X, shares, options["intercept"]) if ridge else None
        mean = float(shares @ y) if options["intercept"] else 0.0
        loss = kinds[name](y - mean, shares, epsilon=epsilon)
        fit = Fit(X, y, lambdas, weights, loss, options, rows, mean)
        self.coef_, self.intercept_ = fit.coef, fit.intercept
        self.gap_, self.n_iter_ = fit.gap, max(1, fit.n_iter)
        if not ridge:
            inside = np.abs(y - fit.eta) < epsilon
            self.support_ = np.flatnonzero(~inside & (w > 0.0)).astype(np.intc)
            return
        self.support_ = np.flatnonzero(fit.dual).astype(np.intc)
        self.dual_coef_ = fit.dual[None, self.support_]

    def predict(self, X):
        """Return predicted responses, (n,)."""
        return self._link(X)

    def to_sklearn(self):
        """Return a fitted sklearn.svm.LinearSVR with the same coefficients."""
        check_is_fitted(self)
        C = getattr(self, "C_", None) or self.C
        return exported(self, svm.LinearSVR(loss=self.loss, epsilon=self.epsilon, C=C))


class LinearSVR(MarginRegressor):
    r"""Linear support vector regression, with a certificate and an unpenalised intercept.

    Minimises :math:`\lVert b \rVert^2 / 2 + C \sum_i s_i\, f(y_i - x_i^\top b - b_0)` with
    s the sample weights and f the loss.

    Parameters
    ----------
    epsilon : float >= 0, default 0.0
        Errors up to this size, in units of y, cost nothing.
    C : float > 0, default 1.0
        Weight of the losses: ``1 / (lambda sum s)``; half of that for squares.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default "epsilon_insensitive"
        ``max(0, |r| - epsilon)`` or its square.
    l1_ratio : float in [0, 1], default 0.0
        0 is scikit-learn's l2 penalty; 1 is ``|b|_1``.
    max_iter : int, default None
        Most steps; None means 100,000.
    intercept_scaling, dual, verbose, random_state
        Parameters of scikit-learn, accepted and ignored.

    Attributes
    ----------
    support_ : (m,)
        Rows with a nonzero dual variable; with l1_ratio > 0, factors or limits rows with a loss.
    dual_coef_ : (1, m)
        With the plain l2 penalty: ``coef_ = dual_coef_[0] @ X[support_]``.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import LinearSVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = 2 * X[:, 0] + 0.1 * rng.normal(size=200)
    >>> LinearSVR(epsilon=0.1).fit(X, y).coef_.round(1)
    array([ 2., -0.,  0.])
    """

    def __init__(self, *, epsilon=0.0, C=1.0, loss="epsilon_insensitive", l1_ratio=0.0,
                 fit_intercept=True, intercept_scaling=1.0, tol=1e-10, max_iter=None, dual="auto",
                 verbose=0, random_state=None, penalty_factor=None, lower=None, upper=None,
                 exclude=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,); sample_weight (n,) multiplies C."""
        X, y, weights = self._read(X, y, sample_weight)
        lam = self._level(self.C, X, weights)
        self._fit_one(X, y, weights, lam)
        return self


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

    def _solve_cv(self, X, codes, weights, params):
        read_choice("measure", self.measure, ("class", "hinge"))
        folds = self._folds(X, codes, params, stratified=True)
        refuse_untrainable(codes, weights, folds, self.classes_)
        self._paths(X, self._sides(codes), weights, folds, "class")
        place = self._choose(self._scores(X, codes, weights, folds), folds)
        self._fit_each(X, codes, weights, self.cv_paths_[0].lambdas[: place + 1])
        if self.probability:
            scores = np.column_stack([cv.prevalidated[:, place] for cv in self.cv_paths_])
            self._keep_sigmoids(codes, weights, scores)

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

    def _solve_cv(self, X, y, weights, params):
        folds = self._folds(X, y, params)
        refuse_untrainable(y, weights, folds)
        self._paths(X, [y], weights, folds, self.measure)
        cv = self.cv_paths_[0]
        scores = np.asarray(cv.fold_scores) * (-1 if cv.larger_is_better else 1)
        place = self._choose(scores, folds)
        self._fit_one(X, y, weights, cv.lambdas[: place + 1])
