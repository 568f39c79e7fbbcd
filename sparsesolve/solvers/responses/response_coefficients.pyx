"""The working coefficients of K responses, single or grouped by row, with their quadratic model.

    minimise over B (q, K)   F(offset + (ZB)') + lam Omega(B)

Coefficient c = j K + k belongs to feature j and response k; j = p stands for the intercepts.
Given: a problem with K responses. Returned: its working coefficients with eta, F and the gradient.
Invariant: eta, F and u = -F'(eta) are current, and C = Z'u for the working coefficients. The
Hessian of the model is that of an earlier point, times s.

A loss is a sum over samples, so K products with F'' determine all of F''.
"""

from libc.string cimport memcpy, memset

import numpy as np

from sparsesolve.linalg.gram.gram cimport Gram
from sparsesolve.linalg.gram.products cimport add_dots, add_products, subtract_all
from sparsesolve.linalg.kernels.vector cimport axpy
from sparsesolve.losses.base cimport Loss
from sparsesolve.penalties.blocks cimport BlockPenalty
from sparsesolve.penalties.elastic_net cimport ElasticNet
from sparsesolve.penalties.elastic_net_rows cimport ElasticNetRows
from sparsesolve.penalties.sparse_group import GroupL2
from sparsesolve.penalties.groups import one_by_one
from sparsesolve.solvers.quadratic.active_columns import GramActiveSet
from sparsesolve.solvers.quadratic.group_columns import GramBlockDescent


