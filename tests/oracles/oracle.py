"""A slow and obvious elastic net for one lambda, and a certificate that knows no solver.

Everything here is dense, float64, on explicit copies, and shares no line with the package: tests
compare against it. The problem, with glmnet's conventions (w summing to 1, s_j the standard
deviation of column j or 1, v the rescaled penalty factors):

    minimise  1/2 sum_i w_i (y_i - o_i - b0 - x_i b)^2
              + lam sum_j v_j [alpha |s_j b_j| + (1 - alpha)/2 (s_j b_j)^2],  lower <= b <= upper
"""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from scipy import sparse
from scipy.optimize import lsq_linear, minimize_scalar
from threadpoolctl import ThreadpoolController

TINY = np.finfo(np.float64).tiny
BLAS = ThreadpoolController()  # threads on matrices this small only wait for each other
SOLVED = {}  # what `solve` has found: tests ask the same of every storage, solver and tolerance


@dataclass(frozen=True)
class Standard:
    """The problem on explicit arrays: 1/2 ||c - A b||^2 + lam sum_j v_j [...], lo <= b <= hi."""

    A: np.ndarray  # (n, p) columns scaled, centred when there is an intercept, rows times sqrt(w)
    c: np.ndarray  # (n,) response less offset, centred likewise, times sqrt(w)
    v: np.ndarray  # (p,) penalty factors; they sum to p, dead columns included
    dead: np.ndarray  # (p,) excluded, or constant beside an intercept or scaling: b_j = 0
    lo: np.ndarray  # (p,) limits on the scaled coefficients
    hi: np.ndarray
    alpha: float
    mean: np.ndarray  # (p,) weighted column means, 0 without an intercept
    scale: np.ndarray  # (p,) what each column was divided by
    y_mean: float

    @property
    def null(self):
        """The objective at b = 0."""
        return max(0.5 * (self.c @ self.c), TINY)


def standard_form(X, y, *, alpha=1.0, weights=None, offset=None, intercept=True, standardize=True,
                  penalty_factor=None, lower=None, upper=None):
    """Apply glmnet's rules for weights, centring, scaling, factors and limits, once, densely."""
    X = np.array(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    n, p = X.shape
    t = np.array(y, dtype=np.float64)
    t = t - (0.0 if offset is None else np.asarray(offset, dtype=np.float64))
    w = np.ones(n) if weights is None else np.array(weights, dtype=np.float64)
    w = w / w.sum()
    centre = w @ X
    deviation = np.sqrt(w @ (X - centre) ** 2)  # centred even without an intercept
    seen = X[w > 0]
    constant = seen.max(axis=0) == seen.min(axis=0)
    scale = np.where(constant, 1.0, deviation) if standardize else np.ones(p)
    if not (intercept or standardize):
        constant = ~seen.any(axis=0)
    v = np.ones(p) if penalty_factor is None else np.array(penalty_factor, dtype=np.float64)
    excluded = np.isinf(v)
    v[excluded] = 1.0
    v = v * p / v.sum() if v.sum() > 0 else v
    mean = centre if intercept else np.zeros(p)
    y_mean = w @ t if intercept else 0.0
    return Standard(
        A=np.sqrt(w)[:, None] * (X - mean) / scale, c=np.sqrt(w) * (t - y_mean), v=v,
        dead=excluded | constant, lo=_limits(lower, -np.inf, p) * scale,
        hi=_limits(upper, np.inf, p) * scale, alpha=alpha, mean=mean, scale=scale, y_mean=y_mean)


def _limits(value, default, p):
    return np.broadcast_to(np.asarray(default if value is None else value, dtype=float), (p,))


def solve(X, y, lam, **options):
    """Intercept and coefficients (on the original scale), to a certificate at rounding level."""
    q = standard_form(X, y, **options)
    numbers = [np.asarray(each, dtype=float) for each in (lam, *vars(q).values())]
    key = sha256(b"".join(part.tobytes() for part in numbers)).digest(), q.A.shape
    if key not in SOLVED:
        SOLVED[key] = _solve(q, lam)
    b0, b = SOLVED[key]
    return b0, b.copy()


@BLAS.wrap(limits=1, user_api="blas")
def _solve(q, lam):
    beta, gap = np.zeros(q.A.shape[1]), np.inf
    # Columns far from 0 (no intercept) cost the digits that rounding their coefficients costs.
    floor = 1e-13 + 2.0 ** -53 * np.abs(q.A).max(initial=0.0) ** 2
    for doubling in range(12):
        beta = _polish(q, lam, _descend(q, lam, beta, 5 * 2 ** doubling))
        before, gap = gap, _gap(q, lam, beta) / q.null
        if gap <= 5e-15 or (gap >= before and gap <= floor):
            break
    else:
        raise AssertionError(f"the oracle itself stops at a relative gap of {gap:.1e}")
    b = beta / q.scale
    return q.y_mean - q.mean @ b, b


def _descend(q, lam, beta, sweeps):
    """Cyclic coordinate descent: each coordinate moves to its minimiser within its limits."""
    beta = beta.copy()
    r = q.c - q.A @ beta
    square = (q.A ** 2).sum(axis=0)
    for _ in range(sweeps):
        largest = 0.0
        for j in np.flatnonzero(~q.dead):
            z = q.A[:, j] @ r + square[j] * beta[j]
            soft = np.sign(z) * max(abs(z) - lam * q.alpha * q.v[j], 0.0)
            new = soft / (square[j] + lam * (1 - q.alpha) * q.v[j])
            step = min(max(new, q.lo[j]), q.hi[j]) - beta[j]
            if step != 0.0:
                r -= step * q.A[:, j]
                beta[j] += step
                largest = max(largest, abs(step) * np.sqrt(square[j]))
        if largest <= 1e-16 * np.linalg.norm(q.c):
            break
    return beta


def _polish(q, lam, beta):
    """Newton steps on the coefficients away from kinks and limits, each to the first it meets."""
    beta = beta.copy()
    for _ in range(3 * len(beta)):
        free = ~q.dead & (beta > q.lo) & (beta < q.hi) & ((beta != 0) | (q.v == 0))
        if not free.any():
            break
        A, b, kink = q.A[:, free], beta[free], lam * q.alpha * q.v[free]
        ridge = lam * (1 - q.alpha) * q.v[free]
        descent = A.T @ (q.c - q.A @ beta) - ridge * b - kink * np.sign(b)
        step = _newton_step(A.T @ A + np.diag(ridge), descent)
        end = np.where(step > 0, q.hi[free], q.lo[free])  # where this piece of the objective ends
        end = np.where((kink > 0) & (step * b < 0), 0.0, end)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step == 0, np.inf, (end - b) / step)
        trial = beta.copy()
        trial[free] = np.where(room <= min(room.min(), 1.0), end, b + min(room.min(), 1.0) * step)
        if not _value(q, lam, trial) <= _value(q, lam, beta) * (1 + 1e-14):
            break
        beta = trial
        if room.min() > 1.0 and np.abs(step).max() <= 1e-15 * np.abs(beta).max():
            break
    return beta


