"""Penalties in tables: worked numbers, penalties that are others by another name, and refusals.

Laws of all of them, prox, polar and conjugate by their value among them, are in tests/laws.
"""

import pickle

import numpy as np
import pytest
from cases import every
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.rows import degrees
from sparsesolve.penalties.separate import Nothing

INF = np.inf
PAIRS, TWO = [[0, 1], [1, 2]], [1.0, 2.0]
TREE = [[0, 1], [0, 1, 2]]
GRAPH = P.GraphTV([(0, 1), (1, 2)], weights=[2.0, 1.0], l1=0.5)
NET = P.ElasticNet(3, 0.5, [0.0, 1.0, 2.0], [-INF, -1.0, 0.0], [INF, 0.25, 0.0], ridge_unit=4.0)
BOXED = P.ElasticNet(2, 1.0, None, [-1.0, -1.0], [1.0, 1.0])
UNWEIGHTED = P.SparseGroup(["u", "v", "u", "u"], 0.5, [0.0, 2.0])
# A penalty, its method, what that is given, the answer
WORKED = [
    (P.Berhu(2.0), "value", ([1.0, -4.0],), 1.0 + (16 + 4) / 4),
    (P.ExclusiveLasso([0, 0, 1]), "value", ([1.0, -2.0, 3.0],), 9 / 2 + 9 / 2),
    (P.ExclusiveLasso([0, 0, 1]), "polar", ([1.0, 0.0, 0.0],), INF),
    (P.ExclusiveLasso([0, 0, 1]), "polar", (np.zeros(3),), 0.0),
    (P.ExclusiveLasso(), "value", ([1.0, 2.0],), 4.5),
    (P.ExclusiveLasso(), "prox", ([1.0, 2.0], INF), [0.0, 0.0]),
    (P.KSupport(2), "value", ([1.0, 1.0, 1.0],), 3 / np.sqrt(2)),
    (P.KSupport(3), "value", ([3.0, 4.0, 12.0, 0.0, 0.0],), 13.0),
    (GRAPH, "value", ([1.0, 3.0, -1.0],), 4.0 + 4.0 + 2.5),
    (P.GraphTV([(0, 1)]), "polar", ([2.0, 1.0],), INF),
    (P.TotalVariation2D((2, 2)), "value", ([0.0, 1.0, 0.0, 3.0],), 1 + 3 + 2),
    (P.TotalVariation2D((2, 2), (2.0, 0.0)), "value", ([0.0, 1.0, 0.0, 3.0],), 4.0),
    (P.TreeL2(TREE, TWO), "value", ([3.0, 4.0, 0.0],), 15.0),
    (P.TreeL2(TREE, TWO), "value", ([3.0, 4.0, 12.0],), 5.0 + 26.0),
    (P.TreeLinf(TREE, TWO), "value", ([3.0, 4.0, 12.0],), 4.0 + 24.0),
    (P.OverlapLinf(PAIRS, TWO), "value", ([1.0, -3.0, 2.0],), 9.0),
    (P.OverlapL2(PAIRS, TWO), "value", ([3.0, 4.0, 0.0],), 13.0),
    (P.OverlapLinf([[0, 1]]), "value", ([0.0, 2.0, 5.0],), 2 * 2**0.5 + 5),
    (P.Sum([P.L1(0.5), P.TraceNorm((2, 2))]), "value", ([3, 0, 0, -4],), 10.5),
    (P.TotalVariation(), "value", ([1, 3, 3, 0],), 5.0),
    (P.TotalVariation([2, 1, 1], l1=0.5), "value", ([1, 3, 3, 0],), 10.5),
    (P.TotalVariation(order=[0, 2, 1]), "value", ([1, 3, 1],), 2.0),
    (P.TrendFilter(), "value", ([0.0, 1, 2, 3, 2, 1],), 2.0),
    (P.TrendFilter(0), "value", ([0.0, 1, 3],), 3.0),
    (P.Slope([3, 2, 1]), "value", ([1, -5, 2],), 20.0),
    (P.Slope(kind="oscar", q=0.5), "value", ([3.0, -1.0, 2.0],), 3.0 + 1.5 + 0.5),
    (P.TraceNorm((2, 2)), "value", ([3, 0, 0, -4],), 7.0),
    (P.Spectral("spectral", (2, 2)), "value", ([3, 0, 0, -4],), 4.0),
    (P.Spectral("frobenius", (2, 2)), "value", ([3, 0, 0, -4],), 5.0),
    (P.LatentGroupL2(PAIRS, [1, 1]), "value", ([0, 2, 0],), 2.0),
    (P.Separate({0: None, 1: P.L1(2.0)}), "value", ([7, 3],), 6.0),
    (P.L1(2.0), "value", ([1.0, -5.0, 2.0],), 16.0),
    (P.GroupL2([[0, 1], [2]], TWO), "value", ([3, 4, -1],), 7.0),
    (P.GroupL2([0, 0, 1], [3.0, 0.0]), "prox", ([1.0, 2.0, 5.0], INF), [0.0, 0.0, 5.0]),
    (P.GroupLinf([0, 0, 1], [3.0, 0.0]), "prox", ([1.0, 2.0, 5.0], INF), [0.0, 0.0, 5.0]),
    (P.SparseGroup([0, 0], 1.0), "value", ([1.0, -2.0],), 3.0),
    (P.SparseGroup([0, 0, 1], 0.5), "prox", ([1.0, 2.0, 5.0], INF), [0.0] * 3),
    (UNWEIGHTED, "polar", ([3.0, 0.0, -4.0, 1.0],), 8.0),
    (UNWEIGHTED, "prox", ([3.0, 0.0, -4.0, 1.0], 2.0), [2, 0, -3, 0]),
    (P.SparseGroup([0, 1, 0, 0], 1.0, [INF, 0.0]), "prox", ([2.0, -1.0, 3.0, -6.0], 0.5),
     [0, -0.5, 0, 0]),  # of tau = 1 no group norm is left, but inf still excludes
    (P.MCP(2.0), "value", ([1.0, 9.0], 1.0), 0.75 + 1.0),
    (P.MCP(3.0), "value", ([1e6], 1.0), 1.5), (P.MCP(3.0), "value", ([3.0], 1.0), 1.5),
    (P.MCP(3.0), "prox", ([4.0, -7.0], 1.0), [4.0, -7.0]),
    (P.MCP(), "polar", ([0.5, -2.0],), 2.0), (P.Log(0.5), "polar", ([0.5, -2.0],), 1.0),
    (P.Log(0.5), "value", ([1.3], 2.0), 2.0 * np.log1p(1.3 / 0.5)),
    (P.SCAD(3.0), "value", ([0.5, 9.0], 1.0), 0.5 + 2.0),
    (P.Bridge(0.5), "value", ([4.0, 0.0], 2.0), 2.0 * (4.001**0.5 - 0.001**0.5)),
    (P.MCP(2.0, groups=[[0, 1]], weights=[1.0]), "value", ([3.0, 4.0], 1.0), 1.0),
    (P.MCP(2.0, groups=[[0, 1]], weights=[1.0]), "prox", ([3.0, 4.0], 1.0), [3.0, 4.0]),
    (P.MCP(2.0, groups=[[0, 1]], weights=[1.0]), "prox", ([0.6, 0.8], 1.0), [0.0, 0.0]),
    (P.MCP(weights=[1.0, 0.0]), "prox", ([0.5, 0.5], 1.0), [0.0, 0.5]),
    (P.ElasticNet(4), "value", ([3.0, -3.0, 0.5, -1.0], 2.0), 15.0),
    (P.ElasticNet(2, 0.0), "value", ([3.0, -1.0], 2.0), 10.0),
    (P.ElasticNet(2, 0.0), "polar", ([0.0, 1e-9],), INF),
    (NET, "prox", ([5.0, 5.0, 5.0], 1.0), [5.0, 0.25, 0.0]),
    (NET, "value", ([7.0, 0.25, 0.0], 1.0), 0.5 * 0.25 + 4 * 0.5 * 0.25**2 / 2),
    (NET, "value", ([0.0, 0.5, 0.0], 1.0), INF),
    (NET, "conjugate", ([0.0, 2.5, 9.0], 1.0), 0.25 * 2.0 - 2.0 * 0.25**2 / 2),
    (NET, "conjugate", ([1e-9, 0.0, 0.0], 1.0), INF),
    (BOXED, "feasible_scale", ([4.0, -0.5], 1.0), 1.0),
]  # fmt: skip


