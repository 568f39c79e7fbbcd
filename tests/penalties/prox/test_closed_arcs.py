"""Closed arcs: filled from high to low, opened with their room, compared with values."""

import numpy as np
from sparsesolve.penalties.prox.flows import disordered, gained, reopen, saturate

from sparsesolve.penalties.prox.regions import network

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
