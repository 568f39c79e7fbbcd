"""The base of estimators of amounts and counts: the logarithmic link and the score."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from sparsesolve.data import real_array
from sparsesolve.families import read_family
from sparsesolve.selection.measures import deviance

from .base import TYPES, Net, read_pair, read_sample_weight


class LogLink(RegressorMixin, Net):
    """Base class of models of nonnegative responses with mean exp(b0 + x'b)."""

    _family: Any = "poisson"
    _by_blocks = True

    def _read(self, X, y, sample_weight):
        if np.asarray(y).dtype.kind in "US":
            real_array("y", y)  # its message is clearer
        X, y = read_pair(
            self, X, y, accept_sparse="csc", dtype=TYPES, order="F", y_numeric=True
        )
        return X, np.asarray(y, dtype=np.float64), read_sample_weight(sample_weight, X.shape[0])

    def predict(self, X):
        """Return the expected responses, (n,)."""
        with np.errstate(over="ignore"):
            return np.exp(self._link(X))

    def score(self, X, y, sample_weight=None):
        """Return the fraction of the deviance explained.

        If y does not vary, nothing is left to explain: the score is 1 if y is predicted, else 0.
        """
        eta = self._link(X)
        y = np.asarray(real_array("y", y), dtype=np.float64).ravel()
        weights = read_sample_weight(sample_weight, len(eta))
        return explained(read_family(self._options()["family"]), y, eta, weights)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


def explained(family, y, eta, weights):
    """Return 1 - deviance / that of the mean of y, for a family with a logarithmic link."""
    w = np.ones(len(y)) if weights is None else weights
    y, eta, w = y[w > 0.0], eta[w > 0.0], w[w > 0.0]
    if np.ptp(y) == 0.0:
        with np.errstate(over="ignore"):
            return float(np.allclose(np.exp(eta), y))
    null = np.full(len(y), np.log(np.average(y, weights=w)))
    left, most = deviance(family, y, np.column_stack([eta, null]), w)
    return float(1.0 - left / most)
