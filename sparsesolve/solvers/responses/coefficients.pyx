"""The working coefficients of K responses, single or grouped by row, with their quadratic model.

    minimise over B (q, K)   F(offset + (ZB)') + lam Omega(B)

Coefficient c = j K + k belongs to feature j and response k; j = p stands for the intercepts.
Given: a problem with K responses. Returned: its working coefficients with eta, F and the gradient.
Invariant: eta, F and u = -F'(eta) are current, and C = Z'u for the working coefficients. The
Hessian of the model is that of an earlier point, times s.
"""
from libc.string cimport memcpy

import numpy as np

from sparsesolve.solvers import costs
from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.penalties.elastic_net cimport ElasticNet
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.penalties.group_l2 import GroupL2
from sparsesolve.penalties.groups import one_by_one
from sparsesolve.solvers.subproblem.gram_active_set cimport GramActiveSet
from sparsesolve.solvers.subproblem.gram_block_descent cimport GramBlockDescent
from sparsesolve.solvers.responses.hessian cimport ResponseHessian

cdef double IDLE = costs.responses.IDLE


cdef ElasticNet coefficient_net(ElasticNetRows rows, int K):
    """Return the penalty `rows` as an elastic net on the single coefficients."""
    cdef ElasticNet net = ElasticNet(len(rows.l1) * K, rows.alpha)
    net.factors, net.l1, net.l2, net.lower, net.upper = np.repeat(
        [rows.factors, rows.l1, rows.l2, rows.lower, rows.upper], K, axis=1)
    return net


cdef BlockPenalty coefficient_groups(ElasticNetRows rows, int K):
    """Return the penalty with each row as a group. The caller must leave out excluded rows."""
    cdef Py_ssize_t q = rows.l1.shape[0]
    cdef BlockPenalty groups = GroupL2(()).on(one_by_one(q, K))
    groups.weight, groups.ridge, groups.alpha = np.array(rows.l1), np.array(rows.l2), rows.alpha
    groups.factors = np.array(rows.factors)
    return groups


cdef class ResponseCoefficients:
    """The working coefficients, the current point and the model around it.

    It starts at the null model, with the unpenalised coefficients.

    Parameters
    ----------
    problem : Problem
        A problem with K responses.
    """

    def __init__(self, problem):
        loss, design = problem.loss, problem.design
        cdef Py_ssize_t p = design.p, q = p + problem.intercept     # rows of coefficients
        self.loss, self.design, self.K, self.n = loss, design, loss.n_responses, loss.n
        self.net = ElasticNetRows(problem.penalty, problem.grouped).take(
            np.append(np.arange(p), np.full(q - p, -1)).astype(np.intc))
        self.hessian = ResponseHessian(self.n, self.K)
        if problem.grouped:
            self.penalty = coefficient_groups(self.net, self.K)
            self.quadratic = GramBlockDescent(None, self.penalty)
            self.gram = (<GramBlockDescent> self.quadratic).gram
        else:
            self.penalty, self.gram = coefficient_net(self.net, self.K), Gram()
            self.quadratic = GramActiveSet(self.gram)
        self.offset = np.array(problem.offset, dtype=float, order="C")
        self.eta, self.u = np.zeros((2, self.K, self.n))
        self.C, self.working = np.zeros((q, self.K)), np.zeros(q * self.K, dtype=np.intc)
        self.place = np.full(q, -1, dtype=np.intc)
        free = np.flatnonzero(problem.unpenalised() & problem.open_columns)
        start = np.zeros((len(free) + q - p, self.K))
        if problem.intercept:
            free, start[len(start) - 1] = np.append(free, p), problem.null_intercept
        self.add_to_working_set(np.add.outer(free * self.K, np.arange(self.K)).ravel(),
                                start.ravel())
        self.renew()
        self.refresh_hessian(0.0)

    # The working set.

    def add_to_working_set(self, const Py_ssize_t[::1] coefficients, start=None):
        """Add coefficients to the working set, with the values `start` or 0."""
        cdef Py_ssize_t t, j, count = coefficients.shape[0]
        cdef int known = self.quadratic.size
        cdef int[::1] columns, which
        cdef double[:, ::1] values
        if count == 0:
            return
        columns, which = np.empty(known + count, dtype=np.intc), np.empty(count, dtype=np.intc)
        values, fresh = np.zeros((2, count)), []        # coefficients and gradients
        for t in range(count):
            j = coefficients[t] // self.K
            if self.place[j] < 0:
                self.place[j] = self.hessian.size + len(fresh)
                fresh.append(j)
        if fresh:
            self._unpack(np.array(fresh))
        if start is not None:
            np.asarray(values)[0] = start
        for t in range(count):
            which[t] = coefficients[t]
            values[1, t] = (&self.C[0, 0])[which[t]]
            self.working[which[t]] = True
        for t in range(known + count):          # numbers within the Hessian
            j = self.quadratic.index[t] if t < known else which[t - known]
            columns[t] = self.place[j // self.K] * self.K + j % self.K
        self.hessian.extend(self.gram, &columns[0], <int> (known + count))
        self.quadratic.append(None, self.penalty, which, values[0], values[1])

    def _unpack(self, rows):
        """Append to the Hessian the columns of rows that join the working set the first time."""
        real, columns = rows < self.design.p, np.ones((len(rows), self.n))
        columns[real] = self.design.unpacked(rows[real].astype(np.intc)).T
        loose = np.asarray(self.net.l1)[rows] == 0.0
        self.hessian.append(columns, self.loss.symmetric & (loose | self.net.grouped))

    cdef int refresh_hessian(self, double lam) except -1:
        """Compute the Hessian at the current point.

        Keep in the working set only coefficients that are nonzero or close to their threshold at
        lam.
        """
        cdef double[::1] start
        which, start = self.quadratic.members()
        stay = np.asarray(start) != 0.0
        l1 = np.asarray(self.net.l1)[which // self.K]
        stay |= np.abs(np.asarray(self.C).reshape(-1)[which]) >= IDLE * lam * l1
        if self.net.grouped:
            stay = np.repeat(stay.reshape(-1, self.K).any(axis=1), self.K)
        self.hessian.refresh_hessian(self.loss, &self.eta[0, 0])
        np.asarray(self.working)[which[~stay]] = False
        self.quadratic.restart()
        self.s, self.refresh_debt = 1.0, 0
        self.add_to_working_set(which[stay].astype(np.intp), np.compress(stay, start))
        return 0

    # The point that follows from the coefficients.

    cdef void renew(self) noexcept nogil:
        """Compute eta, the loss and the gradient from the coefficients."""
        memcpy(&self.eta[0, 0], &self.offset[0, 0], self.K * self.n * sizeof(double))
        self.hessian.add(self.quadratic.b, NULL, &self.eta[0, 0])
        self.value, self.eta_stale = self.loss.evaluate(&self.eta[0, 0], &self.u[0, 0]), False
        self.slopes()

    cdef void slopes(self) noexcept nogil:
        """Set C and the quadratic's gradient g for the working coefficients."""
        cdef int t
        self.hessian.correlate(&self.u[0, 0], self.quadratic.g)
        for t in range(self.quadratic.size):
            (&self.C[0, 0])[self.quadratic.index[t]] = self.quadratic.g[t]
