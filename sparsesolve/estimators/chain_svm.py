"""Structured support vector machine on label sequences."""

import numpy as np

from sparsesolve.data import read_all_classes, read_count, read_seed
from sparsesolve.structured.margin_learner import MaxMargin, max_margin

from .chains import Chain


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
