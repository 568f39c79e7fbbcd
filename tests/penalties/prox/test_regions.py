"""Flows on a network, proxes by level sets and largest ratios: against programs and all sets.

Any beginning, however wrong, ends with the values that one region ends with.
"""

from itertools import chain, combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import lsq_linear
from scipy.sparse.csgraph import connected_components
from sparsesolve.penalties.prox.flows import Flow, components

from sparsesolve.penalties.prox.regions import (
    Flows,
    largest_ratio,
    network,
    prox_levels,
    prox_levels_near,
)


def _graphs(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        p = rng.integers(2, 8)
        pairs = [(i, j) for i in range(p) for j in range(i) if rng.random() < 0.5]
        ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        w = rng.choice([0.25, 1.0, 2.0, rng.random()], len(ends))
        z = rng.standard_normal(p) * 10.0 ** rng.integers(-3, 4)
        yield ends, w, z.round(2) if rng.random() < 0.3 else z


def _edges(ends, w, p):
    return network(p, ends[:, 0], ends[:, 1], w, w)


def test_edges_against_a_bounded_least_squares_problem():
    """The dual: v - D'u nearest to 0 over |u_e| <= t w_e."""
    for ends, w, v in _graphs(100):
        p, t = len(v), 0.3 * np.abs(v).max() + 1e-3
        b = prox_levels(_edges(ends, w, p), v, t)
        held = w > 0.0
        if not held.any():
            assert b == pytest.approx(v)
            continue
        D = np.zeros((held.sum(), p))
        D[np.arange(len(D)), ends[held, 0]], D[np.arange(len(D)), ends[held, 1]] = 1.0, -1.0
        found = lsq_linear(D.T, v, (-t * w[held], t * w[held]), method="bvls", tol=1e-14)
        assert b == pytest.approx(v - D.T @ found.x, abs=1e-9 * np.abs(v).max())


@pytest.mark.parametrize("size", [0.0, 0.5])
def test_ratios_by_all_sets(size):
    for ends, w, z in _graphs(150, seed=3):
        p = len(z)
        if size == 0.0:  # sums to 0, and all are joined: no set is without edges
            ends = np.vstack([ends, [(j, j + 1) for j in range(p - 1)]])
            w = np.r_[w, np.ones(p - 1)]
            z = z - z.mean()
        best = 0.0
        for code in range(1, 2**p):
            inside = (code >> np.arange(p)) & 1 == 1
            charge = size * inside.sum() + w[inside[ends[:, 0]] != inside[ends[:, 1]]].sum()
            if charge > 0.0:
                best = max(best, z[inside].sum() / charge)
        found = largest_ratio(_edges(ends, w, p), z, size)
        assert found == pytest.approx(best, rel=1e-12, abs=1e-13 * np.abs(z).max())
        assert largest_ratio(_edges(ends, w, p), z, size, 2.0 * best + 1.0) == 2.0 * best + 1.0


def test_ends():
    net = network(3, [0], [1], [1.0], [1.0])
    assert prox_levels(net, np.zeros(3), 1.0).tolist() == [0.0, 0.0, 0.0]
    assert prox_levels(net, np.array([1.0, 5.0, 7.0]), 1.0).tolist() == [2.0, 4.0, 7.0]
    assert prox_levels(net, np.array([1.0, 5.0, 7.0]), np.inf).tolist() == [3.0, 3.0, 7.0]
    assert largest_ratio(net, np.zeros(3), 1.0) == 0.0
    assert largest_ratio(net, np.array([-1.0, -1.0, -1.0]), 1.0) == 0.0


# From flows and regions

def _networks(count, seed=0):
    """Graphs and, for positive values, groups: net, v, t, whether values are positive."""
    rng = np.random.default_rng(seed)
    for trial in range(count):
        p = rng.integers(2, 25)
        v, t = rng.standard_normal(p), rng.exponential(0.3)
        v = v.round(1) if rng.random() < 0.3 else v
        if trial % 2:
            member = rng.random((rng.integers(1, 12), p)) < 0.3
            g, j = np.nonzero(member)
            w = rng.choice([0.5, 1.0, rng.random()], len(member))
            endless = np.full(len(j), np.inf)
            yield network(p, j, p + g, endless, np.zeros(len(j)), w), np.abs(v), t, True
        else:
            i, j = np.nonzero(np.triu(rng.random((p, p)) < 3.0 / p, 1))
            w = rng.choice([0.25, 1.0, rng.random()], len(i))
            yield network(p, i, j, w, w), v, t, False


def test_random_flows_and_regions_are_mended():
    rng = np.random.default_rng(1)
    for net, v, t, positive in _networks(400):
        exact, n = prox_levels(net, v, t, positive), len(net.start) - 1
        count = rng.integers(1, n + 1)
        region = rng.integers(0, count, n)
        region[rng.permutation(n)[:count]] = np.arange(count)  # no number is left out
        half = rng.standard_normal(len(net.place) // 2)
        flow = np.empty(len(net.place))
        flow[net.place] = np.concatenate([half, -half])
        near = Flows(flow, region.astype(np.intc), t)
        b = prox_levels_near(net, v, t, near, positive)[0]
        assert b == pytest.approx(exact, abs=1e-12 * np.abs(v).max())


def test_flows_prove_the_values():
    for net, v, t, positive in _networks(100, seed=4):
        b, answer = prox_levels_near(net, v, t, None, positive)
        flow = answer().flow
        out = np.bincount(net.tail, flow, len(net.start) - 1)
        assert (flow <= t * net.capacity + 1e-13).all()
        assert (flow == -flow[net.mate]).all() or np.abs(flow + flow[net.mate]).max() < 1e-12
        excess = np.concatenate([v - b, -t * net.deficit]) - out
        if not positive:
            assert excess == pytest.approx(np.zeros(len(excess)), abs=1e-12)
        else:  # below the floor, and in groups whose weight is not used up, deficits are left
            assert (excess <= 1e-12).all() and (np.abs(excess[: len(v)][b > 0.0]) < 1e-12).all()


def test_neighbouring_regions_of_equal_values():
    """The arc 3 -> 1 between two regions of value 0 is full, and its flow counts."""
    net = network(4, [0, 1, 0, 2], [2, 3, 1, 3], [1.0] * 4, [1.0] * 4)
    v, t, half = np.array([-0.3, 1.0, -0.2, 0.0]), 0.25, np.array([-0.05, 0.25, -0.25, -0.25])
    flow = np.empty(8)
    flow[net.place] = np.concatenate([half, -half])
    near = Flows(flow, np.array([0, 1, 0, 2], dtype=np.intc), t)
    b = prox_levels_near(net, v, t, near)[0]
    assert b == pytest.approx([0.0, 0.5, 0.0, 0.0], abs=1e-15)


# Flows

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
