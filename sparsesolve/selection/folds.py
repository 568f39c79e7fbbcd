"""Folds: which rows are trained on and which are held out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparsesolve.data import read_count, read_seed, read_strata, shown, unmasked


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
