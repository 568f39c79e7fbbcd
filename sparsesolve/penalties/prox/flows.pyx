"""Flow: routes excess of nodes of a network to deficits, as far as arcs allow; and closed arcs.

    maximise over S   sum_S e_i - sum of c_a over arcs a that leave S        (a minimum cut)

Given: excesses e (N,), of which negative ones are deficits, and arcs with capacities c >= 0, inf
allowed, each with its reverse arc. Returned: flows within the capacities that route as much as
possible. The excess that is left cannot reach a deficit. The largest S is the set of nodes from
which no deficit can be reached along arcs with room, and the excess left on S is the maximum
above. Invariant: a node's distance is at most 1 plus that of any node to which it has an arc with
room, and 0 at deficits; flows conserve the sum of excesses.
The algorithm is first-in, first-out push-relabel. A breadth-first search makes distances exact
whenever the work since the last search exceeds that of a search, or when a level is empty. Flows
are kept between calls, so that a problem near the last one starts from its solution.
Reference: Goldberg, Tarjan, "A new approach to the maximum-flow problem" (1988); Cherkassky,
Goldberg, "On implementing push-relabel method for the maximum flow problem" (1997).

Flows in regions are settled one region at a time, with the arcs between them closed: full from the
higher region to the lower one. The room of a closed arc is kept as a negative number, -r for r, and
nothing takes it. Both directions are closed; the one that still has room leads from
the lower region to the higher one.
"""
from libc.math cimport INFINITY, fabs

import numpy as np


# Distances are made exact after this many scanned arcs for each arc of the network. If a level is
# empty, nothing above it reaches a deficit, and a quarter of these scans is enough. On images of
# 512 x 512, 4 and 8 take 1.2 and 1.4 times as long, .5 takes 1.1 times
# (benchmarks/structured/overlap.py prox).
cdef double SCANS_BETWEEN_SEARCHES = 1.0
cdef double BEFORE_EMPTY_LEVELS = 0.25


cdef struct Graph:              # what `Flow` holds, by pointers
    const int* start
    const int* head
    const int* mate
    double* room
    double* excess
    int* distance
    int* next_arc
    int* queue
    int* level_size
    char* queued
    double small, most_scans, scans
    int n, last                 # the number of nodes; the end of the queue, a ring of n + 1 places


cdef class Flow:
    """Flows on a network, and the excesses that they leave.

    Parameters
    ----------
    start : int32 (N + 1,)
        Arcs start[i] to start[i + 1] leave node i.
    head, mate : int32 (M,)
        Where each arc leads, and its reverse arc.
    room : (M,)
        The residual capacity of each arc, changed in place.
    excess : (N,)
        Changed in place.
    small : float
        Amounts that are rounding.
    """
    cdef const int[::1] start, head, mate
    cdef double[::1] room, excess
    cdef int[::1] distance, next_arc, queue, level_size
    cdef char[::1] queued
    cdef Graph graph
    cdef readonly object reach          # (N,) int32: N where no deficit is reached

    def __init__(self, const int[::1] start, const int[::1] head, const int[::1] mate,
                 double[::1] room, double[::1] excess, double small):
        cdef Py_ssize_t n = excess.shape[0]
        self.start, self.head, self.mate = start, head, mate
        self.room, self.excess = room, excess
        self.reach = np.zeros(n, dtype=np.intc)
        self.distance = self.reach
        self.next_arc, self.queue = np.zeros((2, n + 1), dtype=np.intc)
        self.level_size = np.zeros(n + 2, dtype=np.intc)
        self.queued = np.zeros(n, dtype=np.int8)
        if n and room.shape[0]:
            self.graph = Graph(
                &start[0], &head[0], &self.mate[0], &room[0], &excess[0], &self.distance[0],
                &self.next_arc[0], &self.queue[0], &self.level_size[0], &self.queued[0],
                small, 0.0, 0.0, <int> n, 0,
            )

    def route(self, const int[::1] nodes):
        """Route the excess of `nodes`. Arcs between them and other nodes must have no room."""
        if not nodes.shape[0]:
            return
        if not self.room.shape[0]:      # nothing can move
            for i in nodes:
                self.distance[i] = 0 if self.excess[i] < -self.graph.small else self.excess.shape[0]
            return
        with nogil:
            _route(&self.graph, &nodes[0], nodes.shape[0])

    def close(self, const int[::1] nodes, const int[::1] region):
        """Close the arcs that lead from each of `nodes` to another region.

        A closed arc with room r is kept as -r: no flow takes an arc of negative room.
        """
        cdef Py_ssize_t k
        cdef int i, a
        for k in range(nodes.shape[0]):
            i = nodes[k]
            for a in range(self.start[i], self.start[i + 1]):
                if region[i] != region[self.head[a]]:
                    self.room[a] = -fabs(self.room[a])
                    self.room[self.mate[a]] = -fabs(self.room[self.mate[a]])