@every("penalty, method, given, answer", WORKED)
def test_worked_numbers(penalty, method, given, answer):
    first, *rest = given
    found = getattr(penalty, method)(np.array(first, dtype=float), *rest)
    assert found == pytest.approx(np.array(answer, dtype=float), rel=1e-9, abs=1e-15)
    if not isinstance(penalty, P.ElasticNet):
        again = pickle.loads(pickle.dumps(penalty))
        assert np.array_equal(getattr(again, method)(np.array(first, dtype=float), *rest), found)


def test_degrees_of_freedom_and_kernels():
    b = np.array([0.0, 0.0, 1.0, 1.0 + 1e-14, -2.0])
    parts = P.Separate({(0, 1): P.TotalVariation(), (2, 3, 4): P.L1()})
    for penalty, at, count in (
        (P.TotalVariation(), b, 3), (P.TotalVariation(l1=1), b, 2), (parts, b, 4),
        (P.Slope(), [1.0, -1.0, 2.0, 0.0], 2), (P.Slope(), 0 * b, 0),
        (P.TraceNorm((3, 4)), np.outer([1, 2, 3], [1, 0, 1, 1.0]).ravel(), 6),
        (P.TrendFilter(), [0.0, 1, 2, 3, 2, 1], 3),
        (P.Sum([P.L1(0.5), P.TraceNorm((2, 2))]), [1.0, 0, 0, 0], 1),
    ):  # fmt: skip
        assert penalty.degrees(np.array(at)) == count
    assert P.Sum([P.TotalVariation(), P.TrendFilter()]).over(6).kernel().shape == (6, 1)
    assert P.Sum([P.TotalVariation(), P.L1()]).over(6).kernel() is None
    assert Nothing().over(3).kernel().toarray().tolist() == np.eye(3).tolist()
    cut = P.GraphTV([(0, 1), (1, 2), (3, 4)], [1.0, 2.0, 0.0]).over(5).kernel().toarray()
    assert sorted(map(tuple, cut.T)) == [
        (0, 0, 0, 0, 1), (0, 0, 0, 1, 0), (1, 1, 1, 0, 0)]  # fmt: skip
    B = np.array([[1.0, 1.0, 0.0, 2.0], [0.0, 3.0, 3.0, 3.0]])
    for penalty, count in ((P.L1(), 6), (P.TotalVariation(), 3 + 2), (P.TraceNorm(), 8),
                           (P.GroupL2([0, 0, 1, 1]), 6)):  # fmt: skip
        assert degrees(penalty.over(4), B) == count  # of the rows, or of all
    assert degrees(P.OverlapLinf([[0, 1], [1, 2, 3]]).over(4), np.abs(B)) >= 3


