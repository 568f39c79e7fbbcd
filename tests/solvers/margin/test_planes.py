"""Weights of planes against enumeration of all supports, and the laws of the programme."""

from itertools import combinations

import numpy as np
import pytest

from sparsesolve.solvers.margin.planes import Planes


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
