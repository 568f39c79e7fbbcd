"""A slow and obvious solver for penalties on groups, any smooth convex loss, and its certificate.

The manner and conventions of `glm_oracle`, whose arrays and null model it uses; it shares no line
with the package. The problem, with s_j the standard deviation of column j or 1, v the penalty
factors of the groups scaled to sum G, and d_g their weights:

    minimise  F(o + b0 + X b) + lam sum_g v_g [alpha N_g(s b_g) + (1 - alpha) e_g/2 |s b_g|^2]
    lower <= b <= upper

    "l2"      N_g = d_g |.|_2                               e_g = d_g
    "linf"    N_g = d_g max |.|                             e_g = d_g
    "sparse"  N_g = tau |.|_1 + (1 - tau) d_g |.|_2         e_g = tau + (1 - tau) d_g
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import glm_oracle
import loss_excess
import numpy as np
import numpy_losses
import oracle
from scipy.optimize import brentq
from scipy.special import logsumexp

TINY = np.finfo(np.float64).tiny
TIGHT = {"xtol": 1e-300, "rtol": 1e-15, "maxiter": 500}


@dataclass(frozen=True)
class Block:
    """One group: lam times [l1 |b|_1 + l2 |b|_2 + linf |b|_inf + ridge |b|^2 / 2] on its box."""

    columns: np.ndarray
    l1: float
    l2: float
    linf: float
    ridge: float
    lo: np.ndarray
    hi: np.ndarray

    def value(self, lam, b):
        norms = self.l1 * np.abs(b).sum() + self.l2 * np.sqrt(b @ b)
        return lam * (norms + self.linf * np.abs(b).max() + self.ridge / 2 * (b @ b))

    def limit(self, x):
        """How far each coordinate may go to the side of x."""
        return np.where(x > 0, self.hi, -self.lo)

    def prox(self, lam, h, x):
        """argmin_b h/2 |b|^2 - x'b + penalty(b), by a root of one variable."""
        r, limit = h + lam * self.ridge, self.limit(x)
        size = np.maximum(np.abs(x) - lam * self.l1, 0.0) * (limit > 0)
        if self.linf > 0:  # a cap on all of them: what it cuts off adds up to the level
            top = np.minimum(size / r, limit)

            def excess(cap):
                return (size - r * cap)[top > cap].sum() - lam * self.linf

            cap = _last_above_zero(excess, 0.0, top.max())
            return np.sign(x) * np.minimum(top, cap)
        length = np.sqrt(size @ size)
        if length <= lam * self.l2:
            return np.zeros(len(x))

        def still_short(rho):  # below 0 where rho is longer than the answer
            return np.linalg.norm(np.minimum(size / (r * rho + lam * self.l2), limit / rho)) - 1

        rho = (length - lam * self.l2) / r  # where no limit is met
        if (size * rho / length > limit).any():
            rho = _last_above_zero(still_short, 1e-100, rho)
        return np.sign(x) * np.minimum(size * rho / (r * rho + lam * self.l2), limit)

    def polar(self, z):
        """The least lam for which b = 0 minimises penalty(b) - z'b; limits of 0 help."""
        z = np.abs(z) * (self.limit(z) > 0)
        if not z.any():
            return 0.0
        if self.linf > 0:
            return z.sum() / self.linf
        if self.l1 == 0:
            return np.sqrt(z @ z) / self.l2 if self.l2 > 0 else np.inf
        most = z.max() / self.l1

        def short(nu):
            return np.linalg.norm(np.maximum(z - nu * self.l1, 0.0)) - nu * self.l2

        return brentq(short, 0.0, most, **TIGHT) if self.l2 > 0 else most

    def conjugate(self, lam, z):
        """sup_b z'b - penalty(b), over the box."""
        if self.ridge > 0 and lam > 0:
            b = self.prox(lam, 0.0, z)
            return z @ b - self.value(lam, b)
        limit = self.limit(z)
        if self.linf > 0:  # limits take over what is too much, the shortest way first
            excess, total = np.abs(z).sum() - lam * self.linf, 0.0
            for j in np.argsort(limit):
                part = min(max(excess, 0.0), abs(z[j]))
                total += part * limit[j] if part > 0 else 0.0
                excess -= part
            return total
        size = np.maximum(np.abs(z) - lam * self.l1, 0.0) * (limit > 0)
        if np.linalg.norm(size[limit == np.inf]) > lam * self.l2:
            return np.inf
        if np.linalg.norm(size) <= lam * self.l2:
            return 0.0
        finite = limit < np.inf

        def held(kappa):  # by the l2 norm, where limits hold the rest
            kept = size.copy()
            kept[finite] = np.minimum(size[finite], kappa * limit[finite])
            return kept

        most = (size[finite & (limit > 0)] / limit[finite & (limit > 0)]).max()
        kappa = brentq(lambda k: np.linalg.norm(held(k)) - lam * self.l2, 0.0, most, **TIGHT)
        return (size - held(kappa))[finite] @ limit[finite]

    def open_polar(self, z):
        """The least lam with a finite conjugate, without a ridge part."""
        return self.polar(np.where(np.isinf(self.limit(z)), z, 0.0))


