"""The multi-class hinge loss of Crammer and Singer with a ridge penalty, certified.

    minimise over W (p, K)   lam |W|^2 / 2 + sum_i u_i max_k (e_ik + (w_k - w_{y_i})'x_i)

with e_ik = 1 for k other than y_i, else 0. Dual: w_k = sum_i alpha_ik x_i / lam where every row
has alpha_ik <= u_i [k = y_i] and sum_k alpha_ik = 0.

Given: rows, classes 0 .. K - 1, weights u of sum 1, lam > 0. Returned: W, the dual variables
alpha (n, K) with W = X'alpha / lam, and the duality gap of both, computed from the data.

Invariant: alpha is feasible, so that minus sum_ik e_ik alpha_ik less lam |W|^2 / 2 is a lower
bound. Dual coordinate descent is slow where columns are far from their means. Then cutting planes
go on from its aggregate plane, if W is small enough for them.

The problem of one row, with A = |x_i|^2 / lam and B_k = w_k'x_i + e_ik - A alpha_ik, has the
solution alpha_k = min(c_k, (beta - B_k) / A), with c_k the bound above. beta makes the sum 0; it
is found from the B_k + A c_k in decreasing order.

References: Crammer, Singer, "On the algorithmic implementation of multiclass kernel-based vector
machines" (2001); Keerthi, Sundararajan, Chang, Hsieh, Lin, "A sequential dual method for large
scale multi-class linear SVMs" (2008); Teo, Vishwanathan, Smola, Le (2010).
"""

from libc.stdlib cimport qsort

import numpy as np
from scipy import sparse

from sparsesolve.solvers.margin.planes import Planes
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED

# Coefficients up to which cutting planes go on after 200 sweeps of dual descent, which may be slow.
# On iris (15 coefficients) ten planes reach rounding, where descent is at 4e-6 after 10,000
# sweeps; on scikit-learn's digits (640) at C = 10 they reach 1e-6 in 700 planes and half the time
# in which 2,000 sweeps reach 2e-4. Above it was not measured.
MOST_BUNDLE_COEFFICIENTS = 1000


cdef int _decreasing(const void* a, const void* b) noexcept nogil:
    cdef double x = (<const double*> a)[0], y = (<const double*> b)[0]
    return (x < y) - (x > y)


cdef double _multiplier(double* sorted_bounds, Py_ssize_t K, double cap) noexcept nogil:
    """Return beta for B_k + A c_k in decreasing order; `cap` is A u_i."""
    cdef Py_ssize_t r = 1
    cdef double beta = sorted_bounds[0] - cap
    while r < K and beta < r * sorted_bounds[r]:
        beta += sorted_bounds[r]
        r += 1
    return beta / r


def sweep(const int[::1] start, const int[::1] column, const double[::1] value,
          const long long[::1] label, const double[::1] weight, const double[::1] square,
          const int[::1] order, double lam, double[:, ::1] w, double[:, ::1] alpha):
    """Solve the problem of each row of `order` in turn.

    Returns the largest change of an alpha relative to its row's weight.
    """
    cdef Py_ssize_t K = w.shape[1], i, j, e, k, t
    cdef double A, beta, new, step, most = 0.0
    cdef double[::1] B = np.empty(K), bounds = np.empty(K), moved = np.empty(K)
    with nogil:
        for t in range(order.shape[0]):
            i = order[t]
            if weight[i] == 0.0 or square[i] == 0.0:
                continue
            A = square[i] / lam
            for k in range(K):
                B[k] = 0.0
            for e in range(start[i], start[i + 1]):
                for k in range(K):
                    B[k] += value[e] * w[column[e], k]
            for k in range(K):
                B[k] += (k != label[i]) - A * alpha[i, k]
                bounds[k] = B[k]
            bounds[label[i]] += A * weight[i]
            qsort(&bounds[0], K, sizeof(double), _decreasing)
            beta = _multiplier(&bounds[0], K, A * weight[i])
            step = 0.0
            for k in range(K):
                new = min(weight[i] if k == label[i] else 0.0, (beta - B[k]) / A)
                moved[k] = (new - alpha[i, k]) / lam
                step = max(step, abs(new - alpha[i, k]))
                alpha[i, k] = new
            if step > 0.0:
                most = max(most, step / weight[i])
                for e in range(start[i], start[i + 1]):
                    for k in range(K):
                        w[column[e], k] += moved[k] * value[e]
    return most


