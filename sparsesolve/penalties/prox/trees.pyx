"""Norms summed over nested groups: proximal operators and dual norms by passes over the tree.

    Omega(b) = sum_j leaf_j |b_j| + sum_g w_g N(b_g),      N the l2 or the linf norm

Any two groups are disjoint, or one holds the other. The prox of the sum is the composition of the
proxes of its terms, inner groups first (Jenatton et al., theorem 1). Given: a Tree, in which
groups stand before the groups that hold them. Each group adds one number to its parent, so that
no group touches the features of the groups inside it:

    l2      the squared length that is left; scales are multiplied on the way down: O(p)
    linf    a heap of sizes, those cut to one level as one entry with a count, since what is cut
            stays equal: every entry is taken out once, O(p log p)

The rest of a group at level t is r_g = [(sum r_c^2)^(1/2) - t w_g]_+ under l2 and [sum r_c - t
w_g]_+ under linf (the l1 norm that remains). It is convex in t. So Newton's method rises to the
dual norm, the least t at which the rest is 0 at the roots.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011), algorithms 1 to 3; Bach et al. 2012, section 3.3.
"""
from libc.math cimport INFINITY, copysign, fabs, sqrt

from typing import NamedTuple

import numpy as np

# A step of this relative size is rounding.
cdef double CLOSE = 4e-16


class Tree(NamedTuple):
    """Nested groups of p features; a group of one feature is its leaf."""

    node_of: np.ndarray         # (p,) the smallest group of two or more with the feature, or -1
    leaf: np.ndarray            # (p,) weight of the feature's own size
    parent: np.ndarray          # (G,) the smallest group that holds the group, or -1; above g
    weight: np.ndarray          # (G,)


def nest(const Py_ssize_t[::1] start, const Py_ssize_t[::1] member, Py_ssize_t p):
    """Return the smallest group of each feature, and the smallest group that holds each group.

    Groups g = member[start[g]:start[g + 1]] come by size, the smallest first. Returns (node_of
    (p,), parent (G,), None), or, if two groups cross, with (inner, g) in place of None.
    """
    cdef Py_ssize_t n = start.shape[0] - 1, g, i, j, r
    node_of, parent = np.full(p, -1, dtype=np.intp), np.full(n, -1, dtype=np.intp)
    cdef Py_ssize_t[::1] own = node_of, up = parent, top = node_of.copy()
    cdef Py_ssize_t[::1] hits = np.zeros(n, dtype=np.intp)
    for g in range(n):
        for i in range(start[g], start[g + 1]):
            if top[member[i]] >= 0:
                hits[top[member[i]]] += 1
        for i in range(start[g], start[g + 1]):
            j = member[i]
            r = top[j]
            if r < 0:
                own[j] = g
            elif hits[r] > 0:
                if hits[r] != start[r + 1] - start[r]:
                    return node_of, parent, (r, g)
                up[r], hits[r] = g, 0
            top[j] = g
    return node_of, parent, None


def part_of(tree, const Py_ssize_t[::1] which):
    """Return the tree of the features `which` alone, without groups that have none of them."""
    cdef const Py_ssize_t[::1] up = tree.parent
    cdef Py_ssize_t n = up.shape[0], g, count = 0
    node_of = tree.node_of[which]
    number = np.full(n + 1, -1, dtype=np.intp)              # the last entry stands for no group
    number[node_of] = 0
    number[n] = -1
    cdef Py_ssize_t[::1] new = number
    for g in range(n):
        if new[g] >= 0:
            new[g] = count
            count += 1
            if up[g] >= 0:
                new[up[g]] = 0
    kept = number[:n] >= 0
    return Tree(number[node_of], tree.leaf[which], number[tree.parent[kept]], tree.weight[kept])


def groups_of(tree, const Py_ssize_t[::1] which):
    """Return the groups that hold each feature of `which`, in turn: (starts, groups)."""
    cdef const Py_ssize_t[::1] up = tree.parent, own = tree.node_of
    cdef Py_ssize_t n = up.shape[0], m = which.shape[0], i, g, k = 0
    depths, starts = np.ones(n + 1, dtype=np.intp), np.zeros(m + 1, dtype=np.intp)
    cdef Py_ssize_t[::1] depth = depths
    for g in range(n - 1, -1, -1):
        depth[g] += depth[up[g]] if up[g] >= 0 else 0
    depth[n] = 0                                            # depth of -1, no group
    starts[1:] = np.cumsum(depths[tree.node_of[which]])
    found = np.empty(starts[m], dtype=np.intp)
    cdef Py_ssize_t[::1] groups = found
    for i in range(m):
        g = own[which[i]]
        while g >= 0:
            groups[k] = g
            k += 1
            g = up[g]
    return starts, found


