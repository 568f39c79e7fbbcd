"""Certificate of online weights: their distance from the optimum of the batch problem.

    P(b0, b) = sum_i w_i f(y_i, o_i + b0 + x_i'b) + lam Omega(b)  >=  D(u)

for every feasible u. Here u = -F'(eta) at these weights, made orthogonal to the constant, to
columns without a penalty and to directions that it does not see, then scaled until X'u is within
lam times the dual ball. By Fenchel and Young P - D is a sum over samples and columns of terms of
at least 0. It is computed from the data, for the weights as they are returned. Under a concave
penalty there is no such D.
"""

from dataclasses import dataclass

import numpy as np

from sparsesolve.data import read_shares
from sparsesolve.online.penalty import refuse_concave
from sparsesolve.online.rows import in_columns_of_fit, row_matrix
from sparsesolve.online.source import read_known
from sparsesolve.penalties.whole import orthogonal_to
from sparsesolve.solvers.certificate.dual_point import clear
from sparsesolve.solvers.certificate.gap import duality_gap
from sparsesolve.solvers.problem.standardisation import null_model, null_models


@dataclass(frozen=True)
class Certificate:
    """An upper bound on the distance of weights from the optimum."""

    objective: float  #: mean loss plus lam times the penalty, at these weights
    gap: float  #: an upper bound of the objective minus its optimum
    null_objective: float  #: objective of the best intercept alone
    #: The gap over the null objective, both relative to the least possible loss.
    relative_gap: float


def certificate(fit, X, y, weights, offset):
    """Return the Certificate of an OnlineFit on these data."""
    settings, family = fit.settings, fit.settings.family
    refuse_concave(settings.penalty, "distance from the optimum")
    matrix, _ = row_matrix(in_columns_of_fit(X, fit.feature_names))
    n, p = matrix.shape
    response = fit.reader.block(y, n) if np.ndim(y) < 2 else family.read(y, n)
    w, _ = read_shares(weights, n, response.counts)
    loss = family.loss(response.values, w)
    W, b = np.atleast_2d(fit.coef()), np.atleast_1d(fit.intercept)
    if W.shape[1] > p:
        if W[:, p:].any():
            raise ValueError(f"X has {p} columns and the fit {W.shape[1]} features")
        W = W[:, :p]
    W = np.ascontiguousarray(np.hstack([W, np.zeros((len(W), p - W.shape[1]))]))
    known = np.zeros((n, len(W)))
    if offset is not None:
        known = read_known(offset, n, settings, fit.classes)
    eta = np.ascontiguousarray((np.asarray(matrix @ W.T) + b + known).T)
    eta = eta if family.several else eta[0]
    penalty, lam = settings.laid(p), settings.lam
    value, u = loss.at(eta)
    charge = penalty.value(W, lam)
    if not np.isfinite(value + charge):
        raise ValueError(
            "the objective at these weights is beyond the largest float: the fit has diverged; "
            "learn with a smaller step, or scale the columns of X"
        )
    free = penalty.free | (lam == 0.0)
    with_intercept = settings.intercept and family.intercept
    kernel = None if free.any() else penalty.kernel
    dual, missing = _feasible(loss, eta, u, matrix, free, kernel, with_intercept)
    z = np.ascontiguousarray(np.atleast_2d(np.asarray((matrix.T @ dual.T).T)))
    z[:, free] = 0.0
    z = z if kernel is None else orthogonal_to(kernel, z)
    gap = duality_gap(loss, penalty, lam, W, eta, value, dual, z, missing)
    # For a loss with a kink the null model is not computed: the gap is relative to the objective.
    null = value + charge if not family.smooth else (
        (null_models if family.several else null_model)(
            loss, known.T if family.several else known[:, 0], with_intercept)[1] + loss.saturated)
    scale = null - loss.saturated
    return Certificate(float(value + charge), float(gap), float(null),
                       float(gap / scale) if scale > 0.0 else float(gap))  # fmt: skip


def _feasible(loss, eta, u, matrix, free, kernel, with_intercept):
    """Return a dual point orthogonal to the constant and to what is not penalised, and what a
    step along these may still gain.
    """
    n = matrix.shape[0]
    columns = matrix[:, np.flatnonzero(free)] if kernel is None else matrix @ kernel
    columns = columns.toarray() if hasattr(columns, "toarray") else np.asarray(columns)
    if with_intercept:
        columns = np.column_stack([np.ones(n), columns])
    if columns.shape[1] == 0:
        return u, 0.0
    dual, missing = clear(loss, eta, u, columns)
    if missing == np.inf and columns.shape[1] == 1 and with_intercept and u.ndim == 1:
        # 0 lies in the range of every slope.
        up, down = u[u > 0.0].sum(), -u[u < 0.0].sum()
        least = min(up, down)
        return np.where(u > 0.0, u * (least / up if up else 0.0),
                        u * (least / down if down else 0.0)), 0.0  # fmt: skip
    return dual, missing

