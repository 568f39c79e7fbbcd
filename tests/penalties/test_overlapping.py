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
RESPONSES = {
    "gaussian": Y, "binomial": Y > 0, "poisson": RNG.poisson(np.exp(0.2 * SIGNAL)),
    "multigaussian": np.column_stack([Y, -Y]), "multinomial": np.digitize(Y, [-1.0, 1.0]),
}  # fmt: skip
KINDS = [P.OverlapLinf, P.OverlapL2]


def test_worked_numbers():
    groups = [[0, 1], [1, 2]]
    assert P.OverlapLinf(groups, [1.0, 2.0]).value([1.0, -3.0, 2.0]) == 9.0
    assert P.OverlapL2(groups, [1.0, 2.0]).value([3.0, 4.0, 0.0]) == 13.0
    assert P.OverlapLinf(groups, [1.0, 1.0]).polar([1.0, 4.0, 0.0]) == 2.5
    assert P.OverlapLinf(groups, [1.0, 1.0]).prox([3, -1, 0.5], 1.0).tolist() == [2, -0.25, 0.25]
    assert P.OverlapL2({"a": [0], "b": [1, 2]}, [1.0, 1.0]).polar([2.0, 3.0, 4.0]) == 5.0
    assert P.OverlapLinf([[0, 1]]).value([0.0, 2.0, 5.0]) == pytest.approx(2 * 2**0.5 + 5)


@pytest.mark.parametrize("kind", KINDS)
def test_disjoint_groups_are_group_norms(kind):
    other = {P.OverlapLinf: P.GroupLinf, P.OverlapL2: P.GroupL2}[kind]([0, 0, 1, 1, 1], [1.0, 2.0])
    own = kind([[0, 1], [2, 3, 4]], [1.0, 2.0])
    for v in RNG.standard_normal((20, 5)):
        assert own.prox(v, 0.3) == pytest.approx(other.prox(v, 0.3), abs=1e-12)
        assert own.polar(v) == pytest.approx(other.polar(v), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", RESPONSES)
def test_paths_of_all_families(kind, family):
    options = {"family": family, "penalty": kind(P.window_groups(12, 3)), "stop": None}
    fit = ss.path(X, RESPONSES[family], n_lambdas=5, lambda_min_ratio=0.05, tol=1e-8, **options)
    other = ss.path(X, RESPONSES[family], lambdas=fit.lambdas, solver="fista", tol=1e-5, **options)
    assert not fit.status.any() and fit.gaps.max() <= 1e-8
    assert other.dev_ratio == pytest.approx(fit.dev_ratio, abs=5e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_are_unions_of_groups(kind):
    groups = P.interval_groups(12)
    fit = ss.path(X, Y, penalty=kind(groups), n_lambdas=20, lambda_min_ratio=0.02)
    for lam in fit.lambdas[1:]:
        which = fit.nonzero(lam)
        assert len(which) == 0 or np.ptp(which) == len(which) - 1  # an interval
    assert set(fit.nonzero(fit.lambdas[6])) >= {4, 5, 6}
    near = fit.lambdas[0] * np.array([1 + 1e-8, 1 - 1e-6])
    top = ss.path(X, Y, penalty=kind(groups), lambdas=near, tol=1e-14).coefs.toarray()
    assert not top[:, 0].any() and top[:, 1].any()


@pytest.mark.parametrize("alpha", [1.0, 0.4])
def test_tangents_against_differences(alpha):
    b = np.array([2.0, -2.0, 1.0, 0.5, 0.5, 0.0, 0.0, 0.3, -3.0, 3.0])
    for kind in KINDS:
        own = kind([[0, 1, 2], [2, 3, 4], [4, 5, 6], [7, 8, 9]]).over(10)
        omega = WholePenalty(own, 10, alpha)
        tangent = omega.tangent(b)
        s, h = len(tangent.gradient), 1e-4
        assert s == (6 if kind is P.OverlapLinf else 8)  # 0 and 1 stay together, and 8 and 9
        for d in RNG.standard_normal((5, s)):
            ends = [omega.value(b + k * h * tangent.step(d)) for k in (-1, 0, 1)]
            assert (ends[2] - ends[0]) / (2 * h) == pytest.approx(tangent.gradient @ d, abs=1e-6)
            bend = (ends[0] + ends[2] - 2 * ends[1]) / h**2
            C = tangent.curvature(np.zeros(10))
            assert bend == pytest.approx(d @ C @ d, abs=1e-5 * (1 + abs(bend)))


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("groups, weights, sentence", [
    ([[0, 9]], None, "group 0 holds 9; features are numbered from 0 to 3"),
    ([[]], None, "group 0 has no features"), ([[0, 0]], None, "group 0 holds a feature twice"),
    ([["a"]], None, "group 0 names 'a'"), ([[0, 1]], [0.0], "weights has 0 for group 0"),
    ([[0, 1]], [1.0, 2.0], "give one for each of 1 groups"),
])  # fmt: skip
def test_what_is_refused(kind, groups, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        kind(groups, weights).value(np.ones(4))


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
