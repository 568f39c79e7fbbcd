"""Centring and scaling of kernels against the features that they stand for."""

import numpy as np
import pytest

from sparsesolve.mkl.scaling import learn_scaling

RNG = np.random.default_rng(4)
Z = RNG.normal(size=(9, 4)) + [3.0, 0.0, -1.0, 0.0]  # features of the samples of the fit
SHARES = RNG.dirichlet(np.ones(9))
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