def _last_above_zero(function, low, high):
    """Where a decreasing function that may jump crosses zero, to the last digits."""
    if function(low) <= 0:
        return low
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high


@dataclass(frozen=True)
class Problem:
    """The standardised problem: glm_oracle's arrays, and the blocks of columns that may move."""

    f: glm_oracle.Form
    law: Callable  # eta -> (F(eta) less its least value, -F'(eta))
    blocks: list
    bare: np.ndarray  # (p,) bool: columns that may move and have no penalty
    fixed: np.ndarray  # (p,) bool: excluded or constant
    cox: np.ndarray | None  # times and deaths, for Cox's likelihood

    @cached_property
    def null(self):
        """The best intercept at b = 0, and the objective there."""
        if self.f.intercept:
            return self.f.null
        return 0.0, max(self.law(self.f.o)[0], TINY)


def read_groups(groups, p):
    """Lists of columns, as the user's groups say, then those of no group one by one."""
    if isinstance(groups, dict):
        lists = [list(part) for part in groups.values()]
    elif isinstance(groups[0], list | tuple | np.ndarray | range):
        lists = [list(part) for part in groups]
    else:
        labels = list(dict.fromkeys(label for label in groups if label is not None))
        lists = [[j for j in range(p) if groups[j] == label] for label in labels]
    taken = {j for part in lists for j in part}
    return lists, lists + [[j] for j in range(p) if j not in taken]


def problem(X, y, *, kind, groups, loss=numpy_losses.GAUSSIAN, group_weights=None, tau=0.5,
            alpha=1.0, penalty_factor=None, **options):
    """Read everything once; the options left are those of `glm_oracle.form`."""
    cox = loss == "cox"
    time = np.asarray(y)[:, 0] if cox else y
    f = glm_oracle.form(X, time, loss=numpy_losses.GAUSSIAN if cox else loss, **options)
    if cox:  # only differences count, and small numbers keep their digits
        f = replace(f, q=replace(f.q, A=f.q.A - f.w @ f.q.A))
    p = f.q.A.shape[1]
    named, lists = read_groups(groups, p)
    d = np.sqrt([len(part) for part in lists])
    if group_weights is not None:
        d[: len(named)] = group_weights
    v = np.ones(len(lists)) if penalty_factor is None else np.array(penalty_factor, dtype=float)
    out = np.isinf(v) | np.isinf(d)
    v[np.isinf(v)] = 1.0
    v = v * len(v) / v.sum() if v.sum() > 0 else v
    fixed, bare, blocks = f.q.dead.copy(), np.zeros(p, dtype=bool), []
    for columns, weight, factor, gone in zip(map(np.array, lists), d, v, out, strict=True):
        fixed[columns] |= gone
        columns = columns[~fixed[columns]]
        l1 = tau if kind == "sparse" else 0.0
        main = 0.0 if gone else {"sparse": 1.0 - tau}.get(kind, 1.0) * weight
        if len(columns) and factor * (l1 + main) == 0:
            bare[columns] = True
        blocks += [] if not len(columns) else [Block(
            columns, alpha * factor * l1, 0.0 if kind == "linf" else alpha * factor * main,
            alpha * factor * main if kind == "linf" else 0.0,
            (1 - alpha) * factor * (l1 + main), f.q.lo[columns], f.q.hi[columns])]
    survival = np.asarray(y)[_kept(options, len(y))] if cox else None
    law = _cox_law(survival, f) if cox else _law(f)
    return Problem(replace(f, q=replace(f.q, dead=fixed)), law, blocks, bare, fixed, survival)


