"""OnlineRegressor: real responses and counts learned row by row, with fit and partial_fit."""

from sklearn.base import RegressorMixin

from sparsesolve import families
from sparsesolve.data import read_choice

from .base import TYPES, read_pair, read_sample_weight
from .online import Online


class OnlineRegressor(RegressorMixin, Online):
    """Squared error, Huber's loss or counts, learned row by row.

    If the data fit into memory, :class:`ElasticNet` reaches the optimum.

    Parameters
    ----------
    alpha : float, default 1e-4
        Strength of the penalty, as in ElasticNet.
    loss : {"squared_error", "huber", "poisson"}, default "squared_error"
        "huber" is linear beyond residuals of 1; predictions of "poisson" are means.
    fit_intercept : bool, default True
        Learn an unpenalised intercept.

    Attributes
    ----------
    coef_ : (p,); CSR (1, p) with more than a million coefficients
    intercept_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import OnlineRegressor
    >>> X = np.random.default_rng(0).normal(size=(500, 5))
    >>> model = OnlineRegressor(alpha=0.01).fit(X, X[:, 0] - 2 * X[:, 3])
    >>> round(model.score(X, X[:, 0] - 2 * X[:, 3]), 3)
    1.0
    """

    def __init__(self, alpha=1e-4, *, l1_ratio=1.0, loss="squared_error", fit_intercept=True,
                 method="ftrl", step="auto", schedule="sqrt", average=False, max_iter=5,
                 shuffle=True, random_state=0, early_stopping=False, validation_fraction=0.1,
                 n_iter_no_change=2, tol=1e-4, penalty_factor=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and y (n,); a row of sample_weight w counts as w rows."""
        X, y = read_pair(self, X, y, squares=self.loss == "squared_error", accept_sparse="csr",
                         dtype=TYPES, y_numeric=True)  # fmt: skip
        return self._learn(X, y, read_sample_weight(sample_weight, len(y)))

    def partial_fit(self, X, y, sample_weight=None):
        """Learn more rows, in their order."""
        first = not hasattr(self, "online_fit_")
        X, y = read_pair(self, X, y, squares=self.loss == "squared_error", accept_sparse="csr",
                         dtype=TYPES, reset=first, y_numeric=True)  # fmt: skip
        return self._go_on(X, y, read_sample_weight(sample_weight, len(y)))

    def _family_of(self, classes):
        choices = {"squared_error": "gaussian", "huber": families.huber(), "poisson": "poisson"}
        return choices[read_choice("loss", self.loss, list(choices))]

    @property
    def coef_(self):
        """The coefficients, (p,)."""
        return self._coefficients()

    @property
    def intercept_(self):
        """The intercept."""
        return self.online_fit_.intercept

    def predict(self, X):
        """Return the mean of y for each row."""
        eta = self._link(X)
        return self.online_fit_.settings.family.mean(eta)
