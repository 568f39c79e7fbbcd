"""Reweighted l2: ridge problems whose weights follow their solutions, with a vanishing smoothing.

    minimise over b   |c - A b|^2 / 2  +  lam Omega(b),    A = sqrt(W) Z,  c = sqrt(W) y

Given: squared error, no limits, and a penalty with a quadratic majorant (elastic net, group lasso,
sparse group lasso, overlapping and nested groups, lq norms of groups for q <= 2, k-support norm),
or the trace norm of coefficients B without a ridge part. Returned: b with the gap of the problem
without smoothing. Invariant: what FirstOrder keeps. Coefficients, or directions, that the
smoothing alone keeps from zero are shown as zero if that is better.

A norm is the least of quadratics: |b_g| = min over eta of (|b_g|^2 / eta + eta) / 2. Two steps
alternate: eta_g = sqrt(|b_g|^2 + e^2), and b, a ridge problem. The weights of groups that overlap
add up. A norm is subquadratic if its square is a concave function of the squares of coefficients:
then it is such a least value, and its weights are its gradient divided by b. Cholesky's factor of
A'A + V (p, p) solves the ridge problem, or Woodbury's formula with A V^-1 A' + 1 (n, n) if that is
smaller.

The trace norm is one as well: |B|_* = min over D > 0 of (tr B'D^-1 B + tr D) / 2. Two steps
alternate: D = (BB' + e^2 I)^(1/2), and B, a ridge problem in the metric M that D makes of
coefficients, of n equations:

    B = M A'(A M A' + lam I)^-1 C,     A = sqrt(W) Z, C = sqrt(W) (Y - mean).

Gaps of 1e-3 come soon, smaller ones slowly if a singular value is about to vanish.

Reference: Bach et al. 2012, section 5; Argyriou, Evgeniou, Pontil (2008), "Convex multi-task
feature learning".
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.linalg.gram.outer import wide_gram
from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.solvers.first_order.first_order import FirstOrder


class Reweighted(FirstOrder):
    """A solver state, see solvers/state.py."""

    between, patience = 5, 40

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        self.y, self.root_w = problem.response, np.sqrt(problem.weights)
        open_ = self.alive & ~_excluded(self.penalty) & ~self.unpenalised
        self.which = np.flatnonzero(open_).astype(np.intc)
        self.b = np.zeros(self.design.p)  # b with the coefficients that are shown as zero.
        self.response = self.unpenalised_basis.span.without(self.root_w * self.y)
        self.tall = len(self.which) <= self.design.n
        if self.tall:
            Q, design = self.unpenalised_basis.span.Q, self.design
            gram, cross = tall_gram(design, self.root_w, self.y, n_threads)
            images = [design.products(self.root_w * q, n_threads) for q in Q.T]
            images = np.reshape(images, (-1, design.p))[:, self.which]  # Q'A
            self.gram = gram[np.ix_(self.which, self.which)] - images.T @ images
            self.cross = cross[self.which] - images.T @ (Q.T @ (self.root_w * self.y))
        largest = np.abs(self.design.products(self.root_w * self.response, n_threads))
        square = np.maximum(problem.norms**2, 1e-300)
        self.smoothest = 0.1 * (largest / square)[self.which].max(initial=0.0)

    def begin(self, lam):
        self.smoothing = self.smoothest

    def step(self, lam):
        weights = lam * self.penalty.majorant(self.b, max(self.smoothing, 1e-300))[self.which]
        self.b[self.which] = self._ridge(np.maximum(weights, 1e-300))
        # what may be nonzero because of the smoothing alone is tried as zero
        shown = np.where(np.abs(self.b) <= 10.0 * self.smoothing, 0.0, self.b)
        points = [self._with_least_squares(shown), self._with_least_squares(self.b.copy())]
        self.point = min(points, key=lambda point: self.objective(lam, point))
        # the last smoothing, relative to the first
        self.smoothing = max(0.8 * self.smoothing, 1e-14 * self.smoothest)

    def _ridge(self, v):
        """Return the minimiser of |c - A b|^2 / 2 + sum_j v_j b_j^2 / 2."""
        if self.tall:
            d = 1.0 / np.sqrt(v)
            return d * solve_shifted(d[:, None] * self.gram * d, 1.0, d * self.cross)
        matrix = wide_gram(self.design, self.which, 1.0 / v, self.root_w, self.n_threads)
        matrix = self.unpenalised_basis.span.without(self.unpenalised_basis.span.without(matrix).T)
        a = solve_shifted(matrix, 1.0, self.response)
        return self.design.products(self.root_w * a, self.n_threads)[self.which] / v

    def _with_least_squares(self, b):
        """Return the Point of b with the best unpenalised coefficients for it."""
        which = np.flatnonzero(b).astype(np.intc)
        residual = self.y - self.design.combination(which, b[which])
        return self.at(b, self.unpenalised_basis.span.Q.T @ (self.root_w * residual))


def suits(problem, lambdas):
    """Return True with squared error, a majorant, no limits and no kernel."""
    penalty = problem.penalty
    if problem.loss is not None or (lambdas is not None and lambdas[-1] == 0.0):
        return False
    if problem.n_responses is not None or not hasattr(penalty, "majorant"):
        return False
    if not problem.has_blocks:
        nowhere = np.zeros(problem.design.p)
        return penalty.kernel() is None and penalty.majorant(nowhere, 1.0) is not None
    free = np.isinf(penalty.lower) & np.isinf(penalty.upper)
    return bool((free | (np.asarray(penalty.lower) == np.asarray(penalty.upper))).all())


def _excluded(penalty):
    """Return a mask of the features that are excluded, (p,)."""
    if not penalty.has_blocks:
        return np.zeros(penalty.n_features, dtype=bool)
    one, nowhere = np.ones(len(penalty.lower)), np.zeros(len(penalty.lower))
    return ~(penalty.unpenalised(nowhere, one, 0.0) | penalty.unpenalised(nowhere, -one, 0.0))


class ReweightedTrace(FirstOrder):
    """A solver state, see solvers/state.py."""

    between, patience = 5, 40

    def __init__(self, problem, n_threads):
        super().__init__(problem, n_threads)
        root = np.sqrt(problem.weights)
        self.A = root[:, None] * self.design.unpacked(np.arange(self.design.p, dtype=np.intc))
        with np.errstate(divide="ignore", invalid="ignore"):
            off = np.where(problem.weights > 0.0, self.point.u / problem.weights, 0.0)
        y = self.point.eta + off - self.offset  # u = w (y - eta)
        self.center = y @ problem.weights if self.with_intercept else 0.0 * y[..., 0]
        self.C = (root * (y - np.expand_dims(self.center, -1))).T
        self.B = np.zeros_like(self.point.b)  # not yet shown as zero anywhere
        self.smoothest = float(np.linalg.norm(self.C) / max(np.linalg.norm(self.A, 2), 1e-300))

    def begin(self, lam):
        self.smoothing = self.smoothest

    def step(self, lam):
        omega = self.penalty.omega
        moved = omega.metric(self.B, max(self.smoothing, 1e-300))(self.A)  # A M
        self.B = (moved.T @ solve_shifted(moved @ self.A.T, lam, self.C)).T
        shown = omega.prox(self.B, 10.0 * self.smoothing)
        points = [self.at(b, self._intercepts()) for b in (shown, self.B.copy())]
        self.point = min(points, key=lambda point: self.objective(lam, point))
        # singular values have half the digits
        least = 1e-12 * self.smoothest
        self.smoothing = max(0.9 * self.smoothing, least)

    def _intercepts(self):
        c = np.zeros_like(self.point.c)
        if self.with_intercept:
            c[..., 0] = self.center
        return c


def suits_trace(problem, lambdas):
    """Return True if there is such a ridge problem."""
    penalty = problem.penalty
    if problem.has_blocks or not hasattr(getattr(penalty, "omega", None), "metric"):
        return False
    if penalty.ridge > 0.0 or (lambdas is not None and lambdas[-1] == 0.0):
        return False
    squares = problem.loss is None or isinstance(problem.loss, Multigaussian)
    small = problem.design.n * problem.design.p <= 20_000_000  # X is filled in: 160 MB
    return squares and small and penalty.omega.metric(_nowhere(problem), 1.0) is not None


def _nowhere(problem):
    p, K = problem.design.p, problem.n_responses
    return np.zeros(p if K is None else (K, p))


def solve_shifted(K, shift, b):
    """Return the solution x (m,) or (m, k) of (K + shift I) x = b; K is overwritten.

    K (m, m) is symmetric and positive semidefinite, shift > 0. The system that is solved has no
    eigenvalue below shift. If K is so large that the shift is lost in its rounding, it has no
    Cholesky factor, though in exact numbers it would. Then eigenvalues are computed, and those
    that rounding made negative count as 0.
    """
    diagonal = K.diagonal().copy()
    K[np.diag_indices_from(K)] += shift
    try:
        return cho_solve(cho_factor(K), b)
    except LinAlgError:
        K[np.diag_indices_from(K)] = diagonal
        values, vectors = eigh(K)
        along = vectors.T @ b
        return vectors @ (along.T / (np.maximum(values, 0.0) + shift)).T
