"""Kernel functions against their formulas, on dense and sparse tables, and low-rank forms."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import mkl

rng = np.random.default_rng(0)
X, NEW = rng.normal(size=(30, 4)), rng.normal(size=(7, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
FORMULAS = {
    mkl.gaussian(1.5): lambda a, b: np.exp(-((a - b) ** 2).sum() / (2 * 1.5**2)),
    mkl.polynomial(3, 0.5): lambda a, b: (a @ b + 0.5) ** 3,
    mkl.linear(): lambda a, b: a @ b,
}
LOW_RANK = [mkl.nystroem(mkl.gaussian(2.0), 10), mkl.random_features(mkl.gaussian(2.0), 20)]


def product(item):
    return item.Z @ item.Z.T


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("function", FORMULAS, ids=str)
def test_values_and_diagonals_are_those_of_the_formula(function, store):
    values = [[FORMULAS[function](a, b) for b in X] for a in NEW]
    np.testing.assert_allclose(function(store(NEW), store(X)), values, atol=1e-12)
    own = [FORMULAS[function](a, a) for a in X]
    np.testing.assert_allclose(function.diagonal(store(X)), own, atol=1e-12)


def test_a_row_far_from_all_others_costs_them_no_digits():
    x = np.append(np.array([0, 0.5, 1.0, 2.0]), [*np.zeros(6), 1e9])[:, None]
    wanted = np.exp(-0.5 * (x - x.T) ** 2)
    assert mkl.gaussian(1.0)(x, x) == pytest.approx(wanted, abs=1e-12)


def test_nystroem_is_exact_with_all_rows_and_random_features_come_near():
    exact = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8)
    full = mkl.build_grams(X, [(mkl.nystroem(mkl.gaussian(2.0), 30), None)])
    np.testing.assert_allclose(product(full.items[0]), exact, atol=1e-6)
    part = mkl.build_grams(X, [(mkl.nystroem(mkl.gaussian(2.0), 10), None)])
    rest = exact - product(part.items[0])
    assert part.items[0].Z.shape == (30, 10) and np.linalg.eigvalsh(rest)[0] > -1e-8
    cosines = mkl.build_grams(X, [(mkl.random_features(mkl.gaussian(2.0), 4000), None)])
    np.testing.assert_allclose(product(cosines.items[0]), exact, atol=0.08)
    near = np.exp(-((NEW[:, None] - X) ** 2).sum(axis=2) / 8)
    np.testing.assert_allclose(cosines.between(NEW)[0], near, atol=0.08)
    assert ss.mkl_path(part, Y).gaps.max() <= 1e-7


def test_the_classical_set():
    pairs = mkl.classical(X, widths=(1, 2), degrees=(1, 2, 3))
    assert len(pairs) == 5 * 5
    fit = ss.mkl_path(mkl.build_grams(X, pairs, scale="trace"), Y, n_lambdas=10)
    assert fit.n_kernels == 25 and fit.gaps.max() <= 1e-7


@pytest.mark.parametrize("function", [*FORMULAS, *LOW_RANK], ids=str)
def test_what_is_pickled_comes_back_and_makes_the_same_blocks(function):
    assert pickle.loads(pickle.dumps(function)) == function
    made = mkl.build_grams(X, [(function, None)])
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(made.between(NEW)[0], again.between(NEW)[0])


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="width must be greater than 0"):
        mkl.gaussian(0)
    with pytest.raises(ValueError, match="degree must be at least 1"):
        mkl.polynomial(0)
    with pytest.raises(TypeError, match="random features are of gaussian kernels"):
        mkl.random_features(mkl.linear(), 10)
