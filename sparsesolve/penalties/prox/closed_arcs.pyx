"""Closed arcs between regions of a network: filled, opened again, and compared with values.

Flows in regions are settled one region at a time, with the arcs between them closed: full from the
higher region to the lower one. The room of a closed arc is kept as a negative number, -r for r, and
nothing takes it (`flows.pyx`). Both directions are closed; the one that still has room leads from
the lower region to the higher one.
"""
from libc.math cimport INFINITY, fabs

import numpy as np


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