def _newton_step(H, descent):
    """The minimiser of the quadratic; along its flat directions, far enough to meet a kink."""
    size, V = np.linalg.eigh(H)
    flat = size <= 1e-13 * size[-1]
    along = V[:, flat] @ (V[:, flat].T @ descent)
    if np.linalg.norm(along) > 1e-10 * np.linalg.norm(descent) + 1e-13 * size[-1]:
        return along * (1e9 / size[-1])
    return V[:, ~flat] @ (V[:, ~flat].T @ descent / size[~flat])


def _penalty(q, lam, beta):
    """Each coordinate's penalty, infinite where a dead coefficient is not zero."""
    value = lam * q.v * (q.alpha * np.abs(beta) + (1 - q.alpha) / 2 * beta ** 2)
    return np.where(q.dead & (beta != 0), np.inf, value)


def _value(q, lam, beta):
    r = q.c - q.A @ beta
    return 0.5 * (r @ r) + _penalty(q, lam, beta).sum()


def _conjugate(q, lam, z):
    """Each coordinate's sup of z b - penalty(b) over its limits; inf where that is unbounded."""
    total = np.zeros_like(z)
    ridge = lam * (1 - q.alpha) * q.v
    for side, bound in ((1.0, q.hi), (-1.0, -q.lo)):
        excess = np.maximum(side * z - lam * q.alpha * q.v, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            top = np.minimum(np.where(excess > 0, excess / ridge, 0.0), bound)
            gain = np.where(top > 0, excess * top - ridge * top ** 2 / 2, 0.0)
        total += np.where(np.isinf(top), np.inf, gain)
    return np.where(q.dead, 0.0, total)


def _gap(q, lam, beta):
    """Smallest P - D over the dual points s * rho, where rho is the residual made feasible.

    As c - A beta = r and z = A' rho, P - D = 1/2 ||r - s rho||^2 + sum_j [penalty(b_j) +
    conjugate(s z_j) - s z_j b_j]: every term is nonnegative and none cancels another.
    """
    r = q.c - q.A @ beta
    rho = _project(q, lam, r)
    z = q.A.T @ rho
    rounding = 1e-13 * np.linalg.norm(q.A, axis=0) * np.linalg.norm(q.c)
    z[(lam * q.v == 0) & (np.abs(z) <= rounding)] = 0.0  # made so by the projection
    penalty = _penalty(q, lam, beta)

    def gap(s):
        difference = r - s * rho
        terms = penalty + _conjugate(q, lam, s * z) - s * z * beta
        return 0.5 * (difference @ difference) + terms[~q.dead].sum()

    top = feasible_scale(q, lam, z, 2.0)
    search = minimize_scalar(gap, bounds=(0.0, top), method="bounded", options={"xatol": 1e-14})
    return min(gap(s) for s in (0.0, min(1.0, top), top, search.x))


def feasible_scale(q, lam, z, most):
    """The largest s, at most `most`, at which no half-line makes the conjugate infinite."""
    top = most
    for side, bound in ((1.0, q.hi), (-1.0, -q.lo)):
        linear = ~q.dead & np.isinf(bound) & (lam * (1 - q.alpha) * q.v == 0) & (side * z > 0)
        top = min(top, (lam * q.alpha * q.v[linear] / (side * z[linear])).min(initial=top))
    return top if top == most else top * (1 - 2e-16)


def _project(q, lam, r):
    """Project the residual on what unpenalised columns allow: z = 0, or z of one sign.

    The part taken away lies in the span (or cone) of those columns, so this is least squares;
    columns with two finite limits ask for nothing.
    """
    bare = ~q.dead & (lam * q.v == 0) & (np.isinf(q.lo) | np.isinf(q.hi))
    A = q.A[:, bare]
    low = np.where(np.isinf(q.lo[bare]), -np.inf, 0.0)
    high = np.where(np.isinf(q.hi[bare]), np.inf, 0.0)
    used = np.ones(A.shape[1], dtype=bool)
    if not (np.isinf(low).all() and np.isinf(high).all()):
        x = lsq_linear(A, r, bounds=(low, high), method="bvls", tol=1e-15).x
        r, used = r - A @ x, x != 0.0
    for _ in range(4):  # bvls leaves rounding along the columns it uses
        z = A.T @ r
        used |= ((z < 0.0) & np.isinf(low)) | ((z > 0.0) & np.isinf(high))
        basis, size, _ = np.linalg.svd(A[:, used], full_matrices=False)
        basis = basis[:, size > 1e-12 * size.max(initial=0.0)]
        r = r - basis @ (basis.T @ r)
    return r


@BLAS.wrap(limits=1, user_api="blas")
def certificate(X, y, b0, b, lam, **options):
    """Relative duality gap of (b0, b) on the true objective, from the data alone.

    An upper bound on (P(b0, b) - min P) / P(0), P(0) the objective at b = 0 with the best
    intercept; inf when a limit is broken, or a coefficient that must be 0 is not.
    """
    q = standard_form(X, y, **options)
    beta = np.asarray(b, dtype=np.float64) * q.scale
    slack = 1e-12 * np.abs(beta)
    broken = (beta < q.lo - slack) | (beta > q.hi + slack) | (q.dead & (beta != 0))
    if broken.any() or (b0 != 0 and not options.get("intercept", True)):
        return np.inf
    return (_gap(q, lam, beta) + 0.5 * _intercept_error(q, b0, b) ** 2) / q.null


def objective(X, y, b0, b, lam, **options):
    """P(b0, b), in the units of y squared."""
    q = standard_form(X, y, **options)
    return _value(q, lam, np.asarray(b) * q.scale) + 0.5 * _intercept_error(q, b0, b) ** 2


def _intercept_error(q, b0, b):
    """Distance of b0 from the best intercept for b: the objective loses half its square."""
    return q.y_mean - q.mean @ np.asarray(b, dtype=np.float64) - b0


def null_objective(X, y, **options):
    """P at b = 0 with the best intercept."""
    return standard_form(X, y, **options).null


def lambda_max(X, y, **options):
    """Largest |gradient| / (factor alpha) at the null model: intercept, offset, factors of 0."""
    q = standard_form(X, y, **options)
    null = {**options, "penalty_factor": np.where(q.v > 0, np.inf, 0.0)}
    b = solve(X, y, 0.0, **null)[1]
    z = np.abs(q.A.T @ (q.c - q.A @ (b * q.scale)))
    penalised = ~q.dead & (q.v > 0)
    return (z[penalised] / q.v[penalised]).max(initial=0.0) / max(q.alpha, 1e-3)


def dev_ratio(X, y, b, **options):
    """1 - deviance / null deviance, with the best intercept for b."""
    q = standard_form(X, y, **options)
    r = q.c - q.A @ (np.asarray(b) * q.scale)
    return 1.0 - (r @ r) / (q.c @ q.c)


def solved(fit, X, y, level=1e-12, **options):
    """Check knots, midpoints and a point above the first knot by `certificate`."""
    assert (np.diff(fit.lambdas) < 0).all() and not fit.status.any()
    middle = 0.5 * (fit.lambdas[1:] + fit.lambdas[:-1])
    for s in [*fit.lambdas, *middle, 1.1 * fit.lambdas[0]]:
        gap = certificate(X, y, fit.intercept(s), fit.coef(s), s, **options)
        assert gap <= level, f"{gap} at {s}"
    return fit