def edges_of(rows, columns):
    place = np.arange(rows * columns).reshape(rows, columns)
    down = zip(place[:-1].ravel(), place[1:].ravel(), strict=True)
    return [*down, *zip(place[:, :-1].ravel(), place[:, 1:].ravel(), strict=True)]


LABELS, D, SQRT = [0, 0, 1, 1, 1, 2], [1.0, 0.5, 2.0], np.sqrt(np.arange(1.0, 7.0))
COVER = [[0, 1, 2], [2, 3], [3, 4, 5], [5, 0]]
ONES = np.zeros(6, int)


def covered(A):
    """The weights of the groups that A touches."""
    return sum(d for g, d in zip(COVER, (1.0, 2.0, 0.5, 1.5), strict=True) if {*g} & {*A.tolist()})


# Penalties on 6 features that are the same
SAME = [
    (P.GraphTV([(j, j + 1) for j in range(5)]), P.TotalVariation()),
    (P.GraphTV([(j, j + 1) for j in range(5)], l1=0.4), P.TotalVariation(l1=0.4)),
    (P.GraphTV(edges_of(2, 3)), P.TotalVariation2D((2, 3))),
    (P.GraphTV(edges_of(3, 2), l1=0.4), P.TotalVariation2D((3, 2), l1=0.4)),
    (P.GraphTV(np.transpose(np.nonzero(np.eye(6, k=1)))), P.TotalVariation()),
    (P.TreeL2(LABELS, dict(enumerate(D))), P.GroupL2(LABELS, D)),
    (P.TreeLinf(LABELS, dict(enumerate(D))), P.GroupLinf(LABELS, D)),
    (P.TreeL2([[j] for j in range(6)]), P.L1()), (P.Separate({range(6): P.L1(0.5)}), P.L1(0.5)),
    (P.OverlapL2([[0, 1], [2, 3, 4], [5]], D), P.GroupL2(LABELS, D)),
    (P.OverlapLinf([[0, 1], [2, 3, 4], [5]], D), P.GroupLinf(LABELS, D)),
    (P.GroupLq(LABELS, 2.0), P.GroupL2(LABELS)), (P.GroupLq(LABELS, np.inf), P.GroupLinf(LABELS)),
    (P.GroupLq(range(6), 1.0), P.L1()), (P.GroupLq(LABELS, 2.0 + 1e-12), P.GroupL2(LABELS)),
    (P.KSupport(1), P.L1()), (P.KSupport(6), P.GroupL2(ONES, [1.0])), (P.Berhu(1e3), P.L1()),
    (P.SparseGroup(LABELS, 0.0, D), P.GroupL2(LABELS, D)), (P.SparseGroup(LABELS, 1.0), P.L1()),
    (P.Submodular(covered), P.OverlapLinf(COVER, [1.0, 2.0, 0.5, 1.5])),
    (P.Submodular(SQRT), P.Slope(np.diff(SQRT, prepend=0.0))),
    (P.TraceNorm((1, 6)), P.GroupL2(ONES, [1.0])),
    (P.Spectral("frobenius", (2, 3)), P.GroupL2(ONES, [1.0])),
    (P.LatentGroupL2([[0, 1], [2, 3, 4], [5]], D), P.GroupL2(LABELS, D)),
    (P.Sum([P.L1(0.3), P.L1(0.2)]), P.L1(0.5)), (P.TrendFilter(0), P.TotalVariation()),
    (P.Slope(np.ones(6)), P.L1()),
]  # fmt: skip


