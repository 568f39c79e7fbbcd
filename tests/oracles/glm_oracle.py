"""A slow and obvious solver for one lambda of any smooth convex loss, and its certificate.

The same manner and options as `oracle`, of which it uses the conventions and the solver of one
weighted least squares problem; it shares no line with the package. The problem (w summing to 1,
s_j the standard deviation of column j or 1, v the rescaled penalty factors):

    minimise  sum_i w_i loss(y_i, o_i + b0 + x_i b)
              + lam sum_j v_j [alpha |s_j b_j| + (1 - alpha)/2 (s_j b_j)^2],  lower <= b <= upper

`loss` is one of `numpy_losses`, or any other Loss; counts of successes go into the weights.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import loss_excess
import numpy as np
import oracle
from numpy_losses import Loss
from scipy.optimize import minimize_scalar

TINY = np.finfo(np.float64).tiny
CLOSE = 1e-10  # of the null objective: a gap below it is not asked for more closely


@dataclass(frozen=True)
class Form:
    """The problem on explicit arrays, rows of weight 0 left out."""

    q: oracle.Standard  # its A is unweighted here; its response is not used
    loss: Loss
    y: np.ndarray
    w: np.ndarray  # they sum to 1
    o: np.ndarray
    intercept: bool

    def value(self, lam, b0, beta):
        """The objective less its infimum over all linear predictors."""
        excess = self.loss.value(self.y, self.eta(b0, beta)) - self.loss.saturated(self.y)
        return self.w @ excess + oracle._penalty(self.q, lam, beta).sum()

    def eta(self, b0, beta):
        return self.o + b0 + self.q.A @ beta

    def residual(self, b0, beta):
        return -self.w * self.loss.slope(self.y, self.eta(b0, beta))

    @cached_property
    def null(self):
        """The best intercept at b = 0, and the objective there."""
        nothing = np.zeros(self.q.A.shape[1])
        none = np.zeros(len(nothing), dtype=bool)
        part = _only(self, none, 0.0, nothing)
        b0 = _newton(part, 0.0, 0.0, nothing[none])[0] if self.intercept else 0.0
        return b0, max(self.value(0.0, b0, nothing), TINY)


def form(X, y, *, loss, weights=None, offset=None, intercept=True, **options):
    """Apply glmnet's rules once, densely; the options are those of `oracle.standard_form`."""
    X = np.array(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    n = len(X)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    o = np.zeros(n) if offset is None else np.asarray(offset, dtype=np.float64)
    kept, y = w > 0, np.asarray(y, dtype=np.float64)
    w = w[kept] / w.sum()
    q = oracle.standard_form(X[kept], y[kept], weights=w, intercept=intercept, **options)
    return Form(replace(q, A=q.A / np.sqrt(w)[:, None]), loss, y[kept], w, o[kept], intercept)


def _only(f, columns, lam, beta):
    """The problem of some columns alone, the others' part of the predictor being offset."""
    q = f.q
    part = {k: getattr(q, k)[columns] for k in ("v", "dead", "lo", "hi", "mean", "scale")}
    rest = np.where(columns, 0.0, beta)
    return replace(f, q=replace(q, A=q.A[:, columns], **part), o=f.o + q.A @ rest)


def _newton(f, lam, b0, beta, steps=300):
    """Proximal Newton: the quadratic model is minimised exactly, then the true objective halved.

    Ends where neither the objective nor the optimality conditions get better.
    """
    value, kkt, stalled = f.value(lam, b0, beta), _kkt(f, lam, b0, beta), 0
    for _ in range(steps):
        new0, new = _model_minimiser(f, lam, b0, beta)
        t = 1.0
        for _ in range(60):
            trial0, trial = b0 + t * (new0 - b0), beta + t * (new - beta)
            reached = f.value(lam, trial0, trial)
            if reached <= value * (1 + 1e-14) + 1e-16:
                break
            t /= 2
        else:
            break
        better = _kkt(f, lam, trial0, trial)
        gained = reached < value * (1 - 1e-13) - 1e-16 or better < 0.9 * kkt
        if gained or better < kkt:
            b0, beta, value, kkt = trial0, trial, reached, better
        stalled = 0 if gained else stalled + 1
        if stalled == 3 or kkt == 0.0:
            break
    return b0, beta


def _model_minimiser(f, lam, b0, beta):
    """The exact minimiser of penalty and second-order model of the loss at (b0, beta)."""
    eta = f.eta(b0, beta)
    h = f.w * np.maximum(f.loss.bend(f.y, eta), 1e-10)
    target = eta - f.o + f.residual(b0, beta) / h
    mean, centre = np.zeros(f.q.A.shape[1]), 0.0
    if f.intercept:
        mean, centre = h @ f.q.A / h.sum(), h @ target / h.sum()
    root = np.sqrt(h)
    model = replace(f.q, A=root[:, None] * (f.q.A - mean), c=root * (target - centre))
    gap = np.inf
    for doubling in range(8):
        beta = oracle._polish(model, lam, oracle._descend(model, lam, beta, 5 * 2 ** doubling))
        before, gap = gap, oracle._gap(model, lam, beta) / model.null
        if gap <= 1e-15 or gap >= before:
            break
    return centre - mean @ beta if f.intercept else 0.0, beta


def _kkt(f, lam, b0, beta):
    """Largest slope of the objective in a direction that the limits allow, per coordinate."""
    q, u = f.q, f.residual(b0, beta)
    pull = q.A.T @ u - lam * (1 - q.alpha) * q.v * beta
    kink = lam * q.alpha * q.v
    right = np.where(beta < q.hi, pull - np.where(beta >= 0, kink, -kink), 0.0)
    left = np.where(beta > q.lo, -pull - np.where(beta <= 0, kink, -kink), 0.0)
    worst = np.maximum(np.maximum(right, left), 0.0)[~q.dead].max(initial=0.0)
    return max(worst, abs(u.sum())) if f.intercept else worst


@oracle.BLAS.wrap(limits=1, user_api="blas")
def solve(X, y, lam, **options):
    """Intercept and coefficients (on the original scale), to optimality at rounding level."""
    f = form(X, y, **options)
    b0, null = f.null
    b0, beta = _newton(f, lam, b0, np.zeros(f.q.A.shape[1]))
    reached = _kkt(f, lam, b0, beta) if f.loss.conjugate is None else _gap(f, lam, b0, beta) / null
    if not reached <= 1e-12:
        raise AssertionError(f"the oracle itself stops at {reached:.1e}")
    b = beta / f.q.scale
    return b0 - f.q.mean @ b, b


def _gap(f, lam, b0, beta):
    """P - D, D at the best multiple s <= 1 of a residual made feasible, without cancellation.

    The residual u is that of beta with the intercept and the unpenalised columns at their best,
    so that 1'u = 0 and z = A'u is 0 there (or of the sign that a limit asks for), or where that is
    not small with all columns at their best, which leaves what beta loses. Then

        P - D(s u) = sum_i [w_i l(y_i, eta_i) + w_i l*(y_i, -s u_i / w_i) + s u_i eta_i]
                     + sum_j [penalty(b_j) + conjugate(s z_j) - s z_j b_j].
    """
    bare = ~f.q.dead & (lam * f.q.v == 0)
    found = _gap_by(f, lam, b0, beta, bare)
    if found > CLOSE * f.null[1]:
        found = min(found, _gap_by(f, lam, b0, beta, ~f.q.dead))
    return found


def _gap_by(f, lam, b0, beta, columns):
    """The gap by the residual of beta with these columns at their best."""
    q, bare = f.q, ~f.q.dead & (lam * f.q.v == 0)
    best, part = beta.copy(), _only(f, columns, lam, beta)
    best0, best[columns] = _newton(part, lam, b0, beta[columns])
    u, eta = f.residual(best0, best), f.eta(b0, beta)
    z = q.A.T @ u
    z[bare & (np.abs(z) <= 1e-13 * np.abs(q.A).max(axis=0) * np.abs(u).sum())] = 0.0
    own = f.loss.value(f.y, eta)
    penalty = oracle._penalty(q, lam, beta)

    def gap(s):
        if f.loss.conjugate is None:
            samples = loss_excess.separable(f.loss, f.y, f.w, eta, s * u)
        else:
            samples = (f.w * (own + f.loss.conjugate(f.y, -s * u / f.w)) + s * u * eta).sum()
        terms = penalty + oracle._conjugate(q, lam, s * z) - s * z * beta
        return samples + terms[~q.dead].sum()

    top = oracle.feasible_scale(q, lam, z, 1.0)
    search = minimize_scalar(gap, bounds=(0.0, top), method="bounded", options={"xatol": 1e-14})
    return min(gap(s) for s in (0.0, top, search.x))


def _scaled(f, b0, b):
    """(b0, beta) of original coefficients; None where a limit is broken or a zero is not kept."""
    q = f.q
    beta = np.asarray(b, dtype=np.float64) * q.scale
    slack = 1e-12 * np.abs(beta)
    broken = (beta < q.lo - slack) | (beta > q.hi + slack) | (q.dead & (beta != 0))
    if broken.any() or (b0 != 0 and not f.intercept):
        return None
    return b0 + q.mean @ np.asarray(b, dtype=np.float64), np.clip(beta, q.lo, q.hi)


@oracle.BLAS.wrap(limits=1, user_api="blas")
def certificate(X, y, b0, b, lam, **options):
    """Relative duality gap of (b0, b), from the data alone: an upper bound on (P - min P) / P(0).

    P(0) is the objective at b = 0 with the best intercept, counted from the saturated model:
    half the null deviance of weights that sum to 1. inf where (b0, b) is not allowed.
    """
    f = form(X, y, **options)
    point = _scaled(f, b0, b)
    return np.inf if point is None else _gap(f, lam, *point) / f.null[1]


@oracle.BLAS.wrap(limits=1, user_api="blas")
def kkt_residual(X, y, b0, b, lam, **options):
    """Largest violation of the optimality conditions, for losses without a conjugate.

    On the standardised scale, relative to the root mean square slope of the samples at b = 0.
    """
    f = form(X, y, **options)
    point = _scaled(f, b0, b)
    start = f.residual(f.null[0], np.zeros(f.q.A.shape[1]))
    return np.inf if point is None else _kkt(f, lam, *point) / max(_size(f, start), TINY)


def _size(f, u):
    return np.sqrt((u * u / f.w).sum())


def objective(X, y, b0, b, lam, **options):
    """P(b0, b), counted from the saturated model."""
    f = form(X, y, **options)
    point = _scaled(f, b0, b)
    return np.inf if point is None else f.value(lam, *point)


def null_objective(X, y, **options):
    """P at b = 0 with the best intercept, counted from the saturated model."""
    return form(X, y, **options).null[1]


@oracle.BLAS.wrap(limits=1, user_api="blas")
def lambda_max(X, y, **options):
    """Largest |gradient| / (factor alpha) at the null model: intercept, offset, factors of 0."""
    f = form(X, y, **options)
    q, nothing = f.q, np.zeros(f.q.A.shape[1])
    bare = ~q.dead & (q.v == 0)
    beta = nothing.copy()
    b0, beta[bare] = _newton(_only(f, bare, 0.0, nothing), 0.0, f.null[0], nothing[bare])
    z = np.abs(q.A.T @ f.residual(b0, beta))
    penalised = ~q.dead & (q.v > 0)
    return (z[penalised] / q.v[penalised]).max(initial=0.0) / max(q.alpha, 1e-3)


def dev_ratio(X, y, b0, b, **options):
    """1 - deviance / null deviance; the null model has the intercept and the offset alone."""
    f = form(X, y, **options)
    return 1.0 - f.value(0.0, *_scaled(f, b0, b)) / f.null[1]
