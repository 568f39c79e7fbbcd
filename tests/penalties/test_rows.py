"""Rows of K coefficients: the penalty of one response on all K p of them, or on groups of K."""

import numpy as np
import pytest

from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.penalties.rows import Rows, on_rows

K, P = 3, 5
V = np.array([1.0, 0.5, 2.0, 1.0, 3.0])
RNG = np.random.default_rng(2)
NOTHING = np.zeros((K, P))


def twins(kind):
    """The penalty on (K, p) arrays, and one on the same laid out as a vector."""
    if kind == "grouped":
        none, free = np.zeros(P, dtype=bool), np.full(K * P, np.inf)
        group = GroupL2(np.tile(np.arange(P), K), weights=np.ones(P)).over(K * P)
        return on_rows(ElasticNet(P, 0.7, V), True), group.under(0.7, V, none, -free, free, 1.0)
    low, high = np.resize([-0.3, -np.inf], P), np.resize([0.2, np.inf, 0.4], P)
    one = ElasticNet(P, 0.7, V, low, high)
    return on_rows(one, False), ElasticNet(K * P, 0.7, *(np.tile(x, K) for x in (V, low, high)))


@pytest.mark.parametrize("kind", ["single", "grouped"])
def test_all_answers_are_those_of_the_coefficients_laid_out_as_one_vector(kind):
    rows, flat = twins(kind)
    for lam in (0.1, 1.0, 5.0):
        X = 2.0 * RNG.standard_normal((K, P))
        B = rows.prox(X, lam)
        assert B.ravel() == pytest.approx(flat.prox(X.ravel(), lam))
        assert rows.value(B, lam) == pytest.approx(flat.value(B.ravel(), lam))
        assert rows.polar(X) == pytest.approx(flat.polar(X.ravel()))
        assert rows.conjugate(X, lam) == pytest.approx(flat.conjugate(X.ravel(), lam))
        assert rows.feasible_scale(X, lam) == pytest.approx(flat.feasible_scale(X.ravel(), lam))


@pytest.mark.parametrize("grouped", [False, True])
def test_features_without_a_penalty(grouped):
    rows = on_rows(ElasticNet(P, 1.0, np.where(np.arange(P) == 2, 0.0, V)), grouped)
    assert rows.unpenalised(NOTHING, NOTHING + 1.0).tolist() == [False, False, True, False, False]
    assert rows.unpenalised(NOTHING, NOTHING + 1.0, 0.0).all()
    assert rows.polar(NOTHING + 1.0) == np.inf
    X = RNG.standard_normal((K, P))
    assert rows.prox(X, 1e3)[:, 2] == pytest.approx(X[:, 2])


def test_limits_of_features_without_a_penalty_count():
    low, high = np.full(P, -0.3), np.resize([0.5, np.inf], P)
    factors = np.where(np.arange(P) == 2, 0.0, V)
    one = ElasticNet(P, 0.7, factors, low, high)
    flat = ElasticNet(K * P, 0.7, *(np.tile(x, K) for x in (factors, low, high)))
    Z = 2.0 * RNG.standard_normal((K, P))
    assert on_rows(one, False).conjugate(Z) == pytest.approx(flat.conjugate(Z.ravel()))


def test_a_view_is_the_penalty_on_the_responses_one_after_the_other():
    """Any penalty on K p coefficients may be seen so, of whatever norm."""
    flat = ElasticNet(K * P, 0.7, np.tile(V, K))
    seen, rows = Rows(flat), on_rows(ElasticNet(P, 0.7, V), False)
    X = 2.0 * RNG.standard_normal((K, P))
    assert seen.prox(X, 0.4) == pytest.approx(rows.prox(X, 0.4))
    for name in ("value", "conjugate", "feasible_scale"):
        assert getattr(seen, name)(X, 0.4) == pytest.approx(getattr(rows, name)(X, 0.4))
    assert seen.polar(X) == pytest.approx(rows.polar(X))
    assert (seen.unpenalised_each(X, X) == rows.unpenalised_each(X, X)).all()
