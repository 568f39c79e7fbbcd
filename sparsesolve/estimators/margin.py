"""The base of linear support vector machines: C, losses, one class against the others, Platt
scaling.
"""

import numpy as np
from scipy import special
from sklearn import svm
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sparsesolve import families
from sparsesolve.data import read_choice, read_count, read_design, read_flag, read_number
from sparsesolve.data.labels import refuse_missing_labels
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.losses import KINKED, LOSSES
from sparsesolve.paths.options import MAX_ITER
from sparsesolve.paths.path import path
from sparsesolve.selection.cv import cv_path
from sparsesolve.solvers.margin.dual_descent import solve_rows
from sparsesolve.solvers.margin.ridge_dual import Rows

from .base import TYPES, Net, read_first, read_pair, warning_as_scikit_learn
from .classes import Classes


def sigmoid(scores, positive, weights):
    """Return a and b of P(positive) = 1 / (1 + exp(-(a score + b))).

    The fit is a logistic regression on one column without a penalty. Its responses are Platt's
    targets, (N + 1) / (N + 2) and 1 / (N + 2) with the classes' weights N, so that a and b are
    finite even if the scores separate the classes.

    scores : (n,); positive : (n,) booleans; weights : (n,) that count rows, or None
    """
    w = np.ones(len(scores)) if weights is None else weights * (len(weights) / weights.sum())
    mass = float(w[positive].sum()), float(w[~positive].sum())
    targets = np.where(positive, (mass[0] + 1.0) / (mass[0] + 2.0), 1.0 / (mass[1] + 2.0))
    fit = path(scores[:, None], targets, family="binomial", weights=w, lambdas=[0.0], tol=1e-12)
    return float(fit.coefs.toarray()[0, 0]), float(fit.intercepts[0])


def probabilities(scores, sigmoids):
    """Return (n, K) from scores (n,) of two classes, or (n, K) of each class against the others.
    """
    a, b = np.array(sigmoids).T
    if scores.ndim == 1:
        second = special.expit(a[0] * scores + b[0])
        return np.column_stack([1.0 - second, second])
    each = special.expit(a * scores + b)
    total = each.sum(axis=1, keepdims=True)
    shared = np.divide(each, total, out=np.full_like(each, 1.0 / len(a)), where=total > 0.0)
    return shared


def held_out(scores):
    """Return which rows of scores (n, K) some fold held out."""
    return np.isfinite(scores).all(axis=1)


# Gaps for tol=None. With the squared hinge, gaps are of second order in the coefficients, and so
# in the dual variables, which have to reproduce the coefficients.
TOL = {"hinge": 1e-10, "squared_hinge": 1e-14}


def level(C, total, squared):
    """Return lambda for C: the sum of weighted losses becomes their mean, a square half a square.
    """
    return 1.0 / (C * total * (2.0 if squared else 1.0))


def total_weight(weights, n):
    """Return the sum of the weights of n rows."""
    return float(n) if weights is None else float(weights.sum())


def read_rows(X, shares, intercept):
    """Return the Rows of X (n, p); None where X is tall and large, so that products by columns,
    and their inner products, are cheaper.
    """
    n, p = X.shape
    if n >= 4 * p and n * p > 10_000:
        return None
    return Rows(read_design(X.T)[0], shares, intercept)


class Fit:
    """One machine at the last of `lambdas`, with its dual variables: by `rows` alone, or reached
    along `lambdas` by all of X. The loss is that of responses less `mean`.

    Attributes
    ----------
    coef, intercept, gap, n_iter : (p,), float, float, int
    dual : (n,)
        ``u / lam``, the coefficients of the rows of X in `coef`, where the penalty is l2. u is
        minus the derivative of a smooth loss; with kinks it is the dual point of the certificate.
    """

    def __init__(self, X, y, lambdas, weights, loss, options, rows=None, mean=0.0):
        duals, lambdas = [], np.atleast_1d(lambdas)
        if rows is not None:
            tol = read_number("tol", options["tol"], 0, np.inf)
            most = options["max_iter"]
            most = MAX_ITER if most is None else read_count("max_iter", most, 0)
            with one_blas_thread():
                found = solve_rows(rows, loss, float(lambdas[-1]), tol, most, mean)
            if found is not None:
                self.coef, self.intercept, self.dual, self.gap, self.n_iter = found
                return

        def keep(point):
            duals[:] = [point.dual]
            return False

        with warning_as_scikit_learn():
            fit = path(X, y, lambdas=lambdas, weights=weights, stop=keep, **options)
        self.coef, self.intercept = fit.coefs[:, [-1]].toarray().ravel(), float(fit.intercepts[-1])
        self.gap, self.n_iter = float(fit.gaps[-1]), int(fit.n_iters[-1])
        self.eta = np.asarray(X @ self.coef, dtype=float) + self.intercept
        self.dual = (loss.at(self.eta - mean)[1] if loss.smooth else duals[0]) / lambdas[-1]