cdef class ResponseHessian:
    """Hold columns, which are never removed, and F'' at one point.

    In a `flat` row F'' must vanish along (1, ..., 1), and nothing else may act there. The
    matrix would be singular, so it gets the mean of the row's curvatures in that direction.
    """

    def __init__(self, Py_ssize_t n, int K):
        self.n, self.K, self.size = n, K, 0
        self.rows, self.curvatures = np.zeros((16, n)), np.zeros((K, K, n))
        self.tied = np.zeros((K, K), dtype=np.intc)
        self.whole, self.flat = np.zeros(n), np.zeros(0, dtype=np.intc)
        self.left = self.right = self.block = np.zeros(0)
        self.counts = np.zeros(K, dtype=np.intc)

    def append(self, columns, flat):
        """Append columns (count, n); `flat` (count,) marks the flat rows."""
        size = self.size + len(columns)
        if size > self.rows.shape[0]:
            rows = np.zeros((2 * size, self.n))
            rows[:self.size] = self.rows[:self.size]
            self.rows = rows
        np.asarray(self.rows)[self.size:size] = columns
        self.flat = np.concatenate([self.flat[:self.size], flat], dtype=np.intc)
        self.size = size

    cdef int refresh_hessian(self, Loss loss, const double* eta) except -1:
        """Compute F'' at eta and empty the set of working coefficients."""
        cdef int k, l
        cdef Py_ssize_t i
        cdef double[:, ::1] unit = np.zeros((self.K, self.n))
        self.whole[:] = 0.0
        self.counts[:] = 0
        for k in range(self.K):
            unit[k, :] = 1.0
            loss.curvature_times(eta, &unit[0, 0], &self.curvatures[k, 0, 0])
            unit[k, :] = 0.0
            axpy(self.n, 1.0, &self.curvatures[k, k, 0], &self.whole[0])
            for l in range(self.K):
                self.tied[k, l] = k == l
                for i in range(self.n):
                    if self.curvatures[k, l, i] != 0.0:
                        self.tied[k, l] = True
                        break
        return 0

    cdef int extend(self, Gram gram, const int* coefficient, int count) except -1:
        """Extend the matrix of the first coefficients to all `count`.

        All `count` coefficients are working coefficients from now on.
        """
        cdef int first = gram.size, k, l, i, j, m, t, fresh, n = <int> self.n, K = self.K
        cdef int[:, ::1] places, listed
        cdef int[::1] known = np.zeros(K, dtype=np.intc), counts = np.zeros(K, dtype=np.intc)
        cdef double value
        cdef Py_ssize_t ld
        gram.reserve(count)
        ld = gram.capacity
        if self.some is None or self.some.shape[0] < count:
            self.places, self.listed = np.empty((2, K, 2 * count), dtype=np.intc)
            self.moving, self.some = np.empty(2 * count, dtype=np.intc), np.empty(2 * count)
        self.counts, places, listed = counts, self.places, self.listed
        for t in range(count):
            k = coefficient[t] % K
            places[k, counts[k]], listed[k, counts[k]] = t, coefficient[t] // K
            counts[k] += 1
            known[k] += t < first
        m = 0
        for k in range(K):
            m = max(m, counts[k])
        if self.left.shape[0] < m * self.n:
            self.left, self.right = np.empty((2, m * self.n))
        if self.block.shape[0] < m * m:
            self.block = np.empty(m * m)
        with nogil:
            for k in range(K):
                for i in range(counts[k]):
                    memcpy(&self.left[i * self.n], &self.rows[listed[k, i], 0],
                           self.n * sizeof(double))
                for l in range(k if first == 0 else 0, K):
                    fresh, m = counts[l] - known[l], counts[k]
                    if m == 0 or fresh == 0:
                        continue
                    if self.tied[k, l]:
                        for j in range(fresh):
                            self.weighted(listed[l, known[l] + j], k, l, &self.right[j * self.n])
                        memset(&self.block[0], 0, <Py_ssize_t> m * fresh * sizeof(double))
                        add_products(n, m, &self.left[0], n, fresh, &self.right[0], n,
                                     &self.block[0], m)
                    for j in range(fresh):
                        t = places[l, known[l] + j]
                        for i in range(m):
                            value = self.block[i + j * <Py_ssize_t> m] if self.tied[k, l] else 0.0
                            gram.G[places[k, i] + t * ld] = gram.G[t + places[k, i] * ld] = value
            for t in range(first, count):
                if not self.flat[coefficient[t] // K]:
                    continue
                value = self.pin(coefficient[t] // K)
                for i in range(t + 1):
                    if coefficient[i] // K == coefficient[t] // K:
                        gram.G[i + t * ld] += value
                        gram.G[t + i * ld] = gram.G[i + t * ld]
        gram.size = count
        return 0

    cdef double pin(self, int row) noexcept nogil:
        """Return the mean curvature of a row's K coefficients, divided by K."""
        cdef Py_ssize_t i
        cdef double total = 0.0
        for i in range(self.n):
            total += self.whole[i] * self.rows[row, i] * self.rows[row, i]
        return total / self.K ** 2

    cdef void weighted(self, int row, int k, int l, double* out) noexcept nogil:
        """Multiply a column by the entries of F'' for the responses k and l."""
        cdef Py_ssize_t i
        for i in range(self.n):
            out[i] = self.rows[row, i] * self.curvatures[k, l, i]

    cdef void correlate(self, const double* u, double* out) noexcept nogil:
        """Compute the products of the working columns with u (K, n), one per coefficient."""
        cdef int k, i
        for k in range(self.K):
            if self.counts[k] > 0:
                memset(&self.some[0], 0, self.counts[k] * sizeof(double))
                add_dots(self.n, self.counts[k], &self.rows[0, 0], &self.listed[k, 0], self.n,
                            u + k * self.n, &self.some[0])
            for i in range(self.counts[k]):
                out[self.places[k, i]] = self.some[i]

    cdef void add(self, const double* b, const double* less, double* eta) noexcept nogil:
        """Add the working columns times b - less to eta (K, n); a NULL `less` means 0."""
        cdef int k, i, t, count
        for k in range(self.K):
            count = 0
            for i in range(self.counts[k]):
                t = self.places[k, i]
                self.moving[count], self.some[count] = (self.listed[k, i],
                                                        (less[t] if less != NULL else 0.0) - b[t])
                count += self.some[count] != 0.0
            if count > 0:
                subtract_all(self.n, count, &self.some[0], &self.rows[0, 0], &self.moving[0],
                                self.n, eta + k * self.n)


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
            self.gram = self.quadratic.gram
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
        unpenalised = np.asarray(self.net.l1)[rows] == 0.0
        self.hessian.append(columns, self.loss.symmetric & (unpenalised | self.net.grouped))

    cdef int refresh_hessian(self, double lam) except -1:
        """Compute the Hessian at the current point.

        Keep in the working set only coefficients that are nonzero or close to their threshold at
        lam.
        """
        cdef double[::1] start
        which, start = self.quadratic.members()
        stay = np.asarray(start) != 0.0
        l1 = np.asarray(self.net.l1)[which // self.K]
        # At a refresh of H, a coefficient of 0 leaves the working set if its product is below this
        # fraction of lambda.
        stay |= np.abs(np.asarray(self.C).reshape(-1)[which]) >= 0.8 * lam * l1
        if self.net.grouped:
            stay = np.repeat(stay.reshape(-1, self.K).any(axis=1), self.K)
        self.hessian.refresh_hessian(self.loss, &self.eta[0, 0])
        np.asarray(self.working)[which[~stay]] = False
        self.quadratic.restart()
        self.s = 1.0
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
