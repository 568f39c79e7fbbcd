"""OnlineClassifier: classes learned row by row, with fit and partial_fit."""

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from sparsesolve.data import read_all_classes, read_choice
from sparsesolve.families import hinge

from .base import TYPES, read_first, read_pair, read_sample_weight
from .classes import Classes, factors_of_classes
from .online import Online


def _has_probabilities(estimator):
    if estimator.loss == "hinge":
        raise AttributeError("loss='hinge' has no probabilities; use loss='log_loss'")
    return True


class OnlineClassifier(Classes, Online):
    """Classes with logistic, multinomial or hinge loss, learned row by row.

    If the data fit into memory, :class:`SparseLogisticRegression` reaches the optimum.

    Parameters
    ----------
    alpha : float, default 1e-4
        Strength of the penalty, as in SparseLogisticRegression.
    loss : {"log_loss", "hinge"}, default "log_loss"
        "hinge" is for two classes, and has no probabilities.
    fit_intercept : bool, default True
        Learn unpenalised intercepts.
    class_weight : dict, "balanced" or None, default None
        Factors of the weights of the rows of each class; "balanced": one over the share of its
        rows, in `partial_fit` of all rows so far.

    Attributes
    ----------
    coef_ : (1, p) for two classes, else (K, p); CSR for more than a million coefficients
    intercept_ : (1,) or (K,)

    Notes
    -----
    `fit` starts again. `partial_fit` continues, and so does its clock `t_`: step sizes do not
    restart, and any split of the rows into calls gives the same weights. After `fit` it continues
    from the fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sparsesolve.estimators import OnlineClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineClassifier(alpha=1e-3, max_iter=50).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    """

    def __init__(self, alpha=1e-4, *, l1_ratio=1.0, loss="log_loss", fit_intercept=True,
                 grouped=False, class_weight=None, method="ftrl", step="auto", schedule="sqrt",
                 average=False, max_iter=5, shuffle=True, random_state=0, early_stopping=False,
                 validation_fraction=0.1, n_iter_no_change=2, tol=1e-4, penalty_factor=None): ...

    def fit(self, X, y, sample_weight=None):
        """Fit to X (n, p) and labels y (n,); a row of sample_weight w counts as w rows."""
        X, y = read_pair(self, X, y, accept_sparse="csr", dtype=TYPES)
        codes, weights = self._read_classes(y, sample_weight)
        return self._learn(X, codes, weights, np.arange(len(self.classes_)))

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more rows; the first call needs all `classes`."""
        first = not hasattr(self, "online_fit_")
        X, y = read_pair(self, X, y, accept_sparse="csr", dtype=TYPES, reset=first)
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        weights = read_sample_weight(sample_weight, len(y), some=False)
        self.classes_ = read_all_classes(classes, None if first else self.classes_)
        if first:
            self._counts = np.zeros(len(self.classes_))
        codes = np.searchsorted(self.classes_, y).clip(0, len(self.classes_) - 1)
        strange = y[self.classes_[codes] != y].tolist()
        if strange:
            raise ValueError(
                f"y holds {strange[0]!r}, none of the classes {self.classes_.tolist()!r} of the "
                "first call"
            )
        weights = self._balanced(codes, weights)
        return self._go_on(X, codes, weights, np.arange(len(self.classes_)))

    def _balanced(self, codes, weights):
        """Return weights times those of the classes; "balanced" counts all rows so far."""
        if self.class_weight is None:
            return weights
        weights = np.ones(len(codes)) if weights is None else weights
        if isinstance(self.class_weight, str):
            read_choice("class_weight", self.class_weight, ["balanced"])
            if not hasattr(self, "_counts") or len(self._counts) != len(self.classes_):
                self._counts = np.zeros(len(self.classes_))
            each = np.eye(len(self.classes_))[codes] * weights[:, None]
            seen = self._counts + np.cumsum(each, axis=0)
            self._counts = seen[-1]
            mine = seen[np.arange(len(codes)), codes]
            share = seen.sum(axis=1) / (len(self.classes_) * np.where(mine > 0.0, mine, 1.0))
            return weights * share
        return weights * factors_of_classes(self.class_weight, self.classes_)[codes]

    def _family_of(self, classes):
        read_choice("loss", self.loss, ["log_loss", "hinge"])
        if self.loss == "log_loss":
            return "binomial" if len(classes) == 2 else "multinomial"
        if len(classes) > 2:
            raise ValueError(f"loss='hinge' is for two classes, not {len(classes)}; use log_loss")
        return hinge()

    @property
    def coef_(self):
        """The coefficients, (1, p) or (K, p)."""
        found = self._coefficients()
        return found if found.ndim == 2 else found[None, :]

    @property
    def intercept_(self):
        """The intercepts, (1,) or (K,)."""
        return np.atleast_1d(self.online_fit_.intercept)

    @available_if(_has_probabilities)
    @read_first
    def predict_proba(self, X):
        """Return probabilities (n, K) of the classes; absent with loss="hinge"."""
        return super().predict_proba(X)

    @available_if(_has_probabilities)
    @read_first
    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, (n, K); absent with loss="hinge"."""
        return super().predict_log_proba(X)

    def decision_function(self, X):
        """Return linear predictors: (n,) of the second of two classes, or (n, K) of each class."""
        return self._link(X)
