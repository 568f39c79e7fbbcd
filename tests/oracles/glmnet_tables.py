"""Numbers that R's glmnet returned, in tests/reference, and the settings it was given."""

import csv
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy import sparse

HERE = Path(__file__).parents[1] / "reference"


@lru_cache
def rows_of(name):
    """The rows of a file as dicts of text."""
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def thinned(X):
    """A sparse X in which seven entries of eleven are 0, the same ones as in R's files."""
    i, j = (np.arange(1, size + 1) for size in X.shape)
    zero = (i[:, None] ** 2 + 3 * i[:, None] * j + 7 * j**2) % 11 < 7
    return sparse.csc_array(np.where(zero, 0, X))


def glmnet_settings(X, y, w, o, limits, few, dfmax):
    """Name -> (X, y, options of ss.path) for all families; the same table as in R's files."""
    P = X.shape[1]
    v = np.resize([1, 0.5, 2, 1.5], P)
    v[[1, 6]], v[8] = 0, np.inf
    constant = X.copy()
    constant[:, 2] = 2.5
    S = thinned(X)
    every = {"weights": w, "offset": o, "penalty_factor": v, **limits, "alpha": 0.5}
    return {
        "plain": (X, y, {}),
        "weights": (X, y, {"weights": w}),
        "offset": (X, y, {"offset": o}),
        "factors": (X, y, {"penalty_factor": v}),
        "limits": (X, y, limits),
        "nonnegative": (X, y, {"lower": 0.0}),
        "elastic": (X, y, {"alpha": 0.5}),
        "ridge": (X, y, {"alpha": 0.0}),
        "no_intercept": (X, y, {"intercept": False}),
        "no_standardize": (X, y, {"standardize": False}),
        "constant": (constant, y, {"penalty_factor": v}),
        "sparse": (S, y, {}),
        "sparse_weights": (S, y, {"weights": w, "intercept": False}),
        "wide": (X[:few], y[:few], {}),
        "dfmax": (X, y, {"dfmax": dfmax}),
        "pmax": (X, y, {"pmax": 7}),
        "combined": (X, y, every),
        "combined_sparse": (S, y, {**every, "standardize": False}),
        "combined_origin": (X, y, {**every, "intercept": False}),
    }


def solving(options):
    """The options that belong to the problem, not to the path's length."""
    return {key: value for key, value in options.items() if key not in ("dfmax", "pmax")}
