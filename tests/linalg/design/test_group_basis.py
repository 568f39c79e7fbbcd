"""Bases of groups of columns: orthonormal, of the same span, with a way back."""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design

from sparsesolve.linalg.design.group_basis import GroupBasis

GROUPS = [np.array(part, dtype=np.intc) for part in ([0, 3, 5], [1], [2, 4], [6])]
RNG = np.random.default_rng(2)
W = RNG.uniform(0.5, 2.0, 30)
W[3] = 0.0
W /= W.sum()


def made(X, centred=True, single=False):
    design = Design(np.asfortranarray(X))
    assert design.moments(W)
    return GroupBasis(design, W, GROUPS, centred, single)


@pytest.fixture
def X():
    X = RNG.standard_normal((30, 7)) @ RNG.standard_normal((7, 7)) + np.arange(7) * 10.0
    X[:, 6] = 4.0
    return X


@pytest.mark.parametrize("centred", [True, False])
def test_columns_are_orthonormal_and_lead_back(X, centred):
    basis = made(X, centred)
    Z, start = basis.columns, basis.start
    mean = W @ X
    assert start.tolist() == [0, 3, 4, 6, 7] and not Z[:, 6].any()
    for g in range(3):
        own = Z[:, start[g] : start[g + 1]]
        own = own - W @ own
        assert own.T @ (W[:, None] * own) == pytest.approx(np.eye(own.shape[1]), abs=1e-10)
    c = RNG.standard_normal((2, 3))
    which, b, far = basis.to_features(np.array([0, 2, 4]), c)
    assert which.tolist() == [0, 2, 3, 4, 5] and b.shape == (2, 5)
    fit = Z[:, [0, 2, 4]] @ c.T
    assert X[:, which] @ b.T - (mean[which] @ b.T if centred else 0.0) == pytest.approx(fit)
    assert far == pytest.approx(b @ mean[which])


def test_of_columns_that_depend_on_one_another_the_shortest_way_is_taken(X):
    X[:, 5] = 3 * X[:, 0] - X[:, 3]
    basis = made(X)
    assert basis.start.tolist() == [0, 2, 3, 5, 6]
    which, b, _ = basis.to_features(np.array([0, 1]), np.array([1.0, -2.0]))
    spread = np.sqrt(W @ (X - W @ X) ** 2)[which]
    null = np.array([3.0, -1.0, -1.0]) * spread
    assert abs(null @ (spread * b)) <= 1e-12 * np.linalg.norm(null) * np.linalg.norm(spread * b)


def test_directions_that_single_precision_cannot_tell_are_left_out(X):
    X[:, 5] = (3 * X[:, 0] - X[:, 3]).astype(np.float32)
    assert made(X.astype(np.float32), single=True).start[1] == 2


def test_units_are_of_no_account_and_what_floats_cannot_hold_is_told(X):
    two = 2.0 ** np.array([600, -600, 0, 500, 3, -500, 0])
    basis, other = made(X), made(X * two)
    assert other.columns == pytest.approx(basis.columns, rel=1e-12)
    which, c = np.array([0, 3, 5]), np.array([1.0, -1.0, 2.0])
    ours, theirs = (one.to_features(which, c) for one in (basis, other))
    assert theirs[1] * two[theirs[0]] == pytest.approx(ours[1], rel=1e-12)
    assert other.to_features(which, 1e250 * c) is None
