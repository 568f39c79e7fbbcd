"""The data of a fit, given again: statistics need them, and a path does not keep them."""

from dataclasses import replace

import numpy as np

from sparsesolve.data import columns_of, is_frame, read_weights, refuse_other_names
from sparsesolve.results.prediction import linear_predictor, path_family, read_rows

# Differences up to this fraction of the null deviance are rounding.
SAME = 1e-6
# Predictors and losses are rounded by about this fraction of their size.
DIGITS = 16 * np.finfo(np.float64).eps
# A null deviance below this has no correct digits.
FAINT = 1e-290
LOST = (
    ", or that had weights or strata, which a model from a file lacks: give weights=, or fit the "
    "data again"
)


def with_rows(path, weights, offset):
    """Return the path as fitted to rows with these weights and offset, if they are given.

    A path from a file does not know them; without weights its rows are taken to have none.
    """
    options = dict(path.options or {})
    options |= {} if weights is None else {"weights": weights}
    options |= {} if offset is None else {"offset": offset}
    if options.get("offset") is True:
        raise ValueError("A model from a file lacks the offset of its rows; give it as offset=")
    return replace(path, options=options)


def refuse_lost_limits(path):
    """Raise ValueError for a path from a file whose coefficients had limits."""
    if (path.options or {}).get("has_limits"):
        raise ValueError(
            "The coefficients of this path had limits, which its file lacks; fit the data again"
        )


class FittedData:
    """X and y of a path with its weights and offset, its loss, and its linear predictors."""

    def __init__(self, path, X, y, in_blocks=False):
        self.path, self.family, self.options = path, path_family(path), path.options or {}
        self.matrix = read_rows(path, X, in_blocks)
        self.n = self.matrix.shape[0]
        if self.options.get("offset") is True:
            raise ValueError("A model from a file lacks the offset of its rows; fit them again")
        y = np.ravel(y) if X is None and np.ndim(y) == 2 else y  # an image
        self.response = self.family.read(y, self.n)
        refuse_other_responses(path, self.family, y, self.response)
        weights = read_weights(self.options.get("weights"), self.n)
        w = np.ones(self.n) if weights is None else weights
        counts = self.response.counts
        self.weights = w if counts is None else w * counts
        self.total = self.weights.sum()
        self.loss = self.family.loss(self.response.values, self.weights / self.total)

    def link(self, s):
        """Return linear predictors (n, S) or (n, K, S), offsets included."""
        offset = self.options.get("offset")
        return linear_predictor(self.path, self.matrix, s, offset)

    def _predictors(self, s):
        """Return linear predictors in the form of losses, (S, n) or (S, K, n)."""
        eta = np.moveaxis(self.link(s), -1, 0)
        return eta.swapaxes(1, 2) if self.family.several else eta

    def excess(self, s):
        """Return F minus its least value, (S,)."""
        return np.array([self._excess_at(eta)[0] for eta in self._predictors(s)])

    def downhill(self, s):
        """Return -F' at each s, (S, n) or (S, K, n)."""
        return np.array([self._excess_at(eta)[1] for eta in self._predictors(s)])

    def _excess_at(self, eta):
        """Return F minus its least value, and -F', at predictors in the form of losses."""
        value, u = self.loss.at(eta)
        if not np.isfinite(value):
            raise ValueError("the deviance is beyond the largest 64-bit float; rescale y")
        return value - self.loss.saturated, u

    def n_observed(self):
        """Return the number of rows of positive weight, each as often as y counts it."""
        used, counts = self.weights > 0.0, self.response.counts
        return float(used.sum() if counts is None else counts[used].sum())

    def n_informative(self):
        """Return the number of informative values: rows, deaths for cox, K a row if K columns."""
        values = self.response.values
        if self.family.name == "cox":
            return float(((self.weights > 0.0) & (values[:, 2] > 0.0)).sum())
        return self.n_observed() * (values.shape[1] if self.family.name == "multigaussian" else 1)

    def refuse_others(self):
        """Raise ValueError if the explained deviance shows that other rows were fitted."""
        null = self.path.null_deviance / (2.0 * self.total)
        if not len(self.path.lambdas) or not FAINT < null < np.inf:  # otherwise it has no digits
            return
        eta = self._predictors(self.path.lambdas[-1:])[0]
        left, u = self._excess_at(eta)
        here, fitted = 1.0 - left / null, self.path.dev_ratio[-1]
        reach = np.abs(eta[..., self.weights > 0.0]).max()
        digits = DIGITS * (reach + np.abs(self.path.intercepts[..., -1]).max())
        hidden = digits * (np.abs(u).sum() + digits) + DIGITS * abs(self.loss.saturated)
        if not abs(here - fitted) <= SAME + hidden / null:
            known = "weights" in self.options
            raise ValueError(
                f"data is not that of the fit: the last lambda explains {here:.9g} of its "
                f"deviance, and {fitted:.9g} of the deviance of the fit{'' if known else LOST}"
            )


def refuse_other_responses(path, family, y, response):
    """Raise ValueError if y, read as `response`, has other columns or classes than the fit."""
    if family.several and response.values.shape[1] != path._n_responses:
        what = "columns" if family.classify is None else "classes"
        raise ValueError(
            f"y has {response.values.shape[1]} {what}; the path was fitted to {path._n_responses}"
        )
    if path.class_names is None or not is_frame(y):
        return
    known, given = path.class_names.tolist(), columns_of(y)[0]
    if len(given) == len(known):  # otherwise y is one column of labels
        refuse_other_names(known, given, "the path was fitted to",
                                  "pass y[list(path.class_names)], or an array in that order",
                                  table="y")  # fmt: skip


def explained(path, matrix, y):
    """Return the path with a new fraction of explained deviance at each lambda."""
    data = FittedData(path, matrix, y, in_blocks=True)
    left, null = 2.0 * data.total * data.excess(path.lambdas), path.null_deviance
    return replace(path, dev_ratio=1.0 - left / null if null > 0.0 else 0.0 * left)
