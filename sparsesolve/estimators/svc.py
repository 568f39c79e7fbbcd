"""Linear support vector machines for classes: LinearSVC."""

import numpy as np
from scipy import sparse

from sparsesolve.data import read_count, read_flag, read_number
from sparsesolve.results.status import Status, warn
from sparsesolve.solvers.margin.multiclass import crammer_singer

from .base import warning_as_scikit_learn
from .margin import MarginClassifier, level, total_weight

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
        See `fit_intercept`; otherwise ignored.
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
