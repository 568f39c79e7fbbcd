"""Pursuit with the atoms, where two differ by less than their inner products can tell."""

import numpy as np
import pytest
from sklearn.linear_model import orthogonal_mp

import sparsesolve as ss
from sparsesolve.paths.dictionary.encoding import Atoms, pursue_columns


def alike(apart, seed=1, m=60):
    a, z = np.random.default_rng(seed).normal(size=(2, m))
    return np.c_[a, a + apart * z], z


@pytest.mark.parametrize("apart", [1e-5, 1e-6, 1e-7, 1e-8])
@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_a_small_difference_that_explains_the_signal_is_found(apart):
    D, z = alike(apart)
    found = ss.sparse_code(z[:, None], D, method="omp", n_nonzero=2)
    left = z - D @ found.codes.toarray()[:, 0]
    assert found.codes.nnz == 2 and np.linalg.norm(left) <= 1e-6 * np.linalg.norm(z)
    assert found.residuals[0] == pytest.approx(np.linalg.norm(left), abs=1e-5)
    exact = D.astype(np.longdouble).T @ (z - D.astype(np.longdouble) @ found.codes.toarray()[:, 0])
    assert np.abs(exact).max() / np.abs(D.T @ z).max() <= found.gaps[0] + 1e-15


def test_other_signals_keep_their_codes():
    """Among many signals only those that inner products fail are coded with the atoms."""
    rng = np.random.default_rng(0)
    D = rng.normal(size=(40, 12))
    D /= np.linalg.norm(D, axis=0)
    D[:, 7] = D[:, 3] + 1e-7 * rng.normal(size=40)
    Y = D[:, [0, 1, 2, 8, 9]] @ rng.normal(size=(5, 150))
    Y[:, 70] = D[:, 3] + 1e7 * (D[:, 7] - D[:, 3])
    found = ss.sparse_code(Y, D, method="omp", n_nonzero=12)
    assert found.codes[:, [70]].toarray().ravel()[[3, 7]].all()
    assert found.residuals[70] <= 1e-6 * np.linalg.norm(Y[:, 70])
    for i in (0, 69, 71, 149):
        assert found.codes[:, [i]].toarray().ravel() == pytest.approx(
            orthogonal_mp(D, Y[:, i], n_nonzero_coefs=5), abs=1e-8)  # fmt: skip


def test_it_is_the_pursuit_of_well_parted_atoms():
    rng = np.random.default_rng(2)
    D, y = rng.normal(size=(30, 50)), rng.normal(size=30)
    which, values, gap, square, rest, outcome = pursue_columns(Atoms(D), y, 5, 0.0, 1e-7)
    expected = orthogonal_mp(D, y, n_nonzero_coefs=5)
    assert sorted(which) == np.flatnonzero(expected).tolist() and outcome == 0
    assert values == pytest.approx(expected[which], abs=1e-12) and gap <= 1e-13
    r = y - D @ expected
    assert square == pytest.approx(r @ r) and rest == pytest.approx(np.abs(D.T @ r).max())


def test_it_stops_at_the_residual_asked_for():
    rng = np.random.default_rng(3)
    D, y = rng.normal(size=(30, 50)), rng.normal(size=30)
    which, _, _, square, *_ = pursue_columns(Atoms(D), y, 30, 4.0, 1e-7)
    fewer = pursue_columns(Atoms(D), y, len(which) - 1, 0.0, 1e-7)
    assert square <= 4.0 < fewer[3]


@pytest.mark.parametrize("method", ["omp", "forward"])
@pytest.mark.parametrize("apart", [1e-5, 1e-6, 1e-7])
def test_a_path_finds_it_too(apart, method):
    X, z = alike(apart)
    rng = np.random.default_rng(4)
    y = X[:, 0] + z + 0.3 * rng.normal(size=60)
    fit = ss.omp_path(np.c_[X, X[:, 0]], y, method=method)
    design = np.c_[np.ones(60), X[:, 0], z]
    r = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert fit.dev_ratio[-1] == pytest.approx(1 - (r @ r) / (60 * y.var()), abs=1e-6)
    assert fit.df[-1] == 2 and fit.stop_reason == "nothing is left to explain"


def test_hard_thresholding_certifies_columns_of_any_size():
    """Least squares on a support is no matter of units, without standardisation."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    y = X @ [1.0, 2.0] + 0.1 * rng.normal(size=30)
    fit = ss.paths.hard_threshold_path(
        X * [1e-17, 1.0], y, method="cosamp", n_nonzero=2, standardize=False, intercept=False
    )
    assert fit.dev_ratio[-1] == pytest.approx(1 - np.linalg.lstsq(X, y)[1][0] / (y @ y), abs=1e-9)
