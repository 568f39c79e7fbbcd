"""Spanning trees of n words under a root: the best one, and sums over all of them.

    score(tree) = sum of A[h, m] over its arcs        A (n + 1, n + 1), node 0 the root

Every word m = 1..n has one head h, and the arcs form no cycle. A[h, m] = -inf forbids an arc; the
diagonal and column 0 are never read. If the root may have one word only, every arc from it has
order 1, and the least order counts. Maxima are over pairs (order, score), and sums keep their
leading terms, in which arcs from the root weigh t -> 0. Both are exact, without large constants.

`best_tree`: Tarjan's algorithm for dense graphs, O(n^2). Follow best heads from any word. If they
close a cycle, merge it: the best arc from u into it is the best of A[u, m] minus the arc that m
gives up. Then heads are read from the last merger down.

`tree_sums`: eliminating word k replaces w[h, m] by w[h, m] + w[h, k] w[k, m] / s_k with s_k the
sum of w[., k]. This keeps the sum over trees up to the factor s_k. Nothing is ever subtracted, so
leading digits stay for any scores; determinants lose them where best heads form cycles. When word
m is left alone, s_m = sum_h w[h, m] P_h, where P_h is the probability that a walk from h to heads
reaches the root before m, and w[h, m] P_h / s_m is the marginal of the arc. Halving the set of
words gives every m its turn in O(n^3). Numbers are logarithms.

References: Tarjan (1977), "Finding optimum branchings"; Camerini, Fratta, Maffioli (1979);
Grassmann, Taksar, Heyman (1985) for the elimination; Koo, Globerson, Carreras, Collins (2007) and
Smith, Smith (2007) for trees.
"""
from libc.math cimport INFINITY, exp, log1p
from libc.string cimport memcpy

import numpy as np

# The order of the number 0, larger than that of any tree.
cdef int NONE = 1 << 20


cdef struct Number:             # the number exp(log) t^order
    int order
    double log


cdef inline Number number(int order, double log) noexcept nogil:
    cdef Number x
    x.order = order if log > -INFINITY else NONE
    x.log = log
    return x


cdef inline Number plus(Number x, Number y) noexcept nogil:
    """Return the leading term of x + y."""
    if x.order != y.order:
        return x if x.order < y.order else y
    if x.order == NONE:
        return x
    if x.log < y.log:
        x, y = y, x
    x.log += log1p(exp(y.log - x.log))
    return x


cdef inline Number times(Number x, Number y) noexcept nogil:
    if x.order == NONE or y.order == NONE:
        return number(NONE, -INFINITY)
    return number(x.order + y.order, x.log + y.log)


cdef inline Number over(Number x, Number y) noexcept nogil:
    """Return x / y for a y that is not zero."""
    if x.order == NONE:
        return x
    return number(x.order - y.order, x.log - y.log)


