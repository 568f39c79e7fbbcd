"""Inner products and squared norms of rows of dense or sparse tables."""

import numpy as np
from scipy import sparse


def inner(A, B):
    """Return A B' as a dense array."""
    product = A.astype(np.float64, copy=False) @ B.astype(np.float64, copy=False).T
    return product.toarray() if sparse.issparse(product) else np.asarray(product)


def squares(A):
    """Return the squared norms of the rows of A, dense or sparse."""
    A = A.astype(np.float64, copy=False)
    if sparse.issparse(A):
        return np.asarray(A.multiply(A).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, A)
