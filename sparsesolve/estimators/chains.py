"""Label sequences: conditional random fields and structured support vector machines."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from sparsesolve.data import read_all_classes, read_count, read_seed
from sparsesolve.data.labels import refuse_missing_labels
from sparsesolve.penalties.groups import by_number
from sparsesolve.structured.crf import crf_path
from sparsesolve.structured.margin_learner import MaxMargin, max_margin
from sparsesolve.structured.sequences import (
    holds_dicts,
    in_positions_of,
    is_list_of_sequences,
    is_ragged,
    joined_tags,
    read_lengths,
    share_right,
)
from sparsesolve.structured.spom_training import spom
from sparsesolve.structured.stream import ChainStream

from .base import Answering, warning_as_scikit_learn


class Chain(Answering, ClassifierMixin, BaseEstimator):
    """Base class: X is a list of sequences, or one table with `lengths`.

    Attributes
    ----------
    classes_ : (K,)
    coef_ : (K, p)
    transitions_ : (K, K) from row to column
    gap_ : float, relative to the objective at zero
    path_ : CRFPath, of one lambda
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def predict(self, X, lengths=None):
        """Return labels (n,); for a list of sequences a list of arrays."""
        check_is_fitted(self)
        X, cuts = self._table(X)
        return _cut(self.path_.predict(X, lengths), cuts)

    def score(self, X, y, lengths=None, sample_weight=None):
        """Return the accuracy of single labels; `sample_weight` has one weight per label."""
        y = in_positions_of(X, y)
        found = self.predict(X, lengths)
        if isinstance(found, list):
            lengths, found = [len(part) for part in found], np.concatenate(found)
        ptr = read_lengths(lengths, len(found))
        return share_right(y, ptr, found, sample_weight)

    def _training_data(self, X, y, lengths=None, reset=True):
        """Return X and y in the form of the solver, and set `classes_`."""
        y = in_positions_of(X, y)
        if holds_dicts(X):
            return X, y
        if not is_list_of_sequences(X):
            if is_ragged(y):
                n = X.shape[0] if hasattr(X, "shape") else len(X)
                y = joined_tags(y, read_lengths(lengths, n))
            refuse_missing_labels(y)
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64,
                                 reset=reset)  # fmt: skip
            check_classification_targets(y)
            return X, y
        if reset:
            self.n_features_in_ = X[0].shape[1]
        return X, y

    def _groups(self):
        """Return groups by numbers of features, if they were given by names of a frame."""
        names = getattr(self, "feature_names_in_", None)
        if self.groups is None or names is None:
            return self.groups
        return by_number(self.groups, len(names), names)

    def _table(self, X):
        """Return X, and the ends of the sequences if X is a list."""
        if is_list_of_sequences(X) or holds_dicts(X) and isinstance(X[0], list | tuple):
            return X, np.cumsum([part.shape[0] if hasattr(part, "shape") else len(part)
                                 for part in X])[:-1]  # fmt: skip
        if holds_dicts(X):
            return X, None
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False), None

    def _keep(self, path):
        self.n_features_in_ = path.n_features
        self.path_, self.classes_, self.gap_ = path, path.labels, float(path.gaps[0])
        self.coef_, self.transitions_ = path.coef().T, path.transitions()
        return self


def _how_many(X, lengths):
    """Return the number of sequences in a list, or in one table."""
    if is_list_of_sequences(X) or holds_dicts(X) and isinstance(X[0], list | tuple):
        return len(X)
    return 1 if lengths is None else len(lengths)


def _cut(values, cuts):
    return values if cuts is None else np.split(values, cuts)


