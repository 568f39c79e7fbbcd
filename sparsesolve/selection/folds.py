"""Folds: which rows are trained on, and which are held out, predicted and scored.

Rows held out have weight 0 while others are trained on.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np

from sparsesolve.data import (
    read_count,
    read_offset,
    read_offsets,
    read_seed,
    read_strata,
    read_weights,
    shown,
    unmasked,
)
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.paths.assembly import training_sums
from sparsesolve.results.prediction import linear_predictor, read_rows
from sparsesolve.selection.jobs import at_the_same_time
from sparsesolve.selection.measures import class_shares


class Fold(NamedTuple):
    """One division of the rows."""

    train: np.ndarray  # (n,) booleans
    test: np.ndarray  # (m,) indices of the held-out rows, ascending


def read_folds(folds, n, *, n_folds=10, repeats=1, groups=None, labels=None, seed=None,
               data=(None, None)):
    """Return (list of Fold, fold ids (repeats, n) or None if they are no partition).

    Parameters
    ----------
    folds : None, array-like (n,) or (repeats, n), splitter, or iterable of (train, test)
        None draws folds at random; ids are the fold that holds a row out; an object with the
        method ``split(X, y, groups)`` is a splitter of scikit-learn.
    n : int
        Number of rows.
    n_folds, repeats : int
        Number of folds to draw, and how often, if `folds` is None.
    groups : array-like (n,), default None
        Labels of rows that stay together. They are passed to a splitter.
    labels : (n,) integers, default None
        Classes to spread evenly over the folds, if `folds` and `groups` are None.
    seed : int, numpy Generator, or None
    data : (X, y)
        The arguments of a splitter.
    """
    groups = None if groups is None else read_strata(groups, n, "groups")[0]
    repeats = read_count("repeats", repeats, 1)
    if folds is None:
        rng = read_seed(seed)
        ids = _dealt(n, read_count("n_folds", n_folds, 2), repeats, groups, labels, rng)
        return _of_ids(ids), ids
    if repeats != 1:
        raise ValueError("repeats draws new folds; leave it at 1 where folds are given")
    if groups is not None and not _is_splitter(folds):
        raise ValueError("folds already says which rows stay together; leave groups out")
    splits = _splits(folds, data, groups)
    if splits is not None:
        return _of_splits(splits, n)
    table = np.atleast_2d(np.asarray(unmasked("folds", folds)))
    if not table.size:
        raise ValueError("folds is empty; give an id for each row, or pairs (train, test)")
    ids = np.array([read_strata(row, n, "folds")[0] for row in table])
    if (ids.max(axis=1) < 1).any():
        raise ValueError("folds holds one id only; two folds are needed at least")
    return _of_ids(ids), ids


def passes(tests):
    """Return how often a row is held out, on average over those that ever are.

    tests has the rows (m,) of each fold.
    """
    counts = np.bincount(np.concatenate(tests))
    return counts.sum() / np.count_nonzero(counts)


def _of_ids(ids):
    return [
        Fold(row != k, np.flatnonzero(row == k)) for row in ids for k in range(row.max() + 1)
    ]


def _dealt(n, n_folds, repeats, groups, labels, rng):
    """Return random fold ids (repeats, n), with sizes as equal as possible."""
    count = n if groups is None else groups.max() + 1
    if n_folds > count:
        what = "rows" if groups is None else "groups"
        raise ValueError(f"n_folds is {n_folds} but there are {count} {what}; at most {count}")
    deal = _deal_rows if groups is None else _deal_groups
    kinds = np.zeros(n, dtype=int) if labels is None else labels
    return np.array([deal(kinds if groups is None else groups, n_folds, rng)
                     for _ in range(repeats)])  # fmt: skip


def _deal_rows(labels, n_folds, rng):
    """Deal rows, sorted by label, like cards: all counts, and those of each label, differ by at
    most 1.
    """
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    ids = np.empty(len(labels), dtype=int)
    ids[order] = np.arange(len(labels)) % n_folds
    return ids


def _deal_groups(groups, n_folds, rng):
    """Deal groups, the largest first, each to the fold with the fewest rows."""
    sizes = np.bincount(groups)
    order = rng.permutation(len(sizes))
    fold_of, filled = np.empty(len(sizes), dtype=int), np.zeros(n_folds, dtype=int)
    for group in order[np.argsort(-sizes[order], kind="stable")]:
        fold_of[group] = filled.argmin()
        filled[fold_of[group]] += sizes[group]
    return fold_of[groups]


def _is_splitter(folds):
    return hasattr(folds, "split") and not isinstance(folds, (str, np.ndarray))


def _splits(folds, data, groups):
    """Return pairs (train, test) if `folds` gives such, else None."""
    if _is_splitter(folds):
        return list(folds.split(*data, groups))
    if isinstance(folds, np.ndarray) or hasattr(folds, "dtype"):
        return None
    if isinstance(folds, str) or not hasattr(folds, "__iter__"):
        raise TypeError(
            f"folds is {shown(folds)}; give a fold for each row, a splitter, pairs (train, test), "
            "or how many there are to be as n_folds="
        )
    folds = list(folds)
    pairs = [isinstance(fold, (tuple, list, Fold)) and len(fold) == 2 for fold in folds]
    return folds if pairs and all(pairs) and np.ndim(folds[0][1]) == 1 else None


def _of_splits(splits, n):
    """Return Folds from (train, test), by indices or booleans, and ids if they divide the rows."""
    folds, ids = [], np.full(n, -1)
    for k, (train, test) in enumerate(splits):
        mask = np.zeros(n, dtype=bool)
        mask[_rows(train, n, k)] = True
        rows = _rows(test, n, k)
        if mask[rows].any():
            row = rows[mask[rows].argmax()]
            raise ValueError(f"fold {k} holds out row {row}, on which it trains as well")
        if not mask.any() or not len(rows):
            raise ValueError(f"fold {k} has no row to {'test' if mask.any() else 'train'} on")
        folds.append(Fold(mask, rows))
        ids[rows] = k
    if not folds:
        raise ValueError("folds is empty; give one pair (train, test) at least")
    held = sum(len(fold.test) for fold in folds)
    divided = (ids >= 0).all() and held == n and all((f.train != (ids == k)).all()
                                                     for k, f in enumerate(folds))  # fmt: skip
    return folds, ids[None] if divided else None


def _rows(part, n, k):
    part = np.asarray(part)
    if part.dtype == bool and part.shape == (n,):
        return np.flatnonzero(part)
    if part.ndim != 1 or (part.size and part.dtype.kind not in "iu"):
        raise ValueError(f"fold {k} is not a pair (train, test) of row indices")
    if part.size and not (0 <= part.min() and part.max() < n):
        raise ValueError(f"fold {k} names row {part.max()}; X has rows 0 to {n - 1}")
    rows, counts = np.unique(part.astype(np.intp), return_counts=True)
    if (counts > 1).any():
        row = rows[counts > 1][0]
        raise ValueError(
            f"fold {k} names row {row} more than once; name each row once, and repeat rows of X "
            "and y that are to count twice"
        )
    return rows


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
