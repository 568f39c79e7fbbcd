"""Least squares: one real response, or several columns each fitted by itself."""

from __future__ import annotations

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from sparsesolve.data import read_weights

from .base import TYPES, Net


class Linear(RegressorMixin, Net):
    """A real response fitted by least squares."""

    def _read(self, X, y, sample_weight):
        X, y = validate_data(
            self, X, y, accept_sparse="csc", dtype=TYPES, order="F", multi_output=True,
            y_numeric=True,
        )  # fmt: skip
        self._n_rows = X.shape[0]
        return X, y, read_weights(sample_weight, X.shape[0], "sample_weight")

    def _keep(self, fit, k):
        super()._keep(fit, k)
        # what the certificate is relative to: the mean loss of the model without features
        weights = (fit.options or {}).get("weights")
        total = self._n_rows if weights is None else weights.sum()
        self.dual_gap_ = self.gap_ * fit.null_deviance / (2.0 * total)

    def predict(self, X):
        """Predicted responses, (n,) or (n, K)."""
        return self._link(X)


class ByColumn(Linear):
    """Several responses are fitted one after the other; what each finds stands in its row."""

    _lists: tuple[str, ...] = ("n_iter_",)  # what is kept of each response by itself, in a list

    def _solve_columns(self, X, y, weights):
        if y.ndim == 1:
            self._solve(X, y, weights)
            return self
        found = []
        for column in y.T:
            self._solve(X, column, weights)
            arrays = ("coef_", "intercept_", "gap_", "dual_gap_")
            found.append({name: getattr(self, name) for name in (*arrays, *self._lists)})
        one = len(found) == 1  # scikit-learn keeps coefficients flat then
        for name in found[0]:
            values = [each[name] for each in found]
            flat = one and name in ("coef_", *self._lists)
            listed = name in self._lists
            setattr(self, name, values[0] if flat else values if listed else np.array(values))
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
