"""Arguments of structured penalties that cannot be meant: one sentence, before any work starts."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties as P

X = np.random.default_rng(0).standard_normal((20, 6))
ADJACENCY = np.eye(6, k=1)
REFUSED = {
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
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_sentence_says_what_was_found(case):
    make, sentence = REFUSED[case]
    with pytest.raises((TypeError, ValueError), match=sentence):
        ss.path(X, X[:, 0], penalty=make(), n_lambdas=3)


def test_edges_of_an_adjacency_matrix():
    """As the sentence of the refusal advises."""
    edges = np.transpose(np.nonzero(ADJACENCY))
    one, other = P.GraphTV(edges), P.TotalVariation()
    b = np.arange(6.0) ** 2
    assert one.value(b) == other.value(b)


WHOLE = [P.L1(), P.Berhu(), P.ExclusiveLasso(), P.TotalVariation(), P.TrendFilter(2), P.Slope(),
         P.GraphTV([]), P.OverlapL2([]), P.OverlapLinf([]), P.LatentGroupL2([]), P.TreeL2([]),
         P.TreeLinf([]), P.Sum([P.L1(), P.TotalVariation()])]  # fmt: skip


@pytest.mark.parametrize("penalty", WHOLE, ids=lambda penalty: type(penalty).__name__)
def test_vectors_without_entries(penalty):
    assert penalty.value([]) == 0.0 and penalty.polar([]) == 0.0
    assert penalty.prox([], 1.0).shape == (0,)


def test_vectors_and_levels_that_are_refused():
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
        free = make([0, 0, 1], weights=[3.0, 0.0])
        assert free.prox([1.0, 2.0, 5.0], np.inf).tolist() == [0.0, 0.0, 5.0]
    assert P.SparseGroup([0, 0, 1], 0.5).prox([1.0, 2.0, 5.0], np.inf).tolist() == [0.0] * 3
    assert P.ExclusiveLasso().prox([1.0, 2.0], np.inf).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="k is 2, and there are 0 features"):
        P.KSupport(2).value([])
