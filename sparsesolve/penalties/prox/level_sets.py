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

# An amount below this fraction of the largest number is rounding.
SMALL = 1e-15
# The excess of a region is rounding below this fraction of the largest number for each node.
LEFT = 1e-14
# Relative difference up to which two values of a ratio count as equal.
CLOSE = 1e-14
# Most rounds of Dinkelbach's iteration; some five are usual.
ROUNDS = 1000


class Network(NamedTuple):
    """Arcs of a network. The first nodes are variables, the others auxiliary."""

    n_variables: int  # p
    start: np.ndarray  # int32 (N + 1,): arcs start[i] to start[i + 1] leave node i
    head: np.ndarray  # int32 (M,) node at the end of each arc
    mate: np.ndarray  # int32 (M,) reverse arc of each arc
    capacity: np.ndarray  # (M,) at t = 1
    deficit: np.ndarray  # (N - p,) of auxiliary nodes, at t = 1


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
    return Network(n_variables, start, heads, mate, capacity, np.array(deficit, dtype=float))


def prox_levels(net, v, t, positive=False):
    """Return argmin_b |b - v|^2 / 2 + t f(b), over b >= 0 if `positive`; a new array (p,)."""
    p, n = net.n_variables, len(net.start) - 1
    given = np.concatenate([v, -t * net.deficit])
    scale = np.abs(v).max(initial=0.0)
    region, value = np.zeros(n, dtype=np.intc), np.zeros(1)
    if not scale > 0.0:
        return np.zeros(p)
    capacity = np.minimum(t * net.capacity, 2.0 * n * scale)  # no flow uses more
    excess, room = given.copy(), capacity.copy()
    flow = Flow(net.start, net.head, net.mate, room, excess, SMALL * scale)
    live, floor = np.arange(n, dtype=np.intc), positive
    if not floor:
        _to_mean(live, np.zeros(n, dtype=np.intc), excess, value, p)
    while len(live):
        flow.route(live)
        live, region, value = _split(flow, live, region, value, excess, scale)
        if floor:  # values that are not above 0 become 0
            live, floor = live[region[live] > 0], False
        flow.close(live, region)
        _to_mean(live, region, excess, value, p)
    value = _values(net, given, t * net.capacity, region, value, positive)
    return value[region[:p]]


def _split(flow, live, region, value, excess, scale):
    """Split regions with excess in two; the part that reaches no deficit gets a new number."""
    own, count = region[live], len(value)
    left = np.bincount(own, np.maximum(excess[live], 0.0), minlength=count)
    split = left > LEFT * scale * np.bincount(own, minlength=count)
    new = np.full(count, -1, dtype=np.intc)
    new[split] = count + np.arange(np.count_nonzero(split))
    above = split[own] & (flow.reach[live] == len(region))
    region[live[above]] = new[own[above]]
    return live[split[own]], region, np.concatenate([value, value[split]])


def _to_mean(live, region, excess, value, p):
    """Raise the level of each region to the value at which its excesses sum to 0."""
    if not len(live):
        return
    variables = live[live < p]
    total = np.bincount(region[live], excess[live], minlength=len(value))
    count = np.bincount(region[variables], minlength=len(value))
    mean = np.divide(total, count, out=np.zeros(len(value)), where=count > 0)
    excess[variables] -= mean[region[variables]]
    value += mean


def _values(net, given, capacity, region, value, positive):
    """Return the values of the regions from the data: flows between regions are at capacity or 0.
    """
    total = np.bincount(region, given, minlength=len(value))
    tail = region[np.repeat(np.arange(len(given)), np.diff(net.start))]
    head = region[net.head]
    across = np.flatnonzero((value[tail] > value[head]) & np.isfinite(capacity))
    full = capacity[across]
    total -= np.bincount(tail[across], full, minlength=len(value))
    total += np.bincount(head[across], full, minlength=len(value))
    count = np.bincount(region[: net.n_variables], minlength=len(value))
    mean = np.divide(total, count, out=value.copy(), where=count > 0)
    if positive:
        mean[0] = 0.0
        return np.maximum(mean, 0.0)
    return mean


def largest_ratio(net, z, size, above=0.0):
    """Return the largest z(S) / (size |S| + F(S)) over sets S, or `above` if that is more."""
    p = net.n_variables
    scale = np.abs(z).max(initial=0.0)
    ratio = max(above, _alone(net, z, size))
    if not scale > 0.0 or not ratio > 0.0:
        return max(above, 0.0)
    tail = np.repeat(np.arange(len(net.start) - 1), np.diff(net.start))
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
    tail = np.repeat(np.arange(len(net.start) - 1), np.diff(net.start))
    weight = np.concatenate([np.zeros(p), net.deficit])[net.head]
    finite = np.where(np.isfinite(net.capacity), net.capacity, weight)
    charge = size + np.bincount(tail, finite, minlength=p)[:p]
    some = (charge > 0.0) & (z > 0.0)
    return float((z[some] / charge[some]).max(initial=0.0))
