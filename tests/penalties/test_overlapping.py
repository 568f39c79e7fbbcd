"""OverlapLinf and OverlapL2: worked numbers, tangents, paths, parts, responses, refusals."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.nonnegative import Nonnegative
from sparsesolve.penalties.whole import WholePenalty

RNG = np.random.default_rng(6)
X = RNG.standard_normal((60, 12))
SIGNAL = X @ np.r_[np.zeros(4), [1.0, 1.0, -1.0], np.zeros(5)]
Y = SIGNAL + 0.5 * RNG.standard_normal(60)
KINDS = [P.OverlapLinf, P.OverlapL2]


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_are_unions_of_groups(kind):
    groups = P.interval_groups(12)
    fit = ss.path(X, Y, penalty=kind(groups), n_lambdas=20, lambda_min_ratio=0.02)
    for lam in fit.lambdas[1:]:
        which = fit.nonzero(lam)
        assert len(which) == 0 or np.ptp(which) == len(which) - 1  # an interval
    assert set(fit.nonzero(fit.lambdas[6])) >= {4, 5, 6}


@pytest.mark.parametrize("kind", KINDS)
def test_parts_and_rows_of_responses(kind):
    own = kind(P.window_groups(8, 3), np.arange(1.0, 7.0)).over(8)
    which = np.array([1, 2, 5, 7])
    b = np.zeros(8)
    b[which] = RNG.standard_normal(4)
    assert own.part(which).value(b[which]) == pytest.approx(own.value(b))
    B = RNG.standard_normal((2, 8))
    rows = own.over_responses(2)
    one = kind([[j, j + 8, j + 1, j + 9, j + 2, j + 10] for j in range(6)], np.arange(1.0, 7.0))
    assert rows.value(B) == pytest.approx(one.value(B.ravel()))
    assert rows.prox(B, 0.2).ravel() == pytest.approx(one.prox(B.ravel(), 0.2), abs=1e-10)
    assert rows.polar(B) == pytest.approx(one.polar(B.ravel()), rel=1e-7)


def test_rows_are_solved_together():
    rng = np.random.default_rng(5)
    for groups, p in ((P.interval_groups(6), 6), (P.window_groups((8, 8), 3), 64)):
        norm = P.OverlapLinf(groups).over(p)
        V = rng.standard_normal((12, p)) * 10.0 ** rng.integers(-3, 4, (12, 1))
        V[3], t = 0.0, rng.exponential(0.3, 12) * np.abs(V).max(axis=1)
        t[5] *= 100.0
        for rows in (V, V[2:5], V):  # the network is kept, and made again for another number
            own = t[2:5] if len(rows) == 3 else t
            found = norm.prox_rows(rows, own)
            for b, v, level in zip(found, rows, own, strict=True):
                assert b == pytest.approx(norm.prox(v, level), abs=1e-13 * np.abs(v).max())
        whole = WholePenalty(norm, p, alpha=0.7)
        for b, v, level in zip(whole.prox_rows(V, t), V, t, strict=True):
            assert b == pytest.approx(whole.prox(v, level), abs=1e-13 * np.abs(v).max())
        positive = Nonnegative(norm)
        for b, v, level in zip(positive.prox_rows(V, t), V, t, strict=True):
            assert b == pytest.approx(positive.prox(v, level), abs=1e-13 * np.abs(v).max())
