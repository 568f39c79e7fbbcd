"""The duality gap of a claimed solution, by one formula in float64 and in 60 decimal digits.

    minimise over b0, b    sum_i w_i loss(y_i, o_i + b0 + x_i b)  +  lam sum_g v_g Omega_g(s b_g)

with the conventions of `glm_oracle` and `group_oracle`, of which it shares no line, nor any of the
package. A dual point u is -F' where the intercept and the columns without a penalty are at their
best. With z = A'u and a multiple s of it that is feasible, every term of

    P - D(s u) = sum_i w_i [l(y_i, eta_i) + l*(y_i, v_i) - v_i eta_i]            (v = -s u / w)
                 + sum_g [penalty(b_g) + conjugate(s z_g) - s z_g b_g]

is at least 0, so that little cancels. What is small in float64 is small; what is not, and might be
rounding, is computed again in `DIGITS`, where no scale overflows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal

import decimal_losses
import loss_excess
import numpy as np
import numpy_losses

ARITHMETIC = Context(prec=60, Emax=999999, Emin=-999999)  # use inside decimal.localcontext
FAINT = 1e-12  # lambda over the size of F' at the null model, below which z is rounding beside it
CONSTANT = 1e-15  # spread over mean at which a float64 column is constant

decimals = np.frompyfunc(lambda a: a if isinstance(a, Decimal) else Decimal(float(a)), 1, 1)


@dataclass(frozen=True)
class Law:
    """A loss as functions of arrays, in either kind of numbers."""

    at: Callable  # (y, eta) -> value, slope and second derivative
    above: Callable  # (y, eta, v) -> value less the line of slope v that touches the loss
    least: Callable  # y -> the least value


def in_floats(loss):
    """The Law of a loss of numpy_losses."""
    def above(y, eta, v):
        if loss.conjugate is None:
            return loss_excess.above(loss, y, eta, v)
        return loss.value(y, eta) + loss.conjugate(y, v) - v * eta

    return Law(lambda y, eta: (loss.value(y, eta), loss.slope(y, eta), loss.bend(y, eta)), above,
               loss.saturated)  # fmt: skip


def in_decimals(function, contact):
    """The Law of a loss of decimal_losses."""
    def touched(y, v):
        """v t - loss(t) where the slope is v; 0 at the ends of the domain, where it is nowhere."""
        try:
            t = contact(y, v)
            return v * t - function(y, t)[0]
        except ArithmeticError:
            return Decimal(0)

    at, conjugate = np.frompyfunc(function, 2, 3), np.frompyfunc(touched, 2, 1)
    return Law(at, lambda y, eta, v: at(y, eta)[0] + conjugate(y, v) - v * eta,
               lambda y: -conjugate(y, 0 * y))  # fmt: skip


@dataclass(frozen=True)
class Numbers:
    """What float64 and decimals do not share."""

    array: Callable  # of an array or a scalar
    law: Callable  # of a family
    negligible: float  # relative size below which a sum of columns' products is rounding
    steps: int  # Newton steps that make a point exact


LOSSES = {
    "gaussian": numpy_losses.GAUSSIAN, "binomial": numpy_losses.BINOMIAL,
    "poisson": numpy_losses.POISSON, "huber": numpy_losses.huber(0.75),
    "squared_hinge": numpy_losses.SQUARED_HINGE, "gamma": numpy_losses.GAMMA,
    "negative_binomial": numpy_losses.negative_binomial(1.5), "probit": numpy_losses.PROBIT,
    "cloglog": numpy_losses.CLOGLOG, "tweedie": numpy_losses.tweedie(1.4),
}  # fmt: skip
DECIMALS = {**decimal_losses.LOSSES, "huber": decimal_losses.huber("0.75"),
            "negative_binomial": decimal_losses.negative_binomial("1.5")}  # fmt: skip
FLOAT = Numbers(lambda a: np.asarray(a, dtype=np.float64)[()],
                lambda family: in_floats(LOSSES[family]), 1e-12, 60)  # fmt: skip
DIGITS = Numbers(decimals, lambda family: in_decimals(*DECIMALS[family]), 1e-40, 40)


@dataclass(frozen=True)
class Group:
    """Columns penalised by l1 |b|_1 + l2 |b|_2 + linf |b|_inf + ridge |b|^2 / 2, times lam."""

    columns: np.ndarray
    l1: object
    l2: object
    linf: object
    ridge: object

    def value(self, b):
        return (self.l1 * abs(b).sum() + self.l2 * _norm(b) + self.linf * abs(b).max()
                + self.ridge / 2 * (b @ b))  # fmt: skip

    def excess(self, lam, z):
        """(by how much z exceeds the dual ball, the shrunken z)."""
        size = np.maximum(abs(z) - lam * self.l1, 0 * z)
        return (size.sum() - lam * self.linf if self.linf else _norm(size) - lam * self.l2), size

    def conjugate(self, lam, z):
        excess, size = self.excess(lam, z)
        if excess <= 0:
            return 0 * lam
        ridge = lam * self.ridge
        if not ridge:
            return Decimal("Infinity") if isinstance(lam, Decimal) else np.inf
        if not self.linf:
            return excess * excess / (2 * ridge)
        falling = np.sort(size)[::-1]
        for k in range(1, len(falling) + 1):  # the largest k are held at one cap
            cap = (falling[:k].sum() - lam * self.linf) / (k * ridge)
            if k == len(falling) or cap * ridge >= falling[k]:
                break
        b = np.minimum(size / ridge, cap)
        return size @ b - lam * self.linf * b.max() - ridge / 2 * (b @ b)


def _norm(b):
    square = b @ b
    return square.sqrt() if isinstance(square, Decimal) else np.sqrt(square)


class Judge:
    """The standardised problem in one kind of numbers; its options are those of `path`."""

    def __init__(self, X, y, *, family="gaussian", alpha=1.0, weights=None, offset=None,
                 intercept=True, standardize=True, penalty_factor=None, lower=None, upper=None,
                 kind=None, lists=(), tau=0.5, numbers=FLOAT):  # fmt: skip
        self.m, self.law, self.intercept = numbers, numbers.law(family), intercept
        m, (n, p) = numbers, X.shape
        w = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        seen = w > 0
        w = m.array(w[seen])
        self.w, self.y = w / w.sum(), m.array(np.asarray(y, dtype=np.float64)[seen])
        self.o = m.array((np.zeros(n) if offset is None else np.asarray(offset))[seen])
        rows = X[seen]
        constant = rows.max(axis=0) == rows.min(axis=0)
        rows = m.array(rows)
        mean = self.w @ rows
        spread = np.sqrt(self.w @ (rows - mean) ** 2)
        constant |= np.array(spread <= m.array(CONSTANT) * abs(mean), dtype=bool)
        self.scale = np.where(constant, 1 + 0 * mean, spread) if standardize else 1 + 0 * mean
        self.mean = mean if intercept else 0 * mean
        self.A = (rows - self.mean) / self.scale
        constant = constant if intercept or standardize else ~X[seen].any(axis=0)
        self._penalty(kind, lists, tau, alpha, penalty_factor, constant, p)
        lower = np.full(p, -np.inf) if lower is None else lower + 0 * np.ones(p)
        upper = np.full(p, np.inf) if upper is None else upper + 0 * np.ones(p)
        self.low, self.high = m.array(lower) * self.scale, m.array(upper) * self.scale
        self.unbounded = np.isinf(lower) & np.isinf(upper)
        self.null_b0 = self._best_intercept()
        value, slope, _ = self.law.at(self.y, self.o + self.null_b0)
        self.least = self.law.least(self.y)
        self.null = self.w @ (value - self.least)
        self.spread = np.sqrt(self.w @ slope**2)  # of a gaussian response, its deviation

    def _penalty(self, kind, lists, tau, alpha, factors, constant, p):
        m = self.m
        taken = {j for part in lists for j in part}
        blocks = [*map(list, lists), *([j] for j in range(p) if j not in taken)]
        v = np.ones(len(blocks)) if factors is None else np.array(factors, dtype=np.float64)
        out = np.isinf(v)
        v = m.array(np.where(out, 1.0, v))
        v = v * len(v) / v.sum() if v.sum() > 0 else v
        self.dead, self.bare, self.groups = constant.copy(), np.zeros(p, dtype=bool), []
        self.alpha, tau = m.array(alpha), m.array(tau)
        alpha = self.alpha
        for part, factor, gone in zip(blocks, v, out, strict=True):
            columns = np.array(part)
            self.dead[columns] |= gone
            size = np.sqrt(m.array([len(columns)]))[0]
            columns = columns[~self.dead[columns]]
            if factor == 0:
                self.bare[columns] = True
            elif len(columns):
                l1 = {"sparse": tau}.get(kind, 0 * tau)
                main = (1 - l1) * size
                self.groups.append(Group(
                    columns, alpha * factor * l1, alpha * factor * main * (kind != "linf"),
                    alpha * factor * main * (kind == "linf"), (1 - alpha) * factor * (l1 + main)))
        if kind is None:  # one by one, and all at once
            self.single = np.array([g.columns[0] for g in self.groups], dtype=int)
            self.edge = self._column(g.l2 for g in self.groups)
            self.ridge = self._column(g.ridge for g in self.groups)
            self.groups = None

    def _column(self, numbers):
        return np.array([*numbers], dtype=self.w.dtype)

    def _best_intercept(self):
        if not self.intercept:
            return 0 * self.w[0]
        return self._moved(self.o, self.m.array(np.ones((len(self.y), 1))))[1][0]

    def _moved(self, eta, columns):
        """(eta, coefficients) where these columns are at their best, by damped Newton steps, and
        what one more such step might gain."""
        m, t, gain = self.m, self.m.array(np.zeros(columns.shape[1])), 0.0
        values, slopes, bends = self.law.at(self.y, eta)
        for _ in range(m.steps):
            value, u = self.w @ values, -self.w * slopes
            pull = columns.T @ u
            if not pull.any():
                gain = 0.0
                break
            h = np.maximum(self.w * bends, self.w * m.array(1e-14))
            size = np.sqrt(h @ columns**2)
            size = np.where(size > 0, size, 1 + 0 * size)
            unit, short = columns / size, abs(pull / size).max()
            H = (unit.T @ (h[:, None] * unit)).astype(float)
            step = np.linalg.lstsq(H, (pull / size / short).astype(float), rcond=1e-12)[0]
            step = m.array(step) * short / size
            gain = abs(pull @ step)
            for _ in range(40):
                trial = eta + columns @ step
                values, slopes, bends = self.law.at(self.y, trial)
                if self.w @ values <= value + abs(value) * m.array(m.negligible):
                    break
                step = step / 2
            else:
                break
            eta, t = trial, t + step
            if max(abs(columns @ step)) <= m.array(m.negligible) * (1 + max(abs(eta))):
                break
        return eta, t, m.array(gain)

    def point(self, b0, b):
        """(b0, beta) of coefficients on the scale of X; None where they are not allowed."""
        m, b = self.m, self.m.array(b)
        beta, b0 = b * self.scale, m.array(b0)
        slack = abs(beta) * m.array(1e-12)
        broken = (beta < self.low - slack) | (beta > self.high + slack) | (self.dead & (beta != 0))
        return None if broken.any() else (b0 + self.mean @ b, beta)

    def objective(self, b0, b, lam):
        """P, counted from the least of the loss."""
        b0, beta = self.point(b0, b)
        lam = self.m.array(lam)
        eta = self.o + b0 + self.A @ beta
        loss = self.w @ (self.law.at(self.y, eta)[0] - self.least)
        return loss + self._penalty_at(lam, beta)

    def intercept_short_of(self, b0, b):
        """The best intercept for these coefficients less this one."""
        b0, beta = self.point(b0, b)
        eta = self.o + b0 + self.A @ beta
        return self._moved(eta, self.m.array(np.ones((len(eta), 1))))[1][0]

    def cancellation(self):
        """How many times the data exceed their spread: digits that centring costs."""
        kept = ~self.dead
        columns = abs(self.A * self.scale + self.mean).max(axis=0)[kept] / self.scale[kept]
        return max([max(*abs(self.y), *abs(self.o)) / self.spread, *columns])

    def lambda_max(self):
        """Where the first coefficient with a penalty leaves 0; of no groups."""
        z = abs(self.A.T @ self._dual_point(self.o + self.null_b0, self.bare)[0])[self.single]
        return max(z / (self.edge + self.ridge), default=0) / max(self.alpha, self.m.array(1e-3))

    def _penalty_at(self, lam, beta):
        if self.groups is None:
            x = beta[self.single]
            costs = self.edge * abs(x) + self.ridge * x * x / self.m.array(2.0)
            return lam * costs.sum(initial=0 * lam)
        return lam * sum((g.value(beta[g.columns]) for g in self.groups), 0 * lam)

    def gap(self, b0, b, lam, enough=0.0):
        """P - D over the objective at b = 0; infinite where limits or exclusions are broken.

        No better dual point is looked for once one gives no more than `enough`.
        """
        found = self.point(b0, b)
        if found is None:
            return np.inf
        (b0, beta), m, lam = found, self.m, self.m.array(lam)
        eta, held = self.o + b0 + self.A @ beta, self._penalty_at(lam, beta)
        null = self.null or self.null + 1
        best = (self.w @ (self.law.at(self.y, eta)[0] - self.least) + held) / null
        settled = [self.bare]
        if self.groups is None and lam < m.array(FAINT) * self.spread:  # all but no penalty
            settled.append(~self.dead & self.unbounded)
        for bare in settled:
            u, missing = self._dual_point(eta, bare)
            z = self.A.T @ u
            free = z[bare] @ beta[bare] if bare.any() else 0 * lam
            for s in sorted(self._multiples(lam, np.where(bare, 0 * z, z)), reverse=True):
                if best > enough:
                    s = m.array(s)
                    above = self.w @ self.law.above(self.y, eta, -s * u / self.w)
                    penalties = held + self._conjugates(lam, np.where(bare, 0 * z, s * z), beta)
                    best = min(best, (missing + above + penalties - s * free) / null)
        return best

    def _dual_point(self, eta, bare):
        """-F' where the intercept and bare columns are at their best, and what that may miss."""
        one = self.m.array(np.ones((len(eta), int(self.intercept))))
        columns = np.concatenate([one, self.A[:, bare]], axis=1)
        best, _, missing = self._moved(eta, columns) if columns.shape[1] else (eta, 0, 0 * eta[0])
        return -self.w * self.law.at(self.y, best)[1], missing

    def _conjugates(self, lam, z, beta):
        """sum of conjugate(z_g) - z_g b_g."""
        if self.groups is not None:
            return sum(g.conjugate(lam, z[g.columns]) - z[g.columns] @ beta[g.columns]
                       for g in self.groups)  # fmt: skip
        z, beta = z[self.single], beta[self.single]
        limit = np.where(z > 0, self.high[self.single], -self.low[self.single])
        excess, ridge = np.maximum(abs(z) - lam * self.edge, 0 * z), lam * self.ridge
        total = -(z @ beta)
        for e, q, top in zip(excess, ridge, limit, strict=True):
            if e > 0:
                b = min(e / q, top) if q else top
                total += e * b - q * b * b / 2 if abs(float(b)) < np.inf else self.m.array(np.inf)
        return total

    def _multiples(self, lam, z):
        """0, 1, and the largest that is in the dual ball without ridge and limits."""
        inside = 1 - 1e-11
        if self.groups is None:
            z, edges = z[self.single], lam * self.edge
            limit = np.where(z > 0, self.high[self.single], -self.low[self.single])
            unbounded = np.array([float(b) == np.inf for b in limit], dtype=bool)
            pulled, found = np.array(z != 0, dtype=bool), {0.0, 1.0}
            for kept in (pulled, pulled & unbounded & np.array(self.ridge == 0, dtype=bool)):
                ratios = [float(e / abs(c)) for e, c in zip(edges[kept], z[kept], strict=True)]
                found.add(min(1.0, inside * min(ratios, default=1.0)))
            return found
        top = 1.0
        for g in self.groups:
            part = z[g.columns]
            if g.excess(lam, part)[0] > 0:
                low, high = 0.0, top
                for _ in range(50):
                    middle = (low + high) / 2
                    out = g.excess(lam, self.m.array(middle) * part)[0] > 0
                    low, high = (low, middle) if out else (middle, high)
                top = min(top, low)
        return {0.0, 1.0, inside * top}