class Multiclass:
    """The rows, and the quantities that both methods need."""

    def __init__(self, X, labels, weights, lam, n_classes):
        self.rows = sparse.csr_array(X, dtype=float)
        self.labels = np.asarray(labels, dtype=np.longlong)
        self.weights, self.lam, self.K = weights, lam, n_classes
        self.at = np.arange(len(self.labels))

    def coefficients(self, alpha):
        """Return W = X'alpha / lam."""
        return np.ascontiguousarray(self.rows.T @ alpha) / self.lam

    def wrong(self, W):
        """Return e_ik + (w_k - w_{y_i})'x_i, (n, K)."""
        eta = self.rows @ W
        wrong = 1.0 - eta[self.at, self.labels][:, None] + eta
        wrong[self.at, self.labels] = 0.0
        return wrong

    def missed(self, alpha):
        """Return minus sum_ik e_ik alpha_ik."""
        return float(alpha[self.at, self.labels].sum() - alpha.sum())

    def objective(self, W):
        """Return the primal objective."""
        ridge = 0.5 * self.lam * float(np.vdot(W, W))
        return float(self.weights @ self.wrong(W).max(axis=1)) + ridge

    def bound(self, alpha, W):
        """Return the dual objective at alpha, to which W belongs."""
        return self.missed(alpha) - 0.5 * self.lam * float(np.vdot(W, W))

    def extreme(self, W):
        """Return the dual variables (n, K) of a subgradient at W.

        All of a row's weight is on its worst class.
        """
        alpha = np.zeros((len(self.at), self.K))
        alpha[self.at, self.wrong(W).argmax(axis=1)] = -self.weights
        alpha[self.at, self.labels] += self.weights
        return alpha


def crammer_singer(X, labels, weights, lam, tol, max_sweeps, n_classes, seed=0):
    """Solve to a gap of `tol`, the objective at W = 0 being 1.

    Returns W (p, K), alpha (n, K), the gap, a code of solvers/state.py and the sweeps made.
    """
    problem = Multiclass(X, labels, weights, lam, n_classes)
    small = problem.rows.shape[1] * n_classes <= MOST_BUNDLE_COEFFICIENTS
    sweeps = min(max_sweeps, 200) if small else max_sweeps
    W, alpha, gap, made = _by_sweeps(problem, tol, sweeps, seed)
    code = MAX_ITER if made == sweeps else STALLED
    if gap > tol and small and made < max_sweeps:
        W, alpha, gap, more = _by_planes(problem, W, alpha, gap, tol, max_sweeps - made)
        code, made = MAX_ITER if made + more == max_sweeps else STALLED, made + more
    return W, alpha, gap, CONVERGED if gap <= tol else code, made


def _by_sweeps(problem, tol, sweeps, seed):
    """Dual coordinate descent in random orders; returns W, alpha, gap, sweeps made."""
    rows, labels, weights = problem.rows, problem.labels, problem.weights
    start, column = rows.indptr.astype(np.intc), rows.indices.astype(np.intc)
    value = rows.data if len(rows.data) else np.zeros(1)
    column = column if len(column) else np.zeros(1, dtype=np.intc)
    square = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    alpha = np.zeros((len(labels), problem.K))
    empty = np.flatnonzero(square == 0.0)  # The loss of an empty row is 1 whatever W is.
    alpha[empty, labels[empty]] = weights[empty]
    alpha[empty, (labels[empty] + 1) % problem.K] -= weights[empty]
    rng, moved = np.random.default_rng(seed), np.inf
    for made in range(sweeps + 1):
        # rounding
        # Sweeps from one gap to the next. A gap takes two products of X with K columns, about as
        # much as a sweep; a larger number makes more sweeps than the target needs.
        if made % 5 == 0 or made == sweeps or moved <= 1e-15:
            W = problem.coefficients(alpha)  # Without the rounding of sweeps.
            gap = problem.objective(W) - problem.bound(alpha, W)
            if gap <= tol or moved <= 1e-15:
                break
        if made < sweeps:
            order = rng.permutation(len(labels)).astype(np.intc)
            moved = sweep(start, column, value, labels, weights, square, order, problem.lam, W,
                          alpha)  # fmt: skip
    return W, alpha, gap, made


def _by_planes(problem, W, alpha, gap, tol, steps):
    """Cutting planes from alpha on; return the best W, alpha, the gap and the planes added."""
    planes, tags = Planes(W.size, problem.lam), {}
    best, least, patience = W, problem.objective(W), 100  # planes without a fall of the gap
    new, made = alpha, 0
    while made < steps and patience:
        made += 1
        z = problem.rows.T @ new
        tags[planes.add(-z.ravel(), problem.missed(new))] = new
        W = planes.point.reshape(W.shape)
        objective = problem.objective(W)
        if objective < least:
            best, least = W, objective
        patience -= 1
        if least - planes.lower < gap:
            gap, patience = least - planes.lower, 100
        if gap <= 0.5 * tol:
            break
        new = problem.extreme(W)
    mixed = sum(w * tags[slot] for slot, w in enumerate(planes.weights) if w > 0.0)
    bound = problem.bound(mixed, problem.coefficients(mixed))
    return best, mixed, problem.objective(best) - bound, made
