"""Baselines: bundle methods, the excessive gap, reweighted l2, subgradients, by their theory."""

import warnings
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import kinked_oracle
import numpy as np
import pytest
from scipy.linalg import hadamard, hilbert
from states import problem_of

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.solvers.baselines.bundle import (
    Aggregate,
    CuttingPlanes,
    ExcessiveGap,
    squared_norm,
)
from sparsesolve.solvers.baselines.reweighted import Reweighted, solve_shifted
from sparsesolve.solvers.baselines.subgradient import Subgradient
from sparsesolve.solvers.margin.planes import Planes

# BMRM's rates: the instance on which it is slow, and its upper bound

D, LAM = 32, 0.1
ORTHONORMAL = {"hadamard": hadamard(D) / np.sqrt(D), "identity": np.eye(D)}


def largest_of(columns):
    """The oracle of R(w) = max_j a_j'w."""

    def oracle(w):
        values = w @ columns
        j = int(values.argmax())
        return float(values[j]), columns[:, j].copy(), 0.0, None

    return oracle


@pytest.mark.parametrize("model", [Planes, Aggregate])
@pytest.mark.parametrize("name", ORTHONORMAL)
def test_the_lower_bound_of_an_orthonormal_matrix(name, model):
    """delta_t = 1/(2 lam t) + 1/(2 lam d) and eps_t = 1/(lam t), w_1 to w_t counted."""
    oracle = largest_of(ORTHONORMAL[name])
    method, least, optimum = CuttingPlanes(oracle, LAM, np.zeros(D), model(D, LAM)), np.inf, 0.0
    optimum = -1.0 / (2.0 * LAM * D)
    for t in range(1, D):
        method.step()
        least = min(least, method.objective)
        assert least - optimum == pytest.approx(1 / (2 * LAM * t) + 1 / (2 * LAM * D), rel=1e-9)
        assert least - method.lower == pytest.approx(1 / (LAM * t), rel=1e-9)


# Weights of planes against enumeration of all supports, and the laws of the programme

