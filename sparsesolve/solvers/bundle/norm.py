"""The largest singular value of A, from its products, with a bound on its error.

    |A|^2 = the largest eigenvalue of A A' or A'A, whichever is smaller

Given: products A w and A'u. Returned: a number at least |A|^2 up to rounding: Lanczos' value plus
the length of its residual, within which an eigenvalue lies.
Invariant: the start is fixed, so that the result depends on A alone.
Reference: Parlett, "The Symmetric Eigenvalue Problem" (1980), theorem 4.5.1.
"""

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

# Relative error at which Lanczos' method stops; the bound adds what is left.
CLOSE = 1e-6
# Rows or columns up to which the matrix itself is formed: Lanczos' method takes as many products.
DENSE = 12


def squared_norm(forward, back, n, p):
    """Return |A|^2 for A (n, p), and the number of products that it took."""
    used = [0]

    def apply(x):
        used[0] += 2
        return forward(back(x)) if n <= p else back(forward(x))

    size = min(n, p)
    if size <= DENSE:
        columns = np.stack([apply(e) for e in np.eye(size)], axis=1)
        return max(float(np.linalg.eigvalsh(0.5 * (columns + columns.T))[-1]), 0.0), used[0]
    operator = LinearOperator((size, size), matvec=lambda x: apply(x.ravel()), dtype=float)
    start = 1.0 + np.cos(np.arange(size))  # Fixed, with a part in any likely direction.
    if not apply(start).any():  # Lanczos' method has no residual to start from.
        return 0.0, used[0]
    values, vectors = eigsh(operator, k=1, which="LA", tol=CLOSE, v0=start)
    v = vectors[:, 0]
    residual = np.linalg.norm(apply(v) - values[0] * v) / np.linalg.norm(v)
    return float(values[0] + residual), used[0]
