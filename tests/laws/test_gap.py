"""A law of every solver: the gap it claims is that of the one formula, `certificate.gap`, at the
numbers it returns, to 1e-13 of the null objective, wherever it is stopped."""

from types import SimpleNamespace

import numpy as np
import pytest
from cases import every
from sparsesolve.solvers.certificate.gap import blocks_gap, duality_gap
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS, kinked
from sparsesolve.solvers.first_order.first_order import FirstOrder
from sparsesolve.solvers.state import NULL_LAMBDA

N, P, K = 40, 8, 3
RNG = np.random.default_rng(3)
X = RNG.standard_normal((N, P)) + np.resize([0.0, 2.0], P)
X[:, 1:] += 0.5 * X[:, :-1]
ETA = X[:, 0] - 0.7 * X[:, 2] + 0.4 * X[:, 5] + 0.5 * RNG.standard_normal(N)
ETA -= ETA.mean()
WEIGHTS = RNG.uniform(0.5, 2.0, N)
WEIGHTS[3] = 0.0
RESPONSES = {
    "gaussian": ETA,
    "binomial": (ETA > 0.4 * RNG.standard_normal(N)).astype(float),
    "poisson": RNG.poisson(np.exp(ETA / 2)).astype(float),
    "multigaussian": np.column_stack([ETA, -ETA, X[:, 2]]) + 0.1 * RNG.standard_normal((N, K)),
    "multinomial": np.digitize(ETA + 0.4 * RNG.standard_normal(N), [-0.5, 0.5]),
}
FACTORS = np.resize([1.0, 0.5, 2.0, 0.0], P)
GROUPS = np.arange(P) // 2
PENALTIES = {
    "lasso": {},
    "net": {"alpha": 0.6, "weights": WEIGHTS},
    "ridge": {"alpha": 0.0},
    "factors": {"penalty_factor": FACTORS, "weights": WEIGHTS},
    "limits": {"alpha": 0.8, "lower": np.full(P, -0.1), "upper": np.resize([np.inf, 0.2], P)},
    "origin": {"intercept": False, "standardize": False},
    "groups": {"penalty": ss.penalties.GroupL2(GROUPS)},
    "groups, net": {"penalty": ss.penalties.SparseGroup(GROUPS, 0.4), "alpha": 0.7},
    "groups, factors": {"penalty": ss.penalties.GroupLinf(GROUPS),
                        "penalty_factor": np.array([1.0, 0.0, 2.0, 1.0])},
}  # fmt: skip
ROUNDING = 1e-13  # of the null objective


def problem(family, kind):
    several = family in ("multigaussian", "multinomial")
    if several and kind == "limits":
        return None
    return problem_of(X, RESPONSES[family], family, **PENALTIES[kind])


def cases():
    for family in RESPONSES:
        for kind in PENALTIES:
            made = problem(family, kind)
            for name, solver in SOLVERS.items():
                if made and solver.suits(made, None) and solver.suits is not kinked:
                    yield pytest.param(name, family, kind, id=f"{name}-{family}-{kind}")


class Judge:
    """Asks the one formula at what a state returns."""

    def __init__(self, made):
        self.made, self.first = made, FirstOrder(made, 1)

    def gap(self, state, lam):
        """The gap, and with one more scale, that counts the limits coefficients are at."""
        first = self.first
        which, values = state.coefficients()
        b = np.zeros(first.point.b.shape)
        b[..., which] = values
        c = np.zeros_like(first.point.c)
        if first.with_intercept:
            c[..., 0] = state.intercept
        point = first.point = first.at(b, c)
        first._coefficients = lambda: b
        dual, free, missing = first.dual_at(lam)
        if hasattr(state, "loss_dual") and not np.array_equal(state.dual, point.u):
            # of one response: its own model's
            dual, missing = np.array(state.dual), state.loss_dual.missing
        z = first.unpenalised_basis.held_part(first.products(dual), free)
        held, loss, penalty = np.where(first.unpenalised, 0.0, b), first.loss, first.penalty
        self.objective = point.value + penalty.value(held, lam)
        gap = duality_gap(loss, penalty, lam, held, point.eta, point.value, dual, z, missing)
        if not self.made.limited:
            return gap, gap
        low, high = np.asarray(penalty.lower), np.asarray(penalty.upper)
        pressed = (z > 0.0) & (b >= high) | (z < 0.0) & (b <= low)
        s = min(1.0, lam / max(penalty.polar(np.where(pressed, 0.0, z)), 1e-300))
        more = blocks_gap(penalty, lam, penalty.value(held, lam), held, s * z) + missing
        return gap, min(gap, loss.fenchel_young_at(point.eta, s * dual) + more)


def has_own_dual(name, family):
    """Whether a solver certifies by a dual point of its own, which its state does not hold."""
    return name == "pass_newton" or (name == "dual_descent" and family != "gaussian")


def bounds_only(name, family, kind):
    """Whether a solver returns better coefficients than those that it certifies, or bounds what
    unpenalised columns take off the dual point in place of taking it off."""
    apart = name == "sufficient" and "factors" in kind
    return apart or (name == "response_blocks" and family == "multinomial")


@every("name, family, kind", list(cases()))
def test_a_claimed_gap_is_that_of_the_formula(name, family, kind):
    made = problem(family, kind)
    null, judge = made.null_value, Judge(made)
    for share, budget in ((0.4, 1), (0.4, 1000), (0.03, 1), (0.03, 4)):
        state = SOLVERS[name].state(made, 1)
        state.solve(NULL_LAMBDA, 1e-14 * null, 1000)
        largest = np.max(made.penalty.entry_lambdas(np.asarray(state.correlations())))
        _, gap = state.solve(share * largest, 1e-13 * null, budget)
        found, least = judge.gap(state, share * largest)
        if has_own_dual(name, family):
            reached = judge.objective
            state.solve(share * largest, 1e-13 * null, 1000)
            judge.gap(state, share * largest)
            assert reached - judge.objective <= gap + ROUNDING * null, (share, budget, gap / null)
            continue
        most = np.inf if bounds_only(name, family, kind) else found + ROUNDING * null
        assert least - ROUNDING * null <= gap <= most, (share, budget, gap / null)


def test_the_formula_is_written_out_in_numpy():
    """Logistic loss and lasso, by their definitions."""
    rng, lam = np.random.default_rng(0), 0.05
    Z, y = rng.standard_normal((30, 5)), (rng.random(30) < 0.5).astype(float)
    b = np.array([0.3, 0.0, -0.2, 0.0, 0.0])
    eta = Z @ b
    made = SimpleNamespace(p=1 / (1 + np.exp(-eta)), w=np.full(30, 1 / 30))
    u = made.w * (y - made.p)
    loss, net = ss.losses.LOSSES["binomial"](y, made.w), ss.penalties.ElasticNet(5)
    value = made.w @ (np.log1p(np.exp(eta)) - y * eta)
    found = duality_gap(loss, net, lam, b, eta, value, u, Z.T @ u)
    s = min(1.0, lam / np.abs(Z.T @ u).max())
    share = y - s * u / made.w
    conjugate = made.w @ (share * np.log(share) + (1 - share) * np.log(1 - share))
    gap = value + conjugate + lam * np.abs(b).sum()  # F* is of -s u, and s z is feasible
    assert found == pytest.approx(min(gap, value + lam * np.abs(b).sum()), abs=1e-14)
