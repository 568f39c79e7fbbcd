"""Cutting planes, Pragam and Pegasos against numpy, their theorems, callbacks, and odd data."""

import numpy as np
import pytest
from cases import every
from scipy import sparse
from scipy.optimize import linprog, minimize

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.paths import bundle

RNG = np.random.default_rng(0)
N, p = 50, 8
X = RNG.normal(size=(N, p))
Y = np.where(X[:, 0] - X[:, 1] + 0.5 * RNG.normal(size=N) > 0, 1.0, -1.0)
LABELS, W = np.where(Y > 0, "b", "a"), RNG.random(N)
RISK = bundle.hinge_risk(X, Y)


def hinge(y, eta, w=None):
    return np.average(np.maximum(0.0, 1.0 - y * eta), weights=w)


def J(w, lam, omega=lambda w: 0.5 * w @ w):
    return hinge(Y, X @ w) + lam * omega(w)


@pytest.mark.parametrize("line_search", [False, True])
def test_a_smooth_risk_of_ones_own(line_search):
    """Logistic, against BFGS."""

    def risk(w):
        eta = Y * (X @ w)
        return np.logaddexp(0, -eta).mean(), -X.T @ (Y / (1 + np.exp(eta))) / N

    found = minimize(lambda w: risk(w)[0] + 0.05 * w @ w, np.zeros(p), tol=1e-12)
    trace = bundle.bmrm(risk, 0.1, 300, line_search=line_search, start=np.zeros(p), tol=1e-6)
    assert trace.gap <= 1e-6 * (1 if not line_search else 1000)
    assert found.fun - 1e-9 <= trace.objectives.min() <= found.fun + trace.gap + 1e-9
    assert trace.bounds.max() <= found.fun + 1e-9
    assert (np.diff(trace.bounds[1:]) >= -1e-14).all()
    assert trace.method == ("ls_bmrm" if line_search else "qp_bmrm")
    assert trace.passes[-1] == 2 * len(trace.objectives)
    shapes = {len(x) for x in (trace.objectives, trace.bounds, trace.passes, trace.seconds)}
    assert len(shapes) == 1 and (np.diff(trace.seconds) >= 0).all()


def test_it_begins_where_it_is_told_and_ends_at_the_tolerance():
    columns = np.eye(4)
    trace = bundle.bmrm(columns, 0.5, 0, start=[1.0, 0, 0, 0])
    assert trace.objectives == pytest.approx([1.25]) and trace.coef == pytest.approx([1, 0, 0, 0])
    assert len(bundle.bmrm(columns, 0.5, 100, tol=0.6).objectives) < 10


REFUSED = [
    (lambda: bundle.bmrm(lambda w: (0.0, w), 1.0), "start is needed"),
    (lambda: bundle.bmrm(lambda w: w, 1.0, start=[0.0]), "a value and a subgradient"),
    (lambda: bundle.bmrm(lambda w: (0.0, np.zeros(3)), 1.0, start=[0.0]),
     r"subgradient of shape \(3,\)"),
    (lambda: bundle.bmrm(lambda w: (np.nan, w), 1.0, start=[0.0]), "not finite at call 1"),
    (lambda: bundle.bmrm(np.ones(3), 1.0), "an array"),
    (lambda: bundle.bmrm(np.eye(2), 1.0, start=[0.0]), "start has shape"),
    (lambda: bundle.bmrm(np.eye(2), 1.0, start=[0.0, np.inf]), "start is not finite at 1"),
    (lambda: bundle.bmrm(np.eye(2), 0.0), "lam must be"),
    (lambda: bundle.bmrm(np.eye(2), -1.0), "lam must be"),
    (lambda: bundle.bmrm(np.eye(2), 1.0, -1), "n_iter must be"),
    (lambda: bundle.bmrm(RISK, 0.1, penalty=P.MCP()), "MCP is not convex"),
    (lambda: bundle.bmrm(RISK, 0.1, penalty=P.TotalVariation()), "without a penalty"),
    (lambda: bundle.bmrm(RISK, 0.1, penalty=3.0), "penalty"),
    (lambda: bundle.bmrm(RISK, 0.1, penalty=P.L1(), line_search=True), "for the ridge alone"),
    (lambda: bundle.bmrm(RISK, 0.1, callback=1), "callback must be a function"),
    (lambda: bundle.hinge_risk(X, ["a"] * N), "one class"),
    (lambda: bundle.hinge_risk(X[:30], list("abc") * 10), "3 different labels"),
    (lambda: bundle.hinge_risk(np.where(X > 1.5, np.nan, X), Y), "nan"),
    (lambda: bundle.pragam(X, Y, 1.0, L="fixed"), "L must be a number, 'true' or 'backtracking'"),
    (lambda: bundle.pragam(X, Y, 1.0, L=0.0), "L must be"),
    (lambda: bundle.pragam(X, Y, 0.0), "lam must be"),
    (lambda: bundle.pragam(X, Y, 1.0, bias=1.5), "bias must be"),
    *((lambda o=o: bundle.pegasos(X, Y, 0.1, **o), next(iter(o)))
      for o in ({"batch": 2}, {"batch": "some"}, {"ball": "no"}, {"seed": -1})),
]