def _kept(options, n):
    weights = options.get("weights")
    return np.ones(n, dtype=bool) if weights is None else np.asarray(weights) > 0


def _law(f):
    least = f.w @ f.loss.saturated(f.y)
    return lambda eta: (f.w @ f.loss.value(f.y, eta) - least, -f.w * f.loss.slope(f.y, eta))


def _cox_law(y, f):
    """Breslow's partial likelihood by risk sets, less its value in the saturated model."""
    time, died, w = y[:, 0], y[:, 1] > 0, f.w
    least = -sum((w * died)[time == t].sum() * np.log(w[(time == t) & died].sum())
                 for t in np.unique(time[died]))  # fmt: skip

    def law(eta):
        own, log_shares = _shares(y, w, eta)
        value = own @ (np.log(w) - log_shares[np.arange(len(w)), np.arange(len(w))])
        return value + least, own - own @ np.exp(log_shares)

    return law


def _shares(y, w, eta):
    """The weight of each death, and logs of the shares (n, n) of those at risk when i dies."""
    at_risk = y[None, :, 0] >= y[:, None, 0]
    level = np.where(at_risk, np.log(w) + eta, -np.inf)
    return w * (y[:, 1] > 0), level - logsumexp(level, axis=1, keepdims=True)


def _cox_newton(q, eta, Z, pull):
    """What d gives the least F(eta + Z d) - pull'd, and what one more step might gain."""
    d, gain = np.zeros(Z.shape[1]), 0.0
    value, u = q.law(eta)
    for _ in range(60):
        own, log_shares = _shares(q.cox, q.f.w, eta + Z @ d)
        shares = np.exp(log_shares)
        mean = shares @ Z
        second = Z.T @ ((own @ shares)[:, None] * Z) - mean.T @ (own[:, None] * mean)
        size = np.sqrt(np.maximum(np.diag(second), 1e-300))
        left = Z.T @ u + pull
        unit = second / np.outer(size, size)
        step = np.linalg.lstsq(unit, left / size, rcond=1e-13)[0] / size
        gain = abs(left @ step)
        for _ in range(40):
            reached, there = q.law(eta + Z @ (d + step))
            if reached - pull @ (d + step) <= value + 1e-15 * (1 + abs(value)):
                break
            step = step / 2
        else:
            break
        d, value, u = d + step, reached - pull @ (d + step), there
        if abs(Z @ step).max(initial=0.0) <= 1e-14:
            break
    return d, gain


def _penalty(q, lam, beta):
    if (beta[q.fixed] != 0).any():
        return np.inf
    return sum(block.value(lam, beta[block.columns]) for block in q.blocks)


