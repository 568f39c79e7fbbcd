"""Label sequences: conditional random fields and structured support vector machines."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsesolve.data import read_count, read_seed
from sparsesolve.data.labels import refuse_missing_labels
from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.margin_learner import MaxMargin, max_margin
from sparsesolve.structured.sequences import is_list_of_sequences

from .base import Answering, warning_as_scikit_learn


class Chain(Answering, ClassifierMixin, BaseEstimator):
    """What both share: X as a list of sequences, or one table with `lengths`."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def predict(self, X, lengths=None):
        """Labels (n,); of a list of sequences a list of arrays."""
        check_is_fitted(self)
        X, cuts = self._table(X)
        return _cut(self.path_.predict(X, lengths), cuts)

    def score(self, X, y, lengths=None, sample_weight=None):
        """Accuracy of single labels; weights are of these."""
        found, y = self.predict(X, lengths), y
        if isinstance(found, list):
            found, y = np.concatenate(found), np.concatenate([np.asarray(part) for part in y])
        return float(np.average(found == np.asarray(y), weights=sample_weight))

    def _training_data(self, X, y, reset=True):
        """X and y as the solver reads them, and `classes_`."""
        if not is_list_of_sequences(X):
            refuse_missing_labels(y)
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64,
                                 reset=reset)  # fmt: skip
            check_classification_targets(y)
            return X, y
        if reset:
            self.n_features_in_ = X[0].shape[1]
        return X, y

    def _table(self, X):
        """X, and where sequences of a list end."""
        if is_list_of_sequences(X):
            return X, np.cumsum([part.shape[0] for part in X])[:-1]
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False), None

    def _keep(self, path):
        self.path_, self.classes_, self.gap_ = path, path.labels, float(path.gaps[0])
        self.coef_, self.transitions_ = path.coef().T, path.transitions()
        return self


def _cut(values, cuts):
    return values if cuts is None else np.split(values, cuts)


class ChainClassifier(Chain):
    """Conditional random field on label sequences, with a certificate.

    Minimises the mean over sequences of -log P(y | x) plus ``alpha (l1_ratio Omega(B) +
    (1 - l1_ratio) |B|^2 / 2)``, Omega being the l1 norm or, with `groups`, that of groups; labels'
    intercepts, transitions, start and stop scores are penalised as `transitions` says.

    Parameters
    ----------
    alpha : float, default 1e-3
        Strength of the penalty.
    l1_ratio : float in [0, 1], default 0.0
        0 is ridge, 1 the sparse penalty alone.
    groups : sequence or mapping, default None
        Groups of features, as `penalties.GroupL2` takes them.
    transitions : {"ridge", "l1", "group", "free"}, default "ridge"
        As in `crf_path`.
    fit_intercept : bool, default True
        Give every label a score of its own.
    max_iter : int, default None
        Steps allowed; None means 10,000.
    tol : float, default 1e-4
        Duality gap to reach, relative to the objective at zero.
    n_threads : int, default 1
        Threads over sequences; -1 for all cores.

    Attributes
    ----------
    classes_ : (K,)
    coef_ : (K, p)
    transitions_ : (K, K) from row to column
    gap_ : float
    n_iter_ : int
    path_ : CRFPath, of one lambda

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import ChainClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=(20, 3)) for _ in range(5)]
    >>> y = [part[:, 0] > 0 for part in X]
    >>> round(ChainClassifier().fit(X, y).score(X, y), 2)
    1.0
    """

    def __init__(self, alpha=1e-3, *, l1_ratio=0.0, groups=None, transitions="ridge",
                 fit_intercept=True, max_iter=None, tol=1e-4, n_threads=1):
        self.alpha, self.l1_ratio, self.groups = alpha, l1_ratio, groups
        self.transitions, self.fit_intercept = transitions, fit_intercept
        self.max_iter, self.tol, self.n_threads = max_iter, tol, n_threads

    def fit(self, X, y, lengths=None):
        """Fit to sequences: lists of (L, p) arrays and labels, or one table with `lengths`."""
        X, y = self._training_data(X, y)
        with warning_as_scikit_learn():
            path = crf_path(
                X, y, lengths=lengths, lambdas=[self.alpha], alpha=self.l1_ratio,
                groups=self.groups, transitions=self.transitions, intercept=self.fit_intercept,
                max_iter=self.max_iter, tol=self.tol, n_threads=self.n_threads,
            )  # fmt: skip
        self.n_iter_ = max(int(path.n_iters[0]), 1)
        return self._keep(path)

    def predict_proba(self, X, lengths=None):
        """Marginal probabilities (n, K); of a list of sequences a list of arrays."""
        check_is_fitted(self)
        X, cuts = self._table(X)
        return _cut(self.path_.marginals(X, lengths), cuts)


