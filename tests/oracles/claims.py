"""The duality gap of a claimed solution, by one formula in float64 and in 60 decimal digits.

    minimise over b0, b    sum_i w_i loss(y_i, o_i + b0 + x_i b)  +  lam sum_g v_g Omega_g(s b_g)

with the conventions of `glm_oracle` and `group_oracle`, of which it shares no line, nor any of the
package. A dual point u is -F' where the intercept and the columns without a penalty are at their
best. With z = A'u and a multiple s of it that is feasible, every term of

    P - D(s u) = sum_i w_i [l(y_i, eta_i) + l*(y_i, v_i) - v_i eta_i]            (v = -s u / w)
                 + sum_g [penalty(b_g) + conjugate(s z_g) - s z_g b_g]

is at least 0, so that little cancels. What is small in float64 is small; what is not, and might be
rounding, is computed again in `DIGITS`.
"""

from dataclasses import dataclass
from decimal import Decimal

import exact
import loss_excess
import numpy as np
import numpy_losses

each_exp = np.frompyfunc(lambda value: value.exp(), 1, 1)
each_log = np.frompyfunc(lambda value: value.ln(), 1, 1)


@dataclass(frozen=True)
class Numbers:
    """What float64 and decimals do not share."""

    array: object  # of an array or a scalar
    exp: object
    log: object
    negligible: float  # relative size below which a sum of columns' products is rounding
    steps: int  # Newton steps that make a point exact


FLOAT = Numbers(lambda a: np.asarray(a, dtype=np.float64)[()], np.exp, np.log, 1e-12, 60)
DIGITS = Numbers(exact.decimals, each_exp, each_log, 1e-40, 40)


@dataclass(frozen=True)
class Law:
    """A loss of one sample in either kind of numbers: functions of (number kind, y, eta or v)."""

    value: object
    slope: object
    bend: object
    conjugate: object  # of v inside its domain, whose edges are clipped
    least: object

    def above(self, m, y, eta, v):
        """value + conjugate - v eta."""
        return self.value(m, y, eta) + self.conjugate(m, y, v) - v * eta


@dataclass(frozen=True)
class Searched(Law):
    """A loss of numpy_losses whose conjugate has no formula, in float64 only."""

    loss: object = None

    def above(self, m, y, eta, v):
        return loss_excess.above(self.loss, y, eta, v)


def searched(loss):
    return Searched(lambda m, y, eta: loss.value(y, eta), lambda m, y, eta: loss.slope(y, eta),
                    lambda m, y, eta: loss.bend(y, eta), conjugate=None,
                    least=lambda m, y: loss.saturated(y), loss=loss)


def _xlogx(m, a, over=1):
    """a log(a / over), 0 at 0."""
    inside = a > 0
    return np.where(inside, a * m.log(np.where(inside, a / over, 1 + 0 * a)), 0 * a)


def _share(m, eta):
    small = m.exp(-abs(eta))
    return np.where(eta > 0, 1 / (1 + small), small / (1 + small))


def _logistic(m, y, eta):
    return m.log(1 + m.exp(-abs(eta))) + np.where(eta > 0, 1 - y, -y) * eta


def _entropy(m, y, v):
    s = np.minimum(np.maximum(y + v, 0 * y), 0 * y + 1)
    return _xlogx(m, s) + _xlogx(m, 1 - s)


def _counts(m, y, v):
    s = np.maximum(y + v, 0 * y)
    return _xlogx(m, s) - s


def _at_zero(conjugate):
    return lambda m, y: -conjugate(m, y, 0 * y)


def _quadratic(m, y, v):
    return v * v / 2 + y * v


def huber(delta):
    def value(m, y, eta):
        d, r = m.array(delta), abs(y - eta)
        return np.where(r <= d, r * r / 2, d * (r - d / 2))

    def slope(m, y, eta):
        d = m.array(delta)
        return np.minimum(np.maximum(eta - y, -d), d)

    def bend(m, y, eta):
        return np.where(abs(y - eta) <= m.array(delta), 1 + 0 * y, 0 * y)

    return Law(value, slope, bend, _quadratic, _at_zero(_quadratic))


def _hinge_room(y, eta):
    return np.maximum(1 - y * eta, 0 * y)


def _gamma_conjugate(m, y, v):
    s = np.maximum(1 - v, 0 * y)
    return _xlogx(m, s, y) - s


def negative_binomial(theta):
    """Of size theta; its logarithm moves eta."""

    def at(m, eta):
        return eta - m.log(m.array([theta]))[0]

    def conjugate(m, y, v):
        t = m.array(theta)
        a, b, size = np.maximum(y + v, 0 * y), np.maximum(t - v, 0 * y), y + t
        return _xlogx(m, a, size / t) + _xlogx(m, b, size)

    def slope(m, y, eta):
        return (y + m.array(theta)) * _share(m, at(m, eta)) - y

    def bend(m, y, eta):
        p = _share(m, at(m, eta))
        return (y + m.array(theta)) * p * (1 - p)

    def value(m, y, eta):
        t, x = m.array(theta), at(m, eta)
        return (y + t) * (m.log(1 + m.exp(-abs(x))) + np.maximum(x, 0 * y)) - y * eta

    return Law(value, slope, bend, conjugate, _at_zero(conjugate))


