"""OnlineClassifier and OnlineRegressor: learned row by row, with fit and partial_fit."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from sparsesolve import families
from sparsesolve.data import read_all_classes, read_choice, read_count, read_flag, read_number
from sparsesolve.families import hinge
from sparsesolve.online.online import online
from sparsesolve.online.passes import Holdout, split
from sparsesolve.online.settings import METHODS, read_method
from sparsesolve.penalties.columns import by_label

from .base import TYPES, Answering, new_matrix, read_first, read_pair, read_sample_weight
from .classes import Classes, factors_of_classes


class Online(Answering, BaseEstimator):
    """Base class: passes over shuffled rows, early stopping, and continuation.

    Parameters
    ----------
    max_iter : int
        Number of passes of `fit`.
    shuffle : bool
        In `fit`, draw a new order for every pass.
    random_state : int, RandomState or None
        Seed of the orders and of the held-out rows.
    early_stopping : bool
        In `fit`, stop when the held-out loss improves by less than `tol` in `n_iter_no_change`
        passes, and keep the weights of the best pass.
    validation_fraction : float
        Share of rows to hold out.
    n_iter_no_change : int
        Number of passes.
    tol : float
        Least improvement of the mean loss.

    Attributes
    ----------
    n_iter_ : int
        Number of passes.
    t_ : float
        The clock: 1 plus the weight of all rows learned so far.
    online_fit_ : OnlineFit
        Certifies, and has the progressive loss.
    """

    _described_by = (online,)

    def _start(self, n_features, classes=None):
        """Return an OnlineFit without rows."""
        method = read_method(self.method, [name for name in METHODS if name != "svrg"])
        names = getattr(self, "feature_names_in_", None)
        options = {"grouped": self.grouped, "classes": classes} if classes is not None else {}
        if self.average == "random":
            options["seed"] = check_random_state(self.random_state).randint(2**31)
        return online(
            iter([]), family=self._family_of(classes), lam=self.alpha, alpha=self.l1_ratio,
            intercept=self.fit_intercept, method=method, step=self.step,
            schedule=self.schedule, average=self.average, n_features=n_features,
            penalty_factor=by_label("penalty_factor", self.penalty_factor, names, n_features, 1.0),
            **options,
        )  # fmt: skip

    def _learn(self, X, y, weights, classes=None):
        """Make passes over shuffled rows until max_iter, or until the held-out loss stops
        improving.
        """
        passes = read_count("max_iter", self.max_iter, 1)
        patience = read_count("n_iter_no_change", self.n_iter_no_change, 1)
        tol = read_number("tol", self.tol, 0.0, np.inf)
        shuffle = read_flag("shuffle", self.shuffle)
        share = read_number("validation_fraction", self.validation_fraction, 0.0, 1.0,
                            open_low=True, open_high=True)  # fmt: skip
        rng, n = check_random_state(self.random_state), X.shape[0]
        kept = np.arange(n) if weights is None else np.flatnonzero(weights > 0.0)
        watch = None
        if read_flag("early_stopping", self.early_stopping):
            kept, held = split(share, n, weights, rng)
            w = None if weights is None else weights[held]
            watch = Holdout((X[held], y[held], w), patience, tol)
        self.online_fit_ = self._start(X.shape[1], classes)
        for self.n_iter_ in range(1, passes + 1):
            order = rng.permutation(kept) if shuffle else kept
            w = None if weights is None else weights[order]
            self.online_fit_.more(X[order], y[order], weights=w)
            if watch is not None and watch.ends(self.online_fit_):
                break
        if watch is not None:
            self.online_fit_ = watch.best
        return self

    def _go_on(self, X, y, weights, classes=None):
        """Learn the rows in their order."""
        if not hasattr(self, "online_fit_"):
            self.online_fit_, self.n_iter_ = self._start(X.shape[1], classes), 0
        self.online_fit_.more(X, y, weights=weights)
        self.n_iter_ += 1
        return self

    @property
    def t_(self):
        """The clock: 1 plus the weight of the rows learned so far."""
        return self.online_fit_._current().weight + 1.0

    def _coefficients(self):
        fit = self.online_fit_
        if fit.n_features * fit.settings.n_responses > 10**6:
            return fit.sparse_coef()
        return fit.coef()

    def _link(self, X):
        check_is_fitted(self)
        X = validate_data(self, new_matrix(self, X), accept_sparse="csr", dtype=TYPES, reset=False)
        return self.online_fit_.predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


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