def best_by_enumeration(A, b, lam):
    """The maximum over all faces of the simplex whose stationary point is feasible."""
    best, m = -np.inf, len(b)
    for size in range(1, m + 1):
        for face in map(list, combinations(range(m), size)):
            gram = A[face] @ A[face].T / lam
            system = np.block([[gram, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
            solved = np.linalg.lstsq(system, np.r_[b[face], 1.0], rcond=None)[0][:size]
            if solved.min() >= -1e-12 and abs(solved.sum() - 1.0) < 1e-9:
                best = max(best, b[face] @ solved - 0.5 * solved @ gram @ solved)
    return best


def drawn(seed, most):
    rng = np.random.default_rng(seed)
    p, m = int(rng.integers(1, 8)), int(rng.integers(1, most))
    A = rng.normal(size=(m, p)).round(int(rng.integers(0, 3)))  # rounded: dependent, repeated
    return A, rng.normal(size=m), 10.0 ** rng.uniform(-4, 1)


@pytest.mark.parametrize("seed", range(25))
def test_the_maximum_is_that_of_all_faces(seed):
    A, b, lam = drawn(seed, 8)
    planes = Planes(A.shape[1], lam)
    for a, offset in zip(A, b, strict=True):
        planes.add(a, offset)
    assert planes.lower == pytest.approx(best_by_enumeration(A, b, lam), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_never_falls_and_is_reached(seed):
    A, b, lam = drawn(seed, 60)
    planes, last = Planes(A.shape[1], lam, patience=10**6), -np.inf
    for a, offset in zip(A, b, strict=True):
        planes.add(a, offset)
        assert planes.lower >= last - 1e-12 * abs(last)
        last = planes.lower
    weights, w = planes.weights, planes.point
    assert weights.min() >= 0.0 and weights.sum() == pytest.approx(1.0, abs=1e-13)
    assert np.allclose(w, -A.T @ weights / lam, rtol=1e-12, atol=1e-12)
    size = 0.5 * lam * w @ w
    assert (A @ w + b).max() + size - planes.lower <= 1e-9 * (1.0 + size)


def test_planes_that_had_no_weight_are_dropped_and_their_slots_used():
    rng = np.random.default_rng(0)
    few, all_ = Planes(3, 0.1, patience=5), Planes(3, 0.1, patience=10**6)
    for _ in range(200):
        a = rng.normal(size=3)
        b = rng.normal() - a @ a  # most lie below the others near 0
        few.add(a, b), all_.add(a, b)
    assert few.count < 40 < all_.count == 200
    assert few.lower <= all_.lower + 1e-12


def test_planes_serve_another_level():
    A, b, _ = drawn(3, 60)
    planes, again = Planes(A.shape[1], 1.0), Planes(A.shape[1], 0.02)
    for a, offset in zip(A, b, strict=True):
        planes.add(a, offset), again.add(a, offset)
    planes.at_lambda(0.02)
    assert planes.lower == pytest.approx(again.lower, rel=1e-10)
    assert np.allclose(planes.point, again.point, atol=1e-8)


# Pragam's bounds of theory, at every iteration, for boxes, weights and centres of all kinds

def primal(A, h, low, high, lam, w, balanced):
    """lam |w|^2 / 2 + max over the box (and sum 0) of (h - A w)'u, by the box's dual in b."""
    r = h - A @ w
    shifts = r if balanced else [0.0]  # the maximum is least over shifts b, at a kink r_i = b
    values = [np.where(r - b > 0, high * (r - b), low * (r - b)).sum() for b in shifts]
    return 0.5 * lam * w @ w + min(values)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("L", ["true", "backtracking"])
@pytest.mark.parametrize("seed", range(8))
def test_the_gap_keeps_its_bound(seed, L, balanced):
    rng = np.random.default_rng(seed)
    n, p, lam = 20, 6, 10.0 ** rng.uniform(-3, 1)
    A = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-1, 1)
    h, low, high = rng.normal(size=n), -rng.random(n), rng.random(n)
    if balanced:
        A = A - A.mean(axis=0)
    square = np.linalg.norm(A, 2) ** 2 * (1 + 1e-12)
    centre = np.zeros(n) if seed % 2 else 0.3 * (high + low - (high + low).mean())
    centre = np.clip(centre, low, high)
    centre = np.zeros(n) if balanced and abs(centre.sum()) > 1e-14 else centre
    guess = square / lam * (0.01 if L == "backtracking" else 1.0)
    total = 0.0 if balanced else None
    risk = SimpleNamespace(forward=lambda w: A @ w, back=lambda u: A.T @ u, h=h, low=low,
                           high=high, total=total)  # fmt: skip
    method = ExcessiveGap(risk, lam, guess, L == "backtracking", centre)
    D2 = 0.5 * np.sum(np.maximum(centre - low, high - centre) ** 2)
    assert method.radius == pytest.approx(D2)
    for k in range(80):
        J = primal(A, h, low, high, lam, method.w, balanced)
        gap, size = J - method.dual_value, abs(J) + abs(method.dual_value)
        assert -1e-12 * size <= gap <= method.mu * D2 + 1e-12 * size
        if L == "true":
            assert method.mu == pytest.approx(4.0 * square / lam / ((k + 1) * (k + 2)))
        assert np.allclose(method.eta, A @ method.w, atol=1e-9 * np.abs(method.eta).max())
        method.step()
    assert method.L <= 2.0 * square / lam


def test_on_the_simplex_it_beats_the_lower_bound_of_bundle_methods():
    """The largest of d orthonormal columns: BMRM's gap is 1 / (2 lam t), this one's falls as
    1 / t^2, from the worst centre, a vertex."""
    d, lam = 64, 0.1
    one = np.eye(d)
    risk = SimpleNamespace(forward=lambda w: -w, back=lambda u: -u, h=np.zeros(d),
                           low=np.zeros(d), high=np.ones(d), total=1.0)  # fmt: skip
    method = ExcessiveGap(risk, lam, 1.0 / lam, False, one[0])
    for k in range(60):
        gap = 0.5 * lam * method.w @ method.w + method.w.max() - method.dual_value
        assert -1e-12 <= gap <= 4.0 / lam / ((k + 1) * (k + 2)) + 1e-12
        method.step()
    assert gap < 0.3 / (2.0 * lam * 60)


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (40, 5), (5, 40), (60, 50), (50, 60)])
def test_the_squared_norm_is_that_of_the_largest_singular_value_or_a_little_more(shape):
    zero = np.zeros(shape)
    assert squared_norm(lambda w: zero @ w, lambda u: zero.T @ u, *shape) == 0.0
    A = np.random.default_rng(0).normal(size=shape)
    found = squared_norm(lambda w: A @ w, lambda u: A.T @ u, *shape)
    exact = np.linalg.norm(A, 2) ** 2
    assert exact * (1.0 - 1e-13) <= found <= exact * (1.0 + 1e-4)


# path(solver=...) by bundle methods, Pragam and Pegasos, against a dual solved by SLSQP

FAMILIES = {
    "hinge": ss.families.hinge(), "quantile": ss.families.quantile(0.3),
    "epsilon_insensitive": ss.families.epsilon_insensitive(0.2),
}  # fmt: skip
TOLERANCES = {"qp_bmrm": 1e-7, "pragam": 1e-5, "ls_bmrm": 3e-3, "pegasos": 3e-2}


def drawn_of_margin_states(kind, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 3))
    y = X[:, 0] + rng.normal(size=14)
    y = np.where(y > 0.4, 1.0, -1.0) if kind == "hinge" else y
    return X, y, rng.random(14) + 0.1


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind", FAMILIES)
def test_gaps_bound_the_distance_from_the_twin(kind, intercept):
    X, y, w = drawn_of_margin_states(kind, 1)
    w /= w.sum()
    lambdas = [1.0, 0.1, 0.03]
    bounds = [kinked_oracle.lower_bound(kind, X, y, w, lam, intercept) for lam in lambdas]
    for solver in TOLERANCES:
        if (kind, solver) != ("epsilon_insensitive", "pragam"):  # which is refused, see below
            check(solver, kind, X, y, w, lambdas, intercept, bounds)


