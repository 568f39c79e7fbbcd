"""Pragam's bounds of theory, at every iteration, for boxes, weights and centres of all kinds."""

from types import SimpleNamespace

import numpy as np
import pytest

from sparsesolve.solvers.baselines.bundle import ExcessiveGap, squared_norm


def primal(A, h, low, high, lam, w, balanced):
    """lam |w|^2 / 2 + max over the box (and sum 0) of (h - A w)'u, by the box's dual in b."""
    r = h - A @ w
    shifts = r if balanced else [0.0]  # the maximum is least over shifts b, at a kink r_i = b
    values = [np.where(r - b > 0, high * (r - b), low * (r - b)).sum() for b in shifts]
    return 0.5 * lam * w @ w + min(values)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("L", ["true", "backtracking"])
@pytest.mark.parametrize("seed", range(8))
def test_the_gap_keeps_its_bound(seed, L, balanced):
    rng = np.random.default_rng(seed)
    n, p, lam = 20, 6, 10.0 ** rng.uniform(-3, 1)
    A = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-1, 1)
    h, low, high = rng.normal(size=n), -rng.random(n), rng.random(n)
    if balanced:
        A = A - A.mean(axis=0)
    square = np.linalg.norm(A, 2) ** 2 * (1 + 1e-12)
    centre = np.zeros(n) if seed % 2 else 0.3 * (high + low - (high + low).mean())
    centre = np.clip(centre, low, high)
    centre = np.zeros(n) if balanced and abs(centre.sum()) > 1e-14 else centre
    guess = square / lam * (0.01 if L == "backtracking" else 1.0)
    total = 0.0 if balanced else None
    risk = SimpleNamespace(forward=lambda w: A @ w, back=lambda u: A.T @ u, h=h, low=low,
                           high=high, total=total)  # fmt: skip
    method = ExcessiveGap(risk, lam, guess, L == "backtracking", centre)
    D2 = 0.5 * np.sum(np.maximum(centre - low, high - centre) ** 2)
    assert method.radius == pytest.approx(D2)
    for k in range(80):
        J = primal(A, h, low, high, lam, method.w, balanced)
        gap, size = J - method.dual_value, abs(J) + abs(method.dual_value)
        assert -1e-12 * size <= gap <= method.mu * D2 + 1e-12 * size
        if L == "true":
            assert method.mu == pytest.approx(4.0 * square / lam / ((k + 1) * (k + 2)))
        assert np.allclose(method.eta, A @ method.w, atol=1e-9 * np.abs(method.eta).max())
        method.step()
    assert method.L <= 2.0 * square / lam


def test_on_the_simplex_it_beats_the_lower_bound_of_bundle_methods():
    """The largest of d orthonormal columns: BMRM's gap is 1 / (2 lam t), this one's falls as
    1 / t^2, from the worst centre, a vertex."""
    d, lam = 64, 0.1
    one = np.eye(d)
    risk = SimpleNamespace(forward=lambda w: -w, back=lambda u: -u, h=np.zeros(d),
                           low=np.zeros(d), high=np.ones(d), total=1.0)  # fmt: skip
    method = ExcessiveGap(risk, lam, 1.0 / lam, False, one[0])
    for k in range(60):
        gap = 0.5 * lam * method.w @ method.w + method.w.max() - method.dual_value
        assert -1e-12 <= gap <= 4.0 / lam / ((k + 1) * (k + 2)) + 1e-12
        method.step()
    assert gap < 0.3 / (2.0 * lam * 60)


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (40, 5), (5, 40), (60, 50), (50, 60)])
def test_the_squared_norm_is_that_of_the_largest_singular_value_or_a_little_more(shape):
    zero = np.zeros(shape)
    assert squared_norm(lambda w: zero @ w, lambda u: zero.T @ u, *shape) == 0.0
    A = np.random.default_rng(0).normal(size=shape)
    found = squared_norm(lambda w: A @ w, lambda u: A.T @ u, *shape)
    exact = np.linalg.norm(A, 2) ** 2
    assert exact * (1.0 - 1e-13) <= found <= exact * (1.0 + 1e-4)
