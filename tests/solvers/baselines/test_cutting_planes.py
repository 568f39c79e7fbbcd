"""BMRM's rates: the instance on which it is slow, and its upper bound."""

import numpy as np
import pytest
from scipy.linalg import hadamard

from sparsesolve.solvers.baselines.bundle import Aggregate, CuttingPlanes
from sparsesolve.solvers.margin.planes import Planes

D, LAM = 32, 0.1
ORTHONORMAL = {"hadamard": hadamard(D) / np.sqrt(D), "identity": np.eye(D)}


def largest_of(columns):
    """The oracle of R(w) = max_j a_j'w."""

    def oracle(w):
        values = w @ columns
        j = int(values.argmax())
        return float(values[j]), columns[:, j].copy(), 0.0, None

    return oracle


@pytest.mark.parametrize("model", [Planes, Aggregate])
@pytest.mark.parametrize("name", ORTHONORMAL)
def test_the_lower_bound_of_an_orthonormal_matrix(name, model):
    """delta_t = 1/(2 lam t) + 1/(2 lam d) and eps_t = 1/(lam t), w_1 to w_t counted."""
    oracle = largest_of(ORTHONORMAL[name])
    method, least, optimum = CuttingPlanes(oracle, LAM, np.zeros(D), model(D, LAM)), np.inf, 0.0
    optimum = -1.0 / (2.0 * LAM * D)
    for t in range(1, D):
        method.step()
        least = min(least, method.objective)
        assert least - optimum == pytest.approx(1 / (2 * LAM * t) + 1 / (2 * LAM * D), rel=1e-9)
        assert least - method.lower == pytest.approx(1 / (LAM * t), rel=1e-9)


@pytest.mark.parametrize("model", [Planes, Aggregate])
@pytest.mark.parametrize("seed", range(6))
def test_the_upper_bound_on_steps(seed, model):
    """A gap of eps takes at most log2(lam J(0) / G^2) + 8 G^2 / (lam eps) - 4 steps, G = max |a|.

    The theorem is of small eps, where the last term makes up for a negative logarithm.
    """
    rng = np.random.default_rng(seed)
    A, lam = rng.normal(size=(5, 40)), 10.0 ** rng.uniform(-1, 1)
    b = rng.uniform(size=40)

    def oracle(w):
        values = w @ A + b
        j = int(values.argmax())
        return float(values[j]), A[:, j].copy(), float(b[j]), None

    G = np.linalg.norm(A, axis=0).max()
    method = CuttingPlanes(oracle, lam, np.zeros(5), model(5, lam))
    start = method.least
    for t in range(1, 60):
        method.step()
        gap = method.least - method.lower
        if gap > 1e-13:  # not yet at this eps: the bound must say more than t steps
            assert t <= max(np.log2(lam * start / G**2) - 4, 0.0) + 8 * G**2 / (lam * gap)
    assert method.least < start


def test_tags_are_mixed_as_planes_are():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(4, 30)), rng.uniform(size=30)

    def oracle(w):
        j = int((w @ A + b).argmax())
        return float(w @ A[:, j] + b[j]), A[:, j].copy(), float(b[j]), np.eye(30)[j]

    for model in (Planes, Aggregate):
        method = CuttingPlanes(oracle, 0.3, np.zeros(4), model(4, 0.3))
        for _ in range(25):
            method.step()
        mixed = method.mixed_tag()
        assert mixed.min() >= 0.0 and mixed.sum() == pytest.approx(1.0)
        assert np.allclose(method.w, -A @ mixed / 0.3)
        assert method.lower == pytest.approx(b @ mixed - (A @ mixed) @ (A @ mixed) / 0.6)
