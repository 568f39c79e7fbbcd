"""The best constant for a row of coefficients, against a search."""

import numpy as np
import pytest
from scipy import optimize
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows, centre

from sparsesolve.penalties import ElasticNet


def shifted(b, alpha, grouped=False, low=-np.inf, high=np.inf):
    net = ElasticNet(1, alpha, None, np.array([low]), np.array([high]))
    B = np.array(b, dtype=float)[:, None]
    centre(B, ElasticNetRows(net, grouped))
    return B[:, 0]


def cost(b, alpha):
    return alpha * np.abs(b).sum() + 0.5 * (1 - alpha) * (b**2).sum()


@pytest.mark.parametrize("alpha", [1.0, 0.9, 0.5, 0.1, 0.0])
@pytest.mark.parametrize("K", [2, 3, 4, 7, 26])
def test_no_other_constant_costs_less(alpha, K):
    rng = np.random.default_rng(K)
    for k in range(20):
        b = rng.standard_normal(K) * (rng.random(K) < (0.5 if k % 2 else 1.0))
        search = optimize.minimize_scalar(
            lambda c, b=b: cost(b - c, alpha), bounds=(-4, 4), method="bounded",
            options={"xatol": 1e-10},
        )  # fmt: skip
        new = shifted(b, alpha)
        assert cost(new, alpha) <= search.fun + 1e-12
        assert np.ptp(new - b) <= 1e-14 or not b.any()


def test_the_lasso_takes_the_lower_median_out_so_that_one_coefficient_is_zero():
    assert shifted([3.0, 1.0, 2.0], 1.0).tolist() == [1.0, -1.0, 0.0]
    assert shifted([3.0, 1.0, 2.0, 7.0], 1.0).tolist() == [1.0, -1.0, 0.0, 5.0]
    assert shifted([3.0, 1.0], 1.0).tolist() == [1.0, -1.0]
    assert shifted([1.0, 2.0, 6.0], 1.0, grouped=True) == pytest.approx([-2.0, -1.0, 3.0])


def test_limits_hold_the_shift_back():
    assert shifted([-0.1, 0.04, 0.05, 0.02], 1.0, low=-0.1, high=0.05)[0] == -0.1
    assert shifted([3.0, 1.0, 2.0], 1.0, low=-0.5) == pytest.approx([1.5, -0.5, 0.5])


def test_zeros_where_the_kink_is_stay_zeros():
    for alpha in (1.0, 0.6):
        assert shifted([0.0, 0.3, -0.2, 0.0, 0.0], alpha).tolist() == [0.0, 0.3, -0.2, 0.0, 0.0]
