"""Proxes and dual norms of functions whose level sets are minimum cuts of a network.

    argmin_b  |b - v|^2 / 2 + t f(b),        f(b) = int F({b > s}) ds

where F(S) is the least capacity of arcs that leave S together with some auxiliary nodes. For
total variation on a graph F(S) is the weight of the edges that are cut; for overlapping groups in
the l-infinity norm it is the weight of the groups that S meets. The set {b > s} maximises v(S) -
s |S| - t F(S), which is a minimum cut. Dual norms max_S z(S) / F(S) are found by Dinkelbach's
iteration. A region is a part of the network that has one value.

Given: a Network, v, t, and a beginning: one region that holds all nodes, or the flows and regions
of a problem nearby, or of an approximate solution. Returned: values that are exact but for
rounding, and flows that prove it.
Invariant: arcs between regions are closed, full from the higher value to the lower one.
1. In each region, excesses over its mean are routed to deficits. If some are left, the part that
   reaches no deficit has higher values than the other: the region is split, until none has any.
2. Where a region ends higher than one from which closed arcs lead to it, the two are joined and
   settled again. From one region this does not occur; it mends a beginning that split too much.
When both are done all conditions of the optimum hold: flows within the capacities, full between
different values, whose divergence is v - b.
Reference: Hochbaum, "An efficient algorithm for image segmentation, Markov random fields and
related problems" (2001); Mairal, Jenatton, Obozinski, Bach, "Convex and network flow optimization
for structured sparsity" (2011); Bach, "Learning with submodular functions" (2013), section 9.
"""

from typing import NamedTuple

import numpy as np

from sparsesolve.penalties.prox.flows import Flow, components, disordered, gained, reopen, saturate

# An amount below this fraction of the largest number is rounding.
SMALL = 1e-15
# An excess of a region below this fraction of the largest number, for each node, is rounding, as
# is such a rise of a ratio.
LEFT = 1e-14
# Values may be in the wrong order by this fraction of the largest number.
ORDER = 1e-13
# After this many rounds of joining, all regions are made one, from which no join is needed.
JOINS = 20


class Flows(NamedTuple):
    """Where to begin: net flows (M,) along the arcs, of problems with this t, and regions (N,)."""

    flow: np.ndarray
    region: np.ndarray  # intc; 0 is what stays at 0 where values are positive
    t: float


