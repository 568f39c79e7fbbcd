"""Curvatures on a straight line."""

import numpy as np

from sparsesolve.solvers.costs.passes import FALL
from sparsesolve.solvers.passes.curvature import Curvature, inverse

RNG = np.random.default_rng(2)


def _curvature(S, f, scale=1.0):
    A = RNG.standard_normal((30, S + f)) * scale
    whole = A.T @ A
    return Curvature(whole[:S, :S], whole[S:, :S], whole[S:, S:])


def test_the_way_to_another_ends_there():
    near, far = _curvature(4, 2), _curvature(6, 2)
    rate = near.rate(far, 0.5)
    there = near.moved(rate, 0.5)
    np.testing.assert_allclose(there.gram, far.gram[:4, :4])
    np.testing.assert_allclose(there.mixed, far.mixed[:, :4])
    np.testing.assert_allclose(there.inner, far.inner)
    half = near.moved(rate, 0.25)
    np.testing.assert_allclose(half.gram, (near.gram + far.gram[:4, :4]) / 2)


def test_columns_of_which_no_rate_is_known_stay():
    small, near = _curvature(3, 1), _curvature(5, 1)
    far = near.moved(small, 2.0)
    np.testing.assert_array_equal(far.gram[3:], near.gram[3:])
    np.testing.assert_array_equal(far.mixed[:, 3:], near.mixed[:, 3:])
    np.testing.assert_allclose(far.gram[:3, :3], near.gram[:3, :3] + 2.0 * small.gram)
    assert (near.gram == near.gram.T).all()  # and is not changed itself


def test_it_is_not_carried_on_to_nothing():
    near = _curvature(5, 1)
    rate = near.rate(_curvature(5, 1, scale=0.1), 1.0)
    far = near.moved(rate, near.reach(rate))
    for whole, left in ((near.gram, far.gram), (near.inner, far.inner)):
        kept = np.diag(left) / np.diag(whole)
        assert (kept >= 1.0 - FALL - 1e-12).all()
    up = near.rate(_curvature(5, 1, scale=10.0), 1.0)
    assert near.reach(up) == np.inf


def test_inverse_of_one_and_of_several():
    np.testing.assert_allclose(inverse(np.array([[4.0]])), [[0.25]])
    assert inverse(np.zeros((1, 1))) == 0.0
    inner = _curvature(2, 3).inner
    np.testing.assert_allclose(inverse(inner) @ inner, np.eye(3), atol=1e-10)
