"""Data sets of the comparison of methods: read from a folder that the user names."""

from pathlib import Path

import numpy as np
from scipy import sparse

FILES = {
    "a9a": ("a9a/a9a_train.npz", None),
    "rcv1": ("rcv1_sample/rcv1_sample_train.npz", None),
    "pcmac": ("newsgroup_pairs/pcmac.npz", None),
    "books": ("amazon_sentiment/books_train.npz", "amazon_sentiment/books_test.npz"),
    "dvd": ("amazon_sentiment/dvd_train.npz", "amazon_sentiment/dvd_test.npz"),
}
UNIT_ROWS = ("pcmac", "books", "dvd")  # counts of words, which are scaled to rows of length 1


def read(folder, name):
    """(X, y, X_test, y_test) of a set, a fifth of the rows held out where it has no test rows;
    None, and a sentence, where the file is not there."""
    train, test = FILES[name]
    if not (Path(folder) / train).exists():
        print(f"{name}: {train} is not in that folder, and the set is left out")
        return None
    X, y = _load(Path(folder) / train, name)
    if test is not None:
        return X, y, *_load(Path(folder) / test, name, X.shape[1])
    out = np.random.default_rng(0).permutation(len(y)) < len(y) // 5
    return X[~out], y[~out], X[out], y[out]


def _load(path, name, width=None):
    z = np.load(path)
    shape = tuple(z["shape"]) if width is None else (z["shape"][0], width)
    X = sparse.csr_array((z["data"].astype(float), z["indices"], z["indptr"]), shape=shape)
    if name in UNIT_ROWS:
        length = np.sqrt(X.multiply(X).sum(axis=1))
        X = sparse.csr_array(X.multiply(1.0 / np.maximum(length, 1e-300)[:, None]))
    return X, np.where(z["y"] > 0, 1, -1)
