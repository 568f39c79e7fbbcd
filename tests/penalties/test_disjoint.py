"""Sums over disjoint features, by what each part says alone."""

import numpy as np
import pytest

from sparsesolve import penalties as P
from sparsesolve.penalties.each_response import Disjoint, degrees, over_responses

PARTS = [(np.array([4, 0, 2]), P.TotalVariation(l1=0.2).over(3)),
         (np.array([1, 3]), P.OverlapL2([[0, 1], [1]]).over(2))]  # fmt: skip
RNG = np.random.default_rng(1)


@pytest.mark.parametrize("K", [None, 3])
def test_every_answer_is_that_of_the_parts(K):
    parts = PARTS if K is None else [(which, over_responses(own, K)) for which, own in PARTS]
    whole = Disjoint(parts)
    V = RNG.standard_normal((5,) if K is None else (K, 5))
    near = whole.prox_near(V, 0.3, None)
    for which, own in parts:
        assert whole.prox(V, 0.3)[..., which] == pytest.approx(own.prox(V[..., which], 0.3))
        assert near[0][..., which] == pytest.approx(own.prox(V[..., which], 0.3), abs=1e-6)
    assert whole.value(V) == pytest.approx(sum(own.value(V[..., w]) for w, own in parts))
    assert whole.polar(V) == pytest.approx(max(own.polar(V[..., w].copy()) for w, own in parts))
    # what the prox has subtracted, within the dual ball
    xi = whole.dual_of_prox(near[1], 0.3)
    assert xi == pytest.approx(V - near[0], abs=1e-3)
    assert whole.polar(xi) <= 0.3 * (1.0 + 1e-9)
    tangent = whole.tangent(near[0])
    assert tangent.directions.shape[0] == V.size


def test_degrees_of_arrays_are_those_of_their_rows_or_of_all():
    B = np.array([[1.0, 1.0, 0.0, 2.0], [0.0, 3.0, 3.0, 3.0]])
    assert degrees(P.L1().over(4), B) == 6
    assert degrees(P.TotalVariation().over(4), B) == 3 + 2
    assert degrees(P.TraceNorm().over(4), B) == 2 * (2 + 4 - 2)
    assert degrees(P.OverlapLinf([[0, 1], [1, 2, 3]]).over(4), np.abs(B)) >= 3
    assert degrees(P.GroupL2([0, 0, 1, 1]).over(4), B) == 6
