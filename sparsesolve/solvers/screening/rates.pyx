"""Rates of groups: how fast polar_g(Z_g'r) may grow with the length of r.

    polar_g(Z_g'dr) <= rate_g |dr|,   rate_g = reach_g |Z_g|

reach_g is the largest polar on the unit ball, and |Z_g| the largest singular value of the group's
columns in the norm with weights w. Given: a design, sqrt(w), and a penalty on groups. Returned:
rates that are not too small, by a bound on the largest eigenvalue of Z_g'WZ_g: its trace, or its
largest row sum where that costs little.
"""
from cython.parallel cimport prange, threadid
from libc.math cimport fabs, sqrt
from libc.string cimport memset

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.design cimport column as col
from sparsesolve.linalg.design.design cimport Design
from sparsesolve.linalg.kernels.vector cimport dot, ss_add_dots, ss_multiply
from sparsesolve.penalties.blocks cimport BlockPenalty

DENSE_FROM = costs.screening.DENSE_FROM
cdef Py_ssize_t LARGEST_GROUP = costs.screening.LARGEST_GROUP
cdef double LENGTH = costs.rounding.LENGTH


def group_rates(Design design, double[::1] root_w, BlockPenalty penalty, int n_threads):
    """Return the rates (G,), 0 for groups without a penalty."""
    cdef Py_ssize_t g, G = penalty.n_groups, n = design.n
    cdef double[::1] squares = None, rate = np.zeros(G)
    cdef const double* of_columns = NULL
    cdef double[:, ::1] rooms
    room = (min(LARGEST_GROUP, int(np.diff(penalty.start).max(initial=1))) + 1) * (n + 2)
    if design.p > 0 and design.stored < DENSE_FROM * n * design.p:
        squares = np.square(design.norms(np.square(root_w), n_threads))
        of_columns, room = &squares[0], 1
    rooms = np.empty((n_threads, room))
    with nogil:
        for g in prange(G, num_threads=n_threads, schedule="static"):
            if not penalty.block_unpenalised(g):
                rate[g] = _rate(design, &root_w[0], penalty, g, of_columns, &rooms[threadid(), 0])
    return np.asarray(rate)


cdef double _rate(Design design, const double* root_w, BlockPenalty penalty, Py_ssize_t g,
                  const double* squares, double* room) noexcept nogil:
    """Rate of one group; `squares` of the columns' lengths, NULL to compute them."""
    cdef Py_ssize_t first = penalty.start[g], s = penalty.size(g), n = design.n
    cdef Py_ssize_t i, j, member
    cdef double total = 0.0, largest = 0.0
    cdef bint all_fit = s <= LARGEST_GROUP
    cdef double* z
    cdef double* sums
    cdef double* row
    if all_fit:
        sums, row = room + n * s, room + n * s + s
    for j in range(s):
        member = penalty.member[first + j]
        if squares != NULL:
            total += squares[member]
            continue
        z = room + n * j if all_fit else room
        col.unpack(&design.columns[member], n, 0, n, z)
        ss_multiply(n, root_w, z, z)
        if not all_fit:
            total += dot(n, z, z)
            continue
        memset(row, 0, (j + 1) * sizeof(double))
        ss_add_dots(n, j + 1, room, NULL, n, z, row)
        sums[j], total = 0.0, total + row[j]
        for i in range(j + 1):
            sums[i] += fabs(row[i])
            if i < j:
                sums[j] += fabs(row[i])
    if squares == NULL and all_fit:
        for j in range(s):
            largest = max(largest, sums[j])
        total = min(total, largest)
    return penalty.reach(g) * sqrt(total) * (1.0 + LENGTH)