def check(solver, kind, X, y, w, lambdas, intercept, bounds):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.path(X, y, family=FAMILIES[kind], alpha=0, solver=solver, lambdas=lambdas,
                      weights=w, standardize=False, intercept=intercept,
                      tol=TOLERANCES[solver], max_iter=5000)  # fmt: skip
    null = fit.null_deviance / 2.0
    for k, lam in enumerate(lambdas):
        b, b0 = fit.coefs[:, [k]].toarray().ravel(), fit.intercepts[k]
        reached = kinked_oracle.objective(kind, X, y, w, lam, b, b0)
        assert -1e-9 <= reached - bounds[k] <= fit.gaps[k] * null + 1e-6
        assert fit.gaps[k] <= TOLERANCES[solver] and fit.status[k] == ss.Status.CONVERGED


@pytest.mark.parametrize("solver", TOLERANCES)
def test_what_stops_early_says_so(solver):
    X, y, w = drawn_of_margin_states("hinge", 2)
    with pytest.warns(ss.ConvergenceWarning):
        fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, solver=solver, lambdas=[1e-3],
                      max_iter=3, weights=w)  # fmt: skip
    exact = ss.path(X, y, family=ss.families.hinge(), alpha=0, lambdas=[1e-3], weights=w)
    null = fit.null_deviance / 2.0 / w.sum()

    def value(fit):
        spread = np.sqrt(w / w.sum() @ (X - w / w.sum() @ X) ** 2)
        b = fit.coef(1e-3) * spread
        return (1.0 - fit.dev_ratio[0]) * null + 0.5e-3 * b @ b

    assert fit.status[0] == ss.Status.MAX_ITER
    assert value(fit) - value(exact) <= (fit.gaps[0] + 1e-7) * null


