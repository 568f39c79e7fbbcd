"""Reweighted l2: its ridge problems, its fading smoothing, and where it ends."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import hilbert
from states import problem_of

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.solvers.baselines.reweighted import Reweighted, solve_shifted

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
