"""The sparse group lasso's penalty: numbers worked out by hand, and its ends tau = 0 and 1."""

import numpy as np
import pytest

from sparsesolve.penalties import GroupL2, SparseGroup

GROUPS = ["u", "v", "u", "u"]
B = np.array([2.0, -1.0, 3.0, -6.0])


def penalty(tau, weights=(1.0, 2.0)):
    return SparseGroup(GROUPS, tau, list(weights)).over(4)


def test_a_weight_of_zero_leaves_the_l1_norm():
    omega = penalty(0.5, (0.0, 2.0))
    assert omega.polar(np.array([3.0, 0.0, -4.0, 1.0])) == 8
    assert omega.prox(np.array([3.0, 0.0, -4.0, 1.0]), 2.0).tolist() == [2, 0, -3, 0]


@pytest.mark.parametrize("x", [B, 0.3 * B, -B[::-1]])
def test_at_its_ends_it_is_the_group_lasso_and_the_lasso(x):
    group = GroupL2(GROUPS, [1.0, 2.0]).over(4)
    assert penalty(0.0).prox(x, 0.7).tolist() == group.prox(x, 0.7).tolist()
    assert penalty(0.0).polar(x) == group.polar(x)
    lasso = penalty(1.0)
    assert lasso.prox(x, 0.7) == pytest.approx(np.sign(x) * np.maximum(abs(x) - 0.7, 0), rel=1e-15)
    assert lasso.polar(x) == abs(x).max()


def test_weights_of_inf_and_groups_that_tau_1_leaves_alone():
    """With tau = 1 no group norm is left, but inf still excludes."""
    omega = SparseGroup(GROUPS, 1.0, [np.inf, 0.0]).over(4)
    assert omega.prox(B, 0.5).tolist() == [0, -0.5, 0, 0]


@pytest.mark.parametrize("tau", [-0.1, 1.1, np.nan, "half", None])
def test_tau_is_a_share(tau):
    with pytest.raises(ValueError, match="tau is .*; it must be a number from 0 to 1"):
        SparseGroup(GROUPS, tau)
