"""Ridge systems are solved where rounding hides the shift, too."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import hilbert

import sparsesolve as ss
from sparsesolve.solvers.baselines.reweighted import solve_shifted


@pytest.mark.parametrize("columns", [0, 3])
def test_it_is_the_solution_in_fractions(columns):
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
