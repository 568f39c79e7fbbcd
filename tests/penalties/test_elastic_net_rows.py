"""Penalties on rows of coefficients: by definition, by brute force, by their conjugates."""

import numpy as np
import pytest
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows

from sparsesolve.penalties import ElasticNet

P, K = 6, 3
V = np.array([1.0, 0.5, 2.0, 0.0, 1.0, 1.0])
LIMITS = np.array([-1.0, -0.2, -np.inf, -1.0, 0.0, -np.inf]), np.array([1, np.inf, 0.1, 2, 0.0, 1])


def rows(grouped=False, alpha=1.0, limited=False):
    limits = LIMITS if limited else (None, None)
    return ElasticNetRows(ElasticNet(P, alpha, V, *limits), grouped)


FORMS = [(grouped, alpha, limited) for grouped in (False, True) for alpha in (1.0, 0.4, 0.0)
         for limited in (False, True) if not (grouped and limited)]  # fmt: skip


def draws():
    rng = np.random.default_rng(0)
    for size in (0.1, 1.0, 10.0):
        for _ in range(5):
            yield size * rng.standard_normal((K, P)), size * rng.standard_normal((K, P))


@pytest.mark.parametrize("grouped, alpha", [(g, a) for g in (False, True) for a in (1.0, 0.4)])
def test_value_by_definition(grouped, alpha):
    for B, _ in draws():
        one = np.sqrt((B**2).sum(axis=0)) if grouped else np.abs(B).sum(axis=0)
        expected = 0.7 * np.sum(V * (alpha * one + 0.5 * (1 - alpha) * (B**2).sum(axis=0)))
        assert rows(grouped, alpha).value(B, 0.7) == pytest.approx(expected)


@pytest.mark.parametrize("grouped, alpha, limited", FORMS)
def test_excess_is_never_negative_where_it_is_finite_and_zero_at_rest(grouped, alpha, limited):
    """Omega(B) + Omega*(sC) - s B'C, for B within its limits and s from feasible_scale."""
    net = rows(grouped, alpha, limited)
    for B, C in draws():
        C[:, 3] = 0.0  # unpenalised
        if limited:
            B = np.clip(B, LIMITS[0], LIMITS[1])
        for strict in (False, True):
            s = net.scale_at(B, C, 0.7, strict)
            assert 0.0 <= s <= 1.0
            assert -1e-12 <= net.excess(B, C, 0.7, s) < np.inf
    assert net.excess(np.zeros((K, P)), np.zeros((K, P)), 0.7, 1.0) == 0.0


def test_polar_is_the_threshold_of_zero():
    for _, C in draws():
        assert rows().sizes(C) == pytest.approx(np.abs(C).max(axis=0))
        assert rows(True).sizes(C) == pytest.approx(np.sqrt((C**2).sum(axis=0)))
        low, high = LIMITS
        open_ = np.where(C > 0, high[None] > 0, low[None] < 0)
        assert rows(limited=True).sizes(C) == pytest.approx(np.abs(C * open_).max(axis=0))


def test_taken_rows_keep_their_numbers_and_minus_one_is_unpenalised():
    net = rows(limited=True).take(np.array([-1, 2, 0], dtype=np.intc))
    assert np.asarray(net.l1).tolist() == [0.0, 2.0, 1.0]
    assert np.asarray(net.lower).tolist() == [-np.inf, -np.inf, -1.0]
    assert np.asarray(net.upper).tolist() == [np.inf, 0.1, 1.0]


def test_held_are_the_penalised_and_those_that_press_on_a_limit():
    net = rows(limited=True)
    B, C = np.zeros((K, P)), np.ones((K, P))
    B[0, 3], B[1, 3] = 2.0, -1.0  # at their limits; C presses upwards only
    free = net.unpenalised_each(B, C, 1.0)
    assert not free[:, [0, 1, 2, 4, 5]].any()
    assert free[:, 3].tolist() == [False, True, True]