@every("call, message", REFUSED)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


@pytest.mark.parametrize("lam", [0.2, 0.05])
def test_l1_against_the_linear_programme(lam):
    signed = Y[:, None] * X
    costs = np.r_[np.full(2 * p, lam), np.full(N, 1 / N)]
    least = linprog(costs, A_ub=np.hstack([-signed, signed, -np.eye(N)]), b_ub=-np.ones(N)).fun
    seen = []
    trace = bundle.bmrm(RISK, lam, 150, penalty="l1", tol=1e-4,
                        callback=lambda k, w, alpha: seen.append((w, alpha)))  # fmt: skip
    assert trace.gap <= 1e-4 and trace.theory is None
    assert trace.bounds.max() <= least + 1e-12 and trace.objectives.min() >= least - 1e-12
    for (w, alpha), objective in zip(seen, trace.objectives, strict=True):
        assert J(w, lam, lambda b: np.abs(b).sum()) == pytest.approx(objective)
        assert alpha is None or alpha.min() >= 0.0 and alpha.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("penalty", [
    P.GroupL2(np.arange(p) // 2), P.Berhu(0.3), P.TraceNorm((2, 4))])
def test_penalties_against_path(penalty):
    trace = bundle.bmrm(RISK, 0.05, 60, penalty=penalty, tol=1e-3)
    fit = ss.path(X, Y, family="hinge", penalty=penalty, lambdas=[0.05], standardize=False,
                  intercept=False, tol=1e-8)  # fmt: skip
    omega = penalty.over(p, None).value
    least = J(fit.coef(0.05), 0.05, omega)
    assert trace.gap <= 1e-3
    assert trace.bounds.max() <= least + 1e-9 and trace.objectives.min() >= least - 1e-8
    assert J(trace.coef, 0.05, omega) == pytest.approx(trace.objectives.min())


@pytest.mark.parametrize("line_search", [False, True])
@pytest.mark.parametrize("lam", [1.0, 0.01])
def test_theorem_5_holds_on_runs(lam, line_search):
    trace = bundle.bmrm(RISK, lam, 60, line_search=line_search)
    assert (trace.gaps[1:] <= trace.theory[1:] * (1 + 1e-9) + 1e-14).all()
    assert trace.theory[0] == np.inf and trace.theory[1] == trace.gaps[1]
    # as printed: log2(lam J(0) / G^2) + 8 G^2 / (lam eps) - 4 steps, solved for eps
    G, t = np.linalg.norm(X, axis=1).max(), np.arange(1, 61)
    steps = t + 4.0 - np.log2(lam / G**2)
    assert (trace.theory[1:] <= 8.0 * G**2 / (lam * steps)).all()


def test_theorem_5_is_tight_up_to_16_on_orthonormal_columns():
    trace = bundle.bmrm(np.eye(60), 0.1, 50)
    t = np.arange(1, 51)
    assert trace.gaps[1:] == pytest.approx(1.0 / (2.0 * 0.1 * t), rel=1e-6)
    share = trace.gaps[1:] / trace.theory[1:]
    assert (share <= 1.0 + 1e-9).all() and (share >= 1.0 / 16.0).all()


@pytest.mark.parametrize("method", ["qp", "ls", "pragam", "pragam_b", "pegasos", "pegasos_1"])
def test_a_callback_sees_every_iterate(method):
    seen, lam = [], 0.05

    def keep(k, w, alpha):
        seen.append((k, w.copy(), alpha))

    runs = {
        "qp": lambda **o: bundle.bmrm(RISK, lam, 8, **o),
        "ls": lambda **o: bundle.bmrm(RISK, lam, 8, line_search=True, **o),
        "pragam": lambda **o: bundle.pragam(X, Y, lam, 8, **o),
        "pragam_b": lambda **o: bundle.pragam(X, Y, lam, 8, bias=True, **o),
        "pegasos": lambda **o: bundle.pegasos(X, Y, lam, 8, **o),
        "pegasos_1": lambda **o: bundle.pegasos(X, Y, lam, 8, batch=1, **o),
    }
    trace = runs[method](callback=keep)
    np.testing.assert_allclose(trace.objectives, runs[method]().objectives)
    assert [k for k, *_ in seen] == list(range(9))
    for k, w, alpha in seen:
        eta = X @ w
        # at a kink is the best
        shifts = np.append(Y - eta, 0.0) if method == "pragam_b" else [0.0]
        risk = min(hinge(Y, eta + b) for b in shifts)
        assert 0.5 * lam * w @ w + risk == pytest.approx(trace.objectives[k])
        if alpha is not None and method not in ("qp", "ls"):  # within the box, and D there
            assert alpha.min() >= 0.0 and alpha.max() <= 1 / N + 1e-12
            z = X.T @ (Y * alpha)
            assert alpha.sum() - z @ z / (2 * lam) <= trace.objectives.min() + 1e-9
            if method.startswith("pragam"):
                assert alpha.sum() - z @ z / (2 * lam) == pytest.approx(trace.bounds[k])


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_value_and_subgradient(bias, store):
    risk = bundle.hinge_risk(store(100.0 * X), LABELS, bias=bias, weights=W)

    def value(w):
        eta = 100.0 * X @ w
        return min(hinge(Y, eta + b, W) for b in (Y - eta if bias else [0.0]))

    places = 0.01 * RNG.normal(size=(10, p))
    for w in places:
        found, slope = risk(w)
        assert found == pytest.approx(value(w), rel=1e-12)
        assert all(value(v) >= found + slope @ (v - w) - 1e-12 for v in places)
        b = risk.lowest(w)
        assert hinge(Y, 100.0 * X @ w + b, W) == pytest.approx(found, rel=1e-12)
    assert risk.n_features == p and risk.passes > 20


def test_weights_are_repeated_rows():
    counts, lam = 1 + np.arange(N) % 3, 0.05
    given = bundle.pragam(X, Y, lam, 20, weights=counts)
    again = bundle.pragam(np.repeat(X, counts, axis=0), np.repeat(Y, counts), lam, 20)
    assert given.objectives[0] == pytest.approx(again.objectives[0])
    assert given.bounds.max() <= again.objectives.min() + 1e-12


@pytest.mark.parametrize("ball", [True, False])
@pytest.mark.parametrize("batch", ["all", 1])
def test_it_is_the_recursion_of_the_paper(batch, ball):
    lam, w, t, rng = 0.05, np.zeros(p), 0, np.random.default_rng(7)
    trace = bundle.pegasos(X, Y, lam, 12, batch=batch, ball=ball, seed=7)
    for k in range(1, 13):
        for i in [slice(None)] if batch == "all" else rng.integers(N, size=N):
            t += 1
            rows, y = np.atleast_2d(X[i]), np.atleast_1d(Y[i])
            wrong = y * (rows @ w) < 1
            w = (1 - 1 / t) * w + (rows * (y * wrong)[:, None]).mean(axis=0) / (lam * t)
            if ball:
                w = w * min(1.0, 1 / np.sqrt(lam) / max(np.linalg.norm(w), 1e-300))
        assert trace.objectives[k] == pytest.approx(J(w, lam), rel=1e-9)


@pytest.mark.parametrize("batch", ["all", 1])
def test_bounds_are_bounds(batch):
    lam = 0.02
    trace = bundle.pegasos(X, Y, lam, 300, batch=batch)
    best = bundle.bmrm(RISK, lam, 200)
    assert best.gap < 1e-10
    assert trace.bounds.max() <= best.objectives.min() + 1e-12
    assert trace.objectives.min() >= best.bounds.max() - 1e-12
    assert J(trace.coef, lam) == pytest.approx(trace.objectives.min(), rel=1e-9)
    assert trace.gap < 0.2 * (trace.objectives[0] - trace.bounds[0])


@pytest.mark.parametrize("batch", ["all", 1])
def test_the_iterate_returned_has_the_least_objective_also_if_it_is_the_first(batch):
    trace = bundle.pegasos(1e3 * X, Y, 1e-3, 5, batch=batch, ball=False)
    w = trace.coef
    found = 0.5 * 1e-3 * w @ w + hinge(Y, 1e3 * X @ w)
    assert found == pytest.approx(trace.objectives.min(), rel=1e-9)


BASE, Y_ODD = X[:30, :4], Y[:30]
DESIGNS = {
    "rows of zeros": np.where(np.arange(30)[:, None] % 3 == 0, 0.0, BASE),
    "repeated rows": np.repeat(BASE[:10], 3, axis=0),
    "a constant column": np.c_[BASE, np.ones(30)],
    "nothing": 0.0 * BASE,
    "large": 1e6 * BASE,
    "small": 1e-6 * BASE,
    "mixed": BASE * [1e6, 1.0, 1e-6, 1.0],
}


@pytest.mark.parametrize("name", DESIGNS)
def test_methods_solve_odd_data(name):
    X = DESIGNS[name]
    lam = 0.05 * np.mean(np.sum(X**2, axis=1)) or 0.1
    for bias in (False, True):
        risk = bundle.hinge_risk(X, Y_ODD, bias=bias)
        traces = [
            bundle.bmrm(risk, lam, 60), bundle.bmrm(risk, lam, 60, line_search=True),
            bundle.pragam(X, Y_ODD, lam, 60, bias=bias),
            bundle.pragam(X, Y_ODD, lam, 60, bias=bias, L="backtracking"),
        ]  # fmt: skip
        if not bias:
            traces += [bundle.pegasos(X, Y_ODD, lam, 60, batch=batch) for batch in ("all", 1)]
        highest = max(trace.bounds.max() for trace in traces)
        for trace in traces:
            w, b = trace.coef, trace.intercept
            found = 0.5 * lam * w @ w + hinge(Y_ODD, X @ w + b)
            assert pytest.approx(trace.objectives.min(), rel=1e-9) == found >= highest - 1e-12
            assert trace.gap < 0.06


@pytest.mark.parametrize("solver", ["qp_bmrm", "ls_bmrm", "pragam", "pegasos"])
@pytest.mark.parametrize("name", DESIGNS)
def test_solvers_of_path_certify_odd_data(name, solver):
    X = DESIGNS[name]
    lam = 0.05 * np.mean(np.sum(X**2, axis=1)) or 0.1
    fit = ss.path(X, Y_ODD, family="hinge", alpha=0, solver=solver, lambdas=[lam, lam / 4],
                  standardize=False, tol=0.1)  # fmt: skip
    assert fit.gaps.max() <= 0.1


def test_two_rows_are_enough():
    assert bundle.bmrm(bundle.hinge_risk([[1.0], [2.0]], [0, 1]), 0.1, 20).gap < 1e-12
    assert bundle.pragam([[1.0], [2.0]], [0, 1], 0.1, 50).gap < 0.01
