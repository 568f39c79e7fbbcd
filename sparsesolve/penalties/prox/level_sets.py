"""Proxes and dual norms of functions whose level sets are cuts of a network.

    argmin_b  |b - v|^2 / 2 + t f(b),        f(b) = int F({b > s}) ds

where F(S) is the least capacity of arcs that leave S with some auxiliary nodes: the edges that
are cut for total variation on a graph, the weights of the groups that S meets for overlapping
groups in the l-infinity norm. The set {b > s} maximises v(S) - s |S| - t F(S), which is a minimum
cut. At the mean level of a region a cut tells which part of it is above and which below; the parts
are regions of their own, their flows stay, and arcs between them are closed. A region whose excess
is routed to the last bit has one value. All regions of a round are routed together.
Given: a `Network`. Returned: the exact minimum but for rounding, and dual norms max_S z(S) / F(S)
by Dinkelbach's iteration.
Reference: Hochbaum, "An efficient algorithm for image segmentation, Markov random fields and
related problems" (2001); Mairal, Jenatton, Obozinski, Bach, "Convex and network flow optimization
for structured sparsity" (2011); Bach, "Learning with submodular functions" (2013), section 9.
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.penalties.prox.flows import Flow

SMALL = 1e-15  # of the largest number: an amount that is rounding
LEFT = 1e-14  # of the largest number, for each node: excess of a region that is rounding
CLOSE = 1e-14  # relative: two values of a ratio that are one
ROUNDS = 1000  # of Dinkelbach's iteration, of which some five are usual


class Network(NamedTuple):
    """Arcs of a network whose first nodes are variables, and the others auxiliary."""

    n_variables: int  # p
    start: np.ndarray  # int32 (N + 1,): arcs start[i] to start[i + 1] leave node i
    head: np.ndarray  # int32 (M,) where each arc leads
    mate: np.ndarray  # int32 (M,) its reverse arc
    capacity: np.ndarray  # (M,) at t = 1
    deficit: np.ndarray  # (N - p,) of auxiliary nodes, at t = 1


def network(n_variables, tail, head, forth, back, deficit=()):
    """The Network of arcs tail -> head of capacity `forth`, and `back` in reverse."""
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
    """argmin_b |b - v|^2 / 2 + t f(b), over b >= 0 if `positive`; a new array (p,)."""
    p, n = net.n_variables, len(net.start) - 1
    given = np.concatenate([v, -t * net.deficit])
    scale = np.abs(v).max(initial=0.0)
    region, value = np.zeros(n, dtype=np.intc), np.zeros(1)
    if not scale > 0.0:
        return np.zeros(p)
    capacity = np.minimum(t * net.capacity, 2.0 * n * scale)  # more is never used
    excess, room = given.copy(), capacity.copy()
    flow = Flow(net.start, net.head, net.mate, room, excess, SMALL * scale)
    live, floor = np.arange(n, dtype=np.intc), positive
    if not floor:
        _to_mean(live, np.zeros(n, dtype=np.intc), excess, value, p)
    while len(live):
        flow.route(live)
        live, region, value = _split(flow, live, region, value, excess, scale)
        if floor:  # what is not above 0 is 0
            live, floor = live[region[live] > 0], False
        flow.close(live, region)
        _to_mean(live, region, excess, value, p)
    value = _values(net, given, t * net.capacity, region, value, positive)
    return value[region[:p]]


def _split(flow, live, region, value, excess, scale):
    """Regions with excess left in two, the part that reaches no deficit with a new number."""
    own, count = region[live], len(value)
    left = np.bincount(own, np.maximum(excess[live], 0.0), minlength=count)
    split = left > LEFT * scale * np.bincount(own, minlength=count)
    new = np.full(count, -1, dtype=np.intc)
    new[split] = count + np.arange(np.count_nonzero(split))
    above = split[own] & (flow.reach[live] == len(region))
    region[live[above]] = new[own[above]]
    return live[split[own]], region, np.concatenate([value, value[split]])


def _to_mean(live, region, excess, value, p):
    """Raise the level of each region to where its excesses sum to 0."""
    if not len(live):
        return
    variables = live[live < p]
    total = np.bincount(region[live], excess[live], minlength=len(value))
    count = np.bincount(region[variables], minlength=len(value))
    mean = np.divide(total, count, out=np.zeros(len(value)), where=count > 0)
    excess[variables] -= mean[region[variables]]
    value += mean


def _values(net, given, capacity, region, value, positive):
    """Values of the regions from the data: flows between them are at capacity, or none."""
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
    """The largest z(S) / (size |S| + F(S)) over sets S, or `above` if that is more."""
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
    """A ratio to begin with: the best of single variables, and of those with z > 0."""
    p = net.n_variables
    tail = np.repeat(np.arange(len(net.start) - 1), np.diff(net.start))
    weight = np.concatenate([np.zeros(p), net.deficit])[net.head]
    finite = np.where(np.isfinite(net.capacity), net.capacity, weight)
    charge = size + np.bincount(tail, finite, minlength=p)[:p]
    some = (charge > 0.0) & (z > 0.0)
    return float((z[some] / charge[some]).max(initial=0.0))
