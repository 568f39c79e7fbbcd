"""Coder: closed forms over orthonormal atoms, blocks, threads, room, and residuals."""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.paths.dictionary.coding import Coder

RNG = np.random.default_rng(18)
Q = np.asfortranarray(np.linalg.qr(RNG.standard_normal((12, 12)))[0][:, :8])
Y = np.asfortranarray(RNG.standard_normal((12, 150)))  # more than two blocks of signals
D = np.asfortranarray(RNG.standard_normal((12, 20)) / np.sqrt(12))


def coded(D, Y, lam=0.3, method="lasso", most=8, error=0.0, ridge=0.0, threads=1, capacity=4,
          positive=False):  # fmt: skip
    """Dense codes (p, N), and the arrays of `Codes`."""
    n, done = Y.shape[1], []
    found = Coder(D, ridge, threads).code(
        Design(Y), method, np.full(n, lam), np.full(n, error), min(most, D.shape[1]), tol=1e-12,
        budget=1000, positive=positive, capacity=capacity, advance=done.append,
    )  # fmt: skip
    counts, atoms, values = found[:3]
    codes = np.zeros((D.shape[1], n))
    codes[atoms, np.repeat(np.arange(n), counts)] = values
    assert done[-1] == n and sum(counts) == len(atoms)
    return codes, found[3:]


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_orthonormal_atoms_are_soft_thresholding(ridge):
    codes, (gaps, *_) = coded(Q, Y, ridge=ridge)
    products = Q.T @ Y
    expected = np.sign(products) * np.maximum(np.abs(products) - 0.3, 0.0) / (1.0 + ridge)
    assert codes == pytest.approx(expected, abs=1e-12) and max(gaps) <= 1e-12


def test_positive_codes_threshold_from_one_side():
    codes, _ = coded(Q, Y, positive=True)
    assert codes == pytest.approx(np.maximum(Q.T @ Y - 0.3, 0.0), abs=1e-12)


def test_a_pursuit_takes_the_largest_products_of_orthonormal_atoms():
    codes, _ = coded(Q, Y, lam=0.0, method="omp", most=3)
    products = Q.T @ Y
    for i in range(0, 150, 29):
        largest = np.argsort(-np.abs(products[:, i]))[:3]
        assert set(np.flatnonzero(codes[:, i])) == set(largest)
        assert codes[largest, i] == pytest.approx(products[largest, i])


def test_codes_satisfy_the_conditions_of_optimality():
    codes, (gaps, *_) = coded(D, Y, most=20)
    slopes = D.T @ (Y - D @ codes)
    assert np.abs(slopes).max() <= 0.3 + 1e-7 and max(gaps) <= 1e-12
    used = codes != 0.0
    assert slopes[used] == pytest.approx(0.3 * np.sign(codes[used]), abs=1e-6)


@pytest.mark.parametrize("method", ["lasso", "lars", "omp"])
def test_threads_and_room_change_no_bit(method):
    first, rest = coded(D, Y, method=method)
    for change in ({"threads": 2}, {"capacity": 1}, {"capacity": 20}):
        other, more = coded(D, Y, method=method, **change)
        assert (other == first).all()
        for one, two in zip(rest[:3], more[:3], strict=True):
            assert (one == two).all()


def test_residuals_are_those_of_the_codes_even_where_they_cancel():
    codes, (_, squares, *_) = coded(D, Y)
    assert squares == pytest.approx(np.sum((Y - D @ codes) ** 2, axis=0), rel=1e-9)
    exact = np.asfortranarray(D[:, :3] @ RNG.standard_normal((3, 4)))
    codes, (_, squares, *_) = coded(D, exact, lam=1e-9, most=20)
    assert squares == pytest.approx(np.sum((exact - D @ codes) ** 2, axis=0), rel=1e-6, abs=1e-30)
