"""MCP: the firm threshold between soft and hard thresholding, and no bias beyond gamma lam."""

import numpy as np
import pytest

from sparsesolve.penalties import MCP

X = np.linspace(-6.0, 6.0, 241)


@pytest.mark.parametrize("gamma", [1.2, 3.0, 20.0])
def test_the_prox_is_the_firm_threshold(gamma):
    lam = 1.5
    size = np.abs(X)
    firm = np.sign(X) * np.maximum(size - lam, 0.0) * gamma / (gamma - 1.0)
    expected = np.where(size <= gamma * lam, firm, X)
    assert MCP(gamma).prox(X, lam) == pytest.approx(expected, abs=1e-12)


def test_large_coefficients_are_not_shrunk_and_cost_the_same():
    penalty = MCP(3.0)
    assert penalty.prox([4.0, -7.0], 1.0).tolist() == [4.0, -7.0]
    assert penalty.value([3.0], 1.0) == penalty.value([1e6], 1.0) == pytest.approx(1.5)


def test_a_large_gamma_is_the_l1_norm_and_a_small_one_hard_thresholding():
    soft = np.sign(X) * np.maximum(np.abs(X) - 1.0, 0.0)
    assert MCP(1e9).prox(X, 1.0) == pytest.approx(soft, abs=1e-6)
    away = np.abs(np.abs(X) - 1.0) > 1e-3
    hard = np.where(np.abs(X) > 1.0, X, 0.0)
    assert MCP(1.0 + 1e-9).prox(X, 1.0)[away] == pytest.approx(hard[away], abs=1e-6)
