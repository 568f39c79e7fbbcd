"""Total variation of an image: accelerated dual steps with one direction eliminated.

    argmin_B  |B - V|^2 / 2 + t_0 sum |B_(i+1,j) - B_ij| + t_1 sum |B_(i,j+1) - B_ij|

The dual problem is min |V - Z - Q|^2 / 2 over Z in t_1 times the unit ball of the dual norm of
total variation along rows, and Q in t_0 times that along columns. For given Q the best Z leaves
V - Q - Z = the prox along rows of V - Q, whose derivative in Q has Lipschitz constant 1. A step is
two exact proxes of chains:

    X = prox_rows(Y),   Q+ = Y' + X - prox_columns(Y' + X),    Y = V - Y',

from a point Y' that is extrapolated as by Nesterov, and not after |P| has grown. For
P = prox_columns(Y' + X) the pair (Z, Q+) is feasible and V - Z - Q+ = P, so that P is a primal
candidate with the duality gap

    t_1 TV_rows(P) - <Z, P>.

Given: V, t_0, t_1. Returned by `approximate`: flows along the grid's edges within their
capacities, from Z and Q+, and the pieces on which X along rows and P along columns are constant.
Invariant: Q and Z are feasible. Each chain is solved as a whole by one thread, sums over chains
are taken in order: any number of threads gives the same bits.
Reference: Chambolle, Pock, "A remark on accelerated block coordinate descent for computing the
proximity operators of a sum of convex functions" (2015); O'Donoghue, Candes (2015) on restarts.
"""
from cython.parallel cimport prange, threadid
from libc.math cimport fabs, sqrt

import numpy as np

from sparsesolve.penalties.prox.chains cimport prox_row

# This many unused numbers lie between two columns, so that their distance is no power of two, at
# which they would compete for the same places in the cache.
DEF APART = 8
# This many columns are taken at once, since they share the cache lines of each row.
DEF WIDE = 16
# A gap is computed after every so many steps, since it reads the image once more.
cdef int BETWEEN = 5


