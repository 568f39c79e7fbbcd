"""The base of OnlineClassifier and OnlineRegressor: passes, early stopping, and continuation."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsesolve.data import read_count, read_flag, read_number
from sparsesolve.online.online import online
from sparsesolve.online.passes import Holdout, split
from sparsesolve.online.settings import METHODS, read_method
from sparsesolve.penalties.columns import by_label

from .base import TYPES, Answering, new_matrix

# With more coefficients than this, coef_ is sparse.
LARGE = 10**6


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
        if fit.n_features * fit.settings.n_responses > LARGE:
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
