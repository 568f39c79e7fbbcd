"""EachResponse: the sum of a penalty over the rows of an array (K, p)."""

import numpy as np
import pytest

from sparsesolve.penalties import Slope, TotalVariation
from sparsesolve.penalties.each_response import EachResponse

RNG = np.random.default_rng(0)
B = RNG.standard_normal((3, 6))


@pytest.mark.parametrize("omega", [TotalVariation().over(6), Slope(q=0.2).over(6)], ids=repr)
def test_rows_do_not_see_each_other(omega):
    each = EachResponse(omega)
    assert each.value(B) == pytest.approx(sum(omega.value(b) for b in B))
    assert (each.prox(B, 0.3) == np.stack([omega.prox(b, 0.3) for b in B])).all()
    Z = B - B.mean(axis=1, keepdims=True)  # orthogonal to the constants
    assert each.polar(Z) == max(omega.polar(z) for z in Z)
    T = each.tangent(B).directions.toarray()
    rows = [omega.tangent(b).directions.shape[1] for b in B]
    assert T.shape == (18, sum(rows)) and not T[:6, rows[0] :].any()


class Squares:
    """|b|^2 / 2 with its conjugate: no norm."""

    def value(self, b):
        return 0.5 * float(b @ b)

    def prox(self, v, t):
        return v / (1.0 + t)

    def polar(self, z):
        return np.inf if np.any(z) else 0.0

    def conjugate(self, z, lam):
        return 0.5 * float(z @ z) / lam

    def feasible_scale(self, z, lam):
        return 1.0 / (1.0 + float(np.abs(z).max()))


def test_a_conjugate_is_there_only_where_the_penalty_has_one():
    each = EachResponse(Squares())
    assert each.conjugate(B, 2.0) == pytest.approx(0.25 * np.sum(B**2))
    assert each.feasible_scale(B, 2.0) == pytest.approx(1.0 / (1.0 + np.abs(B).max()))
    assert each.tangent(B) is None
    assert not hasattr(EachResponse(Slope(q=0.2).over(6)), "conjugate")
