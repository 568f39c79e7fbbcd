"""The hinge risk, Pragam and Pegasos against numpy, their theorems and odd data."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.paths import bundle

RNG = np.random.default_rng(1)
X = 100.0 * RNG.normal(size=(30, 4))
Y = np.where(RNG.random(30) < 0.4, "b", "a")
SIDES = np.where(Y == "b", 1.0, -1.0)
W = RNG.random(30)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_value_and_subgradient(bias, store):
    risk = bundle.hinge_risk(store(X), Y, bias=bias, weights=W)
    shares = W / W.sum()

    def value(w):
        eta = X @ w
        shifts = (SIDES - eta) if bias else [0.0]
        return min(shares @ np.maximum(0, 1 - SIDES * (eta + b)) for b in shifts)

    places = 0.01 * RNG.normal(size=(10, 4))
    for w in places:
        found, slope = risk(w)
        assert found == pytest.approx(value(w), rel=1e-12)
        assert all(value(v) >= found + slope @ (v - w) - 1e-12 for v in places)
        b = risk.lowest(w)
        assert shares @ np.maximum(0, 1 - SIDES * (X @ w + b)) == pytest.approx(found, rel=1e-12)
    assert risk.n_features == 4 and risk.passes > 20


@pytest.mark.parametrize(("y", "message"), [
    (["a"] * 30, "one class"), (list("abc") * 10, "3 different labels"),
])  # fmt: skip
def test_what_is_no_problem_of_two_classes_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        bundle.hinge_risk(X, y)
    with pytest.raises(ValueError, match="nan"):
        bundle.hinge_risk(np.where(X > 150, np.nan, X), Y)


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 60)), int(rng.integers(1, 15))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-2, 2)
    y = np.where(X[:, 0] + X.std() * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return X, y, 10.0 ** rng.uniform(-4, 0) * (X**2).sum(axis=1).mean()


def test_weights_are_repeated_rows():
    X, y, lam = drawn(3)
    counts = 1 + np.arange(len(y)) % 3
    given = bundle.pragam(X, y, lam, 20, weights=counts)
    again = bundle.pragam(np.repeat(X, counts, axis=0), np.repeat(y, counts), lam, 20)
    assert given.objectives[0] == pytest.approx(again.objectives[0])
    assert given.bounds.max() <= again.objectives.min() + 1e-12


@pytest.mark.parametrize(("options", "message"), [
    ({"L": "fixed"}, "L must be a number, 'true' or 'backtracking'"), ({"L": 0.0}, "L must be"),
    ({"lam": 0.0}, "lam must be"), ({"bias": 1.5}, "bias must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, message):
    X, y, lam = drawn(0)
    with pytest.raises((ValueError, TypeError), match=message):
        bundle.pragam(X, y, **{"lam": lam, **options})


RNG_STEPS = np.random.default_rng(0)
X_STEPS = RNG_STEPS.normal(size=(30, 4)) * (RNG_STEPS.random((30, 4)) < 0.7)
Y_STEPS = np.where(X_STEPS[:, 0] + 0.5 * RNG_STEPS.normal(size=30) > 0, 1.0, -1.0)


def J(w, lam):
    return 0.5 * lam * w @ w + np.maximum(1 - Y_STEPS * (X_STEPS @ w), 0).mean()


@pytest.mark.parametrize("ball", [True, False])
@pytest.mark.parametrize("batch", ["all", 1])
def test_it_is_the_recursion_of_the_paper(batch, ball):
    lam, w, t, rng = 0.05, np.zeros(4), 0, np.random.default_rng(7)
    trace = bundle.pegasos(X_STEPS, Y_STEPS, lam, 12, batch=batch, ball=ball, seed=7)
    for k in range(1, 13):
        for i in [slice(None)] if batch == "all" else rng.integers(30, size=30):
            t += 1
            rows, y = np.atleast_2d(X_STEPS[i]), np.atleast_1d(Y_STEPS[i])
            wrong = y * (rows @ w) < 1
            w = (1 - 1 / t) * w + (rows * (y * wrong)[:, None]).mean(axis=0) / (lam * t)
            if ball:
                w = w * min(1.0, 1 / np.sqrt(lam) / max(np.linalg.norm(w), 1e-300))
        assert trace.objectives[k] == pytest.approx(J(w, lam), rel=1e-9)


@pytest.mark.parametrize("batch", ["all", 1])
def test_bounds_are_bounds(batch):
    lam = 0.02
    trace = bundle.pegasos(X_STEPS, Y_STEPS, lam, 300, batch=batch)
    best = bundle.bmrm(bundle.hinge_risk(X_STEPS, Y_STEPS), lam, 200)
    assert best.gap < 1e-10
    assert trace.bounds.max() <= best.objectives.min() + 1e-12
    assert trace.objectives.min() >= best.bounds.max() - 1e-12
    assert J(trace.coef, lam) == pytest.approx(trace.objectives.min(), rel=1e-9)
    assert trace.gap < 0.2 * (trace.objectives[0] - trace.bounds[0])


def test_what_cannot_be_is_refused_of_steps():
    for options in ({"batch": 2}, {"batch": "some"}, {"ball": "no"}, {"seed": -1}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            bundle.pegasos(X_STEPS, Y_STEPS, 0.1, **options)


@pytest.mark.parametrize("batch", ["all", 1])
def test_the_iterate_returned_has_the_least_objective_also_if_it_is_the_first(batch):
    trace = bundle.pegasos(1e3 * X_STEPS, Y_STEPS, 1e-3, 5, batch=batch, ball=False)
    w, lam = trace.coef, 1e-3
    found = 0.5 * lam * w @ w + np.maximum(1 - Y_STEPS * (1e3 * X_STEPS @ w), 0).mean()
    assert found == pytest.approx(trace.objectives.min(), rel=1e-9)


RNG_ODD = np.random.default_rng(0)
BASE = RNG_ODD.normal(size=(30, 4))
Y_ODD = np.where(BASE[:, 0] + RNG_ODD.normal(size=30) > 0, 1.0, -1.0)
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
            traces += [bundle.pegasos(X, Y_ODD, lam, 60), bundle.pegasos(X, Y_ODD, lam, 60,
                                                                         batch=1)]
        highest = max(trace.bounds.max() for trace in traces)
        for trace in traces:
            w, b = trace.coef, trace.intercept
            J = 0.5 * lam * w @ w + np.maximum(1 - Y_ODD * (X @ w + b), 0).mean()
            assert pytest.approx(trace.objectives.min(), rel=1e-9) == J >= highest - 1e-12
            assert trace.gap < 0.06


@pytest.mark.parametrize("solver", ["qp_bmrm", "ls_bmrm", "pragam", "pegasos"])
@pytest.mark.parametrize("name", DESIGNS)
def test_solvers_of_path_certify_odd_data(name, solver):
    X = DESIGNS[name]
    lam = 0.05 * np.mean(np.sum(X**2, axis=1)) or 0.1
    fit = ss.path(X, Y_ODD, family=ss.families.hinge(), alpha=0, solver=solver, lambdas=[lam,
                                                                                         lam / 4],
                  standardize=False, tol=0.1)  # fmt: skip
    assert fit.gaps.max() <= 0.1


def test_two_rows_are_enough():
    assert bundle.bmrm(bundle.hinge_risk([[1.0], [2.0]], [0, 1]), 0.1, 20).gap < 1e-12
    assert bundle.pragam([[1.0], [2.0]], [0, 1], 0.1, 50).gap < 0.01
