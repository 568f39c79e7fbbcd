"""Shares of the rows, drawn at random, and the random numbers of this room."""

import numpy as np

from sparsesolve.data import read_seed
from sparsesolve.selection.folds import Fold


def own_stream(seed):
    """Return a Generator for a seed whose numbers are not those of default_rng(seed).

    Users draw data from default_rng(0) and leave seed at 0: noise that is added to y, or the
    knockoffs of X, would otherwise be the very numbers that made these.
    """
    return np.random.default_rng([0x1FE2E4CE, int(read_seed(seed).integers(2**62))])


class Drawn(list):
    """One fold that trains on the rows drawn."""

    def __init__(self, drawn):
        super().__init__([Fold(drawn, np.flatnonzero(~drawn))])


def share_of_rows(rows, share, rng):
    """Return a mask (n,) of a random share of the rows of positive weight, of each class alike."""
    labels = rows.labels()
    labels = np.where(rows.weights > 0.0, 0 if labels is None else labels, -1)
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    counts = np.floor(share * np.arange(len(labels) + 1) + rng.random() * (1.0 - 1e-12))
    drawn = np.zeros(len(labels), dtype=bool)
    drawn[order] = np.diff(counts) > 0.0
    return drawn & (rows.weights > 0.0)