cdef class DualSteps:
    """Steps for V (m, n).

    Parameters
    ----------
    V : (m, n)
    down, right : float >= 0
        t_0 and t_1.
    threads : int
    """
    cdef const double[:, ::1] V
    cdef double[:, ::1] X, P, Q, Y, room
    cdef double[::1] length, inner
    cdef double down, right
    cdef int threads
    cdef Py_ssize_t m, n
    cdef readonly int steps

    def __init__(self, const double[:, ::1] V, double down, double right, int threads):
        cdef Py_ssize_t stripes = (V.shape[1] + WIDE - 1) // WIDE
        self.V, self.down, self.right, self.threads = V, down, right, threads
        self.m, self.n = V.shape[0], V.shape[1]
        cdef Py_ssize_t i, j
        self.P, self.X = np.empty((self.m, self.n)), np.array(V)
        self.Q, self.Y = np.zeros((2, self.m, self.n))
        self.room = np.empty((threads, 2 * WIDE * (max(self.m, self.n) + APART)))
        self.length, self.inner = np.zeros((2, stripes))

        # begin with half of what columns alone would take: rows will take about as much
        self._columns(0.0, False)
        for i in range(self.m):
            for j in range(self.n):
                self.Y[i, j] = self.Q[i, j] = 0.5 * self.Q[i, j]

    def approximate(self, double gap, int most):
        """Step until the duality gap is at most `gap`, `most` times at most; return the gap."""
        cdef double momentum = 1.0, ahead, beta, length, last = np.inf, found = np.inf
        cdef bint looks
        self.steps = 0
        while self.steps < most and found > gap:
            self.steps += 1
            looks = self.steps % BETWEEN == 0 or self.steps == most
            ahead = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum * momentum))
            beta = 0.0 if looks and self.steps == most else (momentum - 1.0) / ahead
            with nogil:
                self._rows()
                self._columns(beta, looks)
            momentum, length = ahead, np.sum(self.length)
            if length > last:
                momentum = 1.0
            last = length
            if looks:
                found = self._gap()
        return found

    cdef int _rows(self) except -1 nogil:
        """Set X to the prox along rows of V - Y."""
        cdef Py_ssize_t i, j, n = self.n
        cdef double* row
        for i in prange(self.m, num_threads=self.threads, schedule="static"):
            row = &self.room[threadid(), 0]
            for j in range(n):
                row[j] = self.V[i, j] - self.Y[i, j]
            prox_row(n, row, self.right, &self.X[i, 0])
        return 0

    cdef int _columns(self, double beta, bint keep) except -1 nogil:
        """Compute P, Q and the next Y; store P and sum <Z, P> if `keep`."""
        cdef Py_ssize_t stripe
        for stripe in prange(self.length.shape[0], num_threads=self.threads, schedule="static"):
            self._stripe(stripe, beta, keep, &self.room[threadid(), 0])
        return 0

    cdef int _stripe(self, Py_ssize_t stripe, double beta, bint keep, double* room) except -1 nogil:
        """Do what `_columns` does for the WIDE columns from WIDE * stripe on."""
        cdef Py_ssize_t m = self.m, n = self.n, first = stripe * WIDE, i, k, far = m + APART
        cdef Py_ssize_t wide = min(<Py_ssize_t> WIDE, n - first)
        cdef double* solved = room + WIDE * far
        cdef const double* v = &self.V[0, first]
        cdef double* x = &self.X[0, first]
        cdef double* y = &self.Y[0, first]
        cdef double* q = &self.Q[0, first]
        cdef double length = 0.0, inner = 0.0, p, new
        for i in range(m):
            for k in range(wide):
                room[k * far + i] = y[i * n + k] + x[i * n + k]
        for k in range(wide):
            prox_row(m, room + k * far, self.down, solved + k * far)
        for i in range(m):
            for k in range(wide):
                p = solved[k * far + i]
                length += p * p
                new = room[k * far + i] - p
                y[i * n + k] = new + beta * (new - q[i * n + k])
                q[i * n + k] = new
        if keep:
            for i in range(m):
                for k in range(wide):
                    p = self.P[i, first + k] = solved[k * far + i]
                    inner += (v[i * n + k] - room[k * far + i]) * p
        self.length[stripe], self.inner[stripe] = length, inner
        return 0

    cdef double _gap(self):
        """Return the duality gap at P."""
        cdef Py_ssize_t i, j
        cdef double total = 0.0
        with nogil:
            for i in range(self.m):
                for j in range(self.n - 1):
                    total += fabs(self.P[i, j + 1] - self.P[i, j])
        return self.right * total - np.sum(self.inner)

    def flows(self):
        """Return flows along edges down (m - 1, n) and right (m, n - 1), after a step that kept P.
        """
        cdef double[:, ::1] down = np.empty((self.m - 1, self.n))
        cdef double[:, ::1] right = np.empty((self.m, self.n - 1))
        cdef Py_ssize_t i, j
        cdef double z
        with nogil:
            for i in range(self.m - 1):
                for j in range(self.n):
                    down[i, j] = self.Q[i, j] + (down[i - 1, j] if i > 0 else 0.0)
            for i in range(self.m):
                z = 0.0
                for j in range(self.n - 1):
                    z += self.V[i, j] - self.Q[i, j] - self.P[i, j]
                    right[i, j] = z
        return np.asarray(down), np.asarray(right)

    def pieces(self):
        """Return the number of each pixel's piece, (m n,).

        Neighbours along a row are in one piece where X is equal, along a column where P is.
        """
        found = np.arange(self.m * self.n, dtype=np.intc)
        cdef int[::1] root = found
        cdef Py_ssize_t i, j, n = self.n
        cdef int k, count = 0
        with nogil:
            for i in range(self.m):
                for j in range(n):
                    if i > 0 and self.P[i, j] == self.P[i - 1, j]:
                        _unite(&root[0], <int> (i * n + j - n), <int> (i * n + j))
                    if j > 0 and self.X[i, j] == self.X[i, j - 1]:
                        _unite(&root[0], <int> (i * n + j - 1), <int> (i * n + j))
            for k in range(<int> root.shape[0]):    # roots come before what they stand for
                if root[k] == k:
                    root[k] = -1 - count
                    count += 1
                else:
                    root[k] = root[root[k]]
            for k in range(<int> root.shape[0]):
                root[k] = -1 - root[k]
        return found


cdef inline int _root(int* root, int k) noexcept nogil:
    while root[k] != k:
        root[k] = root[root[k]]
        k = root[k]
    return k


cdef inline void _unite(int* root, int a, int b) noexcept nogil:
    """Join the trees of a and b: the larger root leads to the smaller one."""
    a, b = _root(root, a), _root(root, b)
    if a < b:
        root[b] = a
    else:
        root[a] = b