def _with_probabilities(model):
    """Return True if probability=True; like scikit-learn's SVC, only then is there predict_proba.
    """
    if not model.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class MarginClassifier(Classes, Net):
    """Base class: two classes with the hinge loss or its square, or several, each against the
    rest.

    Attributes
    ----------
    coef_ : (1, p) for two classes, else (K, p)
    intercept_ : (1,) or (K,)
    """

    def _read(self, X, y, sample_weight):
        refuse_missing_labels(y)
        X, y = read_pair(self, X, y, accept_sparse=("csr", "csc"), dtype=TYPES)
        read_choice("loss", self.loss, ("hinge", "squared_hinge"))
        read_choice("multi_class", self.multi_class, ("ovr", "crammer_singer"))
        if read_flag("probability", self.probability) and self.multi_class != "ovr":
            raise ValueError(
                "probability=True scales the scores of one class against the others; use "
                "multi_class='ovr'"
            )
        return X, *self._read_classes(y, sample_weight)

    def _options(self):
        family = families.hinge() if self.loss == "hinge" else families.squared_hinge()
        ratio = read_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        tol = TOL[self.loss] if self.tol is None else self.tol
        return {**super()._options(), "family": family, "alpha": ratio, "grouped": False,
                "tol": tol}  # fmt: skip

    def _level(self, C, X, weights):
        C = read_number("C", C, 0.0, np.inf, open_low=True)
        return level(C, total_weight(weights, X.shape[0]), self.loss == "squared_hinge")

    def _sides(self, codes):
        """Return -1 and 1 (n,) for each problem: the second class against the first, or each one.
        """
        K = len(self.classes_)
        return [np.where(codes == k, 1, -1) for k in ([1] if K == 2 else range(K))]

    def _fit_each(self, X, codes, weights, lambdas):
        """Fit each problem at the last of lambdas, and set the attributes."""
        w = np.ones(X.shape[0]) if weights is None else weights
        make, shares = {**KINKED, **LOSSES}[self.loss], w / w.sum()
        sides, options = self._sides(codes), self._options()
        ridge = self.l1_ratio == 0.0 and not self._restricted()
        rows = read_rows(X, shares, options["intercept"]) if ridge else None
        fits = [Fit(X, side, lambdas, weights, make(side.astype(float), shares), options, rows)
                for side in sides]  # fmt: skip
        self.coef_ = np.stack([fit.coef for fit in fits])
        self.intercept_ = np.array([fit.intercept for fit in fits])
        self.gap_ = max(fit.gap for fit in fits)
        self.n_iter_ = max(1, *(fit.n_iter for fit in fits))
        if ridge:
            duals = np.array([fit.dual for fit in fits])
        else:  # rows whose loss has a slope
            duals = np.array([shares * (side * fit.eta < 1.0)
                              for fit, side in zip(fits, sides, strict=True)])  # fmt: skip
        self.support_ = np.flatnonzero(duals.any(axis=0)).astype(np.intc)
        if ridge:
            self.dual_coef_ = duals[:, self.support_]

    def decision_function(self, X):
        """Return scores: (n,) of the second of two classes, or (n, K) of each class."""
        eta = self._link(X)
        return eta[:, 0] if len(self.classes_) == 2 else eta

    def _keep_sigmoids(self, codes, weights, scores):
        """Keep Platt's sigmoids for scores (n, K) of held-out rows; K = 1 for two classes."""
        known = held_out(scores)
        w = None if weights is None else weights[known]
        self.sigmoids_ = np.array([
            sigmoid(column[known], sides[known] > 0, w)
            for column, sides in zip(scores.T, self._sides(codes), strict=True)
        ])  # fmt: skip

    def _score_held_out(self, X, codes, weights, lam):
        """Return scores (n, K) of each row from a fit without its fold."""
        counts = np.bincount(codes if weights is None else codes[weights > 0.0])
        if counts.min() < 2:
            name = self.classes_.tolist()[int(counts.argmin())]
            raise ValueError(
                f"probability=True holds rows out, and class {name!r} has one row only; leave it "
                "False, or give that class two rows"
            )
        splitter = StratifiedKFold(min(5, int(counts.min())))
        folds = list(splitter.split(np.empty((len(codes), 0)), codes))
        with warning_as_scikit_learn():
            each = [cv_path(X, sides, lambdas=[lam], weights=weights, folds=folds, keep=True,
                            measure="class", **self._options())
                    for sides in self._sides(codes)]  # fmt: skip
        return np.column_stack([cv.prevalidated[:, 0] for cv in each])

    @available_if(_with_probabilities)
    @read_first
    def predict_proba(self, X):
        """Return Platt's probabilities (n, K) of classes; they may disagree with predict.

        A sigmoid turns scores of held-out rows into probabilities. With several classes each has
        a sigmoid, and the probabilities of a row are divided by their sum.
        """
        check_is_fitted(self)
        return probabilities(self.decision_function(X), self.sigmoids_)

    @available_if(_with_probabilities)
    @read_first
    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def to_sklearn(self):
        """Return a fitted sklearn.svm.LinearSVC with the same coefficients."""
        check_is_fitted(self)
        return exported(self, svm.LinearSVC(loss=self.loss, C=getattr(self, "C_", None) or self.C))


def exported(fitted, model):
    """Return the model of scikit-learn with the coefficients of ours."""
    for name in ("coef_", "intercept_", "n_iter_", "n_features_in_", "classes_",
                 "feature_names_in_"):  # fmt: skip
        if hasattr(fitted, name):
            value = getattr(fitted, name)
            setattr(model, name, value.copy() if isinstance(value, np.ndarray) else value)
    return model