def best_tree(const double[:, ::1] A, bint single_root):
    """Return the heads (n,) of the words of the best tree, 0 for the root, and its score.

    The score is -inf if there is no tree.
    """
    cdef Py_ssize_t V = A.shape[0], most = 2 * V, c, u, m, k, count = V, depth, first
    # The best arc from u into component c, adjusted; its order, adjusted (less is better); and the
    # word in c at which it ends.
    cdef double[:, ::1] W = np.full((most, V), -np.inf)
    cdef int[:, ::1] R = np.zeros((most, V), dtype=np.intc)
    cdef int[:, ::1] to = np.zeros((most, V), dtype=np.intc)
    cdef int[::1] top = np.arange(V, dtype=np.intc)         # component of a node
    # The component into which a component was merged, and the start of the arc into it.
    cdef int[::1] parent = np.full(most, -1, dtype=np.intc)
    cdef int[::1] enter = np.full(most, -1, dtype=np.intc)
    cdef int[::1] path = np.empty(most, dtype=np.intc)
    # 1 for a node on the path, 2 for a node below the root.
    cdef signed char[::1] state = np.zeros(most, dtype=np.int8)
    cdef int[::1] head = np.full(V, -1, dtype=np.intc)
    cdef double value, score = 0.0
    cdef int order
    with nogil:
        # 1. Every word is a component, with its arcs.
        state[0] = 2
        for m in range(1, V):
            for u in range(V):
                if u != m:
                    W[m, u], R[m, u], to[m, u] = A[u, m], u == 0 and single_root, <int> m
        # 2. Follow best arcs from each word that is not yet below the root.
        for first in range(1, V):
            c, depth = top[first], 0
            while state[c] != 2:
                state[c], path[depth] = 1, <int> c
                depth += 1
                enter[c] = best_arc(&W[c, 0], &R[c, 0], V)
                if enter[c] < 0:
                    with gil:
                        return np.zeros(V - 1, dtype=np.intc), -np.inf
                u = top[enter[c]]
                if state[u] != 1:
                    c = u
                    continue
                # 3. A cycle: merge the part of the path from u on into a new component.
                while True:
                    depth -= 1
                    k = path[depth]
                    parent[k] = <int> count
                    value, order = W[k, enter[k]], R[k, enter[k]]
                    for m in range(V):
                        if W[k, m] > -INFINITY and better(R[k, m] - order, W[k, m] - value,
                                                          &R[count, m], &W[count, m]):
                            W[count, m] = W[k, m] - value
                            R[count, m], to[count, m] = R[k, m] - order, to[k, m]
                    if k == u:
                        break
                for m in range(V):
                    if parent[top[m]] == count:
                        top[m], W[count, m] = <int> count, -INFINITY
                c = count
                count += 1
            # The whole path is now below the root.
            for k in range(depth):
                state[path[k]] = 2
        order = 0
        # 4. Expand components, the last merger first; an arc within a component is given up.
        for c in range(count - 1, 0, -1):
            if enter[c] < 0:
                continue
            m = to[c, enter[c]]
            head[m] = enter[c]
            k = m
            while k != c:
                enter[k] = -1
                k = parent[k]
        for m in range(1, V):
            score += A[head[m], m]
            order += head[m] == 0
    if single_root and order != 1 and V > 1:
        return np.zeros(V - 1, dtype=np.intc), -np.inf
    return np.asarray(head)[1:], score


cdef inline bint better(int order, double value, int* than_order, double* than) noexcept nogil:
    """Return True if (order, value) is better than the current one; -inf is none."""
    return (than[0] == -INFINITY or order < than_order[0]
            or (order == than_order[0] and value > than[0]))


cdef int best_arc(const double* w, const int* order, Py_ssize_t V) noexcept nogil:
    """Return the start of the best arc, the first of equals; -1 for none."""
    cdef int best = -1
    cdef Py_ssize_t u
    for u in range(V):
        if w[u] > -INFINITY and (best < 0 or order[u] < order[best] or
                                 (order[u] == order[best] and w[u] > w[best])):
            best = <int> u
    return best


