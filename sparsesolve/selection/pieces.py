"""Fits of a signal by its pieces: least squares on the pieces that a penalty has found.

    minimise over c   sum_i w_i (y_i - (T c)_i)^2

The columns of T are the pieces of equal values at a lambda, for trend filters the polynomials and
a spline for each knot: the directions along which the penalty is smooth.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy import sparse

from sparsesolve.paths.path import path as fit_path
from sparsesolve.penalties.trend_filter import TrendFilter, knots_of
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.selection.relaxed import SPARE, beginning


def basis_of(path, b):
    """Return the columns (n, k) that span signals with the pieces of b."""
    penalty = path.options.get("penalty")
    if penalty is None:
        raise ValueError("A model from a file lacks its penalty, which says what a piece is; fit "
                         "the data again")  # fmt: skip
    penalty = penalty.over(path.n_features, path.feature_names)
    if not isinstance(penalty, TrendFilter):
        return sparse.csc_array(penalty.tangent(b).directions)
    mapping = penalty.mapping()
    columns = [*range(mapping.q), *(mapping.q + np.flatnonzero(knots_of(b, mapping.q)))]
    dense = np.zeros((len(b), len(columns)))
    for place, k in enumerate(columns):
        which, values = mapping.sources(k)
        dense[which, place] = values
    return sparse.csc_array(dense)


def relaxed_by_pieces(path, y, gamma):
    """Return gamma times the path plus 1 - gamma times the fits of its pieces.

    It has the lambdas whose pieces are fewer than the values, by SPARE at least.
    """
    data = FittedData(path, None, y)
    data.refuse_others()
    w, values = data.weights / data.total, data.response.values
    L = int(np.count_nonzero(np.cumsum(path.degrees > np.count_nonzero(w) - SPARE) == 0))
    if not L:
        raise ValueError(f"the first lambda has {path.degrees[0]} {path.counted} for {len(w)} "
                         "values, too many to fit; begin the path at a larger lambda")  # fmt: skip
    path, gaps = beginning(path, L), np.zeros(L)
    B = path.coefs.toarray()
    for k, b in enumerate(B.T.copy()):
        T = basis_of(path, b)
        M = sparse.csc_array(T.T @ (sparse.dia_array((w, 0), (len(w), len(w))) @ T))
        fitted = T @ _solve(M, T.T @ (w * values))
        left = T.T @ (w * (values - fitted))
        gaps[k] = 0.5 * left @ _solve(M, left)
        B[:, k] = gamma * b + (1.0 - gamma) * fitted
    null, coefs = path.null_deviance / (2.0 * data.total), sparse.csc_array(B)
    lost = data.weights @ (values[:, None] - B) ** 2
    return replace(
        path, coefs=coefs, df=np.diff(coefs.indptr), gaps=gaps / max(null, 1e-300), fitter=None,
        dev_ratio=1.0 - lost / path.null_deviance if null > 0.0 else 0.0 * lost,
        stop_reason=f"pieces of each lambda fitted by least squares, gamma = {gamma:g}",
    )  # fmt: skip


def _solve(M, right):
    """Return c with M c = right; pieces that share no value make M diagonal."""
    diagonal = M.diagonal()
    if M.nnz == np.count_nonzero(diagonal):
        return right / np.where(diagonal > 0.0, diagonal, 1.0)
    return np.linalg.lstsq(M.toarray(), right, rcond=None)[0]


def fit_of_pieces(path, y, s):
    """Return (path, X, y) of least squares on the pieces at lambda s, for :func:`refit`."""
    b = path.coef(s)
    T = basis_of(path, b)
    q, label = getattr(path.options["penalty"], "degree", -1) + 1, _labels(path)
    if q:
        knots = np.flatnonzero(knots_of(b, q))
        names = [f"polynomial {k}" for k in range(q)] + [f"knot at {label(k + 1)}" for k in knots]
    else:
        names = [_name(label, T.indices[i:j]) for i, j in pairwise(T.indptr)]
    w = path.options.get("weights")
    X, y = T.toarray(), np.ravel(y)
    return fit_path(X, y, lambdas=[0.0], intercept=False, standardize=False, weights=w,
                    feature_names=names), X, y  # fmt: skip


def _labels(path):
    """Return a function from the place of a value to its name."""
    return str if path.feature_names is None else path.feature_names.__getitem__


def _name(label, which):
    """Return the name of a piece by its first and last place, and how many it has between."""
    first, last = which.min(), which.max()
    if len(which) == 1:
        return label(first)
    whole = last - first + 1 == len(which)
    return f"{label(first)}-{label(last)}" + f" ({len(which)} values)" * (not whole)