@every("one, other", SAME)
def test_the_same_by_another_name(one, other):
    rng = np.random.default_rng(0)
    near = 1e-6 if isinstance(one, P.Sum | P.GroupLq) else 1e-9
    for k in range(20):
        v = rng.standard_normal(6) if k % 3 else rng.integers(-3, 4, 6) * 1.0
        z = v - v.mean()
        assert one.value(v) == pytest.approx(other.value(v), rel=1e-9)
        assert one.polar(z) == pytest.approx(other.polar(z), rel=near)
        assert one.prox(v, 0.3) == pytest.approx(other.prox(v, 0.3), abs=near)
        held = v.copy()
        assert not np.shares_memory(one.prox(v, 0.0), v) and (one.prox(v, 0.0) == held).all()


def test_the_ends_of_mcp_are_the_l1_norm_and_hard_thresholding():
    x = np.linspace(-6.0, 6.0, 241)
    assert P.MCP(1e9).prox(x, 1.0) == pytest.approx(P.L1().prox(x, 1.0), abs=1e-6)
    away = np.abs(np.abs(x) - 1.0) > 1e-3
    hard = np.where(np.abs(x) > 1.0, x, 0.0)
    assert P.MCP(1.0 + 1e-9).prox(x, 1.0)[away] == pytest.approx(hard[away], abs=1e-6)


