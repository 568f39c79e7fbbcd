"""Classes: labels are read as codes, and predicted from linear predictors."""

import numpy as np
from scipy import special
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from sparsesolve.data import read_number

from .base import read_sample_weight


def _class_factors(class_weight, y, weights):
    """Return the factors (n,) of class_weight for the row weights; 0 in classes without weight.

    "balanced" counts a row by its weight.
    """
    if weights is None or not (isinstance(class_weight, str) and class_weight == "balanced"):
        return compute_sample_weight(class_weight, y)
    codes = np.unique(y, return_inverse=True)[1]
    mass = np.bincount(codes, weights / weights.max())
    share = np.divide(mass.sum() / len(mass), mass, out=np.zeros(len(mass)), where=mass > 0.0)
    return share[codes]


def factors_of_classes(class_weight, classes):
    """Return the factor (K,) of each of the classes; 1 for those that the dict does not name."""
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, not {class_weight!r}")
    names = classes.tolist()
    for name, factor in class_weight.items():
        if name not in names:
            raise ValueError(f"class_weight names {name!r}; the classes are {names!r}")
        read_number(f"class_weight[{name!r}]", factor, 0.0, np.inf)
    return np.array([class_weight.get(name, 1.0) for name in names], dtype=float)


class Classes(ClassifierMixin):
    """Mixin of classifiers whose ``decision_function`` has shape (n,) for two classes, else (n,
    K).

    Parameters
    ----------
    cv : int, splitter or iterable
        Folds as scikit-learn takes them; None means 5 stratified folds.
    measure : str or callable
        The score to compare: "deviance", "class", "auc" (two classes), "mse", "mae", or a
        function as in :func:`sparsesolve.cv_path`.

    Attributes
    ----------
    classes_ : (K,)
        Labels, sorted.
    """

    def _read_classes(self, y, sample_weight):
        """Return codes of the classes (n,) and weights, and set the family."""
        plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubf"
        whole = plain and (y.dtype.kind != "f" or bool((np.rint(y) == y).all()))
        if not whole or 2 * len(np.unique(y)) > len(y):  # else there is nothing to find
            check_classification_targets(y)
        y = y if plain else column_or_1d(y, warn=True)
        weights = read_sample_weight(sample_weight, len(y))
        if self.class_weight is not None:
            balance = _class_factors(self.class_weight, y, weights)
            bad = ~(np.isfinite(balance) & (balance >= 0.0))
            if bad.any():
                raise ValueError(
                    f"class_weight gives class {y[bad.argmax()]} the weight "
                    f"{balance[bad.argmax()]}; it must be finite and at least 0"
                )
            weights = balance if weights is None else weights * balance
        self.classes_, codes = np.unique(y, return_inverse=True)
        held = np.bincount(codes, weights) > 0.0
        names = self.classes_.tolist()
        if held.sum() < 2:
            raise ValueError(
                f"y holds one class only ({names[held.argmax()]!r}, where weights are positive); "
                "rows of another class are needed"
            )
        if not held.all():  # rows of classes without weight count as absent
            # a class to which these rows add least
            largest = np.bincount(codes[weights > 0.0]).argmax()
            codes = (np.cumsum(held) - 1)[np.where(held[codes], codes, largest)]
            self.classes_ = self.classes_[held]
        self._family = "binomial" if len(self.classes_) == 2 else "multinomial"
        return codes, weights

    def predict(self, X):
        """Return the most likely class of each row."""
        check_is_fitted(self)
        eta = self.decision_function(X)
        return self.classes_[(eta > 0.0).astype(int) if eta.ndim == 1 else eta.argmax(axis=1)]

    def predict_proba(self, X):
        """Return probabilities (n, K) of the classes, in the order of ``classes_``."""
        eta = self.decision_function(X)
        if eta.ndim == 1:
            return np.column_stack([special.expit(-eta), special.expit(eta)])
        return special.softmax(eta, axis=1)

    def predict_log_proba(self, X):
        """Return the logarithms of the probabilities, (n, K)."""
        eta = self.decision_function(X)
        if eta.ndim == 1:
            return np.column_stack([special.log_expit(-eta), special.log_expit(eta)])
        return special.log_softmax(eta, axis=1)