def sums_above(tree, const double[::1] x):
    """Return for each feature the sum of x (G,) over the groups that hold it, (p,)."""
    cdef const Py_ssize_t[::1] up = tree.parent
    cdef Py_ssize_t n = up.shape[0], g
    sums = np.zeros(n + 1)                                  # the last entry stands for no group
    cdef double[::1] total = sums
    for g in range(n - 1, -1, -1):
        total[g] = x[g] + (total[up[g]] if up[g] >= 0 else 0.0)
    return sums[tree.node_of]


def highest_equal(tree, const double[::1] size):
    """Return for each group the largest one that holds it and has the same size, (G,)."""
    cdef const Py_ssize_t[::1] up = tree.parent
    cdef Py_ssize_t n = up.shape[0], g
    found = np.empty(n, dtype=np.intp)
    cdef Py_ssize_t[::1] highest = found
    for g in range(n - 1, -1, -1):
        highest[g] = highest[up[g]] if up[g] >= 0 and size[up[g]] == size[g] else g
    return found


def sizes(tree, const double[::1] b, bint largest):
    """Return N(b_g) of every group, (G,): largest sizes if `largest`, else lengths."""
    cdef const Py_ssize_t[::1] own = tree.node_of, up = tree.parent
    cdef Py_ssize_t p = own.shape[0], n = up.shape[0], j, g
    out = np.zeros(n)
    cdef double[::1] size = out
    with nogil:
        for j in range(p):
            g = own[j]
            if g >= 0:
                size[g] = max(size[g], fabs(b[j])) if largest else size[g] + b[j] * b[j]
        for g in range(n):
            if up[g] >= 0:
                size[up[g]] = max(size[up[g]], size[g]) if largest else size[up[g]] + size[g]
    return out if largest else np.sqrt(out)


def prox_l2(tree, const double[::1] v, double t):
    """Return the prox under l2 at level t, a new array (p,)."""
    cdef const Py_ssize_t[::1] own = tree.node_of, up = tree.parent
    cdef const double[::1] leaf = tree.leaf, w = tree.weight
    cdef Py_ssize_t p = v.shape[0], n = up.shape[0], j, g
    out, squares, factors = np.empty(p), np.zeros(n), np.empty(n)
    cdef double[::1] b = out, left = squares, scale = factors
    cdef double size
    with nogil:
        for j in range(p):
            size = fabs(v[j]) - t * leaf[j]
            b[j] = copysign(size, v[j]) if size > 0.0 else 0.0
            if own[j] >= 0:
                left[own[j]] += b[j] * b[j]
        for g in range(n):
            size = sqrt(left[g])
            scale[g] = 1.0 - t * w[g] / size if size > t * w[g] else 0.0
            if up[g] >= 0:
                left[up[g]] += scale[g] * scale[g] * left[g]
        for g in range(n - 1, -1, -1):
            if up[g] >= 0:
                scale[g] *= scale[up[g]]
        for j in range(p):
            if own[j] >= 0:
                b[j] *= scale[own[j]]
    return out


cdef struct Heap:               # pairing heaps of entries; -1 is none
    double* size
    double* count
    Py_ssize_t* child
    Py_ssize_t* sibling


