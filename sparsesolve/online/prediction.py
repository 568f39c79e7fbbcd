"""Predictions of an OnlineFit, from the columns that it knows."""

import numpy as np
from scipy import sparse

from sparsesolve.data import read_choice
from sparsesolve.online.columns import has_text
from sparsesolve.online.rows import in_columns_of_fit, row_matrix
from sparsesolve.online.source import read_known

KINDS = ("link", "response", "class")


def predict(fit, X, kind, offset):
    """Do what :meth:`sparsesolve.results.OnlineFit.predict` describes."""
    read_choice("kind", kind, KINDS)
    family = fit.settings.family
    if kind == "class" and family.classify is None:
        raise ValueError(f"family {family.name!r} has no classes; ask for kind='response'")
    eta = link_of(fit, rows_of_fit(fit, X), offset)
    if kind == "link":
        return eta
    if kind == "response":
        return family.mean(eta)
    codes = family.classify(eta)
    return codes if fit.classes is None else fit.classes[codes]


def rows_of_fit(fit, X):
    """Return rows as a matrix with the columns of the fit."""
    if has_text(fit, X):
        start, columns, values = fit.columns.matrix(X)
        X = sparse.csr_array((values, columns, start), shape=(len(start) - 1, fit.n_features))
    matrix, _ = row_matrix(in_columns_of_fit(X, fit.feature_names))
    m = matrix.shape[1]
    if fit.settings.n_features is not None and m != fit.n_features:
        raise ValueError(f"X has {m} columns; the fit has {fit.n_features} features")
    return matrix


def link_of(fit, matrix, offset):
    """Return linear predictors (n,), or (n, K) for K classes or responses."""
    n, m = matrix.shape
    eta = _scores(fit, matrix)
    if offset is not None:
        eta = eta + read_known(offset, n, fit.settings, fit.classes)
    if not np.isfinite(eta).all():
        raise ValueError(f"row {int(np.argwhere(~np.isfinite(eta))[0, 0])} of X has no "
                         "finite prediction; look for nan or inf there")  # fmt: skip
    return eta if fit.settings.family.several else eta[:, 0]


def _scores(fit, matrix):
    """Return scores (n, K) of rows (n, m); few sparse rows read the weights of their features."""
    known = fit._current().engine.n_features  # others have coefficient 0
    shared = min(matrix.shape[1], known)
    if not sparse.issparse(matrix) or matrix.nnz >= shared:
        W, b = fit._weights()
        return np.asarray(matrix[:, :shared] @ W[:, :shared].T) + b
    used, place = np.unique(matrix.indices, return_inverse=True)
    count = int(np.searchsorted(used, shared))
    W, b = fit._weights(used[:count])
    few = sparse.csr_array((matrix.data, place, matrix.indptr), (matrix.shape[0], len(used)))
    return np.asarray(few[:, :count] @ W.T) + b
