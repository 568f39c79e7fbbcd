"""The group lasso's penalty: numbers worked out by hand, and the oracle's blocks."""

import group_oracle
import numpy as np
import pytest

from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

KINDS = {"l2": GroupL2, "sparse": SparseGroup, "linf": GroupLinf}


@pytest.mark.parametrize("kind", KINDS)
def test_all_three_agree_with_the_oracle_on_hostile_blocks(kind):
    """Limits of 0 and inf, ridge parts, ties, coordinates equal but for the last digit."""
    rng = np.random.default_rng(1)
    for trial in range(240):
        s = int(rng.integers(1, 8))
        more = (0.3,) if kind == "sparse" else ()
        lower, upper = -rng.choice([0, 0.1, np.inf, 1], s), rng.choice([0, 0.1, np.inf, 1], s)
        if trial % 3 == 0:
            lower[:], upper[:] = (0.0, np.inf) if trial % 2 else (-np.inf, np.inf)
        alpha, v, lam = (float(rng.choice(k)) for k in ([1, 0.5, 0], [1, 0.3, 2], [0.05, 0.5, 3]))
        omega = KINDS[kind](["u"] * s, *more).over(s).under(
            alpha, np.array([v]), np.zeros(1, dtype=bool), lower, upper, 1.0)
        l1, main = (0.3, 0.7 * np.sqrt(s)) if kind == "sparse" else (0.0, np.sqrt(s))
        block = group_oracle.Block(
            np.arange(s), alpha * v * l1, alpha * v * main * (kind != "linf"),
            alpha * v * main * (kind == "linf"), (1 - alpha) * v * (l1 + main), lower, upper)
        x = 3 * rng.standard_normal(s)
        if trial % 2:
            x[-1], x[s // 2] = x[0] * (1 + rng.choice([0, 1, -1, 5]) * 2.2e-16), -x[0]
        b = block.prox(lam, 1.0, x)
        assert omega.prox(x, lam) == pytest.approx(b, rel=1e-12, abs=1e-12), trial
        assert omega.value(b, lam) == pytest.approx(block.value(lam, b), rel=1e-13)
        assert omega.polar(x) == pytest.approx(block.polar(x), rel=1e-12), trial
        expected = block.conjugate(lam, x)
        assert omega.conjugate(x, lam) == pytest.approx(expected, rel=1e-11, abs=1e-12), trial