X = np.random.default_rng(0).standard_normal((20, 6))
ADJACENCY = np.eye(6, k=1)
# How a penalty is made, which is then asked for its value at four ones, and the sentence
REFUSED = [
    (lambda: P.Berhu(0.0), "delta must be above 0"),
    (lambda: P.Berhu(1.0, [1.0, 0.0]).value([1.0, 2.0]), "weights has 0 for feature 1"),
    (lambda: P.Berhu(1.0, [1.0]).value([1.0, 2.0]), "weights has shape"),
    (lambda: P.GroupLq([0, 1], 0.5), "q must be at least 1"),
    (lambda: P.GroupLq([[0, 1], [1]], 2.0).value([1.0, 1.0]), "groups must not overlap"),
    (lambda: P.GroupLq([0, 1], 2.0, [-1.0, 1.0]).value([1.0, 1.0]), "weights are finite and"),
    (lambda: P.GraphTV([(0, 0)]), "joins feature 0 to itself"),
    (lambda: P.GraphTV([(0, 1), (1, 0)]), "occurs twice"),
    (lambda: P.GraphTV([(0, 1, 2)]), "an edge is a pair"),
    (lambda: P.GraphTV([(0, 9)]), "edge 0 holds 9; features are numbered from 0 to 3"),
    (lambda: P.GraphTV([(0, "a")]), "edge 0 names 'a', but the columns of X have no names"),
    (lambda: P.GraphTV([(0, 1)], [1, 2]), "give one for each of 1 edges"),
    (lambda: P.GraphTV([(0, 1)], [-1.0]), "weights has -1.0 at 0"),
    (lambda: P.GraphTV([(0, 1)], l1=-1), "l1 must be at least 0"),
    (lambda: P.TotalVariation2D((2, 3)), "has 6 entries for 4 features"),
    (lambda: P.TotalVariation2D(4), "shape must be a pair"),
    (lambda: P.TotalVariation2D((2, 0)), "shape must be a pair of positive"),
    (lambda: P.TotalVariation2D((2, 2), 1.0), "weights must be a pair"),
    (lambda: P.TotalVariation2D((2, 2), (1, -1)), r"weights\[1\] must be at least 0"),
    (lambda: P.TreeL2([[0, 1], [1, 2]]), "groups 0 and 1 cross: feature 1 is in both"),
    (lambda: P.TreeLinf({"u": [0, 1, 2], "v": [2, 3]}), "groups 'v' and 'u' cross"),
    (lambda: P.TreeL2([[]]), "group 0 has no features"),
    (lambda: P.TreeL2([[0, 9]]), "group 0 holds 9; features are numbered"),
    (lambda: P.TreeL2([[0, 0]]), "group 0 holds a feature twice"),
    (lambda: P.TreeL2([["a"]]), "group 0 names 'a', but the columns"),
    (lambda: P.TreeL2([0, 1]), "groups has 2 labels for 4 features"),
    (lambda: P.TreeL2([[0, 1]], [1, 2]), "give one for each of 1 groups"),
    (lambda: P.TreeL2([[0, 1]], [-1.0]), "weights has -1.0 for group 0"),
    (lambda: P.TreeL2([[0, 1]], [np.nan]), "weights has nan for group 0"),
    (lambda: P.TreeL2({"u": [0]}, {"v": 1.0}), "weights has none for group 'u'"),
    (lambda: P.TreeL2({"u": [0]}, {"u": 1, "v": 1.0}), "names 'v', which is no group"),
    (lambda: P.TreeL2(3), "groups is 3"),
    (lambda: P.TotalVariation(l1=-1), "l1 must be at least 0"),
    (lambda: P.TotalVariation(l1="x"), "l1 must be a number"),
    (lambda: P.TotalVariation([1, 2]), r"weights has shape \(2,\); give one for each"),
    (lambda: P.TotalVariation([1, np.nan, 1]), "weights has nan at 1"),
    (lambda: P.TotalVariation(order=[0, 1, 1, 2]), "order must hold each"),
    (lambda: P.Slope([1, 2, 1, 0]), "lambdas rises from 1 to 2 at 1"),
    (lambda: P.Slope([1, -1]), "lambdas ends at -1"),
    (lambda: P.Slope([1, 0.5]), "lambdas has 2 weights for 4"),
    (lambda: P.Slope(q=1.0), "q must be above 0 and below 1"),
    (lambda: P.Slope(kind="x"), "kind must be one of 'bh'"),
    (lambda: P.TraceNorm((3, 2)), r"shape \(3, 2\) does not have 4 entries"),
    (lambda: P.TraceNorm((3,)), "shape must be a pair"),
    (lambda: P.TraceNorm(), "TraceNorm without a shape is for families of several"),
    (lambda: P.Spectral("nuclear"), "of must be one of 'trace'"),
    (lambda: P.Separate({}), "parts must be a mapping"),
    (lambda: P.Separate({0: None, (0, 1, 2, 3): P.L1()}), "feature 0 is in two sets"),
    (lambda: P.Separate({0: None}), "feature 1 is in no set"),
    (lambda: P.Separate({"age": None}), "parts names 'age', which is 0 columns"),
    (lambda: P.Separate({9: None}), "parts names feature 9"),
    (lambda: P.graph_groups(np.array([[0, 1], [1, 0]])), r"edge 1, \(1, 0\), occurs twice"),
    (lambda: P.Submodular([1.0, 2.0]).value([1.0, 1.0, 1.0]), "2 values for 3 features"),
    (lambda: P.Submodular([1.0, np.nan]), "finite numbers"),
    (lambda: P.Submodular([1.0, 3.0]).value([1.0, 1.0]), "not submodular"),
    (lambda: P.Submodular([1.0, 0.5]).value([1.0, 1.0]), "F falls by 0.5"),
    (lambda: P.Submodular(lambda A: len(A) ** 2).value([1.0, 1.0]), "not submodular"),
    (lambda: P.Submodular(P.graph_cut([(0, 1)], modular=0.5)).value([1.0, 1.0]), "F falls by"),
    (lambda: P.Submodular(P.graph_cut([(0, 1), (1, 2)], modular=[2, 1.5, 2])).value(np.ones(3)),
     "F falls by 0.5 as feature 1 joins all others"),
    (lambda: P.Submodular(lambda A: covered(A) + len(A) - 1.9 * (2 in A)).value(np.ones(6)),
     "F falls by .* as feature 2 joins all others"),
    (lambda: P.Submodular(lambda A: float(0 in A)).value([1.0, 1.0]), "F is 0 for feature 1"),
    (lambda: P.graph_cut([(0, 0)]), "two different features"),
    (lambda: P.graph_cut([(0, 1)], -1.0), "weights of edges"),
    (lambda: P.Submodular(P.graph_cut([(0, 7)], modular=3.0)).value([1.0, 1.0]), "edges hold"),
    (lambda: P.MCP(1.0), "gamma must be above 1"), (lambda: P.SCAD(2.0), "gamma must be above 2"),
    (lambda: P.Bridge(1.0), "q must be above 0 and below 1"),
    (lambda: P.Log(0.0), "epsilon must be above 0"),
    (lambda: P.MCP(weights=[-1.0, 1.0]).value([1.0, 1.0]), "weights has -1.0 at 0"),
    (lambda: P.MCP(weights=[1.0]).value([1.0, 1.0]), r"weights has shape \(1,\)"),
    *((lambda kind=kind, given=given: kind(*given), sentence)
      for kind in (P.OverlapLinf, P.OverlapL2, P.LatentGroupL2) for given, sentence in (
          (([[0, 9]],), "group 0 holds 9; features are numbered from 0 to 3"),
          (([[]],), "group 0 has no features"), (([[0, 0]],), "group 0 holds a feature twice"),
          (([["a"]],), "group 0 names 'a'"), (([[0, 1]], [0.0]), "weights has 0 for group 0"),
          (([[0, 1]], [1.0, 2.0]), "give one for each of 1 groups"))),
    *((lambda tau=tau: P.SparseGroup([0, 1], tau), "tau is .*; it must be a number from 0 to 1")
      for tau in (-0.1, 1.1, np.nan, "half", None)),
    (lambda: P.Sum([]), "terms must be a list of penalties"),
    (lambda: P.Sum(P.L1()), "terms must be a list of penalties"),
    (lambda: P.Sum([P.L1(), 3]), r"terms\[1\] is 3, which has no method value"),
    (lambda: P.Sum([P.L1(), P.TraceNorm((5, 5))]), r"shape \(5, 5\) does not have 4 entries"),
    (lambda: P.TrendFilter(-1), "degree must be from 0 to 3, not -1"),
    (lambda: P.TrendFilter(4), "from 0 to 3"),
    (lambda: P.TrendFilter(1.5), "degree must be a whole number"),
    (lambda: P.TrendFilter(True), "whole number"),
    (lambda: P.KSupport(0), "k must be"), (lambda: P.KSupport(1.5), "k must be"),
    (lambda: P.KSupport(True), "k must be"), (lambda: P.L1(0.0), "weight must be above 0"),
    (lambda: P.KSupport(5), "k is 5, and there are 4 features"),
]  # fmt: skip


