"""Matrix completion: the observed entries of a matrix as X and y under the trace norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse


def entries(Y: Any) -> tuple[scipy.sparse.csc_array, np.ndarray]:
    r"""Return the observed entries of a matrix as X and y, to complete it under the trace norm.

    With the features of X being all cells of the matrix, row by row,
    ``path(X, y, penalty=penalties.TraceNorm(Y.shape))`` is soft-impute. With the set
    :math:`\Omega` of observed entries it solves

    .. math:: \min_{b_0, B}\; \frac{1}{2 |\Omega|} \sum_{(i, j) \in \Omega}
              (Y_{ij} - b_0 - B_{ij})^2 + \lambda \|B\|_* ,

    with solutions of low rank, from the first λ, where B = 0, down with warm starts, each with
    its gap. ``fit.intercept(s) + fit.coef(s).reshape(Y.shape)`` is the whole matrix. ``cv_path``
    chooses λ by entries held out.

    Parameters
    ----------
    Y : array-like or frame (m, k) with NaN for missing entries, or scipy sparse matrix (m, k)
        The stored entries of a sparse matrix are observed, zeros among them.

    Returns
    -------
    X : csc_array (n, m k)
        A 1 in each row, in the column of its cell.
    y : ndarray (n,)
        The n observed entries.

    Raises
    ------
    ValueError
        If no entry is observed, one is infinite, or Y is no matrix.

    Notes
    -----
    Every step takes a singular value decomposition of an (m, k) matrix, and a path keeps the
    matrix of each λ: good for some million cells.

    References
    ----------
    Mazumder, Hastie, Tibshirani (2010), "Spectral regularization algorithms for learning large
    incomplete matrices".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> whole = np.outer(rng.normal(size=30), rng.normal(size=20))
    >>> Y = np.where(rng.random((30, 20)) < 0.5, whole, np.nan)
    >>> X, y = ss.paths.entries(Y)
    >>> fit = ss.path(X, y, penalty=ss.penalties.TraceNorm(Y.shape), n_lambdas=20)
    >>> found = fit.intercept(fit.lambdas[-1]) + fit.coef(fit.lambdas[-1]).reshape(Y.shape)
    >>> print(np.abs(found - whole)[np.isnan(Y)].mean().round(2), np.abs(whole).mean().round(2))
    0.02 0.57
    """
    if scipy.sparse.issparse(Y):
        stored = scipy.sparse.coo_array(Y)
        shape, (i, j), y = stored.shape, stored.coords, np.asarray(stored.data, dtype=float)
    else:
        dense = np.asarray(Y, dtype=float)
        if dense.ndim != 2:
            raise ValueError(f"Y has shape {dense.shape}; a matrix is needed")
        shape, (i, j) = dense.shape, np.nonzero(~np.isnan(dense))
        y = dense[i, j]
    if not len(y):
        raise ValueError("Y has no observed entry")
    if not np.isfinite(y).all():
        k = int((~np.isfinite(y)).argmax())
        raise ValueError(f"Y holds {y[k]} at row {i[k]}, column {j[k]} (counted from 0); leave a "
                         "missing entry out, or NaN in an array")  # fmt: skip
    cells = i.astype(np.int64) * shape[1] + j
    X = scipy.sparse.csc_array((np.ones(len(y)), (np.arange(len(y)), cells)),
                               shape=(len(y), shape[0] * shape[1]))  # fmt: skip
    return X, y
