"""Flow: routes the excess of some nodes of a network to deficits, as far as arcs allow.

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
"""
import numpy as np

# Distances are made exact after this many scanned arcs for each arc of the network. If a level is
# empty, nothing above it reaches a deficit, and a quarter of these scans is enough.
cdef double SCANS_BETWEEN_SEARCHES = 2.0
cdef double BEFORE_EMPTY_LEVELS = 0.25


cdef class Flow:
    """Flows on a network, and the excesses that they leave.

    Parameters
    ----------
    start : int32 (N + 1,)
        Arcs start[i] to start[i + 1] leave node i.
    head, mate : int32 (M,)
        Node at the end of each arc, and its reverse arc.
    room : (M,)
        Remaining capacity of each arc, changed in place.
    excess : (N,)
        Changed in place.
    small : float
        Amounts up to this size are rounding.
    """
    cdef const int[::1] start, head, mate
    cdef double[::1] room, excess
    cdef int[::1] distance, next_arc, queue, level_size
    cdef char[::1] queued
    cdef double small, most_scans
    cdef Py_ssize_t n
    cdef readonly object reach  # (N,) int32: distance to a deficit, N where none can be reached

    def __init__(self, start, head, mate, room, excess, double small):
        self.start, self.head, self.mate = start, head, mate
        self.room, self.excess, self.small = room, excess, small
        self.n = len(excess)
        self.reach = np.zeros(self.n, dtype=np.intc)
        self.distance = self.reach
        self.next_arc, self.queue = np.zeros((2, self.n + 1), dtype=np.intc)
        self.level_size = np.zeros(self.n + 2, dtype=np.intc)
        self.queued = np.zeros(self.n, dtype=np.int8)

    def route(self, const int[::1] nodes):
        """Route the excess of `nodes`. Arcs between them and other nodes must have no room."""
        if nodes.shape[0]:
            with nogil:
                self._route(nodes)

    def close(self, const int[::1] nodes, const int[::1] region):
        """Close the arcs that lead from each of `nodes` to another region."""
        cdef Py_ssize_t k
        cdef int i, a
        for k in range(nodes.shape[0]):
            i = nodes[k]
            for a in range(self.start[i], self.start[i + 1]):
                if region[i] != region[self.head[a]]:
                    self.room[a] = self.room[self.mate[a]] = 0.0

    cdef void _search(self, const int[::1] nodes) noexcept nogil:
        """Compute exact distances to the nearest deficit, backwards along arcs with room."""
        cdef Py_ssize_t k, first = 0, last = 0
        cdef int i, j, a, far = <int> self.n
        for k in range(nodes.shape[0]):
            i = nodes[k]
            self.next_arc[i] = self.start[i]
            self.distance[i] = far
            if self.excess[i] < -self.small:
                self.distance[i] = 0
                self.queue[last] = i
                last += 1
        for k in range(nodes.shape[0] + 1):
            self.level_size[k] = 0
        while first < last:
            j = self.queue[first]
            first += 1
            self.level_size[self.distance[j]] += 1
            for a in range(self.start[j], self.start[j + 1]):
                i = self.head[a]
                if self.distance[i] == far and self.room[self.mate[a]] > self.small:
                    self.distance[i] = self.distance[j] + 1
                    self.queue[last] = i
                    last += 1

    cdef void _route(self, const int[::1] nodes) noexcept nogil:
        cdef Py_ssize_t k, size = self.n + 1, first, last, arcs = 0
        cdef double scans
        cdef int i, far = <int> self.n
        for k in range(nodes.shape[0]):
            arcs += self.start[nodes[k] + 1] - self.start[nodes[k]]
        while True:
            # 1. Exact distances; nodes that hold excess and reach a deficit wait in the queue.
            self._search(nodes)
            first = last = 0
            for k in range(nodes.shape[0]):
                i = nodes[k]
                self.queued[i] = self.excess[i] > self.small and self.distance[i] < far
                if self.queued[i]:
                    self.queue[last] = i
                    last += 1
            if last == 0:
                return
            # 2. Push and relabel until no node waits, or until distances should be made exact.
            scans = self.most_scans = SCANS_BETWEEN_SEARCHES * arcs + 16.0
            while first != last and scans > 0.0:
                i = self.queue[first]
                first = first + 1 if first + 1 < size else 0
                self.queued[i] = False
                if self.distance[i] < far:
                    last = self._discharge(i, last, &scans)

    cdef Py_ssize_t _discharge(self, int i, Py_ssize_t last, double* scans) noexcept nogil:
        """Push the excess of node i towards deficits; return the new end of the queue."""
        cdef int a, j, nearest, end = self.start[i + 1], old = self.distance[i]
        cdef double amount
        for a in range(self.next_arc[i], end):
            j = self.head[a]
            if self.room[a] > self.small and self.distance[j] == old - 1:
                amount = self.excess[i] if self.excess[i] < self.room[a] else self.room[a]
                self.room[a] = 0.0 if amount == self.room[a] else self.room[a] - amount
                self.room[self.mate[a]] += amount
                self.excess[i] = 0.0 if amount == self.excess[i] else self.excess[i] - amount
                self.excess[j] += amount
                if self.excess[j] > self.small and not self.queued[j]:
                    last = self._wait(j, last)
                if self.excess[i] <= self.small:
                    scans[0] -= a + 1 - self.next_arc[i]
                    self.next_arc[i] = a
                    return last
        scans[0] -= end - self.next_arc[i] + end - self.start[i]
        # No arc leads nearer. The new distance is one more than that of the nearest neighbour.
        nearest = <int> self.n - 1
        for a in range(self.start[i], end):
            if self.room[a] > self.small and self.distance[self.head[a]] < nearest:
                nearest = self.distance[self.head[a]]
        self.next_arc[i] = self.start[i]
        self.distance[i] = nearest + 1
        self.level_size[old] -= 1
        if self.level_size[old] == 0 and scans[0] < (1.0 - BEFORE_EMPTY_LEVELS) * self.most_scans:
            scans[0] = 0.0
        if nearest + 1 < <int> self.n:
            self.level_size[nearest + 1] += 1
            last = self._wait(i, last)
        return last

    cdef Py_ssize_t _wait(self, int i, Py_ssize_t last) noexcept nogil:
        """Append node i to the queue; return the new end."""
        self.queued[i] = True
        self.queue[last] = i
        return last + 1 if last < self.n else 0