class ChainSVM(Chain):
    """Structured support vector machine on label sequences.

    Parameters
    ----------
    alpha : float, default 1e-3
        Strength of the ridge penalty of "frank_wolfe"; "averaged" has none.
    algorithm : {"averaged", "frank_wolfe"}, default "averaged"
        Averaged subgradient steps, without a certificate (`gap_` is infinite); or
        block-coordinate Frank-Wolfe, whose gap closes slowly.
    epochs : int, default 10
        Passes over the sequences.
    tol : float, default 0.0
        Gap, relative to the objective at zero, at which "frank_wolfe" ends early.
    random_state : int, default 0
        Of the order of the sequences.

    Attributes
    ----------
    classes_ : (K,)
    coef_ : (K, p)
    transitions_ : (K, K) from row to column
    gap_ : float
    path_ : CRFPath, of one lambda

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import ChainSVM
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=(20, 3)) for _ in range(5)]
    >>> y = [part[:, 0] > 0 for part in X]
    >>> ChainSVM().fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(self, alpha=1e-3, *, algorithm="averaged", epochs=10, tol=0.0, random_state=0):
        self.alpha, self.algorithm, self.epochs = alpha, algorithm, epochs
        self.tol, self.random_state = tol, random_state

    def fit(self, X, y, lengths=None):
        """Fit to sequences: lists of (L, p) arrays and labels, or one table with `lengths`."""
        X, y = self._training_data(X, y)
        self.__dict__.pop("_learner", None)
        if self.algorithm == "averaged":
            epochs = read_count("epochs", self.epochs, 1)
            self._learner = MaxMargin(X, y, lengths)
            rng = np.random.default_rng(read_seed(self.random_state))
            for _ in range(epochs):
                self._learner.averaged_epoch(rng)
            return self._keep(self._learner.averaged())
        path = max_margin(X, y, lengths=lengths, algorithm=self.algorithm, lam=self.alpha,
                          epochs=self.epochs, tol=self.tol, seed=self.random_state)  # fmt: skip
        return self._keep(path)

    def partial_fit(self, X, y, classes=None, lengths=None):
        """One pass of averaged steps over more sequences, after those of `fit` if there was one.

        `classes`, all labels that there may be, is needed at the first call.
        """
        first = not hasattr(self, "_learner")
        classes = getattr(self, "classes_", None) if classes is None else classes
        if first and classes is None:
            raise ValueError("classes, all labels that there may be, is needed at the first call")
        X, y = self._training_data(X, y, reset=first)
        if first:
            self._learner = MaxMargin(X, y, lengths, labels=np.unique(classes))
        else:
            self._learner.read(X, y, lengths)
        self._learner.averaged_epoch(np.random.default_rng(self.random_state))
        return self._keep(self._learner.averaged())

    def __getstate__(self):
        """Compiled passes are not pickled: a copy predicts, and starts again at partial_fit."""
        return {name: value for name, value in super().__getstate__().items()
                if name != "_learner"}  # fmt: skip