cdef class TreeSums:
    """Elimination of all words but one, for each word."""

    cdef Py_ssize_t V
    cdef bint failed
    cdef const double[:, ::1] A
    cdef double[:, ::1] mu
    cdef readonly double log_partition
    cdef int root_order
    cdef Number[:, :, ::1] levels       # weights w[h, m] at each depth
    # (V, V) arcs into each eliminated word, over their sum; these sums; and P.
    cdef Number[:, ::1] columns
    cdef Number[::1] sums, walk
    cdef int[::1] gone                  # eliminated words, in order
    cdef signed char[::1] alive
    cdef Py_ssize_t n_gone

    def __init__(self, A, bint single_root):
        cdef Py_ssize_t h, m
        depth = len(A).bit_length() + 2
        kind = np.dtype([("order", np.intc), ("log", np.double)], align=True)
        self.A, self.V, self.root_order = A, len(A), single_root
        self.mu, self.failed, self.log_partition = np.zeros(A.shape), False, np.nan
        self.levels = np.zeros((depth, self.V, self.V), dtype=kind)
        self.columns = np.zeros((self.V, self.V), dtype=kind)
        self.sums = np.zeros(self.V, dtype=kind)
        self.walk, self.gone = np.zeros(self.V, dtype=kind), np.zeros(self.V, dtype=np.intc)
        self.alive, self.n_gone = np.ones(self.V, dtype=np.int8), 0
        for m in range(1, self.V):
            for h in range(self.V):
                self.levels[0, h, m] = number(single_root and h == 0,
                                              -INFINITY if h == m else A[h, m])
        words = np.arange(1, self.V, dtype=np.intc)
        cdef int[::1] each = words
        if self.V == 1:
            self.log_partition = 0.0
            return
        with nogil:
            self.halve(0, &each[0], self.V - 1)

    @property
    def marginals(self):
        """Return P(the head of m is h), (n + 1, n + 1)."""
        return np.asarray(self.mu)

    cdef void halve(self, Py_ssize_t depth, const int* words, Py_ssize_t count) noexcept nogil:
        """Compute the marginals of arcs into these words.

        All other words are eliminated at this depth, but not the root.
        """
        cdef Py_ssize_t half = count // 2, before = self.n_gone, k
        if self.failed:
            return
        if count == 1:
            self.alone(depth, words[0])
            return
        for k in range(half):
            self.eliminate(depth, words[k], k == 0)
        self.halve(depth + 1, words + half, count - half)
        self.restore(before)
        for k in range(half, count):
            self.eliminate(depth, words[k], k == half)
        self.halve(depth + 1, words, half)
        self.restore(before)

    cdef void restore(self, Py_ssize_t before) noexcept nogil:
        while self.n_gone > before:
            self.n_gone -= 1
            self.alive[self.gone[self.n_gone]] = 1

    cdef void eliminate(self, Py_ssize_t depth, int k, bint copy) noexcept nogil:
        """Eliminate word k from the weights of depth + 1, which start as a copy of those above."""
        cdef Number* w = &self.levels[depth + 1, 0, 0]
        cdef Number* share = &self.columns[self.n_gone, 0]
        cdef Number total = number(NONE, -INFINITY)
        cdef Py_ssize_t h, m, V = self.V
        if copy:
            memcpy(w, &self.levels[depth, 0, 0], V * V * sizeof(Number))
        self.alive[k] = 0
        for h in range(V):
            if self.alive[h]:
                total = plus(total, w[h * V + k])
        self.gone[self.n_gone], self.sums[self.n_gone] = k, total
        self.n_gone += 1
        if total.order == NONE:
            self.failed = True
            self.log_partition = -INFINITY
            return
        for h in range(V):
            if self.alive[h]:
                share[h] = over(w[h * V + k], total)
        for m in range(1, V):
            if self.alive[m] and w[k * V + m].order < NONE:
                for h in range(V):
                    if self.alive[h] and h != m and share[h].order < NONE:
                        w[h * V + m] = plus(w[h * V + m], times(share[h], w[k * V + m]))

    cdef void alone(self, Py_ssize_t depth, int m) noexcept nogil:
        """Compute the marginals of arcs into m, the only word left."""
        cdef Number total = self.levels[depth, 0, m], x
        cdef Py_ssize_t t, h, V = self.V
        cdef double most = -INFINITY, sum = 0.0
        if total.order == NONE:
            self.failed = True
            self.log_partition = -INFINITY
            return
        for h in range(V):
            self.walk[h] = number(NONE, -INFINITY)
        self.walk[0] = number(0, 0.0)
        # Heads of gone[t] were eliminated later, or are m or the root.
        for t in range(self.n_gone - 1, -1, -1):
            x = number(NONE, -INFINITY)
            self.alive[self.gone[t]] = 1
            for h in range(V):
                if self.alive[h] and h != self.gone[t]:
                    x = plus(x, times(self.columns[t, h], self.walk[h]))
            self.walk[self.gone[t]] = x
        for t in range(self.n_gone):
            self.alive[self.gone[t]] = 0
        # Divide by the sum of these numbers; that of `total` has other digits for large scores.
        for h in range(V):
            x = number(NONE, -INFINITY)
            if h != m:
                x = times(number(self.root_order and h == 0, self.A[h, m]), self.walk[h])
            self.mu[h, m] = x.log if x.order == total.order else -INFINITY
            most = max(most, self.mu[h, m])
        for h in range(V):
            self.mu[h, m] = exp(self.mu[h, m] - most)
            sum += self.mu[h, m]
        for h in range(V):
            self.mu[h, m] /= sum
        if self.log_partition == self.log_partition:
            return
        for t in range(self.n_gone):
            total = times(total, self.sums[t])
        self.log_partition = total.log
        if total.order != self.root_order:
            self.failed = True
            self.log_partition = -INFINITY
