"""Proxes and dual norms of functions whose level sets are minimum cuts of a network.

    argmin_b  |b - v|^2 / 2 + t f(b),        f(b) = int F({b > s}) ds

where F(S) is the least capacity of arcs that leave S together with some auxiliary nodes. For
total variation on a graph F(S) is the weight of the edges that are cut; for overlapping groups in
the l-infinity norm it is the weight of the groups that S meets. The set {b > s} maximises v(S) -
s |S| - t F(S), which is a minimum cut.

At the mean level of a region, a cut tells which part of it lies above and which below. The parts
become regions of their own: their flows stay, and arcs between them are closed. A region whose
excess is routed completely has one value. All regions of a round are routed together.

Given: a `Network`. Returned: the exact minimum up to rounding, and dual norms max_S z(S) / F(S)
by Dinkelbach's iteration.
Reference: Hochbaum, "An efficient algorithm for image segmentation, Markov random fields and
related problems" (2001); Mairal, Jenatton, Obozinski, Bach, "Convex and network flow optimization
for structured sparsity" (2011); Bach, "Learning with submodular functions" (2013), section 9.
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.penalties.prox.flows import Flow
from sparsesolve.penalties.prox.regions import SMALL, Regions

# Relative difference up to which two values of a ratio count as equal.
CLOSE = 1e-14
# Most rounds of Dinkelbach's iteration; some five are usual.
ROUNDS = 1000


class Network(NamedTuple):
    """Arcs of a network. The first nodes are variables, the others auxiliary."""

    n_variables: int  # p
    start: np.ndarray  # int32 (N + 1,): arcs start[i] to start[i + 1] leave node i
    tail: np.ndarray  # int32 (M,) node at the beginning of each arc
    head: np.ndarray  # int32 (M,) node at the end of each arc
    mate: np.ndarray  # int32 (M,) reverse arc of each arc
    capacity: np.ndarray  # (M,) at t = 1
    deficit: np.ndarray  # (N - p,) of auxiliary nodes, at t = 1
    place: np.ndarray  # (2 E,) the arcs of the E edges given, and then those in reverse


def network(n_variables, tail, head, forth, back, deficit=()):
    """Return the Network of arcs tail -> head with capacity `forth`, and `back` in reverse."""
    count, n = len(tail), n_variables + len(deficit)
    tails = np.concatenate([tail, head]).astype(np.intc)
    order = np.argsort(tails, kind="stable")
    place = np.empty(2 * count, dtype=np.intc)
    place[order] = np.arange(2 * count, dtype=np.intc)
    mate = np.concatenate([place[count:], place[:count]])[order]
    start = np.zeros(n + 1, dtype=np.intc)
    np.cumsum(np.bincount(tails, minlength=n), out=start[1:])
    heads = np.concatenate([head, tail]).astype(np.intc)[order]
    capacity = np.concatenate([forth, back]).astype(float)[order]
    deficit = np.array(deficit, dtype=float)
    return Network(n_variables, start, tails[order], heads, mate, capacity, deficit, place)


def prox_levels(net, v, t, positive=False):
    """argmin_b |b - v|^2 / 2 + t f(b), over b >= 0 if `positive`; a new array (p,)."""
    return prox_levels_near(net, v, t, None, positive)[0]


def prox_levels_near(net, v, t, near, positive=False):
    """`prox_levels`, begun with the Flows `near` (None: with none), and those of the answer."""
    scale = np.abs(v).max(initial=0.0)
    if not scale > 0.0:
        return np.zeros(net.n_variables), None
    regions = Regions(net, v, t, scale, positive)
    if near is None:
        regions.one()
    else:
        regions.begin(near)
    regions.settle()
    return regions.values(), regions.flows


def largest_ratio(net, z, size, above=0.0):
    """Return the largest z(S) / (size |S| + F(S)) over sets S, or `above` if that is more."""
    p = net.n_variables
    scale = np.abs(z).max(initial=0.0)
    ratio = max(above, _alone(net, z, size))
    if not scale > 0.0 or not ratio > 0.0:
        return max(above, 0.0)
    tail = net.tail
    excess = np.concatenate([z - ratio * size, -ratio * net.deficit])
    room = ratio * net.capacity
    flow = Flow(net.start, net.head, net.mate, room, excess, SMALL * scale)
    nodes = np.arange(len(excess), dtype=np.intc)
    for _ in range(ROUNDS):
        flow.route(nodes)
        inside = flow.reach == len(nodes)
        leaving = inside[tail] & ~inside[net.head]
        charge = size * np.count_nonzero(inside[:p]) + net.capacity[leaving].sum()
        charge += net.deficit[inside[p:]].sum()
        total = z[inside[:p]].sum()
        if not charge > 0.0 or not total > ratio * (1.0 + CLOSE) * charge:
            break
        rise, ratio = total / charge - ratio, total / charge
        excess[:p] -= rise * size
        excess[p:] -= rise * net.deficit
        room += np.where(np.isfinite(net.capacity), rise * net.capacity, 0.0)
    return ratio


def _alone(net, z, size):
    """Return a first ratio: the best of single variables and of the set with z > 0."""
    p = net.n_variables
    weight = np.concatenate([np.zeros(p), net.deficit])[net.head]
    finite = np.where(np.isfinite(net.capacity), net.capacity, weight)
    charge = size + np.bincount(net.tail, finite, minlength=p)[:p]
    some = (charge > 0.0) & (z > 0.0)
    return float((z[some] / charge[some]).max(initial=0.0))
