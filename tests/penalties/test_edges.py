"""Edges of a graph as groups of two: the graph lasso."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import LatentGroupL2, graph_groups


def test_groups_are_the_edges_in_their_order():
    assert graph_groups([(2, 0), ("a", "b")]) == [[2, 0], ["a", "b"]]
    assert graph_groups(iter([])) == []


def test_neighbours_are_chosen_together():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 6))
    y = X[:, 1] + X[:, 2] + 0.1 * rng.standard_normal(80)
    chain = graph_groups([(j, j + 1) for j in range(5)])
    fit = ss.path(X, y, penalty=LatentGroupL2(chain), n_lambdas=5)
    first = next(fit.nonzero(lam) for lam in fit.lambdas if len(fit.nonzero(lam)))
    assert {1, 2} <= set(first.tolist())


@pytest.mark.parametrize("edges, sentence", [
    ([(0, 1, 2)], "edge 0 is .* a pair"), ([(0, 1), (3, 3)], "edge 1 joins feature 3 to itself"),
    ([(0, 1), (1, 0)], "occurs twice"),
    (np.array([[0, 1], [1, 0]]), r"edge 1, \(1, 0\), occurs twice"),
    (np.array([[3, 3]]), "joins feature 3 to itself"),
])  # fmt: skip
def test_what_is_no_edge(edges, sentence):
    with pytest.raises(ValueError, match=sentence):
        graph_groups(edges)


@pytest.mark.parametrize("penalty, where", [
    (ss.penalties.GraphTV, "edge"), (ss.penalties.OverlapL2, "group"),
    (ss.penalties.GroupL2, "group"),
    (lambda parts: ss.penalties.Separate({tuple(parts[0]): ss.penalties.L1()}), "parts"),
])  # fmt: skip
def test_numbers_of_numpy_are_shown_as_numbers(penalty, where):
    with pytest.raises(ValueError, match=rf"{where} .*\b7; ") as found:
        ss.path(np.eye(3), np.arange(3.0), penalty=penalty(np.array([[0, 7]])))
    assert "np." not in str(found.value)