cdef inline Py_ssize_t meld(Heap* heap, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Meld two heaps; return the largest entry."""
    if a < 0:
        return b
    if b < 0:
        return a
    if heap.size[a] < heap.size[b]:
        a, b = b, a
    heap.sibling[b] = heap.child[a]
    heap.child[a] = b
    return a


cdef Py_ssize_t without_largest(Heap* heap, Py_ssize_t a) noexcept nogil:
    """Remove the largest entry: meld its children in pairs, then the pairs from the last one."""
    cdef Py_ssize_t first = heap.child[a], second, rest, pairs = -1, merged
    while first >= 0:
        second = heap.sibling[first]
        rest = heap.sibling[second] if second >= 0 else -1
        merged = meld(heap, first, second)
        heap.sibling[merged] = pairs
        pairs, first = merged, rest
    merged = -1
    while pairs >= 0:
        rest = heap.sibling[pairs]
        merged = meld(heap, merged, pairs)
        pairs = rest
    return merged


cdef double cut(Heap* heap, Py_ssize_t* top, Py_ssize_t entry, double budget) noexcept nogil:
    """Cut the largest sizes to one level that takes `budget` from their sum; return the level.

    They stay in the heap as one entry. If the sum is less than `budget`, the heap becomes empty
    and the level is 0.
    """
    cdef double taken = 0.0, size = heap.size[top[0]], count = heap.count[top[0]], lower
    top[0] = without_largest(heap, top[0])
    while True:
        lower = heap.size[top[0]] if top[0] >= 0 else 0.0
        if taken + count * (size - lower) >= budget:
            break
        if top[0] < 0:
            return 0.0
        taken += count * (size - lower)
        size = lower
        count += heap.count[top[0]]
        top[0] = without_largest(heap, top[0])
    size -= (budget - taken) / count
    if not size > 0.0:
        top[0] = -1
        return 0.0
    heap.size[entry], heap.count[entry], heap.child[entry] = size, count, -1
    top[0] = meld(heap, top[0], entry)
    return size


def prox_linf(tree, const double[::1] v, double t):
    """Return the prox under linf at level t, a new array (p,)."""
    cdef const Py_ssize_t[::1] own = tree.node_of, up = tree.parent
    cdef const double[::1] leaf = tree.leaf, w = tree.weight
    cdef Py_ssize_t p = v.shape[0], n = up.shape[0], j, g
    out = np.empty(p)
    cdef double[::1] b = out, size = np.empty(p + n + 1), count = np.ones(p + n + 1)
    cdef double[::1] level = np.empty(n), left = np.zeros(n)
    cdef Py_ssize_t[::1] child = np.full(p + n + 1, -1, dtype=np.intp)
    cdef Py_ssize_t[::1] sibling = np.empty(p + n + 1, dtype=np.intp)
    cdef Py_ssize_t[::1] top = np.full(n, -1, dtype=np.intp)
    cdef Heap heap = Heap(&size[0], &count[0], &child[0], &sibling[0])
    with nogil:
        for j in range(p):
            b[j] = max(fabs(v[j]) - t * leaf[j], 0.0)
            g = own[j]
            if g >= 0 and b[j] > 0.0:
                size[j] = b[j]
                left[g] += b[j]
                top[g] = meld(&heap, top[g], j)
        for g in range(n):
            if left[g] <= t * w[g]:                 # nothing remains, whatever the order
                level[g], top[g] = 0.0, -1
                continue
            level[g] = cut(&heap, &top[g], p + g, t * w[g]) if t * w[g] > 0.0 else INFINITY
            if up[g] >= 0 and top[g] >= 0:
                left[up[g]] += left[g] - t * w[g]
                top[up[g]] = meld(&heap, top[up[g]], top[g])
        for g in range(n - 1, -1, -1):
            if up[g] >= 0:
                level[g] = min(level[g], level[up[g]])
        for j in range(p):
            b[j] = copysign(b[j] if own[j] < 0 else min(b[j], level[own[j]]), v[j])
    return out


def dual_norm(tree, const double[::1] z, bint largest):
    """Return the least t at which the prox of z is 0; `largest` selects linf, else l2."""
    cdef double t = 0.0, higher
    cdef int step
    left, falls = np.empty(len(tree.parent)), np.empty(len(tree.parent))
    for step in range(100):     # quadratic under l2, finite under linf: it ends far sooner
        higher = _higher(tree, z, t, largest, left, falls)
        if not higher > t * (1.0 + CLOSE):
            return max(t, higher)
        t = higher
    return t


cdef double _higher(tree, const double[::1] z, double t, bint largest, double[::1] left,
                    double[::1] falls) except -1.0:
    """Return t after one Newton step, the largest over the roots with a rest; else t itself."""
    cdef const Py_ssize_t[::1] own = tree.node_of, up = tree.parent
    cdef const double[::1] leaf = tree.leaf, w = tree.weight
    cdef Py_ssize_t p = own.shape[0], n = up.shape[0], j, g
    cdef double r, fall, best = t
    left[:] = 0.0                                   # sums of r_c, or of their squares
    falls[:] = 0.0                                  # sums of -dr_c/dt, or of -r_c dr_c/dt
    with nogil:
        for j in range(p):
            r, g = fabs(z[j]) - t * leaf[j], own[j]
            if not r > 0.0:
                continue
            if g < 0:
                best = max(best, fabs(z[j]) / leaf[j] if leaf[j] > 0.0 else INFINITY)
            else:
                left[g] += r if largest else r * r
                falls[g] += leaf[j] if largest else r * leaf[j]
        for g in range(n):
            r = left[g] if largest else sqrt(left[g])
            fall = w[g] + (falls[g] if largest or not r > 0.0 else falls[g] / r)
            r -= t * w[g]
            if not r > 0.0:
                continue
            if up[g] < 0:
                best = max(best, t + r / fall if fall > 0.0 else INFINITY)
            else:
                left[up[g]] += r if largest else r * r
                falls[up[g]] += fall if largest else r * fall
    return best
