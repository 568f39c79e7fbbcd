"""Flows on a network: cuts by enumeration, and connected parts."""

from itertools import chain, combinations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sparsesolve.penalties.prox.flows import Flow, components

from sparsesolve.penalties.prox.regions import network


def _draws(count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        n = rng.integers(2, 8)
        arcs = [(i, j) for i in range(n) for j in range(n) if i != j and rng.random() < 0.5]
        tail, head = np.array(arcs, dtype=np.intp).reshape(-1, 2).T
        capacity = np.where(rng.random(len(arcs)) < 0.1, np.inf, rng.integers(0, 5, len(arcs)))
        yield network(n, tail, head, capacity, np.zeros(len(arcs))), rng.integers(-6, 7, n) * 1.0


def _leaving(net, inside):
    tail = np.repeat(np.arange(len(net.start) - 1), np.diff(net.start))
    return net.capacity[inside[tail] & ~inside[net.head]].sum()


def _best(net, excess):
    """The largest excess of a set less the capacity that leaves it, over all sets."""
    n = len(excess)
    sets = chain.from_iterable(combinations(range(n), k) for k in range(n + 1))
    inside = [np.isin(np.arange(n), which) for which in sets]
    return max(excess[some].sum() - _leaving(net, some) for some in inside)


def test_excess_left_is_the_best_set():
    for net, excess in _draws(200):
        e, room = excess.copy(), net.capacity.copy()
        flow = Flow(net.start, net.head, net.mate, room, e, 1e-12)
        flow.route(np.arange(len(e), dtype=np.intc))
        assert e.sum() == excess.sum() and (room >= 0.0).all()
        inside = flow.reach == len(e)
        assert np.maximum(e, 0.0).sum() == _best(net, excess)
        assert excess[inside].sum() - _leaving(net, inside) == _best(net, excess)
        assert (e[inside] >= 0.0).all() and (e[~inside] <= 0.0).all()


def test_connected_parts_are_those_of_scipy():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n, m = rng.integers(1, 40), rng.integers(0, 60)
        i, j = rng.integers(0, n, m), rng.integers(0, n, m)
        graph = sparse.coo_array((np.ones(m, dtype=bool), (i, j)), (n, n)).tocsr()
        expected = connected_components(graph, directed=False)[1]
        np.testing.assert_array_equal(components(i, j, n), expected)
