"""Structured support vector machine or random field with a norm over groups of features."""

from sparsesolve.data.labels import read_all_classes
from sparsesolve.structured.sequences import holds_dicts
from sparsesolve.structured.spom_training import spom

from .chains import Chain


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
