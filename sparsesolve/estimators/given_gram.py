"""A Gram matrix that is handed over as `precompute`: it is compared with X, and not used.

scikit-learn's coordinate descent takes it in place of X'X, and returns wrong coefficients where it
belongs to other data. The solvers here choose by themselves whether inner products pay.
"""

import numpy as np

from sparsesolve.results.status import warn

LOOSE = {np.dtype(np.float64): 1e-7, np.dtype(np.float32): 1e-4}  # of |x_i| |x_j|: rounding
FAR = 1e-7  # of its root mean square: a mean of a column below it counts as 0


def compare_gram(gram, X, fit_intercept, weighted):
    """Raise ValueError if an array is not X'X, and warn if it is, and X has to be centred.

    What is not an array, such as "auto", says nothing about X; weights change what it should be.
    """
    if not hasattr(gram, "__array__") or weighted:
        return
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
    size, loose = np.sqrt(squares), LOOSE[np.dtype(X.dtype)]
    off = np.abs(gram[:, 0] - first.ravel()) > loose * size * size[0]
    off |= np.abs(np.diagonal(gram) - squares) > loose * squares
    if off.any():
        raise ValueError(
            f"precompute is not the Gram matrix X'X: it differs in row {int(off.argmax())}; give "
            "that of this X, or 'auto'"
        )
