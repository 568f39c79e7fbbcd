"""A Gram matrix given as `precompute` is compared with X, and not used.

scikit-learn's coordinate descent uses it in place of X'X, and returns wrong coefficients if it
belongs to other data. The solvers here decide by themselves whether inner products pay.
"""

import numpy as np

from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.results.status import warn

# Differences up to this fraction of |x_i| |x_j| are rounding, by precision.
PRODUCT_ROUNDING = {np.dtype(np.float64): 1e-7, np.dtype(np.float32): 1e-4}
# A column's mean below this fraction of its root mean square counts as 0.
FAR = 1e-7


def compare_gram(gram, X, fit_intercept, weighted):
    """Raise ValueError if an array is not X'X; warn if it is, but X has to be centred.

    Values that are no arrays, such as "auto", say nothing about X. Weights change the matrix.
    """
    if not hasattr(gram, "__array__") or weighted:
        return
    if isinstance(X, DistributedDesign):
        raise TypeError("precompute is an array, and X is in blocks of dask, whose inner products "
                        "the fit makes itself; leave precompute out")  # fmt: skip
    gram, p = np.asarray(gram), X.shape[1]
    if gram.shape != (p, p):
        raise ValueError(
            f"precompute has shape {gram.shape}, and X has {p} columns; give its Gram matrix X'X, "
            "or 'auto'"
        )
    squares = np.asarray((X * X).sum(axis=0), dtype=float).ravel()
    means = np.asarray(X.mean(axis=0), dtype=float).ravel()
    far = np.abs(means) > FAR * np.sqrt(squares / X.shape[0])
    if fit_intercept and far.any():
        warn(
            f"precompute is not used: an intercept is fitted, and column {int(far.argmax())} of X "
            "is not centred; leave precompute at 'auto'",
            UserWarning,
        )
        return
    first = np.asarray(X.T @ X[:, [0]].toarray() if hasattr(X, "tocsc") else X.T @ X[:, [0]])
    size, tolerance = np.sqrt(squares), PRODUCT_ROUNDING[np.dtype(X.dtype)]
    off = np.abs(gram[:, 0] - first.ravel()) > tolerance * size * size[0]
    off |= np.abs(np.diagonal(gram) - squares) > tolerance * squares
    if off.any():
        raise ValueError(
            f"precompute is not the Gram matrix X'X: it differs in row {int(off.argmax())}; give "
            "that of this X, or 'auto'"
        )