def test_pegasos_gives_up_where_it_no_longer_moves(monkeypatch):
    from sparsesolve.solvers.baselines import bundle as states

    monkeypatch.setattr(states, "PATIENCE", 20)
    monkeypatch.setattr(states, "PROGRESS", 0.5)
    X, y, _ = drawn_of_margin_states("hinge", 3)
    with pytest.warns(ss.ConvergenceWarning):
        fit = ss.path(X, y, family=ss.families.hinge(), alpha=0, solver="pegasos",
                      lambdas=[1e-4], tol=1e-12)  # fmt: skip
    assert fit.status[0] == ss.Status.STALLED and 0.0 < fit.gaps[0] < np.inf


# Reweighted l2: its ridge problems, its fading smoothing, and where it ends

SHAPES = {"tall": (60, 12), "wide": (25, 60)}


def data(shape):
    n, p = SHAPES[shape]
    rng = np.random.default_rng(2)
    X = rng.standard_normal((n, p)) + 1.0
    X[rng.random((n, p)) < 0.3] = 0.0
    return X, X[:, :3] @ [2.0, -1.0, 1.0] + rng.standard_normal(n)


def test_what_only_the_smoothing_keeps_from_zero_is_shown_as_zero():
    X, y = data("tall")
    fit = ss.path(X, y, lambdas=[0.5], tol=1e-10, solver="reweighted")
    ref = ss.path(X, y, lambdas=[0.5], tol=1e-12)
    assert ref.df[0] <= fit.df[0] < 8


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_a_step_solves_the_ridge_problem_of_its_weights(shape):
    X, y = data(shape)
    problem = problem_of(X, y)
    state = Reweighted(problem, 1)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    b = np.zeros(X.shape[1])
    state.begin(0.3)
    for _ in range(3):
        eta = np.sqrt(b**2 + state.smoothing**2)
        state.step(0.3)
        b = np.linalg.solve(Z.T @ Z / len(y) + np.diag(0.3 / eta), Z.T @ problem.response / len(y))
        assert state.b == pytest.approx(b, rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("penalty", [
    penalties.GroupL2([0, 0, 1, 1, 1, 0], weights=[1.0, 0.5]),
    penalties.SparseGroup([0, 0, 1, 1, 1, 0], 0.3), penalties.L1(1.5),
    penalties.OverlapL2([[0, 1, 2], [2, 3], [3, 4, 5]], [1.0, 2.0, 0.5]),
    penalties.TreeL2([[0, 1], [0, 1, 2], [3], range(6)]), penalties.KSupport(3),
    penalties.GroupLq([0, 0, 1, 1, 1, 0], 1.0), penalties.GroupLq([0, 0, 1, 1, 1, 0], 1.4),
    penalties.Separate({(0, 1): penalties.L1(), range(2, 6): penalties.KSupport(2)}),
], ids=str)  # fmt: skip
def test_majorants_lie_above_the_penalty_and_touch_it(penalty):
    rng = np.random.default_rng(1)
    omega = penalty.over(6)
    for _ in range(20):
        b, x = rng.standard_normal((2, 6))
        v = omega.majorant(b, 1e-9)
        constant = omega.value(b) - v @ b**2 / 2
        assert v @ x**2 / 2 + constant >= omega.value(x) - 1e-8


@pytest.mark.parametrize("columns", [0, 3])
def test_a_ridge_system_is_solved_as_in_fractions(columns):
    A = np.random.default_rng(0).integers(-3, 4, size=(4, 6)).astype(float)
    b = np.arange(4.0) if not columns else np.arange(12.0).reshape(4, 3)
    x = solve_shifted(A @ A.T, 0.5, b)
    exact = [[sum(Fraction(s) * Fraction(t) for s, t in zip(one, two, strict=True))
              for two in A.tolist()] for one in A.tolist()]  # fmt: skip
    for i in range(4):
        exact[i][i] += Fraction(1, 2)
    assert np.allclose(np.array(exact, dtype=float) @ x, b, rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [1e20, 1e100])
def test_a_shift_below_rounding_keeps_eigenvalues_above_it(size):
    U = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 6)))[0]
    K = size * (U[:, :3] * [3.0, 2.0, 1.0]) @ U[:, :3].T
    K = (K + K.T) / 2
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(K + np.eye(6))
    x = solve_shifted(K.copy(), 1.0, U[:, [0, 5]])
    assert np.abs(x[:, 0]).max() < 1e-14  # 1 / (3 size), and rounding of b outside K's range
    assert np.linalg.norm(x[:, 1]) <= 1.0 + 1e-12


