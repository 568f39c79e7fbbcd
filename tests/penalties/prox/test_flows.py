"""Flows on a network: cuts by enumeration, what is conserved, and warm starts.

Closed arcs: filled from high to low, opened with their room, compared with values.
"""

from itertools import chain, combinations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sparsesolve.penalties.prox.flows import (
    Flow,
    components,
    disordered,
    gained,
    reopen,
    saturate,
)

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


def test_flows_stay_and_closed_arcs_take_none():
    net = network(3, [0, 1], [1, 2], [2.0, 2.0], [0.0, 0.0])
    e, room = np.array([1.0, 0.0, -1.0]), net.capacity.copy()
    flow = Flow(net.start, net.head, net.mate, room, e, 1e-12)
    every = np.arange(3, dtype=np.intc)
    flow.route(every)
    assert e.tolist() == [0.0, 0.0, 0.0]
    e += [0.0, 2.0, -2.0]  # arc 1 -> 2 has room for 1 more
    flow.route(every)
    assert e.tolist() == [0.0, 1.0, -1.0] and flow.reach.tolist() == [3, 3, 0]
    flow.close(every, np.array([0, 0, 1], dtype=np.intc))
    room_before = room.copy()
    e += [3.0, 0.0, 0.0]
    flow.route(every)
    assert e.tolist() == [3.0, 1.0, -1.0] and (room == room_before).all()
    flow.route(np.zeros(0, dtype=np.intc))


REGION = np.array([0, 0, 1], dtype=np.intc)


def _path():
    """0 - 1 - 2 with capacities 2 and 3, the arcs in the order 01 12 10 21."""
    return network(3, [0, 1], [1, 2], [2.0, 3.0], [2.0, 3.0])


def test_saturate_fills_from_the_higher_region():
    net = _path()
    room, excess = net.capacity.copy(), np.array([0.0, 5.0, 1.0])
    saturate(net, room, excess, REGION, np.array([1.0, 0.5]))
    assert room.tolist() == [2.0, 0.0, 2.0, -6.0]
    assert excess.tolist() == [0.0, 2.0, 4.0]


def test_reopen_gives_back_room():
    net, room = _path(), np.array([2.0, -0.0, 2.0, -6.0])
    every = np.arange(3, dtype=np.intc)
    reopen(net, room, every, REGION)
    assert room.tolist() == [2.0, 0.0, 2.0, -6.0]
    reopen(net, room, every, np.zeros(3, dtype=np.intc))
    assert room.tolist() == [2.0, 0.0, 2.0, 6.0]


def test_pairs_in_the_wrong_order():
    net, room, every = _path(), np.array([2.0, -0.0, 2.0, -6.0]), np.arange(3, dtype=np.intc)
    low, high = disordered(net, room, every, REGION, np.array([1.0, 0.5]), 1e-9)
    assert len(low) == len(high) == 0
    low, high = disordered(net, room, every, REGION, np.array([0.5, 1.0]), 1e-9)
    assert set(low) == {1} and set(high) == {0}


def test_full_arcs_give_to_the_lower_region():
    net = _path()
    forth, back = np.array([2.0, -0.0, 2.0, -6.0]), np.array([2.0, -6.0, 2.0, -0.0])
    assert gained(net, forth, net.capacity, REGION, 2).tolist() == [-3.0, 3.0]
    assert gained(net, back, net.capacity, REGION, 2).tolist() == [3.0, -3.0]
    assert gained(net, forth, np.full(4, np.inf), REGION, 2).tolist() == [0.0, 0.0]


def test_connected_parts_are_those_of_scipy():
    rng = np.random.default_rng(1)
    for _ in range(200):
        n, m = rng.integers(1, 40), rng.integers(0, 60)
        i, j = rng.integers(0, n, m), rng.integers(0, n, m)
        graph = sparse.coo_array((np.ones(m, dtype=bool), (i, j)), (n, n)).tocsr()
        expected = connected_components(graph, directed=False)[1]
        np.testing.assert_array_equal(components(i, j, n), expected)
