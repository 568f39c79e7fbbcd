"""Sums of terms: proxes that are known in closed form, gaps, valid bounds, warm starts."""

import numpy as np
import pytest

from sparsesolve.penalties import L1, GroupL2, TotalVariation, TraceNorm
from sparsesolve.penalties.prox.sums import SumOfTerms, bounds, polar
from sparsesolve.penalties.whole import orthonormal

RNG = np.random.default_rng(0)
CHAIN = TotalVariation().over(8)
FUSED = SumOfTerms([L1(0.4), CHAIN], [None, orthonormal(CHAIN.kernel())])


def test_a_sum_whose_prox_is_known():
    """l1 and total variation: the second's prox, then the first's."""
    known = TotalVariation(l1=0.4)
    for v in RNG.standard_normal((20, 8)):
        b, parts = FUSED.prox(v, 0.3)
        assert b == pytest.approx(known.prox(v, 0.3), abs=1e-6)
        assert np.abs(parts[0]).max() <= 0.3 * 0.4 + 1e-12 and abs(parts[1].sum()) < 1e-12
        assert FUSED.value(b) == pytest.approx(known.value(b))
        level = polar(FUSED, v)
        assert known.polar(v) * (1 - 1e-12) <= level <= known.polar(v) * (1 + 1e-5)


def test_the_dual_point_proves_the_prox_of_rank_and_sparsity():
    terms = SumOfTerms([L1(0.5).over(12), TraceNorm((4, 3)).over(12)])
    for v in RNG.standard_normal((3, 12)):
        b, parts = terms.prox(v, 0.3)
        z = terms.total(parts)
        primal = 0.5 * (b - v) @ (b - v) + 0.3 * terms.value(b)
        dual = 0.5 * v @ v - 0.5 * (v - z) @ (v - z)
        assert abs(primal - dual) <= 1e-9 * (v @ v)
        assert np.linalg.norm(parts[1].reshape(4, 3), 2) <= 0.3 * (1 + 1e-12)


def test_bounds_are_valid_at_any_point():
    disjoint = SumOfTerms([L1(0.5).over(6), GroupL2([0, 0, 0, 1, 1, 1], [1.0, 1.0]).over(6)])
    for z in RNG.standard_normal((10, 6)):
        level = polar(disjoint, z)
        rough, near = bounds(disjoint, z, None, 0.9 * level)
        again, _ = bounds(disjoint, z, near, 0.9 * level)
        for b in RNG.standard_normal((300, 6)):
            assert z @ b <= min(level, rough, again) * disjoint.value(b) * (1 + 1e-12)
        # |soft(z_g, nu / 2)| = nu at the dual norm of the sparse group lasso
        left = np.maximum(np.abs(z) - 0.5 * level, 0.0).reshape(2, 3)
        assert np.linalg.norm(left, axis=1).max() == pytest.approx(level, rel=1e-4)


def test_warm_starts_and_zeros():
    v = RNG.standard_normal(8)
    b, parts = FUSED.prox(v, 0.3)
    again, _ = FUSED.prox(v, 0.29, parts)
    assert again == pytest.approx(FUSED.prox(v, 0.29)[0], abs=1e-6)
    assert not FUSED.prox(v, 1.001 * polar(FUSED, v))[0].any()
    assert not FUSED.prox(np.zeros(8), 0.1)[0].any()
    assert FUSED.upper(np.ones(8), [np.zeros(8), np.zeros(8)]) == pytest.approx(2.5)


def test_what_is_left_along_a_kernel_counts_however_little():
    """At constants b the l1 norm alone is in the bound: z'b / Omega(b) = 1 + 5e-11."""
    terms = SumOfTerms([L1().over(3), TotalVariation().over(3)],
                       [None, orthonormal(TotalVariation().over(3).kernel())])  # fmt: skip
    parts = [np.ones(3), np.array([-1.0, 0.0, 1.0])]
    found = terms.upper(sum(parts) + 5e-11, parts)
    assert found == pytest.approx(1.0 + 5e-11, abs=1e-14)