LAWS = {
    "gaussian": Law(lambda m, y, eta: (y - eta) ** 2 / 2, lambda m, y, eta: eta - y,
                    lambda m, y, eta: 1 + 0 * y, _quadratic, _at_zero(_quadratic)),
    "binomial": Law(_logistic, lambda m, y, eta: _share(m, eta) - y,
                    lambda m, y, eta: _share(m, eta) * _share(m, -eta),
                    _entropy, _at_zero(_entropy)),
    "poisson": Law(lambda m, y, eta: m.exp(eta) - y * eta, lambda m, y, eta: m.exp(eta) - y,
                   lambda m, y, eta: m.exp(eta), _counts, _at_zero(_counts)),
    "huber": huber(0.75),
    "squared_hinge": Law(
        lambda m, y, eta: _hinge_room(y, eta) ** 2 / 2,
        lambda m, y, eta: -y * _hinge_room(y, eta),
        lambda m, y, eta: np.where(_hinge_room(y, eta) > 0, 1 + 0 * y, 0 * y),
        _quadratic, _at_zero(_quadratic)),
    "gamma": Law(lambda m, y, eta: y * m.exp(-eta) + eta, lambda m, y, eta: 1 - y * m.exp(-eta),
                 lambda m, y, eta: y * m.exp(-eta), _gamma_conjugate, _at_zero(_gamma_conjugate)),
    "negative_binomial": negative_binomial(1.5),
    "probit": searched(numpy_losses.PROBIT),
    "cloglog": searched(numpy_losses.CLOGLOG),
    "tweedie": searched(numpy_losses.tweedie(1.4)),
}  # fmt: skip


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
        self.m, self.law, self.intercept = numbers, LAWS[family], intercept
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
        self.scale = np.where(constant, 1 + 0 * mean, spread) if standardize else 1 + 0 * mean
        self.mean = mean if intercept else 0 * mean
        self.A = (rows - self.mean) / self.scale
        constant = constant if intercept or standardize else ~X[seen].any(axis=0)
        self._penalty(kind, lists, tau, alpha, penalty_factor, constant, p)
        none = np.full(p, np.inf)
        self.low = m.array(-none if lower is None else lower + 0 * np.ones(p)) * self.scale
        self.high = m.array(none if upper is None else upper + 0 * np.ones(p)) * self.scale
        self.null_b0 = self._best_intercept()
        start = self.o + self.null_b0
        self.null = self.w @ (self.law.value(m, self.y, start) - self.law.least(m, self.y))

    def _penalty(self, kind, lists, tau, alpha, factors, constant, p):
        m = self.m
        taken = {j for part in lists for j in part}
        blocks = [*map(list, lists), *([j] for j in range(p) if j not in taken)]
        v = np.ones(len(blocks)) if factors is None else np.array(factors, dtype=np.float64)
        out = np.isinf(v)
        v = m.array(np.where(out, 1.0, v))
        v = v * len(v) / v.sum() if v.sum() > 0 else v
        self.dead, self.bare, self.groups = constant.copy(), np.zeros(p, dtype=bool), []
        alpha, tau = m.array(alpha), m.array(tau)
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
        value = self.w @ self.law.value(m, self.y, eta)
        for _ in range(m.steps):
            u = -self.w * self.law.slope(m, self.y, eta)
            pull = columns.T @ u
            if not pull.any():
                gain = 0.0
                break
            h = np.maximum(self.w * self.law.bend(m, self.y, eta), self.w * m.array(1e-14))
            H = (columns.T @ (h[:, None] * columns)).astype(float)
            size = np.sqrt(np.maximum(np.diag(H), 1e-300))
            unit, short = H / np.outer(size, size), float(abs(pull).max()) or 1.0
            pull = (pull / m.array(short)).astype(float) / size
            step = np.linalg.lstsq(unit, pull, rcond=1e-12)[0]
            step = m.array(step / size) * m.array(short)
            gain = abs(float((columns.T @ u) @ step))
            for _ in range(40):
                trial = eta + columns @ step
                reached = self.w @ self.law.value(m, self.y, trial)
                if reached <= value + abs(value) * m.array(m.negligible):
                    break
                step = step / 2
            else:
                break
            eta, t, value = trial, t + step, reached
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
        loss = self.law.value(self.m, self.y, eta) - self.law.least(self.m, self.y)
        return self.w @ loss + self._penalty_at(lam, beta)

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
        eta = self.o + b0 + self.A @ beta
        one = m.array(np.ones((len(eta), int(self.intercept))))
        columns = np.concatenate([one, self.A[:, self.bare]], axis=1)
        best, _, missing = self._moved(eta, columns) if columns.shape[1] else (eta, 0, 0 * lam)
        u = -self.w * self.law.slope(m, self.y, best)
        z = self.A.T @ u
        bare = z[self.bare] @ beta[self.bare] if self.bare.any() else 0 * lam
        own, held = self.law.value(m, self.y, eta), self._penalty_at(lam, beta)

        def at(s):
            s = m.array(s)
            above = self.law.above(m, self.y, eta, -s * u / self.w)
            return self.w @ above + held + self._conjugates(lam, s * z, beta) - s * bare

        primal = self.w @ (own - self.law.least(m, self.y)) + held
        best = primal / self.null
        for s in sorted(self._multiples(lam, z), reverse=True):
            best = best if best <= enough else min(best, (missing + at(s)) / self.null)
        return best

    def _conjugates(self, lam, z, beta):
        """sum of conjugate(z_g) - z_g b_g."""
        if self.groups is not None:
            sums = [g.conjugate(lam, z[g.columns]) - z[g.columns] @ beta[g.columns]
                    for g in self.groups]  # fmt: skip
            return sum(sums)
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
