"""Scores of arcs from templates, and online steps on sentences.

    A[h, m] = sum_t c_t V[place of template t's value at (h, m)]        V (2^bits,)

The value of a template is determined by its parts of the head, of the word, and of their distance
and direction. Each part is a code of 64 bits, computed once for each position. Their sum is
hashed to a place, so a look-up costs one multiplication and one cache miss. Values that share a
place share its weight. If templates are shrunk by groups, a place belongs to the template that
wrote it last. Norms of templates are then exact, and a template that is shrunk to 0 is forgotten
at once, by a new version.

Exact features have a table of their codes next to V, with linear probing, at most half full: a
value gets a place when a step first touches it, and the table doubles. Codes have 64 bits, so
that among a million values a collision has a probability of 3e-8.

MIRA: with the best tree under scores plus wrong heads, w += tau (phi(y) - phi(y^)), tau = min(C,
loss / |difference|^2). SPOM: w += eta (phi(y) - phi(y^)); the caller shrinks c by template, see
spom_learner. With the log loss phi(y^) is the mean of phi under the model, by the marginals of
arcs. The squared difference counts every template of a wrong word twice, as if no two
values shared a place. Reference: Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), "Online
passive-aggressive algorithms"; McDonald, Crammer, Pereira (2005), "Online large-margin training
of dependency parsers"; Weinberger et al. (2009) on hashing.
"""
from libc.stdint cimport uint64_t

import numpy as np

from sparsesolve.structured.tree import TreeSums, best_tree

# Distances up to this have codes of their own; 6 to 10 share one, and larger ones share another.
# Chosen as in McDonald, Crammer, Pereira (2005).
DEF NEAR = 5

# A step of the log loss leaves out arcs whose probability is below this: most of the n^2 arcs of a
# sentence. What they would have changed is at most this times eta for each weight.
cdef double NEGLIGIBLE = 1e-4

NO_KEYS = np.zeros(0, dtype=np.uint64)

cdef uint64_t ODD = 0x9E3779B97F4A7C15ULL


