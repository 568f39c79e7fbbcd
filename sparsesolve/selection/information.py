"""The information of selected features: second derivatives of the log-likelihood, and inverses."""

import numpy as np
from scipy import sparse

UNBOUNDED = (
    "the features selected fit the response so well that no finite coefficients are best; choose "
    "a larger s"
)
# A column whose part outside the span of others is below this share of it is one of them.
COLLINEAR = 1e-8


def refuse_collinear(path, data, support):
    """Raise ValueError if a selected column is a combination of others, and name these."""
    Z = selected_columns(path, data, support)[0]
    free = Z[:, Z.shape[1] - len(support) :]  # centred where there is an intercept
    size = np.sqrt(np.einsum("ij,ij->j", free, free))
    unit = free / np.where(size > 0.0, size, 1.0)
    if free.shape[0] > free.shape[1] and np.abs(np.diag(np.linalg.qr(unit, mode="r"))).min(
            initial=1.0) > COLLINEAR:  # fmt: skip
        return  # the diagonal holds what each column has outside the span of those before it
    names = names_of(path, support)
    kept = []
    for j in range(len(support)):
        b, *_ = np.linalg.lstsq(unit[:, kept], unit[:, j], rcond=None)
        if np.linalg.norm(unit[:, j] - unit[:, kept] @ b) > COLLINEAR:
            kept.append(j)
            continue
        others = [names[i] for i, value in zip(kept, b, strict=True) if abs(value) > COLLINEAR]
        of = f"a combination of {', '.join(map(repr, others))}" if others else "constant"
        also = " and the intercept" * bool(others and has_intercept(path))
        raise ValueError(
            f"the columns selected are collinear: {names[j]!r} is {of}{also}; leave it out of X, "
            "or choose a larger s"
        )


def names_of(path, features):
    """Return the names of features, "(Intercept)" for -1."""
    known = path.feature_names
    return ["(Intercept)" if j < 0 else f"x{j}" if known is None else str(known[j])
            for j in features.tolist()]  # fmt: skip


def selected_columns(path, data, support):
    """Return the columns `support` as `_scaled` does, centred within strata for cox."""
    Z = data.matrix[:, support]
    Z = np.asarray(Z.toarray() if sparse.issparse(Z) else Z, dtype=float)
    if path.family == "cox":
        Z = _within_strata(Z, data.weights > 0.0, data.response.values[:, 3])
    return _scaled(Z, data.weights > 0.0, has_intercept(path))


def has_intercept(path):
    """Return True if an intercept was fitted."""
    return bool((path.options or {}).get("intercept", True)) and path.family != "cox"


def _within_strata(Z, counted, strata):
    """Subtract from columns the means over `counted` rows of each stratum, which have no effect.
    """
    Z, code = Z.copy(), np.unique(strata[counted], return_inverse=True)[1].ravel()
    size = np.bincount(code)[code]
    for column in Z.T:  # in this order nothing overflows
        column[counted] -= np.bincount(code, column[counted] / size)[code]
    return Z


def _scaled(Z, counted, with_intercept):
    """Return columns divided by powers of two, with an intercept centred and after a constant.

    Only rows that are `counted` (n,) are used; others, which have no weight, become 0. Returns
    the columns, the powers (m,), and the matrix from coefficients of centred columns to the
    original ones.
    """
    Z = np.where(counted[:, None], Z, 0.0)
    power = np.frexp(np.abs(Z).max(axis=0))[1]
    Z = np.ldexp(Z, -power)
    if not with_intercept:
        return Z, power, np.eye(Z.shape[1])
    mean, turn = Z[counted].mean(axis=0), np.eye(Z.shape[1] + 1)
    turn[0, 1:] = -mean
    return np.column_stack([np.ones(len(Z)), Z - mean]), np.append(0, power), turn


def information(data, eta, Z):
    """Return minus the second derivative of the log-likelihood in the coefficients of Z (n, m)."""
    columns = [data.loss.curvature_product(eta, column) for column in Z.T]
    return data.total * (Z.T @ np.array(columns).T)


def inverse(information):
    """Return the inverse, computed from a matrix of unit diagonal."""
    size = np.sqrt(np.diag(information))
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = information / np.outer(size, size)
    if not np.isfinite(unit).all() or np.linalg.eigvalsh(unit)[0] < 1e-12:
        raise ValueError(UNBOUNDED)
    return np.linalg.inv(unit) / np.outer(size, size)
