"""Least squares: one real response, or several columns that are fitted one by one."""

from __future__ import annotations

import numpy as np
from sklearn.base import RegressorMixin

from .base import TYPES, Net, read_pair, read_sample_weight


class Linear(RegressorMixin, Net):
    """Base class of least-squares fits of a real response.

    Attributes
    ----------
    dual_gap_ : float
        Certificate: the duality gap in units of the objective.
    """

    _by_blocks = True
    _as_precise_as_X = True  # coefficients are float32 if X is

    def _read(self, X, y, sample_weight):
        X, y = read_pair(
            self, X, y, squares=True, accept_sparse="csc", dtype=TYPES, order="F",
            multi_output=True, y_numeric=True,
        )  # fmt: skip
        self._n_rows = X.shape[0]
        return X, y, read_sample_weight(sample_weight, X.shape[0])

    def _keep(self, fit, k):
        super()._keep(fit, k)
        # The certificate is relative to this: the mean loss of the model without features.
        weights = (fit.options or {}).get("weights")
        total = self._n_rows if weights is None else weights.sum()
        self.dual_gap_ = self.gap_ * fit.null_deviance / (2.0 * total)
        if np.ndim(self.intercept_) == 0 or not getattr(self, "fit_intercept", True):
            self.intercept_ = np.float64(np.max(self.intercept_))  # 0 for every response

    def _round(self, X, y, weights):
        """Round coefficients to the precision of X, as scikit-learn does; the gap is that of the
        result.

        The rise of the objective is added to the gap; the dual point stays.
        """
        if getattr(X, "dtype", None) != np.float32 or not self._as_precise_as_X:  # or in blocks
            return
        if self._restricted():
            return  # limits would be missed by rounding
        objective = Objective(X, y, weights)
        exact = objective(self.coef_, self.intercept_) + self._penalty_of(self.coef_)
        self.coef_ = self.coef_.astype(np.float32)
        self.intercept_ = np.float32(self.intercept_)
        rise = objective(self.coef_, self.intercept_) + self._penalty_of(self.coef_) - exact
        unit = self.gap_ / self.dual_gap_ if self.dual_gap_ > 0.0 else objective.per_gap()
        self.dual_gap_ += max(rise, 0.0)
        self.gap_ += unit * max(rise, 0.0)

    def _penalty_of(self, coef):
        """Return the elastic net of coefficients; for K responses that of the norms of their
        rows.
        """
        alpha, ratio = getattr(self, "alpha_", getattr(self, "alpha", 0.0)), getattr(
            self, "l1_ratio_", getattr(self, "l1_ratio", 1.0))  # fmt: skip
        sizes = np.linalg.norm(np.atleast_2d(coef).astype(float), axis=0)
        return alpha * float(ratio * sizes.sum() + (1.0 - ratio) * (sizes @ sizes) / 2.0)

    def predict(self, X):
        """Return predicted responses, (n,) or (n, K)."""
        return self._link(X)


class Objective:
    """Half the mean squared error of coefficients of any precision, in double precision."""

    def __init__(self, X, y, weights):
        self.X, self.y = X, np.asarray(y, dtype=float)
        w = np.ones(X.shape[0]) if weights is None else weights
        self.shares = w / w.sum()

    def __call__(self, coef, intercept):
        fitted = self.X @ coef.T.astype(float) + np.float64(intercept)
        squares = (self.y - fitted) ** 2
        return 0.5 * float(np.sum(self.shares @ squares))

    def per_gap(self):
        """Return 1 over the objective of the model without features; 0 if that fits exactly."""
        centre = self.shares @ self.y
        null = 0.5 * float(np.sum(self.shares @ (self.y - centre) ** 2))
        return 1.0 / null if null > 0.0 else 0.0


class ByColumn(Linear):
    """Base class: several responses are fitted one after the other, each with its row of results.

    Attributes
    ----------
    coef_ : (p,), or (K, p) for y of K columns, which are fitted one by one
    intercept_ : float or (K,)
    gap_ : float or (K,)
        Certificate: the duality gap relative to the loss of the model without features.
    dual_gap_ : float or (K,)
        Certificate: the duality gap in units of the objective.
    n_iter_ : int or list of K
    """

    _lists: tuple[str, ...] = ("n_iter_",)  # attributes with one entry per response, in a list

    def _solve_columns(self, X, y, weights):
        starts = self._starts(1 if y.ndim == 1 else y.shape[1], X.shape[1])
        if y.ndim == 1:
            self._solve(X, y, weights, *starts)
            return self
        found = []
        for k, column in enumerate(y.T):
            self._solve(X, column, weights, *starts[k : k + 1])
            arrays = ("coef_", "intercept_", "gap_", "dual_gap_")
            found.append({name: getattr(self, name) for name in (*arrays, *self._lists)})
        one = len(found) == 1  # scikit-learn keeps the coefficients of one response flat
        for name in found[0]:
            values = [each[name] for each in found]
            flat = one and name in ("coef_", *self._lists)
            listed = name in self._lists
            setattr(self, name, values[0] if flat else values if listed else np.array(values))
        if not self.fit_intercept:
            self.intercept_ = np.float64(0.0)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
