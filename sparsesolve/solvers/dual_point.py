"""A dual point that is orthogonal to what nothing holds back."""

import numpy as np

ORTHOGONAL = 1e-11  # of the size of the terms: a product with the dual point that is rounding


def clear(loss, eta, u, columns):
    """u less H (a combination of the columns), so that it is orthogonal to them.

    H is the curvature of the loss at eta: a dual Newton step, which stays in the domain of the
    conjugate as shrinking does.

    Parameters
    ----------
    loss : Loss of one response, whose curvature is diagonal
    eta, u : (n,)
    columns : (n, f)
        Those that nothing holds back, a constant for the intercept among them.

    Returns
    -------
    dual : (n,)
    orthogonal : bool
        Whether it is, but for rounding: without that there is no certificate.
    """
    h = loss.curvature_at(eta)
    gram = columns.T @ (h[:, None] * columns)
    found = np.linalg.lstsq(gram, columns.T @ u, rcond=1e-13)[0]
    dual = u - h * (columns @ found)
    left, size = np.abs(columns.T @ dual), np.abs(columns).T @ np.abs(u)
    return dual, not (left > ORTHOGONAL * size).any()
