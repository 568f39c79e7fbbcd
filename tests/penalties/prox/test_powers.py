"""Powers of norms: proxes against bisection, their inclusion, and another optimiser."""

import numpy as np
import pytest
from cases import every
from scipy.optimize import brentq, minimize

from sparsesolve.penalties import Bridge, prox


@every("seed", range(5))
@every("t", [0.0, 0.1, 2.0, 1e3])
def test_squared_l1_solves_its_inclusion(seed, t):
    """x = v - t d S sign(x) where x is not 0, and |v| <= t d S elsewhere, with S = sum d |x|."""
    rng = np.random.default_rng(seed)
    v, d = rng.normal(size=8), rng.uniform(0.5, 2.0, size=8)
    x = prox.squared_l1(v, t, d)
    S = d @ np.abs(x)
    on = x != 0.0
    np.testing.assert_allclose(x[on], (v - t * d * S * np.sign(x))[on], atol=1e-12)
    assert np.all(np.abs(v[~on]) <= t * d[~on] * S * (1 + 1e-12))
    assert on.any()


@every("q", [1.01, 1.3, 1.5, 2.0, 2.5, 4.0, 20.0])
@every("t", [1e-3, 0.7, 50.0])
def test_power_is_the_root_of_its_equation(q, t):
    v = np.array([-3.0, 1e-6, 0.5, 100.0, 0.0])
    found = prox.power(v, t, q)
    for x, given in zip(found, v, strict=True):
        b = abs(given)
        if b == 0.0:
            assert x == 0.0
            continue
        root = brentq(lambda r, b=b: r - b + t * q * r ** (q - 1.0), 0.0, b, xtol=1e-300,
                      rtol=1e-14, maxiter=3000)  # fmt: skip
        assert abs(x) == pytest.approx(root, rel=1e-10, abs=1e-280)
        assert np.sign(x) in (0.0, np.sign(given))


@every("q", [0.05, 0.3, 0.5, 2 / 3, 0.9, 0.99])
@every("shift", [0.0, 1e-3])
def test_powers_below_1_beat_every_other_point(q, shift):
    """On a grid of the interval to v, and near the answer."""
    rng = np.random.default_rng(4)
    for _ in range(100):
        a, t = 10.0 ** rng.uniform(-3, 3, size=2)
        own = prox.power([a], t, q) if shift == 0.0 else Bridge(q, smoothing=shift).prox([a], t)
        near = np.clip(own[0] + np.linspace(-1e-6, 1e-6, 101) * a, 0.0, a)
        x = np.concatenate([own, [0.0], near, np.linspace(0.0, a, 2001)])
        height = (x - a) ** 2 / 2 + t * (x + shift) ** q
        assert height[0] <= height.min() + 1e-15 * (a * a + t)


def test_a_power_of_1_is_the_soft_threshold():
    assert prox.power([3.0, -0.5], 1.0, 1.0) == pytest.approx([2.0, 0.0])
    assert prox.power([3.0, -0.5], 0.0, 0.5) == pytest.approx([3.0, -0.5])
    assert Bridge(0.5, smoothing=0.0).prox([3.0, 0.1], 1.0) == pytest.approx(
        prox.power([3.0, 0.1], 1.0, 0.5))  # fmt: skip


def test_groups_keep_their_directions():
    rng = np.random.default_rng(0)
    v, groups, d = rng.normal(size=7), np.array(list("aabbbcc")), np.array([1.0, 0.5, 2.0])

    def lengths(x):
        return np.array([np.linalg.norm(x[groups == g]) for g in "abc"])

    cases = [
        (prox.squared_l1(v, 0.8, d, groups=groups, ridge=0.3),
         lambda x: 0.8 * (0.5 * (d @ lengths(x)) ** 2 + 0.15 * x @ x)),
        (prox.power(v, 0.8, 1.5, d, groups=groups), lambda x: 0.8 * d @ lengths(x) ** 1.5),
    ]  # fmt: skip
    for x, penalty in cases:
        def objective(b, penalty=penalty):
            return 0.5 * np.sum((b - v) ** 2) + penalty(b)

        other = minimize(objective, 0.5 * v, method="Nelder-Mead",
                         options={"maxiter": 20000, "fatol": 1e-12, "xatol": 1e-10})  # fmt: skip
        assert objective(x) <= other.fun + 1e-9
        for g in "abc":
            cross = np.outer(x[groups == g], v[groups == g])
            np.testing.assert_allclose(cross, cross.T, atol=1e-14)


@pytest.mark.parametrize("call, sentence", [
    (lambda: prox.squared_l1([np.nan], 1.0), "finite"),
    (lambda: prox.squared_l1([1.0], -1.0), "t is -1"),
    (lambda: prox.squared_l1([1.0], 1.0, [0.0]), "positive"),
    (lambda: prox.squared_l1([1.0], 1.0, groups=[1, 2]), "groups has 2 labels for 1"),
    (lambda: prox.power([1.0], 1.0, 0.0), "q is 0"),
])  # fmt: skip
def test_faults_are_told(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