cdef class ArcPass:
    """Sentences as codes, and weights.

    Parameters
    ----------
    head, word : (positions, T) uint64, positions of each sentence after one of its root
    apart : (T,) 0 neither, 1 direction, 2 distance and direction
    ptr : (N + 1,) where sentences begin, roots included
    V, total : (2^bits,) float64 weights, and the sums for their mean
    keys : (2^bits,) uint64 codes of exact features, 0 for none; empty if places are hashed
    c, square : (T,) multiplier of each template, and squared norm of its stored weights
    owner : (2^bits,) uint32 version T + template of a place; empty if places are shared
    version : (T,) uint32
    """

    cdef const uint64_t[:, ::1] head, word
    cdef const int[::1] apart
    cdef const long long[::1] ptr
    cdef readonly double[::1] V, total, c, square
    cdef uint64_t mask
    cdef Py_ssize_t T
    cdef readonly unsigned int[::1] owner, version
    cdef readonly uint64_t[::1] keys
    cdef readonly Py_ssize_t held               # places taken by exact features
    cdef bint owned, exact

    def __init__(self, head, word, apart, ptr, V, total, c, square, owner, version, keys=NO_KEYS):
        self.head, self.word, self.apart, self.ptr = head, word, apart, ptr
        self.V, self.total, self.c, self.square = V, total, c, square
        self.mask, self.T = len(V) - 1, len(c)
        self.owner, self.version, self.owned = owner, version, len(owner) > 0
        self.keys, self.exact, self.held = keys, len(keys) > 0, np.count_nonzero(keys)

    cdef inline uint64_t value(self, Py_ssize_t t, Py_ssize_t h, Py_ssize_t m,
                               const uint64_t* code) noexcept nogil:
        """Return the value of template t at an arc: 64 bits, never 0."""
        cdef uint64_t x = (self.head[h, t] + self.word[m, t] + code[self.apart[t]]) * ODD
        x ^= x >> 29
        x *= ODD
        return x if x else 1

    cdef inline Py_ssize_t place(self, uint64_t x) noexcept nogil:
        """Return the place of a value's weight; for an exact feature without one, ~(its future
        place).
        """
        cdef uint64_t at = x >> 20 & self.mask
        if not self.exact:
            return at
        while self.keys[at]:
            if self.keys[at] == x:
                return at
            at = at + 1 & self.mask
        return ~(<Py_ssize_t> at)

    def fill(self, const uint64_t[::1] keys, const double[::1] V, const unsigned int[::1] owner):
        """Put exact features into an empty table."""
        cdef Py_ssize_t i, at
        self.grow(keys.shape[0])
        for i in range(keys.shape[0]):
            at = self.place(keys[i])
            at = at if at >= 0 else ~at
            self.keys[at], self.V[at] = keys[i], V[i]
            if self.owned:
                self.owner[at] = owner[i]
        self.held = keys.shape[0]

    def grow(self, Py_ssize_t more):
        """Make room for `more` new exact features."""
        cdef Py_ssize_t i, at
        cdef uint64_t[::1] keys = self.keys
        cdef double[::1] V = self.V, total = self.total
        cdef unsigned int[::1] owner = self.owner
        cdef Py_ssize_t size = V.shape[0]
        while 2 * (self.held + more) > size:
            size *= 2
        if size == V.shape[0]:
            return
        self.keys, self.V, self.mask = np.zeros(size, dtype=np.uint64), np.zeros(size), size - 1
        self.total = np.zeros(size if len(total) else 0)
        self.owner = np.zeros(size if self.owned else 0, dtype=np.uintc)
        for i in range(keys.shape[0]):
            if keys[i]:
                at = ~self.place(keys[i])
                self.keys[at], self.V[at] = keys[i], V[i]
                if total.shape[0]:
                    self.total[at] = total[i]
                if self.owned:
                    self.owner[at] = owner[i]

    cdef void codes(self, Py_ssize_t h, Py_ssize_t m, uint64_t* code) noexcept nogil:
        """Compute the codes of neither, of direction, and of distance between positions h and m.
        """
        cdef Py_ssize_t far = m - h if m > h else h - m
        if far > NEAR:
            far = NEAR + 1 if far <= 10 else NEAR + 2
        code[0] = 0
        code[1] = <uint64_t> (1 + (m > h)) << 40
        code[2] = <uint64_t> (16 + 2 * far + (m > h)) << 40

    @property
    def n_templates(self):
        """T."""
        return self.T

    def values(self, Py_ssize_t s):
        """Return the values of all templates at all arcs of sentence s, (L + 1, L + 1, T) uint64;
        0 where there is no arc.
        """
        cdef Py_ssize_t first = self.ptr[s], size = self.ptr[s + 1] - first, h, m, t
        cdef uint64_t[:, :, ::1] found = np.zeros((size, size, self.T), dtype=np.uint64)
        cdef uint64_t code[3]
        for m in range(1, size):
            for h in range(size):
                if h != m:
                    self.codes(h, m, code)
                    for t in range(self.T):
                        found[h, m, t] = self.value(t, first + h, first + m, code)
        return np.asarray(found)

    def scores(self, Py_ssize_t s):
        """Return the scores A (L + 1, L + 1) of sentence s."""
        cdef Py_ssize_t first = self.ptr[s], size = self.ptr[s + 1] - first, h, m, t
        cdef double[:, ::1] A = np.zeros((size, size))
        cdef uint64_t code[3]
        cdef Py_ssize_t at
        cdef double value
        with nogil:
            for m in range(1, size):
                for h in range(size):
                    if h == m:
                        continue
                    self.codes(h, m, code)
                    value = 0.0
                    for t in range(self.T):
                        at = self.place(self.value(t, first + h, first + m, code))
                        if at < 0:
                            continue
                        if not self.owned or self.owner[at] == self.version[t] * self.T + t:
                            value += self.c[t] * self.V[at]
                    A[h, m] = value
        return np.asarray(A)

    cdef void add(self, Py_ssize_t s, Py_ssize_t h, Py_ssize_t m, double by,
                  double count) noexcept nogil:
        """Add `by` times phi of the arc to w, and its part to the sums for the mean; update
        squares.
        """
        cdef Py_ssize_t first = self.ptr[s], t
        cdef uint64_t code[3]
        cdef uint64_t x
        cdef Py_ssize_t at
        cdef double step
        self.codes(h, m, code)
        for t in range(self.T):
            x, step = self.value(t, first + h, first + m, code), by / self.c[t]
            at = self.place(x)
            if at < 0:
                at = ~at
                self.keys[at] = x
                self.held += 1
            if self.owned:
                self.take(t, at)
            self.square[t] += step * (2.0 * self.V[at] + step)
            self.V[at] += step
            if count > 0.0:
                self.total[at] += count * step

    cdef void take(self, Py_ssize_t t, Py_ssize_t at) noexcept nogil:
        """Make template t the owner of a place."""
        cdef unsigned int own = <unsigned int> (self.version[t] * self.T + t)
        cdef Py_ssize_t other = self.owner[at] % self.T
        if self.owner[at] == own:
            return
        if self.owner[at] == self.version[other] * self.T + other:
            self.square[other] -= self.V[at] * self.V[at]
        self.owner[at], self.V[at] = own, 0.0

    cdef void move(self, Py_ssize_t s, const int[::1] gold, const int[::1] found, double by,
                   double count) noexcept nogil:
        cdef Py_ssize_t m
        for m in range(gold.shape[0]):
            if gold[m] != found[m]:
                self.add(s, gold[m], m + 1, by, count)
                self.add(s, found[m], m + 1, -by, count)

    def step(self, Py_ssize_t s, const int[::1] gold, bint single_root, double limit, double eta,
             double count):
        """Take one step on sentence s; return its hinge loss. With eta = 0 it is MIRA with this
        limit.

        With count > 0 the mean of iterates is V - total / count at the end.
        """
        cdef Py_ssize_t m, wrong = 0
        cdef double along = 0.0, tau = eta
        A = self.scores(s)
        cdef double[:, ::1] costly = A + 1.0
        for m in range(gold.shape[0]):
            costly[gold[m], m + 1] -= 1.0
        found, score = best_tree(np.asarray(costly), single_root)
        cdef const int[::1] best = found
        for m in range(gold.shape[0]):
            along += costly[gold[m], m + 1]
            wrong += gold[m] != best[m]
        along = score - along
        if wrong == 0 or along <= 0.0:
            return 0.0
        if self.exact:
            self.grow(2 * self.T * wrong)
        if eta == 0.0:
            tau = min(limit, along / (2.0 * self.T * wrong))
        self.move(s, gold, best, tau, count)
        return along

    def log_step(self, Py_ssize_t s, const int[::1] gold, bint single_root, double eta,
                 double count):
        """Take one step of the log loss on sentence s; return its loss before.

        With count > 0 every change is added to `total` with this factor.
        """
        cdef Py_ssize_t size = gold.shape[0] + 1, h, m, arcs = 0
        A = self.scores(s)
        sums = TreeSums(A, single_root)
        cdef double[:, ::1] D = -sums.marginals
        cdef const double[:, ::1] score = A
        cdef double loss = sums.log_partition
        for m in range(1, size):
            D[gold[m - 1], m] += 1.0
            loss -= score[gold[m - 1], m]
        for m in range(1, size):
            for h in range(size):
                arcs += abs(D[h, m]) > NEGLIGIBLE
        if self.exact:
            self.grow(self.T * arcs)
        for m in range(1, size):
            for h in range(size):
                if abs(D[h, m]) > NEGLIGIBLE:
                    self.add(s, h, m, eta * D[h, m], count)
        return max(loss, 0.0)
