"""Linear support vector regression: LinearSVR."""

from functools import partial

import numpy as np
from sklearn import svm
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sparsesolve import families
from sparsesolve.data import read_choice, read_number, read_real
from sparsesolve.families.family import STOP_OF_PIECES, Family
from sparsesolve.families.links import identity
from sparsesolve.losses import KINKED, LOSSES

from .base import TYPES, Net, read_pair, read_sample_weight
from .margin import Fit, exported, level, read_rows, total_weight


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
