"""One group minimised, the others fixed, against a slow descent on the same problem."""

import numpy as np
import pytest
from sparsesolve.solvers.quadratic.block_step import BlockStep, Tangents

from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

KINDS = {"l2": GroupL2, "linf": GroupLinf, "sparse": lambda groups: SparseGroup(groups, 0.4)}


def step_over(kind, s, lower=-np.inf, upper=np.inf, alpha=1.0):
    """The step of a single group of s columns, and its penalty."""
    penalty = KINDS[kind]([0] * s).over(s).under(
        alpha, np.ones(1), np.zeros(1, dtype=bool), np.full(s, lower), np.full(s, upper), 1.0
    )
    first, place = np.array([0, s], dtype=np.intc), np.array([0, s * s], dtype=np.intp)
    return BlockStep(Tangents(penalty, first, np.zeros(2, dtype=np.intc), place)), penalty


def problem(s, seed):
    rng = np.random.default_rng(seed)
    Z, y = rng.standard_normal((3 * s, s)) * rng.uniform(0.3, 3.0, s), rng.standard_normal(3 * s)
    return Z, y + Z.sum(axis=1) / 3, np.clip(rng.standard_normal(s), -0.3, 0.5)


def best(Z, y, penalty, lam, b):
    """Proximal gradient steps, more than a thousand of them."""
    h = np.linalg.eigvalsh(Z.T @ Z)[-1]
    for _ in range(1500):
        b = penalty.prox(b + Z.T @ (y - Z @ b) / h, lam / h)
    return b


@pytest.mark.parametrize("options", [{}, {"alpha": 0.6}, {"lower": -0.4, "upper": 0.6}],
                         ids=["free", "ridge", "limits"])  # fmt: skip
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("s", [1, 2, 5])
def test_a_step_is_never_above_its_start_and_near_the_minimum(kind, s, options):
    Z, y, start = problem(s, s)
    step, penalty = step_over(kind, s, **options)
    reach = penalty.polar(Z.T @ y)
    for lam in reach * np.array([1.01, 0.9, 0.3, 0.03, 0.0]):

        def objective(b, lam=lam):
            return 0.5 * np.sum((y - Z @ b) ** 2) + penalty.value(b, lam)

        b, decrease = step.minimised(Z.T @ Z, start, Z.T @ (y - Z @ start), lam)
        least = objective(best(Z, y, penalty, lam, start))
        lost = np.sum((y - Z @ start) ** 2) - np.sum((y - Z @ b) ** 2)
        np.testing.assert_allclose(decrease, lost, rtol=1e-9, atol=1e-9 * (y @ y))
        assert objective(b) <= objective(start) * (1.0 + 1e-14)
        # a quarter of what there was to gain, or rounding; exact for lengths without limits
        exact = kind == "l2" and "lower" not in options
        share = 1e-11 if exact else 0.25
        gain = objective(start) - least
        assert objective(b) - least <= share * gain + 1e-11 * objective(start)


def test_dependent_columns_take_a_finite_step():
    Z = np.ones((6, 3))
    step, penalty = step_over("l2", 3)
    b, _ = step.minimised(Z.T @ Z, np.zeros(3), Z.T @ np.arange(6.0), 0.1)
    np.testing.assert_allclose(b, b[0])
    r = np.arange(6.0) - Z @ b
    np.testing.assert_allclose(Z.T @ r, 0.1 * penalty.weight[0] * b / np.linalg.norm(b), rtol=1e-9)