cdef void _search(Graph* g, const int* nodes, Py_ssize_t count) noexcept nogil:
    """Compute exact distances to the nearest deficit, backwards along arcs with room."""
    cdef const int* start = g.start
    cdef const int* head = g.head
    cdef const int* mate = g.mate
    cdef const double* room = g.room
    cdef int* distance = g.distance
    cdef int* queue = g.queue
    cdef double small = g.small
    cdef Py_ssize_t k
    cdef int i, j, a, near, far = g.n, first = 0, last = 0
    for k in range(count):
        i = nodes[k]
        g.next_arc[i] = start[i]
        distance[i] = far
        if g.excess[i] < -small:
            distance[i] = 0
            queue[last] = i
            last += 1
    for k in range(count + 1):
        g.level_size[k] = 0
    while first < last:
        j = queue[first]
        first += 1
        near = distance[j]
        g.level_size[near] += 1
        for a in range(start[j], start[j + 1]):
            i = head[a]
            if distance[i] == far and room[mate[a]] > small:
                distance[i] = near + 1
                queue[last] = i
                last += 1


cdef void _route(Graph* g, const int* nodes, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t k, arcs = 0
    cdef int i, first, size = g.n + 1
    for k in range(count):
        arcs += g.start[nodes[k] + 1] - g.start[nodes[k]]
    g.most_scans = SCANS_BETWEEN_SEARCHES * arcs + 16.0
    while True:
        # 1. Exact distances; nodes that hold excess and reach a deficit wait in the queue.
        _search(g, nodes, count)
        first = g.last = 0
        for k in range(count):
            i = nodes[k]
            g.queued[i] = g.excess[i] > g.small and g.distance[i] < g.n
            if g.queued[i]:
                g.queue[g.last] = i
                g.last += 1
        if g.last == 0:
            return
        # 2. Push and relabel until no node waits, or until distances should be made exact.
        g.scans = g.most_scans
        while first != g.last and g.scans > 0.0:
            i = g.queue[first]
            first = first + 1 if first + 1 < size else 0
            g.queued[i] = False
            if g.distance[i] < g.n:
                _discharge(g, i)


cdef inline void _discharge(Graph* g, int i) noexcept nogil:
    """Push the excess of node i towards deficits, and relabel it if some is left."""
    cdef const int* head = g.head
    cdef double* room = g.room
    cdef int* distance = g.distance
    cdef int a, j, nearest, end = g.start[i + 1], old = distance[i]
    cdef double amount, left = g.excess[i], small = g.small
    for a in range(g.next_arc[i], end):
        j = head[a]
        if room[a] > small and distance[j] == old - 1:
            amount = left if left < room[a] else room[a]
            room[a] = 0.0 if amount == room[a] else room[a] - amount
            room[g.mate[a]] += amount
            left = 0.0 if amount == left else left - amount
            g.excess[j] += amount
            if g.excess[j] > small and not g.queued[j]:
                _wait(g, j)
            if left <= small:
                g.excess[i] = left
                g.scans -= a + 1 - g.next_arc[i]
                g.next_arc[i] = a
                return
    g.excess[i] = left
    g.scans -= end - g.next_arc[i] + end - g.start[i]
    # No arc leads nearer. The new distance is one more than that of the nearest neighbour.
    nearest = g.n - 1
    for a in range(g.start[i], end):
        if room[a] > small and distance[head[a]] < nearest:
            nearest = distance[head[a]]
    g.next_arc[i] = g.start[i]
    distance[i] = nearest + 1
    g.level_size[old] -= 1
    if g.level_size[old] == 0 and g.scans < (1.0 - BEFORE_EMPTY_LEVELS) * g.most_scans:
        g.scans = 0.0
    if nearest + 1 < g.n:
        g.level_size[nearest + 1] += 1
        _wait(g, i)


cdef inline void _wait(Graph* g, int i) noexcept nogil:
    """Append node i to the queue."""
    g.queued[i] = True
    g.queue[g.last] = i
    g.last = g.last + 1 if g.last < g.n else 0


def saturate(net, double[::1] room, double[::1] excess, const int[::1] region,
             const double[::1] value):
    """Fill the arcs from each region to those of lower values, and close all between regions."""
    cdef const int[::1] start = net.start, head = net.head, mate = net.mate
    cdef int i, j, a, b, n = <int> excess.shape[0]
    with nogil:
        for i in range(n):
            for a in range(start[i], start[i + 1]):
                j, b = head[a], mate[a]
                if region[i] == region[j] or value[region[i]] < value[region[j]]:
                    continue
                if value[region[i]] > value[region[j]]:
                    excess[i] -= room[a]
                    excess[j] += room[a]
                    room[b], room[a] = room[b] + room[a], 0.0
                room[a], room[b] = -fabs(room[a]), -fabs(room[b])


def reopen(net, double[::1] room, const int[::1] nodes, const int[::1] region):
    """Open the arcs that were closed between nodes of what is one region now."""
    cdef const int[::1] start = net.start, head = net.head
    cdef Py_ssize_t k
    cdef int i, a
    with nogil:
        for k in range(nodes.shape[0]):
            i = nodes[k]
            for a in range(start[i], start[i + 1]):
                if region[i] == region[head[a]]:
                    room[a] = fabs(room[a])


def disordered(net, const double[::1] room, const int[::1] nodes, const int[::1] region,
               const double[::1] value, double order):
    """Return pairs of regions in the wrong order, two arrays, which may hold a pair twice.

    A closed arc of `nodes` says which of its two regions is the lower one. The value of that region
    exceeds the other by more than `order`.
    """
    cdef const int[::1] start = net.start, head = net.head, mate = net.mate
    cdef Py_ssize_t k
    cdef int i, j, a, low, high
    cdef list found = []
    for k in range(nodes.shape[0]):
        i = nodes[k]
        for a in range(start[i], start[i + 1]):
            if room[a] >= 0.0 and room[mate[a]] >= 0.0:
                continue
            j = head[a]
            low, high = (i, j) if room[a] < room[mate[a]] else (j, i)
            if value[region[low]] > value[region[high]] + order:
                found.append((region[low], region[high]))
    pairs = np.array(found, dtype=np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def gained(net, const double[::1] room, const double[::1] capacity, const int[::1] region,
           int count):
    """Return what each region gains from those above it less what it loses to those below,
    (count,).

    The room of closed arcs says which region is above: two regions may end at equal values.
    """
    cdef const int[::1] start = net.start, head = net.head, mate = net.mate
    cdef int i, j, a, n = <int> start.shape[0] - 1
    out = np.zeros(count)
    cdef double[::1] total = out
    with nogil:
        for i in range(n):
            for a in range(start[i], start[i + 1]):
                j = head[a]
                if region[i] == region[j]:
                    continue
                if fabs(room[a]) < fabs(room[mate[a]]) and capacity[a] < INFINITY:
                    total[region[i]] -= capacity[a]
                    total[region[j]] += capacity[a]
    return out


def components(i, j, int n):
    """Return the connected part of each of n nodes, (n,), where edges lead from i to j.

    Parts are numbered in the order of their first nodes.
    """
    cdef const int[::1] tail = np.ascontiguousarray(i, dtype=np.intc)
    cdef const int[::1] head = np.ascontiguousarray(j, dtype=np.intc)
    part = np.arange(n, dtype=np.intc)
    cdef int[::1] parent = part                 # a node before it in its part, or itself
    cdef int a, b, k, count = 0
    with nogil:
        for k in range(<int> tail.shape[0]):
            a, b = _first(parent, tail[k]), _first(parent, head[k])
            parent[max(a, b)] = min(a, b)
        for k in range(n):
            if parent[k] == k:
                parent[k] = count
                count += 1
            else:
                parent[k] = parent[parent[k]]   # which has its number already
    return part


cdef inline int _first(int[::1] parent, int i) noexcept nogil:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
