"""Laws of the norms: derivatives, conjugates, proximal operators, starts."""

import pickle

import mkl_oracle
import numpy as np
import pytest
from scipy.optimize import minimize

from sparsesolve.mkl import elastic, lp, nested
from sparsesolve.mkl.norms import L1, NORMS, L1Squared, read_norm

ALL = [*NORMS.values(), lp(1.2), lp(10), elastic(0.1)]
d = np.array([1.0, 0.5, 2.0])
n = np.array([0.3, 1.2, 0.7])


def shape(norm):
    return {"p": getattr(norm, "p", 2.0), "alpha": getattr(norm, "alpha", 0.5)}


@pytest.mark.parametrize("norm", ALL, ids=str)
def test_value_and_derivatives(norm):
    assert norm.value(n, d) == pytest.approx(mkl_oracle.phi(norm.name, n, d, **shape(norm)))
    for m, e in enumerate(np.eye(3) * 1e-5):
        slope = (norm.value(n + e, d) - norm.value(n - e, d)) / 2e-5
        assert norm.slope(n, d)[m] == pytest.approx(slope, rel=1e-6)
        bend = (norm.slope(n + e, d) - norm.slope(n - e, d)) / 2e-5
        np.testing.assert_allclose(norm.second_derivative(n, d)[m], bend, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("norm", ALL, ids=str)
def test_conjugate_is_the_supremum(norm):
    """Fenchel and Young: lam phi(n) + (lam phi)*(s) >= n's, with equality somewhere."""
    lam, s = 0.7, np.array([0.6, 0.9, 0.2])
    c = norm.scale(s, d, lam)
    s = c * s
    value = norm.conjugate(s, d, lam)
    found = minimize(lambda x: lam * norm.value(x**2, d) - x**2 @ s, [0.5, 0.5, 0.5], tol=1e-14)
    assert value == pytest.approx(-found.fun, abs=1e-6)
    rng = np.random.default_rng(0)
    for x in rng.exponential(size=(50, 3)):
        assert lam * norm.value(x, d) + value >= x @ s - 1e-12
    expected = mkl_oracle.conjugate(norm.name, s, d, lam, **shape(norm))
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("norm", [norm for norm in ALL if norm.name != "l1"], ids=str)
def test_response_attains_the_conjugate(norm):
    lam, s = 0.7, np.array([0.6, 0.9, 0.2])
    x = norm.response(s, d, lam)
    attained = x @ s - lam * norm.value(x, d)
    assert attained == pytest.approx(norm.conjugate(s, d, lam))


@pytest.mark.parametrize("name", ["l1", "l1_squared", "elastic"])
@pytest.mark.parametrize("t", [0.05, 0.7, 30.0])
def test_prox_is_the_least_of_its_objective(name, t):
    norm, d = NORMS[name], np.array([1.0, 0.5, 2.0, 1.0])
    v = np.array([0.9, 1.4, 0.3, 0.0])
    x = norm.prox(v, d, t)

    def objective(root):
        return 0.5 * ((root**2 - v) ** 2).sum() + t * norm.value(root**2, d)

    found = minimize(objective, np.sqrt(v) + 0.1, tol=1e-14)
    assert objective(np.sqrt(x)) <= found.fun + 1e-9
    np.testing.assert_allclose(x, found.x**2, atol=1e-4)


@pytest.mark.parametrize("norm", ALL, ids=str)
def test_steps_agree_with_straight_ones_to_first_order_and_stay_in_reach(norm):
    t = 1e-6 * np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(norm.move(n, t), n + t, rtol=1e-9)
    assert (norm.move(n, norm.reach(n)) >= 0).all()


def test_the_first_lambda_of_the_l1_norm_is_the_least_with_all_norms_zero():
    sizes = np.array([0.2, 0.9])
    assert L1().first(sizes, 1.0) == 0.9 and elastic(0.5).first(sizes, 1.0) == 1.8


def test_extremes_of_the_families():
    assert isinstance(lp(1), L1Squared) and isinstance(elastic(1.0), L1)
    near = lp(1.0001)
    assert near.value(n, d) == pytest.approx(L1Squared().value(n, d), rel=1e-3)


@pytest.mark.parametrize("norm", [*ALL, nested([[0, 1], [0]])], ids=str)
def test_what_is_pickled_comes_back(norm):
    assert pickle.loads(pickle.dumps(norm)) == norm


def test_bad_norms_are_refused():
    with pytest.raises(ValueError, match="did you mean 'l1_squared'"):
        read_norm("l1_square")
    with pytest.raises(TypeError, match=r"call it: mkl.lp\(...\)"):
        read_norm(lp)
    with pytest.raises(ValueError, match="p must be at least 1"):
        lp(0.5)
    with pytest.raises(ValueError, match="alpha must be"):
        elastic(0.0)
