"""Proxes of parts: the same as alone, and what each subtracts is in its dual ball."""

import numpy as np
import pytest

from sparsesolve import penalties as P
from sparsesolve.penalties.rows import dual_of_part, ends_early, prox_of_part

WINDOWS = P.window_groups(8, 3)
PARTS = {
    "exact": P.TotalVariation(l1=0.3),
    "exact, with a start": P.OverlapLinf(WINDOWS),
    "iterative": P.OverlapL2(WINDOWS),
    "sum": P.Sum([P.TotalVariation(), P.OverlapLinf(WINDOWS)]),
    "separate": P.Separate({range(4): P.OverlapL2([[0, 1], [1, 2], [3]]), range(4, 8): P.L1()}),
}


@pytest.mark.parametrize("name", sorted(PARTS))
def test_what_a_prox_subtracts_is_in_the_dual_ball(name):
    omega, near = PARTS[name].over(8), None
    assert ends_early(omega) == (name in ("iterative", "sum", "separate"))
    for v in np.random.default_rng(0).standard_normal((6, 8)):
        for t in (2.0, 0.5, 0.1):
            b, near = prox_of_part(omega, v, t, near)
            xi = dual_of_part(omega, near, t)
            assert b == pytest.approx(omega.prox(v, t), abs=1e-6)
            # against directions of all kinds: no product is above t times the norm
            for d in (b, *np.random.default_rng(1).standard_normal((20, 8)), *np.eye(8)):
                assert xi @ d <= t * omega.value(d) * (1.0 + 1e-9) + 1e-12
            assert xi == pytest.approx(v - b, abs=1e-3)
