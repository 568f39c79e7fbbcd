"""Bounds of SPOM: against objectives by enumeration, at fixed weights, and of Pegasos."""

import numpy as np
import pytest
from scipy.optimize import minimize
from structured.test_spom import GROUPS, LENGTHS, PTR, K, N, against, draw, features

import sparsesolve as ss
from sparsesolve.structured.group_norm import GroupNorm
from sparsesolve.structured.spom_input import read_blocks
from sparsesolve.structured.spom_learner import SPOMDual, SPOMLearner, raise_bound

KINDS = ["l1_squared", "l1", "lp", "elastic", "l2"]


def slow_objective(X, y, W, t, lam, kind, hinge, learned):
    """lam Omega + mean loss over all labellings, written out."""
    n = np.array([np.linalg.norm(W[g == GROUPS]) for g in range(3)])
    size = np.linalg.norm(t)
    own = 0.0 if learned else 0.5 * size**2
    n = np.append(n, size) if learned else n
    omega = {"l1_squared": 0.5 * n.sum() ** 2, "l1": n.sum(), "lp": np.sum(n**1.5),
             "elastic": 0.25 * n.sum() ** 2 + 0.25 * n @ n, "l2": 0.5 * n @ n}[kind]  # fmt: skip
    mean = np.mean([against(X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]]), W, t, hinge)[1]
                    for s in range(N)])  # fmt: skip
    return lam * (omega + own) + mean


def problem(X, y, kind, hinge, learned, lam=0.1, kernels=False):
    given = X
    if kernels:
        given = [np.ascontiguousarray(X[:, g == GROUPS] @ X[:, g == GROUPS].T) for g in range(3)]
    data = read_blocks(given, y, LENGTHS, None if kernels else GROUPS)
    return (data.make, 3, data.ptr, data.codes, K, hinge, GroupNorm(kind), lam, learned)


@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_is_below_every_objective_and_closes(kind, learned, hinge):
    X, y = draw(1)
    given = problem(X, y, kind, hinge, learned)
    learner = SPOMLearner(*given)
    rng = np.random.default_rng(2)
    for _ in range(5):
        learner.epoch(rng.permutation(N), 0.3)
    dual = SPOMDual(*given)
    bound = raise_bound(dual, learner, 300, rng)
    (W,), t = dual.parameters()
    reached = slow_objective(X, y, W, t, 0.1, kind, hinge, learned)
    assert reached == pytest.approx(dual.objective(), rel=1e-9)
    assert -1e-12 <= reached - bound <= 0.03 * (2.2 if hinge else 2.2 * np.log(K))
    for scale in (0.03, 0.3, 1.0):
        V, u = W + scale * rng.normal(size=W.shape), t + scale * rng.normal(size=t.shape)
        assert slow_objective(X, y, V, u, 0.1, kind, hinge, learned) >= bound
    (V,), u = learner.parameters()
    assert slow_objective(X, y, V, u, 0.1, kind, hinge, learned) >= bound


@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("kernels", [True, False])
def test_at_fixed_weights_the_gap_is_primal_less_dual(kernels, hinge):
    X, y = draw(3)
    dual = SPOMDual(*problem(X, y, "l1_squared", hinge, False, kernels=kernels))
    beta = np.array([0.5, 0.3, 0.2])
    dual.use(beta)
    found = [dual.epoch(np.random.default_rng(e).permutation(N)) for e in range(60)]
    assert found[-1] < 0.1 * found[0]
    # theta from the dual variables, written out
    W, t = np.zeros((6, K)), np.zeros(K * K + 2 * K)
    for s in range(N):
        W += X[PTR[s] : PTR[s + 1]].T @ dual.D[PTR[s] : PTR[s + 1]]
        t += np.concatenate([dual.E[s], dual.D[PTR[s]], dual.D[PTR[s + 1] - 1]])
    W, t = beta[GROUPS][:, None] * W / (0.1 * N), t / (0.1 * N)
    square = sum(np.sum(W[g == GROUPS] ** 2) / beta[g] for g in range(3)) + t @ t
    loss = np.mean([against(X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]]), W, t, hinge)[1]
                    for s in range(N)])  # fmt: skip
    z, tied = dual.sums()
    assert beta @ z**2 + tied @ tied == pytest.approx(0.01 * square, abs=1e-9)
    gap = 0.1 * square + loss - dual.costs.mean()
    assert -1e-12 <= gap < 0.08
    # a pass sums the gaps of sequences, each before its step: with no step left it is the gap
    dual.refresh()  # from D alone: rounding of many steps was none
    assert dual.sums()[0] == pytest.approx(z, abs=1e-9)
    assert dual.work.ascend(0, dual.D, dual.E, dual.costs, dual.c) <= N * gap + 1e-9


