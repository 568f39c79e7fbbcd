"""The data of a fit, given again: what a path does not keep and statistics need."""

import numpy as np

from sparsesolve import checks
from sparsesolve.linalg.row_blocks import RowBlocks
from sparsesolve.prediction import linear_predictor, path_family, read_rows, with_offset

SAME = 1e-6  # of the null deviance: what rounding may change
LOST = (
    ", or that had weights, strata or ties of cox, which a model from a file has not: then fit "
    "the data again"
)


class FittedData:
    """X and y of a path with its weights and offset, its loss, and its linear predictors."""

    def __init__(self, path, X, y, in_blocks=False):
        self.path, self.family, self.options = path, path_family(path), path.options or {}
        self.matrix, self.X = read_rows(path, X, in_blocks), X
        self.n = self.matrix.shape[0]
        if self.options.get("offset") is True:
            raise ValueError("A model from a file has no offset of the rows; fit the data again")
        self.response = self.family.read(y, self.n)
        weights = checks.read_weights(self.options.get("weights"), self.n)
        w = np.ones(self.n) if weights is None else weights
        counts = self.response.counts
        self.weights = w if counts is None else w * counts
        self.total = self.weights.sum()
        self.loss = self.family.loss(self.response.values, self.weights / self.total)

    def link(self, s):
        """Linear predictors (n, S) or (n, K, S), offsets included."""
        offset = self.options.get("offset")
        if isinstance(self.matrix, RowBlocks):
            return np.asarray(self.path.predict(self.X, s, "link", offset=offset))
        return with_offset(self.path, linear_predictor(self.path, self.matrix, s), offset)

    def excess(self, s):
        """F less its least value, (S,)."""
        eta = np.moveaxis(self.link(s), -1, 0)  # (S, n), or (S, K, n) as losses take it
        eta = eta.swapaxes(1, 2) if self.family.several else eta
        values = np.array([self.loss.at(column)[0] for column in eta])
        if not np.isfinite(values).all():
            raise ValueError("the deviance is beyond the largest 64-bit float; rescale y")
        return values - self.loss.saturated

    def n_observed(self):
        """Rows of positive weight, each as often as y counts it."""
        used, counts = self.weights > 0.0, self.response.counts
        return float(used.sum() if counts is None else counts[used].sum())

    def n_informative(self):
        """The same; for cox those that died, of K real responses K numbers in each row."""
        values = self.response.values
        if self.family.name == "cox":
            return float(((self.weights > 0.0) & (values[:, 2] > 0.0)).sum())
        return self.n_observed() * (values.shape[1] if self.family.name == "multigaussian" else 1)

    def refuse_others(self):
        """Raise ValueError where the deviance explained shows that other rows were fitted."""
        null = self.path.null_deviance / (2.0 * self.total)
        if not len(self.path.lambdas) or not null > 0.0:
            return
        here = 1.0 - self.excess(self.path.lambdas[-1:])[0] / null
        fitted = self.path.dev_ratio[-1]
        if not abs(here - fitted) <= SAME:
            known = "weights" in self.options
            raise ValueError(
                f"data is not that of the fit: the last lambda explains {here:.4g} of its "
                f"deviance, and {fitted:.4g} of the deviance of the fit{'' if known else LOST}"
            )