def test_a_path_on_a_hilbert_matrix_goes_on_to_tiny_lambdas():
    """Reweighted ridge problems, the third that "auto" tries here, raised LinAlgError."""
    y = np.random.default_rng(0).normal(size=12)
    X = hilbert(12)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    first = ss.path(X, y, standardize=False, n_lambdas=2).lambdas[0]
    for solver in ("auto", "reweighted"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.ConvergenceWarning)
            fit = ss.path(X, y, standardize=False, lambdas=[1e-9 * first], solver=solver)
        b, lam = fit.coefs.toarray()[:, 0], fit.lambdas[0]
        value = np.mean((y - fit.intercepts[0] - X @ b) ** 2) / 2 + lam * np.abs(b).sum()
        null = np.var(y) / 2
        assert np.isfinite(fit.gaps[0]) and value <= null
        left = np.mean((y - fit.predict(X)[:, 0]) ** 2) / 2 / null
        assert abs(fit.dev_ratio[0] - 1 + left) < 1e-9


# The subgradient baseline: it comes down slowly, and says how far it may be

RNG = np.random.default_rng(4)
X = RNG.standard_normal((40, 6))
Y = X[:, :2] @ [2.0, -1.0] + 0.5 * RNG.standard_normal(40)
CASES = {
    "lasso": {},
    "net": {"alpha": 0.5},
    "bare": {"penalty_factor": [1.0, 1.0, 0.0, 1.0, 1.0, np.inf]},
    "limits": {"lower": -0.4, "upper": 0.5},
    "group": {"penalty": penalties.GroupL2([0, 0, 1, 1, 2, 2])},
    "linf": {"penalty": penalties.GroupLinf([0, 1, 0, 1, 2, 2])},
    "binomial": {"family": "binomial"},
}


def fit(solver, case, max_iter=3000, **options):
    y = (Y > 0).astype(float) if case == "binomial" else Y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        return ss.path(X, y, lambdas=[0.3, 0.1], solver=solver, max_iter=max_iter,
                       **CASES[case], **options)


@pytest.mark.parametrize("case", sorted(CASES))
def test_it_comes_close_and_does_not_claim_more(case):
    found, ref = fit("subgradient", case, tol=1e-9), fit("auto", case, tol=1e-12)
    assert found.predict(X) == pytest.approx(ref.predict(X), abs=0.15)
    assert (found.gaps > 1e-9).all()
    assert found.status.all()


def test_coefficients_keep_to_their_limits():
    b = fit("subgradient", "limits").coefs.toarray()
    assert b.min() >= -0.4 and b.max() <= 0.5 and b.max() == 0.5


def test_a_step_is_one_along_minus_the_subgradient_of_the_lasso():
    problem = problem_of(X, Y)
    state = Subgradient(problem, 1)
    state.a, state.delay = 3.0, 5.0
    state.begin(0.2)
    state.step(0.2)  # from zero, where zero is a subgradient of the penalty
    b = state.here.b
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert b == pytest.approx(0.6 * Z.T @ problem.response / 40)
    state.step(0.2)
    z = Z.T @ (problem.response - Z @ b) / 40
    assert state.here.b == pytest.approx(b + 3.0 / 6.0 * (z - 0.2 * np.sign(b)), abs=1e-6)
