"""Held-out rows: they have weight 0 while others are trained on, and are then predicted and
scored.
"""

from copy import copy
from functools import partial

import numpy as np

from sparsesolve.data import read_offset, read_offsets, read_weights
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.paths.assembly import training_sums
from sparsesolve.results.prediction import linear_predictor, read_rows
from sparsesolve.selection.measures import class_shares
from sparsesolve.selection.together import at_the_same_time

FEWER = "give fewer folds, or folds that share them out"
ALONE = (
    "it stands in one row alone, which no folds can share out: drop that row, or give folds as "
    "pairs (train, test) that never hold it out"
)


def refuse_untrainable(trained, kinds, what, part="fold", advice=FEWER):
    """Raise ValueError if a fold leaves no weight to some kind of row.

    Parameters
    ----------
    trained : iterable of (n,), the weights of the rows on which each fold trains
    kinds : (n, K) shares of the rows in each kind
    what : callable, from the number of a kind to "no row of class 'a'"
    part, advice : str
        The word for a fold, and the advice of the message.
    """
    counted = [weights > 0.0 for weights in trained]
    for k, rows in enumerate(counted):
        left = rows @ kinds
        if not left.all():
            kind = int(left.argmin())
            alone = np.count_nonzero(np.any(counted, axis=0) & (kinds[:, kind] > 0.0)) == 1
            raise ValueError(
                f"{part} {k} leaves {what(kind)} of positive weight to train on; "
                f"{ALONE if alone and part == 'fold' else advice}"
            )


class Rows:
    """The rows of a cross-validation, and how some of them are left out or scored."""

    def __init__(self, family, matrix, response, options):
        self.family, self.matrix, self.y = family, matrix, response.values
        self.n, self.class_names = matrix.shape[0], response.class_names
        weights = read_weights(options["weights"], self.n)
        self.weights = np.ones(self.n) if weights is None else weights
        counts = 1.0 if response.counts is None else response.counts
        self.scored = self.weights * counts  # weight of a row in a score
        offset = options["offset"]
        if np.ndim(offset) == 2:
            self.offset = read_offsets(offset, *self.y.shape, self.class_names).T
        else:
            self.offset = read_offset(offset, self.n)

    def labels(self):
        """Return codes (n,) to spread evenly over folds: classes, or deaths."""
        if self.family.name == "cox":
            return self.y[:, 2].astype(int)
        shares = class_shares(self.family, self.y)
        pure = shares is not None and np.isin(shares, (0.0, 1.0)).all()
        return shares.argmax(axis=1) if pure else None

    def refuse_untrainable(self, folds, **words):
        """Raise ValueError if a fold leaves no weight, no row of some class, or no death."""
        shares = class_shares(self.family, self.y)
        kinds = np.ones((self.n, 1)) if shares is None else shares
        kinds = self.y[:, 2:3] if self.family.name == "cox" else kinds
        trained = (self.scored * fold.train for fold in folds)
        refuse_untrainable(trained, kinds, self._what, **words)

    def _what(self, k):
        if self.family.name == "cox":
            return "no death"
        if self.family.classify is None:
            return "no row"
        name = k if self.class_names is None else self.class_names.tolist()[k]
        return f"no row of class {name!r}"

    def training_sums(self, response, options, ids):
        """Return what a pass over blocks finds of all rows and of those that each fold leaves.

        `ids` (R, n) are the folds. None where rows are in memory or folds are no partition.
        """
        if ids is None or not isinstance(self.matrix, DistributedDesign):
            return None
        return training_sums(self.matrix, ids, self.family, response, options)

    def jobs(self, options, folds, ends=True):
        """Return the options of the path of all rows and of each fold, with names for errors.

        Without `ends` the last lambda of a fold is left to the function that fits it.
        """
        yield {**options, "progress": False}, None
        p = self.matrix.shape[1]
        for k, fold in enumerate(folds):
            own = {**options, "progress": False, "weights": self.weights * fold.train}
            if ends and own["lambdas"] is None and own["lambda_min_ratio"] is None:
                own["lambda_min_ratio"] = 1e-2 if fold.train.sum() < p else 1e-4
            yield own, f"without fold {k}"

    def link(self, path, lambdas, which, fold=None):
        """Return linear predictors (m, L) or (m, K, L) of the rows `which`, offsets included.

        `path` was fitted without the rows that `fold` holds out.
        """
        offset = None if self.offset is None else self.offset[which]
        if path.n_features == self.matrix.shape[1]:
            return linear_predictor(path, self.matrix, lambdas, offset, which)
        made = read_rows(path, np.asarray(self.matrix)[which])  # of products, say
        return linear_predictor(path, made, lambdas, offset)

    def of_folds(self, ask, paths, folds):
        """Return ask(rows, path, fold) of each fold."""
        def calls(matrix):
            rows = copy(self)
            rows.matrix = matrix
            return [partial(ask, rows, *pair) for pair in zip(paths, folds, strict=True)]

        return at_the_same_time(calls, self.matrix)

    def score(self, path, fold, measure, lambdas):
        """Return the score (L,) of the held-out rows, and its weight."""
        def sum_over(some, eta):
            """Return the score of some rows times their weight."""
            y, w = self.y[some], self.scored[some]
            return measure.score(self.family, y, eta, w) * measure.weight(y, w)

        weight = measure.weight(self.y[fold.test], self.scored[fold.test])
        if not weight > 0.0:
            return np.full(len(lambdas), np.nan), 0.0
        if not measure.partial:
            eta = self.link(path, lambdas, fold.test, fold)
            return sum_over(fold.test, eta) / weight, weight
        both = np.union1d(fold.test, np.flatnonzero(fold.train))
        eta, trained = self.link(path, lambdas, both), fold.train[both]
        added = sum_over(both, eta) - sum_over(both[trained], eta[trained])
        return added / weight, weight
