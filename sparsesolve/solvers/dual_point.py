"""A dual point that is orthogonal to what nothing holds back."""

import numpy as np

ORTHOGONAL = 1e-11  # of the size of the terms: a product with the dual point that is rounding


def clear(loss, eta, u, columns):
    """u less H (a combination of the columns), so that it is orthogonal to them.

    H is the curvature of the loss at eta: a dual Newton step, which stays in the domain of the
    conjugate as shrinking does.

    Parameters
    ----------
    loss : Loss with a conjugate; of one response it has a diagonal curvature
    eta, u : (n,) or (K, n)
    columns : (n, f)
        Those that nothing holds back, a constant for the intercept among them.

    Returns
    -------
    dual : (n,) or (K, n)
    orthogonal : bool
        Whether it is, but for rounding: without that there is no certificate.
    """
    if eta.ndim == 1:
        h = loss.curvature_at(eta)
        gram = columns.T @ (h[:, None] * columns)
        found = np.linalg.lstsq(gram, columns.T @ u, rcond=1e-13)[0]
        dual = u - h * (columns @ found)
    else:
        dual = _clear_responses(loss, eta, u, columns)
    left, size = np.abs(dual @ columns), np.abs(u) @ np.abs(columns)
    return dual, not (left > ORTHOGONAL * size).any()


def _clear_responses(loss, eta, u, columns):
    """The same for K responses, whose curvature ties them: a combination (K, f)."""
    K, f = len(eta), columns.shape[1]
    units = np.eye(K * f).reshape(K * f, K, f)
    bent = np.stack([loss.curvature_product(eta, unit @ columns.T) for unit in units])
    gram = (bent @ columns).reshape(K * f, K * f)
    found = np.linalg.lstsq(gram, (u @ columns).ravel(), rcond=1e-13)[0]
    return u - np.tensordot(found, bent, 1)
