"""Nonnegative: prox and polar by their definitions, paths with lower=0 by solvers of blocks."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.nonnegative import Nonnegative

RNG = np.random.default_rng(4)
X = RNG.standard_normal((60, 12))
Y = X @ np.r_[np.ones(3), np.zeros(3), -np.ones(3), np.zeros(3)] + RNG.standard_normal(60)
SEVERAL = np.column_stack([Y, -Y + RNG.standard_normal(60)])
THREES = [range(a, a + 3) for a in range(0, 12, 3)]
NESTED = [*THREES, range(6), range(12)]
NORMS = [P.TreeL2(NESTED), P.TreeLinf(NESTED), P.OverlapLinf(P.window_groups(12, 4)),
         P.OverlapL2(P.window_groups(12, 4))]  # fmt: skip
LABELS = np.repeat(range(4), 3)


@pytest.mark.parametrize("norm", NORMS, ids=lambda norm: type(norm).__name__)
def test_prox_and_polar_by_their_definitions(norm):
    omega = Nonnegative(norm.over(12))
    for v in RNG.standard_normal((10, 12)):
        b, level = omega.prox(v, 0.2), omega.polar(v)
        assert (b >= 0.0).all() and omega.value(b) < np.inf == omega.value(-np.ones(12))
        least = 0.5 * ((b - v) ** 2).sum() + 0.2 * omega.value(b)
        others = np.maximum(b + RNG.standard_normal((200, 12)) * 10.0 ** -RNG.integers(0, 6), 0.0)
        for other in others:
            assert least <= 0.5 * ((other - v) ** 2).sum() + 0.2 * omega.value(other) + 1e-12
            assert v @ other <= level * omega.value(other) + 1e-12
        assert not omega.prox(v, level * (1 + 1e-9)).any() and omega.prox(v, 0.999 * level).any()
        which = np.array([1, 4, 5, 10])
        part = omega.part(which)
        assert part.prox(b[which], 0.1) == pytest.approx(
            omega.prox(np.where(np.isin(range(12), which), b, 0.0), 0.1)[which], abs=1e-12)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("whole, blocks", [
    (P.TreeL2(THREES, np.ones(4)), P.GroupL2(LABELS, np.ones(4))),
    (P.TreeLinf(THREES, np.ones(4)), P.GroupLinf(LABELS, np.ones(4))),
    (P.OverlapLinf(THREES, np.ones(4)), P.GroupLinf(LABELS, np.ones(4))),
    (P.OverlapL2(THREES, np.ones(4)), P.GroupL2(LABELS, np.ones(4))),
])  # fmt: skip
def test_disjoint_groups_as_solvers_of_blocks_have_them(whole, blocks, family):
    y = Y if family == "gaussian" else Y > 0
    options = {"family": family, "lower": 0, "standardize": False, "tol": 1e-11, "stop": None}
    slow = ss.path(X, y, penalty=blocks, n_lambdas=5, lambda_min_ratio=0.05, **options)
    fit = ss.path(X, y, penalty=whole, lambdas=slow.lambdas, **options)
    assert not fit.status.any() and (fit.coefs.toarray() >= 0.0).all()
    assert fit.coefs.toarray() == pytest.approx(slow.coefs.toarray(), abs=2e-5)
    first = ss.path(X, y, penalty=whole, n_lambdas=2, **options).lambdas[0]
    assert first == pytest.approx(slow.lambdas[0], rel=1e-9)


@pytest.mark.parametrize("penalty, limits, sentence", [
    (P.TreeL2(NESTED), {"lower": -1}, "TreeL2 takes lower=0 for all features"),
    (P.TreeL2(NESTED), {"lower": 0, "upper": 2}, "TreeL2 takes lower=0 for all features"),
    (P.TreeL2([range(12)], [0.0]), {"lower": 0}, "has features whose weights are all 0"),
    (P.Slope(), {"lower": 0}, "not for penalty=Slope"),
])  # fmt: skip
def test_what_is_refused(penalty, limits, sentence):
    with pytest.raises(ValueError, match=sentence):
        ss.path(X, Y, penalty=penalty, **limits)


def test_l1_of_several_responses():
    """Each coefficient by itself: the elastic net of one response after the other."""
    options = {"lower": 0, "standardize": False, "tol": 1e-11, "lambdas": [0.3, 0.05]}
    fit = ss.path(X, SEVERAL, family="multigaussian", penalty=P.L1(), **options)
    for k, y in enumerate(SEVERAL.T):
        alone = ss.path(X, y, **options)
        for lam in alone.lambdas:
            assert fit.coef(lam)[k] == pytest.approx(alone.coef(lam), abs=1e-4)


@pytest.mark.parametrize("alpha, lam", [(1.0, 0.0), (0.5, 0.0), (0.0, 0.05)])
@pytest.mark.parametrize("penalty", NORMS, ids=lambda norm: type(norm).__name__)
def test_limits_hold_where_the_norm_has_no_weight(penalty, alpha, lam):
    """Without the norm, the elastic net with the same limits is the twin."""
    options = {"alpha": alpha, "lower": 0, "lambdas": [0.1, lam], "tol": 1e-11}
    fit = ss.path(X, Y, penalty=penalty, **options)
    twin = ss.path(X, Y, **options)
    assert (fit.coef(lam) >= 0.0).all() and (twin.coef(lam) == 0.0).any()
    assert fit.coef(lam) == pytest.approx(twin.coef(lam), abs=1e-5)
    both = ss.path(X, SEVERAL, family="multigaussian", penalty=penalty, **options)
    twin = [ss.path(X, y, **options).coef(lam) for y in SEVERAL.T]
    assert (both.coef(lam) >= 0.0).all()
    assert both.coef(lam) == pytest.approx(np.array(twin), abs=1e-4)