def _descend(q, lam, b0, beta, blocks, steps):
    """FISTA with backtracking, started again where the objective would rise."""
    A, o, intercept = q.f.q.A, q.f.o, q.f.intercept
    at0, at, step0, step, momentum, curvature = b0, beta, b0, beta, 1.0, 1.0
    value = q.law(o + b0 + A @ beta)[0] + _penalty(q, lam, beta)
    for _ in range(steps):
        loss, u = q.law(o + at0 + A @ at)
        pull, pull0 = A.T @ u, u.sum() if intercept else 0.0
        while True:
            new, new0 = at.copy(), at0 + pull0 / curvature
            for block in blocks:
                k = block.columns
                new[k] = block.prox(lam, curvature, curvature * at[k] + pull[k])
            d, d0 = new - at, new0 - at0
            reached = q.law(o + new0 + A @ new)[0]
            bound = loss - pull @ d - pull0 * d0 + curvature / 2 * (d @ d + d0 * d0)
            if reached <= bound + 1e-15 * abs(loss):
                break
            curvature *= 2.0
        now = reached + _penalty(q, lam, new)
        if now > value and momentum > 1.0:
            at, at0, momentum = beta, b0, 1.0
            continue
        moved = max(np.abs(new - beta).max(initial=0.0), abs(new0 - b0))
        value, before, momentum = now, momentum, (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        step, step0 = new - beta, new0 - b0
        beta, b0 = new, new0
        at, at0 = beta + (before - 1) / momentum * step, b0 + (before - 1) / momentum * step0
        if moved <= 1e-16 * (1 + np.abs(beta).max(initial=0.0)):
            break
        curvature *= 0.98
    return b0, beta


def _bare_part(q, b0, beta):
    """The same point with the intercept and the columns without a penalty at their best."""
    if q.cox is not None:
        return _descend(q, 0.0, b0, beta, [k for k in q.blocks if q.bare[k.columns[0]]], 20_000)
    best = beta.copy()
    b0, best[q.bare] = glm_oracle._newton(
        glm_oracle._only(q.f, q.bare, 0.0, beta), 0.0, b0, beta[q.bare]
    )
    return b0, best


@oracle.BLAS.wrap(limits=1, user_api="blas")
def solve(q, lam, enough=1e-11):
    """Intercept and coefficients (on the original scale), to a certificate of `enough`."""
    b0, beta, gap = q.null[0], np.zeros(q.f.q.A.shape[1]), np.inf
    for _ in range(60):
        b0, beta = _descend(q, lam, b0, beta, q.blocks, 500)
        gap = _gap(q, lam, b0, beta) / q.null[1]
        if gap <= enough:
            b = beta / q.f.q.scale
            return b0 - q.f.q.mean @ b, b
    raise AssertionError(f"the oracle itself stops at {gap:.1e}")


def _cox_above(q, eta, u):
    """The least bound there is on what u leaves, where loss_excess.cox gives one at once."""
    d, gain = _cox_newton(q, eta, np.eye(len(eta)), -u)
    return max(q.law(eta)[0] - q.law(eta + d)[0] - u @ d, 0.0) + gain


def _gap(q, lam, b0, beta, sharp=False):
    """P - D at a multiple of a residual that the intercept and bare columns do not see.

        sum_i [w_i l(y_i, eta_i) + w_i l*(y_i, -s u_i / w_i) + s u_i eta_i]
        + sum_g [penalty(b_g) + conjugate(s z_g) - s z_g'b_g],   z = A'u
    """
    f = q.f
    eta = f.eta(b0, beta)
    best, bare = eta, q.f.q.A[:, q.bare & (beta > q.f.q.lo) & (beta < q.f.q.hi)]
    if q.cox is not None and bare.shape[1]:
        best = eta + bare @ _cox_newton(q, eta, bare, np.zeros(bare.shape[1]))[0]
    u = q.law(best)[1] if q.cox is not None else _dual_point(q, b0, beta)
    z = f.q.A.T @ u
    rounding = 1e-12 * np.abs(f.q.A).max(axis=0) * np.abs(u).sum()
    nothing = np.full(len(z), -np.inf)
    held = _penalty(q, lam, beta)
    if not np.isfinite(held):
        return np.inf

    def excess(s):
        if q.cox is not None:
            if sharp:
                return _cox_above(q, eta, s * u)
            return loss_excess.cox(q.cox, f.w, eta, s, best)
        if f.loss.conjugate is None:
            return loss_excess.separable(f.loss, f.y, f.w, eta, s * u)
        own = f.loss.value(f.y, eta) + f.loss.conjugate(f.y, -s * u / f.w)
        return (f.w * own + s * u * eta).sum()

    def gap(s):
        total = excess(s) + held
        for block in q.blocks:
            k = block.columns
            if q.bare[k[0]]:  # pushes against a limit only; what the fit left is rounding
                push = np.where(np.abs(z[k]) <= rounding[k], 0.0, s * z[k])
                with np.errstate(invalid="ignore"):
                    total += np.where(push == 0, 0, np.abs(push) * block.limit(push)).sum()
                total -= push @ beta[k]
            else:
                total += block.conjugate(lam, s * z[k]) - s * (z[k] @ beta[k])
        return total

    tops = {0.0, 1.0 - 1e-12}
    for limits in ({}, {"lo": nothing, "hi": -nothing}):  # feasible, and as if without limits
        most = 0.0
        for block in q.blocks:
            k = block.columns
            if not q.bare[k[0]] and (block.ridge == 0 or limits):
                block = replace(block, **{name: v[k] for name, v in limits.items()})
                most = max(most, block.open_polar(z[k]) / lam)
        tops.add((1.0 - 1e-12) / max(most, 1.0))
    return min(gap(s) for s in tops)


def _dual_point(q, b0, beta):
    """-F' where the intercept and the bare columns are at their best, exactly orthogonal to them.

    Weighted least squares on those columns that no limit holds takes out what is left, for the
    smooth conjugates used here a change of second order.
    """
    f = q.f
    best0, best = _bare_part(q, b0, beta)
    u = q.law(f.eta(best0, best))[1]
    free = q.bare & (best < f.q.hi) & (best > f.q.lo)
    columns = np.column_stack([np.ones((len(u), int(f.intercept))), f.q.A[:, free]])
    h = f.w * np.maximum(f.loss.bend(f.y, f.eta(best0, best)), 1e-10)
    if columns.shape[1]:
        for _ in range(3):
            root = np.sqrt(h)[:, None]
            u = u - h * (columns @ np.linalg.lstsq(root * columns, u / root[:, 0], rcond=1e-13)[0])
    return u


def _scaled(q, b0, b):
    """(b0, beta) of original coefficients; None where a limit is broken or a zero is not kept."""
    s = q.f.q
    beta = np.asarray(b, dtype=np.float64) * s.scale
    slack = 1e-12 * np.abs(beta)
    broken = (beta < s.lo - slack) | (beta > s.hi + slack) | (q.fixed & (beta != 0))
    if broken.any() or (b0 != 0 and not q.f.intercept):
        return None
    start = 0.0 if q.cox is not None else b0 + s.mean @ np.asarray(b, dtype=np.float64)
    return start, np.clip(beta, s.lo, s.hi)  # of cox only differences count


@oracle.BLAS.wrap(limits=1, user_api="blas")
def certificate(q, b0, b, lam, sharp=False):
    """Relative duality gap of (b0, b), from the data alone; inf where (b0, b) is not allowed."""
    point = _scaled(q, b0, b)
    return np.inf if point is None else _gap(q, lam, *point, sharp) / q.null[1]


def objective(q, b0, b, lam):
    """P(b0, b), counted from the saturated model."""
    point = _scaled(q, b0, b)
    if point is None:
        return np.inf
    return q.law(q.f.eta(*point))[0] + _penalty(q, lam, point[1])


@oracle.BLAS.wrap(limits=1, user_api="blas")
def lambda_max(X, y, *, alpha=1.0, **options):
    """The least lam with b = 0 but for bare columns; alpha is taken for 1e-3 at least."""
    q = problem(X, y, alpha=max(alpha, 1e-3), **options)
    b0, beta = _bare_part(q, q.null[0], np.zeros(q.f.q.A.shape[1]))
    z = q.f.q.A.T @ q.law(q.f.eta(b0, beta))[1]
    entering = (block for block in q.blocks if not q.bare[block.columns[0]])
    return max((block.polar(z[block.columns]) for block in entering), default=0.0)
