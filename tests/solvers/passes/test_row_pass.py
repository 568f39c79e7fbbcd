"""Several points in one pass: what numpy makes of each of them."""

import numpy as np
import pytest
from scipy.sparse import csc_array, issparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.losses.binomial import Binomial
from sparsesolve.losses.poisson import Poisson
from sparsesolve.solvers.passes.row_pass import cleared, evaluate, suits

RNG = np.random.default_rng(3)
N, P = 2500, 30  # more rows than a stretch of so many columns
X = RNG.standard_normal((N, P)) + 2.0
X[:, 1:][RNG.random((N, P - 1)) < 0.7] = 0.0  # the first column leaves nothing out,
X[:, 5] = 0.0  # this one everything,
X[1000:, 6] = 0.0  # and this one its end
WEIGHTS = RNG.random(N) / N
OFFSET = 0.1 * RNG.standard_normal(N)
CENTRE, FACTOR = X.mean(axis=0), 1.0 / np.maximum(X.std(axis=0), 0.1)
LOSSES = {
    "binomial": Binomial(RNG.random(N) < 0.5, WEIGHTS),
    "poisson": Poisson(RNG.poisson(1.0, N), WEIGHTS),
}


def _design(store):
    design = Design(store(X))
    design.standardise_as(CENTRE, FACTOR, np.zeros(P, dtype=np.int64))
    return design


def _single(X):
    return np.asfortranarray(X, dtype=np.float32)


def _single_csc(X):
    return csc_array(X.astype(np.float32))


@pytest.mark.parametrize("f", [0, 1, 2])
@pytest.mark.parametrize("K", [1, 3, 11])
@pytest.mark.parametrize("store", [np.asfortranarray, _single, csc_array, _single_csc])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_points_and_their_products(loss, store, K, f):
    basis = RNG.standard_normal((N, f))
    B, C = 0.1 * RNG.standard_normal((K, P)), 0.1 * RNG.standard_normal((K, f))
    B[:, ::3] = 0.0  # columns that are at work nowhere
    stored = store(X).astype(float)
    Z = (np.asarray(stored.todense() if issparse(stored) else stored) - CENTRE) * FACTOR
    eta, values, u, z, pull = evaluate(_design(store), loss, OFFSET, basis, B, C, 1)
    np.testing.assert_allclose(eta, OFFSET + C @ basis.T + B @ Z.T, atol=1e-12)
    for k in range(K):
        value, slope = loss.at(eta[k])
        assert values[k] == pytest.approx(value, rel=1e-13)
        np.testing.assert_array_equal(u[k], slope)
    np.testing.assert_allclose(z, u @ Z, atol=1e-13)
    np.testing.assert_allclose(pull, u @ basis, atol=1e-13)


@pytest.mark.parametrize("store", [np.asfortranarray, csc_array])
def test_threads_change_no_bit(store):
    B, C, basis = RNG.standard_normal((2, P)), np.ones((2, 1)), np.ones((N, 1))
    one, two = (
        evaluate(_design(store), LOSSES["binomial"], OFFSET, basis, B, C, count)
        for count in (1, 2)
    )
    assert all((a == b).all() for a, b in zip(one, two, strict=True))


def test_what_is_in_memory_suits_it():
    assert suits(Design(np.asfortranarray(X)), LOSSES["binomial"])
    assert not suits(object(), LOSSES["binomial"])


@pytest.mark.parametrize("f", [0, 1, 3])
def test_a_vector_less_a_combination_and_what_is_left(f):
    u, heavy, basis = RNG.standard_normal(N), RNG.random((f, N)), RNG.standard_normal((N, f))
    pull = RNG.standard_normal(f)
    dual, left, size = cleared(u, heavy, basis, pull)
    np.testing.assert_allclose(dual, u - pull @ heavy, atol=1e-13)
    np.testing.assert_allclose(left, dual @ basis, atol=1e-10)
    np.testing.assert_allclose(size, np.abs(u) @ np.abs(basis), rtol=1e-12)