def test_mixtures_stay_mixtures():
    X, y = draw(4)
    dual = SPOMDual(*problem(X, y, "l2", True, True))
    for e in range(20):
        dual.epoch(np.random.default_rng(e).permutation(N))
    mixed = np.eye(K)[y] - dual.D
    assert mixed.min() > -1e-12
    np.testing.assert_allclose(mixed.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(dual.costs, [1.0 * sum(
        1.0 - mixed[i, y[i]] for i in range(PTR[s], PTR[s + 1])) for s in range(N)], atol=1e-9)


@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("schedule", ["pegasos", "inverse"])
def test_pegasos_step_by_step_and_its_bound(schedule, hinge):
    X, y = draw(5)
    lam, order = 0.2, np.tile(np.arange(N), 3)
    W, t, D, paid = np.zeros((6, K)), np.zeros(K * K + 2 * K), [], 0.0
    for step, s in enumerate(order, 1):
        x, gold = X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]])
        (own, tied), loss = against(x, gold, W, t, hinge)
        true = features(x, gold)
        along = np.sum(W * (own - true[0])) + t @ (tied - true[1])
        paid += loss - along  # the cost of what the labels are compared with
        eta = 1.0 / (lam * step)
        if schedule == "pegasos":
            W, t = (1 - eta * lam) * W, (1 - eta * lam) * t
        W, t = W + eta * (true[0] - own), t + eta * (true[1] - tied)
        if schedule == "inverse":
            W, t = W / (1 + eta * lam), t / (1 + eta * lam)
        D.append((true[0] - own, true[1] - tied))
    made = SPOMLearner(*problem(X, y, "l2", hinge, False, lam), schedule=schedule)
    for epoch in range(3):
        made.epoch(order[epoch * N : (epoch + 1) * N], 1.0 / lam)
    (V,), u = made.parameters()
    np.testing.assert_allclose(V, W, atol=1e-10)
    np.testing.assert_allclose(u, t, atol=1e-10)
    count = len(order) + (schedule == "inverse")
    Z = sum(own for own, _ in D) / count, sum(tied for _, tied in D) / count
    value = paid / count - (np.sum(Z[0] ** 2) + Z[1] @ Z[1]) / (2 * lam)
    assert made.pegasos_bound() == pytest.approx(value, abs=1e-9)
    assert value <= slow_objective(X, y, W, t, lam, "l2", hinge, False)


def slow_conjugate(norm, z, lam):
    """The largest z'v - lam Omega(v) over v at least 0, by another optimiser."""
    starts = [np.full(4, 0.5), *(np.eye(4) * z.max() / lam)]
    return max(-minimize(lambda v: lam * norm.value(v) - z @ v, start, bounds=[(0.0, None)] * 4,
                         options={"ftol": 1e-15, "gtol": 1e-10}).fun
               for start in starts)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_conjugates_and_majorants_by_their_definitions(kind):
    rng, norm = np.random.default_rng(6), GroupNorm(kind)
    for _ in range(5):
        n, z = rng.random(4), rng.random(4) * 2.0
        beta = norm.majorant(n)
        constant = norm.value(n) - 0.5 * np.sum(n**2 / beta)
        for v in (rng.random(4) * 3, n + 1e-3 * rng.random(4)):
            assert norm.value(v) <= 0.5 * np.sum(v**2 / beta) + constant + 1e-12
        z *= norm.reach(z, 0.7)
        assert norm.conjugate(z, 0.7) == pytest.approx(slow_conjugate(norm, z, 0.7), abs=1e-6)


def test_the_gap_of_a_fit_and_of_its_averages():
    X, y = draw(7)
    for options in ({}, {"average": True}, {"loss": "log"}, {"schedule": "pegasos", "norm": "l2"},
                    {"schedule": "inverse", "norm": "l2", "average": "epoch"}):  # fmt: skip
        model = ss.spom(X, y, lengths=LENGTHS, groups=GROUPS, lam=0.1, eta0=0.3, certify=60,
                        **options)  # fmt: skip
        kind, hinge = options.get("norm", "l1_squared"), options.get("loss", "hinge") == "hinge"
        value = slow_objective(X, y, model.coef(), model.tied, 0.1, kind, hinge, False)
        assert model.objective == pytest.approx(value, rel=1e-9)
        assert 0.0 <= model.gap == model.objective - model.bound
        assert model.relative_gap < 0.5 and "gap" in repr(model)
    model = ss.spom(X, y, lengths=LENGTHS, lam=0.1, norm="l2", schedule="pegasos", epochs=40)
    assert 0.0 <= model.relative_gap < 0.4  # without passes of its own
    assert model.radius == np.inf and model.eta0 == 10.0


def test_single_positions_are_crammer_and_singer_s_machine_and_multinomial_regression():
    """One position has start and stop scores, two intercepts that are penalised: a column of
    sqrt(2). Both optima come from other solvers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = np.argmax(X[:, :3] + 0.7 * rng.normal(size=(80, 3)), axis=1)
    lam, ones, rows = 0.05, np.ones(80, dtype=int), np.arange(80)
    Z = np.hstack([X, np.full((80, 1), np.sqrt(2.0))])
    fit = ss.path(Z, y, family="multinomial", alpha=0.0, lambdas=[lam], standardize=False,
                  intercept=False, tol=1e-10)  # fmt: skip
    W = fit.coef(lam).reshape(3, 6)
    scores = Z @ W.T
    best = 0.5 * lam * np.sum(W**2) + np.mean(
        np.log(np.exp(scores).sum(axis=1)) - scores[rows, y])  # fmt: skip
    options = {"lengths": ones, "norm": "l2", "lam": lam}
    log = ss.spom(X, y, loss="log", epochs=50, certify=100, eta0=1.0, **options)
    assert log.bound == pytest.approx(best, abs=1e-9) and log.objective >= best
    hinge = ss.spom(X, y, schedule="inverse", epochs=200, average="epoch", certify=300, **options)
    assert hinge.relative_gap < 2e-3
    svc = pytest.importorskip("sparsesolve.estimators").LinearSVC(
        1.0 / (lam * 80), multi_class="crammer_singer", loss="hinge", fit_intercept=False)
    W = svc.fit(Z, y).coef_
    scores = Z @ W.T
    margin = scores + 1.0
    margin[rows, y] -= 1.0
    value = 0.5 * lam * np.sum(W**2) + np.mean(margin.max(axis=1) - scores[rows, y])
    assert hinge.bound <= value + 1e-9 and abs(hinge.objective - value) <= hinge.gap + 1e-6