@every("make, sentence", REFUSED)
def test_what_is_refused(make, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        made = make()
        made.value(np.ones(4))


IN_PATHS = {
    "groups a number": (lambda: P.OverlapL2(3), "groups is 3; give a list of lists"),
    "groups a word": (lambda: P.OverlapLinf("ab"), "groups is 'ab'; give a list of lists"),
    "labels": (lambda: P.OverlapLinf([0, 0, 1, 1, 2, 2]), "Groups by labels do not overlap"),
    "latent labels": (lambda: P.LatentGroupL2([0, 1]), "group 0 is 0; give a list of its"),
    "adjacency": (lambda: P.GraphTV(ADJACENCY), r"edges has shape \(6, 6\); of an adjacency"),
    "sparse adjacency": (lambda: P.GraphTV(sparse.csr_array(ADJACENCY)), "of an adjacency matrix"),
    "edges a number": (lambda: P.GraphTV(3), "edges is 3; give a list of pairs"),
    "edges of numbers": (lambda: P.GraphTV([1, 2]), "edge 0 is 1; an edge is a pair"),
    "shape a number": (lambda: P.TraceNorm(3), "shape must be a pair of positive whole numbers"),
    "shape of floats": (lambda: P.TraceNorm((2.0, 3.0)), "shape must be a pair of positive whole"),
    "concave term": (lambda: P.Sum([P.L1(), P.MCP()]), "MCP is not convex"),
    "concave part": (lambda: P.Separate({(0, 1, 2): P.SCAD(), (3, 4, 5): P.L1()}), "SCAD is not"),
    "no norm": (lambda: P.Sum([P.L1(), P.Berhu()]), "Berhu is no norm"),
    "no first lambda": (lambda: P.ExclusiveLasso(), "No lambda makes 0 optimal for penalty=Excl"),
}  # fmt: skip


@pytest.mark.parametrize("case", IN_PATHS)
def test_a_sentence_says_what_was_found(case):
    make, sentence = IN_PATHS[case]
    with pytest.raises((TypeError, ValueError), match=sentence):
        ss.path(X, X[:, 0], penalty=make(), n_lambdas=3)


WHOLE = [P.L1(), P.Berhu(), P.ExclusiveLasso(), P.TotalVariation(), P.TrendFilter(2), P.Slope(),
         P.GraphTV([]), P.OverlapL2([]), P.OverlapLinf([]), P.LatentGroupL2([]), P.TreeL2([]),
         P.TreeLinf([]), P.Sum([P.L1(), P.TotalVariation()])]  # fmt: skip


@pytest.mark.parametrize("penalty", WHOLE, ids=lambda penalty: type(penalty).__name__)
def test_vectors_without_entries(penalty):
    assert penalty.value([]) == 0.0 and penalty.polar([]) == 0.0
    assert penalty.prox([], 1.0).shape == (0,)


def test_edges_of_a_graph_are_groups_in_their_order():
    assert P.graph_groups([(2, 0), ("a", "b")]) == [[2, 0], ["a", "b"]]
    assert P.graph_groups(iter([])) == []


@pytest.mark.parametrize("penalty, where", [
    (P.GraphTV, "edge"), (P.OverlapL2, "group"), (P.GroupL2, "group"),
    (lambda parts: P.Separate({tuple(parts[0]): P.L1()}), "parts"),
])  # fmt: skip
def test_numbers_of_numpy_are_shown_as_numbers(penalty, where):
    with pytest.raises(ValueError, match=rf"{where} .*\b7; ") as found:
        ss.path(np.eye(3), np.arange(3.0), penalty=penalty(np.array([[0, 7]])))
    assert "np." not in str(found.value)


@pytest.mark.parametrize("file, name", [
    ("group_l2", "GroupL2"), ("l1", "L1"), ("berhu", "Berhu"), ("overlap_linf", "OverlapLinf"),
    ("mcp", "MCP"), ("tree_l2", "TreeL2"), ("total_variation_2d", "TotalVariation2D"),
])  # fmt: skip
def test_pickles_that_name_files_of_older_versions_load(file, name):
    found = pickle.loads(f"csparsesolve.penalties.{file}\n{name}\n.".encode())
    assert found is getattr(P, name)


def test_vectors_and_levels_that_are_refused():
    with pytest.raises(ValueError, match=r"coefficients must be a vector \(p,\)"):
        P.Slope().value(np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"must be a vector of numbers \(p,\): could"):
        P.L1().value("abc")
    for t in (-1.0, np.nan):
        with pytest.raises(ValueError, match="t must be at least 0, not"):
            P.OverlapL2([[0, 1]]).prox([1.0, 2.0], t)
        with pytest.raises(ValueError, match="t must be at least 0, not"):
            P.TotalVariation2D((1, 2)).prox([1.0, 2.0], t)
    for make in (P.GroupL2, P.GroupLinf):
        for lam in (-1.0, np.nan):
            with pytest.raises(ValueError, match="lam must be at least 0"):
                make([0, 0]).prox([1.0, 2.0], lam)
    with pytest.raises(ValueError, match="k is 2, and there are 0 features"):
        P.KSupport(2).value([])
