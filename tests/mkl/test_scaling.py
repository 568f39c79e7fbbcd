"""Centring and scaling of kernels against the features that they stand for."""

import numpy as np
import pytest

from sparsesolve.mkl.scaling import learn_scaling

RNG = np.random.default_rng(4)
Z = RNG.normal(size=(9, 4)) + [3.0, 0.0, -1.0, 0.0]  # features of the samples of the fit
NEW = RNG.normal(size=(5, 4))
SHARES = RNG.dirichlet(np.ones(9))
WAYS = [(centre, scale) for centre in (False, True) for scale in (None, "trace", "diagonal")]


def learnt(Z, centre, scale, shares=SHARES):
    K = Z @ Z.T
    return learn_scaling(shares, K @ shares if centre else np.zeros(len(Z)), np.diagonal(K),
                         centre, scale)  # fmt: skip


def features(rows, centre, scale):
    """The same done to features: centred by those of the fit, scaled by them or by their own."""
    mean = SHARES @ Z if centre else 0.0
    rows, own = rows - mean, Z - mean
    if scale == "trace":
        return rows / np.sqrt(SHARES @ (own**2).sum(axis=1))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if scale else rows


@pytest.mark.parametrize("centre, scale", WAYS)
def test_kernels_are_those_of_the_scaled_features(centre, scale):
    scaling, fitted = learnt(Z, centre, scale), features(Z, centre, scale)
    for rows in (Z, NEW):
        raw, diagonal = rows @ Z.T, (rows**2).sum(axis=1)
        found = scaling.apply(raw, diagonal if scale == "diagonal" else None)
        assert found == pytest.approx(features(rows, centre, scale) @ fitted.T, abs=1e-13)
        assert (raw == rows @ Z.T).all()  # what was given is as it was
    own = scaling.own_diagonal((Z**2).sum(axis=1))
    assert own == pytest.approx((fitted**2).sum(axis=1), abs=1e-13)


def test_the_mean_of_the_diagonal_is_one_and_rows_sum_to_nothing():
    scaling = learnt(Z, True, "trace")
    K = scaling.apply(Z @ Z.T, None)
    assert SHARES @ np.diagonal(K) == pytest.approx(1.0)
    assert pytest.approx(np.zeros(9), abs=1e-14) == K @ SHARES
    assert np.diagonal(learnt(Z, True, "diagonal").apply(Z @ Z.T, (Z**2).sum(axis=1))) == (
        pytest.approx(np.ones(9)))  # fmt: skip


@pytest.mark.parametrize("scale", [None, "trace", "diagonal"])
def test_a_kernel_of_nothing_stays_one(scale):
    """One column that is constant is 0 once it is centred; no division by it."""
    ones, shares = np.full((4, 1), 2.0), np.full(4, 0.25)
    scaling = learnt(ones, True, scale, shares)
    diagonal = np.full(4, 4.0) if scale == "diagonal" else None
    assert (scaling.apply(ones @ ones.T, diagonal) == 0.0).all()
    assert (scaling.own_diagonal(np.full(4, 4.0)) == 0.0).all()


def test_a_sample_at_the_origin_keeps_a_diagonal_of_zero():
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])
    scaling = learnt(rows, False, "diagonal", np.full(2, 0.5))
    assert scaling.own_diagonal(np.array([0.0, 25.0])).tolist() == [0.0, 1.0]
    assert scaling.apply(rows @ rows.T, np.array([0.0, 25.0])).tolist() == [[0, 0], [0, 1]]


def test_integers_and_single_precision_are_computed_in_double():
    for dtype in (int, np.float32):
        rows = np.array([[1, 2], [3, 4], [0, 1]]).astype(dtype)
        scaling = learnt(rows.astype(float), True, "trace", np.full(3, 1 / 3))
        found = scaling.apply(rows @ rows.T, None)
        assert found.dtype == np.float64 and np.trace(found) == pytest.approx(3.0)