class ChainClassifier(Chain):
    """Conditional random field on label sequences, with a certificate.

    Minimises the mean over sequences of -log P(y | x) plus ``alpha (l1_ratio Omega(B) + (1 -
    l1_ratio) |B|^2 / 2)``. Omega is the l1 norm or, with `groups`, the group norm. `transitions`
    chooses the penalty on labels' intercepts, transitions, start and stop scores.

    Parameters
    ----------
    l1_ratio : float in [0, 1], default 0.0
        0 is ridge; 1 is the sparse penalty alone.
    fit_intercept : bool, default True
        Give every label an intercept.

    Attributes
    ----------
    n_iter_ : int
    n_sequences_seen_ : int

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

    _described_by = (crf_path,)

    def __init__(self, alpha=1e-3, *, l1_ratio=0.0, groups=None, transitions="ridge",
                 fit_intercept=True, max_iter=None, tol=1e-4, n_threads=1): ...

    def fit(self, X, y, lengths=None):
        """Fit to sequences: lists of (L, p) arrays and labels, or one table with `lengths`."""
        X, y = self._training_data(X, y, lengths)
        with warning_as_scikit_learn():
            path = crf_path(
                X, y, lengths=lengths, lambdas=[self.alpha], alpha=self.l1_ratio,
                groups=self._groups(), transitions=self.transitions, intercept=self.fit_intercept,
                max_iter=self.max_iter, tol=self.tol, n_threads=self.n_threads,
            )  # fmt: skip
        self.n_iter_ = max(int(path.n_iters[0]), 1)
        self.__dict__.pop("_stream", None)
        self.n_sequences_seen_ = _how_many(X, lengths)
        return self._keep(path)

    def partial_fit(self, X, y, classes=None, lengths=None):
        """Make one pass of FTRL-proximal steps of the log loss over more sequences.

        It continues from `fit` if there was one, with the same penalty on features and
        transitions. It has no certificate: `gap_` is infinite. The first call needs `classes`,
        all labels that may occur. Groups are not supported.
        """
        if self.groups is not None or self.transitions == "group":
            raise ValueError("partial_fit takes no groups; leave groups out, or use fit")
        first = not hasattr(self, "classes_")
        classes = read_all_classes(classes, getattr(self, "classes_", None))
        if first and holds_dicts(X):
            raise ValueError(
                "partial_fit needs to know all features, which dicts do not name; call fit first, "
                "or give matrices, as scikit-learn's DictVectorizer makes them"
            )
        X, y = self._training_data(X, y, lengths, reset=first)
        if not hasattr(self, "_stream"):
            self._begin_stream(classes)
        self._stream.learn(X, y, lengths, self.n_threads)
        self.n_sequences_seen_ = self._stream.count
        return self._keep(self._stream.fitted(self.alpha))

    def _begin_stream(self, classes):
        l1, l2 = self.alpha * self.l1_ratio, self.alpha * (1.0 - self.l1_ratio)
        fitted = getattr(self, "path_", None)
        names = None if fitted is None else fitted.feature_names
        self._stream = ChainStream(classes, self.n_features_in_, bool(self.fit_intercept), l1, l2,
                                   names)  # fmt: skip
        if fitted is not None:
            self._stream.begin_at(fitted.coefs.toarray()[:, 0], self.n_sequences_seen_)

    def predict_proba(self, X, lengths=None):
        """Return marginal probabilities (n, K); for a list of sequences a list of arrays."""
        check_is_fitted(self)
        X, cuts = self._table(X)
        return _cut(self.path_.marginals(X, lengths), cuts)


class ChainSVM(Chain):
    """Structured support vector machine on label sequences.

    Parameters
    ----------
    alpha : float, default 1e-3
        Strength of the ridge penalty; "averaged" has none.
    algorithm : {"averaged", "frank_wolfe", "pragam"}, default "averaged"
        "averaged": averaged subgradient steps, without a certificate (`gap_` is infinite).
        "frank_wolfe": block-coordinate Frank-Wolfe, whose gap closes slowly. "pragam":
        accelerated projections of marginals, whose gap falls as 1 / epochs^2.
    epochs : int, default 10
        Passes over the sequences; iterations of "pragam".
    tol : float, default 0.0
        Stop early at this gap, relative to the objective at zero; "averaged" has none.
    random_state : int, default 0
        Seed of the order of the sequences.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import ChainSVM
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=(20, 3)) for _ in range(5)]
    >>> y = [part[:, 0] > 0 for part in X]
    >>> ChainSVM().fit(X, y).score(X, y)
    0.98
    """

    def __init__(
        self, alpha=1e-3, *, algorithm="averaged", epochs=10, tol=0.0, random_state=0
    ): ...

    def fit(self, X, y, lengths=None):
        """Fit to sequences: lists of (L, p) arrays and labels, or one table with `lengths`."""
        X, y = self._training_data(X, y, lengths)
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
        """Make one pass of averaged steps over more sequences, after those of `fit`, if any.

        The first call needs `classes`, all labels that may occur.
        """
        first = not hasattr(self, "_learner")
        classes = read_all_classes(classes, getattr(self, "classes_", None))
        X, y = self._training_data(X, y, lengths, reset=first)
        if first:
            self._learner = MaxMargin(X, y, lengths, labels=classes)
        else:
            self._learner.read(X, y, lengths)
        self._learner.averaged_epoch(np.random.default_rng(self.random_state))
        return self._keep(self._learner.averaged())

    def __getstate__(self):
        """Drop the compiled passes: a pickled copy predicts, and partial_fit starts again."""
        return {name: value for name, value in super().__getstate__().items()
                if name != "_learner"}  # fmt: skip


class SPOMClassifier(Chain):
    """Label sequences by online multiple kernel learning over groups of features.

    ``spom`` as an estimator: X is a list of sequences, or one table with `lengths`. Use the
    function itself for kernels. With ``lengths=np.ones(n, dtype=int)`` it classifies single rows.

    Parameters
    ----------
    C : float, default 1.0
        The penalty has the factor 1 / (C N) for N sequences.
    random_state : int, default 0
        Seed of the order of the sequences.

    Attributes
    ----------
    path_, model_ : SPOM

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.estimators import SPOMClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = [rng.normal(size=(20, 4)) for _ in range(5)]
    >>> y = [part[:, 0] > 0 for part in X]
    >>> model = SPOMClassifier(C=10.0, groups=["a", "a", "b", "b"]).fit(X, y)
    >>> model.score(X, y) > 0.9, max(model.model_.weights(), key=model.model_.weights().get)
    (True, 'a')
    """

    _described_by = (spom,)

    def __init__(self, C=1.0, *, groups=None, loss="hinge", norm="l1_squared", epochs=20,
                 eta0="auto", average=False, certify=0, n_threads=1, random_state=0): ...

    def fit(self, X, y, lengths=None):
        """Fit to sequences: lists of (L, p) arrays and labels, or one table with `lengths`."""
        X, y = self._training_data(X, y, lengths)
        return self._keep(self._spom(X, y, lengths, epochs=self.epochs, certify=self.certify))

    def partial_fit(self, X, y, classes=None, lengths=None):
        """Make one pass over more sequences in their order.

        It continues from `fit` if there was one. The first call needs `classes`, all labels that
        may occur; its sequences give N of the penalty 1 / (C N). There is no certificate: `gap_`
        is infinite.
        """
        first = not hasattr(self, "model_")
        classes = read_all_classes(classes, getattr(self, "classes_", None))
        if first and holds_dicts(X):
            raise ValueError(
                "partial_fit needs to know all features, which dicts do not name; call fit first, "
                "or give matrices, as scikit-learn's DictVectorizer makes them"
            )
        X, y = self._training_data(X, y, lengths, reset=first)
        if first:
            return self._keep(self._spom(X, y, lengths, epochs=1, shuffle=False, labels=classes))
        return self._keep(self.model_.more(X, y, lengths, shuffle=False))

    def _spom(self, X, y, lengths, **options):
        return spom(
            X, y, lengths=lengths, groups=self._groups(), loss=self.loss, norm=self.norm, C=self.C,
            eta0=self.eta0, average=self.average, seed=self.random_state,
            n_threads=self.n_threads, **options,
        )  # fmt: skip

    def _keep(self, model):
        self.path_ = self.model_ = model
        self.classes_, self.gap_ = model.labels, model.relative_gap
        self.coef_, self.transitions_ = model.coef().T, model.transitions()
        return self