class Regions:
    """The regions of the nodes and their values, flows, and what is left of the excesses.

    `live` are the nodes of regions that are not settled yet. With `positive`, region 0 is the
    floor: its value stays 0.
    """

    def __init__(self, net, v, t, scale, positive):
        self.net, self.t, self.scale, self.floor = net, t, scale, positive
        self.p, self.n = net.n_variables, len(net.start) - 1
        self.given = np.concatenate([v, -t * net.deficit])
        # No flow needs more than the excesses of all nodes.
        self.capacity = np.minimum(t * net.capacity, 2.0 * self.n * scale)

    def one(self):
        """Begin with one region and no flows."""
        self.region, self.value = np.zeros(self.n, dtype=np.intc), np.zeros(1)
        self._start(self.capacity.copy(), self.given.copy())
        self.live = np.arange(self.n, dtype=np.intc)
        self._to_mean()

    def begin(self, near):
        """Begin with the flows and regions of `near`."""
        net = self.net
        flow = near.flow if near.t == self.t else near.flow * (self.t / near.t)
        flow = np.clip(flow, -self.capacity[net.mate], self.capacity)
        self._start(self.capacity - flow, self.given - np.bincount(net.tail, flow, self.n))
        self.region = near.region.copy()
        self.value = np.zeros(int(self.region.max()) + 1)
        if self.n > self.p:
            label = self._relabel(*self._without_variables())
            self.region, self.value = label[self.region], np.zeros(label.max() + 1)
        self.live = np.arange(self.n, dtype=np.intc)
        place = self._join_uncut()
        saturate(net, self.room, self.excess, self.region, place)
        self._to_mean()

    def _start(self, room, excess):
        self.room, self.excess, net = room, excess, self.net
        self.work = Flow(net.start, net.head, net.mate, room, excess, SMALL * self.scale)

    def _means(self):
        """Return the mean excess per variable of the live regions, (R,); 0 for all others."""
        region, count = self.region[self.live], len(self.value)
        total = np.bincount(region, self.excess[self.live], minlength=count)
        number = np.bincount(region[self.live < self.p], minlength=count)
        mean = np.divide(total, number, out=np.zeros(count), where=number > 0)
        if self.floor:
            mean[0] = 0.0
        return mean

    def _to_mean(self):
        """Raise the value of each region to where its excesses sum to 0."""
        mean = self._means()
        variables = self.live[self.live < self.p]
        self.excess[variables] -= mean[self.region[variables]]
        self.value += mean

    def settle(self):
        """Split and join regions until values, flows and order are those of the optimum."""
        for k in range(JOINS + 1):
            changed = self.live
            self._split_all()
            low, high = self._disordered(changed)
            if not len(low):
                return
            if k == JOINS - 1:
                low, high = np.arange(1, len(self.value)), np.zeros(len(self.value) - 1, np.intp)
            self._join(low, high)

    def _split_all(self):
        """Split regions until the excess of each is routed."""
        self.live = self.live[self._left()[self.region[self.live]]]
        while len(self.live):
            self.work.route(self.live)
            self._split()
            self.work.close(self.live, self.region)
            self._to_mean()

    def _left(self):
        """Return a mask of the regions that have excess left, (R,)."""
        own, count = self.region[self.live], len(self.value)
        left = np.bincount(own, np.maximum(self.excess[self.live], 0.0), minlength=count)
        return left > LEFT * self.scale * np.bincount(own, minlength=count)

    def _split(self):
        """Split regions with excess left; the part that reaches no deficit gets a new number."""
        live, count = self.live, len(self.value)
        own, above = self.region[live], self.work.reach[live] == self.n
        part = np.bincount(own, above, minlength=count)
        whole = part == np.bincount(own, minlength=count)  # their deficits are rounding
        if self.floor:
            whole[0] = False
        split = self._left() & ~whole
        new = np.full(count, -1, dtype=np.intc)
        new[split] = count + np.arange(np.count_nonzero(split))
        above &= split[own]
        self.region[live[above]] = new[own[above]]
        self.value = np.concatenate([self.value, self.value[split]])
        kept = split[own]
        if self.floor:  # what stays in the floor has 0 for its value
            kept &= self.region[live] > 0
        self.live = live[kept]

    def _disordered(self, changed):
        """Return pairs of regions, the first higher than the second, which it must not be."""
        order = ORDER * self.scale
        low, high = disordered(self.net, self.room, changed, self.region, self.value, order)
        if self.floor:
            below = np.flatnonzero(self.value < -order)
            low, high = np.append(low, below), np.append(high, np.zeros(len(below), np.intp))
        if self.n > self.p:
            i, j = self._without_variables()
            low, high = np.append(low, i), np.append(high, j)
        return low, high

    def _without_variables(self):
        """Return pairs of regions: one with variables, one of auxiliary nodes alone."""
        empty = np.bincount(self.region[: self.p], minlength=len(self.value)) == 0
        if not empty.any():
            return (), ()
        tail, head = self.region[self.net.tail], self.region[self.net.head]
        some = empty[head] & (tail != head)
        return tail[some], head[some]

    def _join(self, low, high):
        """Join regions that pairs connect; `live` are then the nodes of those that changed."""
        label = self._relabel(low, high)
        joined = (np.bincount(label) > 1)[label]
        value, self.value = self.value, np.zeros(label.max() + 1)
        self.value[label[~joined]] = value[~joined]
        self.live = np.flatnonzero(joined[self.region]).astype(np.intc)
        variables = self.live[self.live < self.p]
        self.excess[variables] += value[self.region[variables]]
        self.region = label[self.region]
        reopen(self.net, self.room, self.live, self.region)
        self._to_mean()

    def _relabel(self, low, high):
        """Return new numbers of the regions, (R,), one for those that pairs connect; 0 stays 0."""
        return components(low, high, len(self.value))

    def _join_uncut(self):
        """Join regions where arcs that cannot be full lead from the higher to the lower one, and
        return the rank of each region that is left, from the lowest value up, (R,)."""
        endless = np.flatnonzero(np.isinf(self.net.capacity))
        tail, head = self.net.tail[endless], self.net.head[endless]
        while True:
            value, place = self._means(), np.empty(len(self.value))
            place[np.argsort(value, kind="stable")] = np.arange(len(value))
            i, j = self.region[tail], self.region[head]
            wrong = place[i] > place[j]
            low, high = i[wrong], j[wrong]
            if self.floor:
                below = np.flatnonzero(value < 0.0)
                low, high = np.append(low, below), np.append(high, np.zeros(len(below), np.intp))
            if not len(low):
                return place
            label = self._relabel(low, high)
            self.region, self.value = label[self.region], np.zeros(label.max() + 1)

    def values(self):
        """Return b (p,), computed from v and t: arcs between regions are full or empty."""
        value = self.value
        total = np.bincount(self.region, self.given, minlength=len(value))
        total += gained(self.net, self.room, self.t * self.net.capacity, self.region, len(value))
        count = np.bincount(self.region[: self.p], minlength=len(value))
        mean = np.divide(total, count, out=value.copy(), where=count > 0)
        if self.floor:
            mean[0] = 0.0
            mean = np.maximum(mean, 0.0)
        return mean[self.region[: self.p]]

    def flows(self):
        """Return the flows and regions, a start for a problem nearby."""
        return Flows(self.capacity - np.abs(self.room), self.region, self.t)


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
    for _ in range(1000):  # of Dinkelbach's rounds some five are usual
        flow.route(nodes)
        inside = flow.reach == len(nodes)
        leaving = inside[tail] & ~inside[net.head]
        charge = size * np.count_nonzero(inside[:p]) + net.capacity[leaving].sum()
        charge += net.deficit[inside[p:]].sum()
        total = z[inside[:p]].sum()
        if not charge > 0.0 or not total > ratio * (1.0 + LEFT) * charge:
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
