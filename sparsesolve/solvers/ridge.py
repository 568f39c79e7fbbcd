"""Ridge in closed form: one eigendecomposition, after which every lam costs a few small products.

    minimise over b   |c - A b|^2 / 2  +  lam sum_j v_j b_j^2 / 2,    A = sqrt(W) Z,  c = sqrt(W) y

Given: a standardised design, v_j > 0 but for unpenalised columns, no limits. Returned per lam: a
duality gap over all columns. Invariant: unpenalised columns are projected out of A and c.

With g = sqrt(V) b, g = (A'A + lam)^-1 A'c for a tall design. For a wide one b = V^-1 A'a with a =
(A V^-1 A' + lam)^-1 c. Every solution is corrected by its own residual until the gap is met.

Reference: Hastie, Tibshirani, "Efficient quadratic regularization for expression arrays" (2004).
"""

import numpy as np

from sparsesolve.linalg.factors.span import Span, eigen
from sparsesolve.linalg.gram.gram import tall_gram
from sparsesolve.linalg.gram.outer import wide_gram
from sparsesolve.solvers.certificate.gap import gap_of_terms, ridge_excess, squares_excess
from sparsesolve.solvers.state import CONVERGED, MAX_ITER, STALLED, State

# Steps of iterative refinement after which only rounding is left.
CORRECTIONS = 5


class Ridge(State):
    """A solver state, see solvers/state.py."""

    intercept = 0.0  # of the standardised problem

    def __init__(self, problem, n_threads):
        design, w, y = problem.design, problem.weights, problem.response
        v, open_ = np.asarray(problem.penalty.l2), problem.open_columns
        free = np.flatnonzero(open_ & (v == 0.0))
        self.unpenalised = UnpenalisedColumns(design, free, w, y, problem.centred)
        which = np.flatnonzero(open_ & (v > 0.0)).astype(np.intc)
        self.unit = v[which].max(initial=1e-300)  # lam v = (lam unit) (v / unit): no overflow
        form = Tall if len(which) <= design.n else Wide
        self.form = form(design, which, v[which] / self.unit, w, self.unpenalised, n_threads)
        self.which, self.iterations = which, 0

    @property
    def loss_value(self):
        """The loss less its least value."""
        return 0.5 * self.form.residual_square()

    def correlations(self):
        """Return z_j'r of every column, (p,); 0 if it cannot enter or is not penalised."""
        out = np.zeros(self.form.design.p)
        out[self.which] = self.form.correlations()
        return out

    def coefficients(self):
        """Return features with a nonzero coefficient, ascending, and their coefficients."""
        penalised = self.form.coefficients()
        free = self.unpenalised.coefficients(self.form.left_over())
        which = np.concatenate([self.which, self.unpenalised.which])
        values = np.concatenate([penalised, free])
        order = np.argsort(which)
        order = order[values[order] != 0.0]
        return which[order], values[order]

    def solve(self, lam, target, budget):
        """Reach gap <= target at lam; returns (outcome, gap)."""
        with np.errstate(over="ignore"):
            lam = min(lam * self.unit, 1e307)  # beyond, nothing changes
        self.form.start()
        for _ in range(min(budget, CORRECTIONS)):
            self.form.correct(lam)
            self.iterations += 1
            gap = self.form.gap(lam)
            if gap <= target:
                return CONVERGED, gap
        gap = self.form.gap(lam)
        if gap <= target:  # It may be met without a step.
            return CONVERGED, gap
        return (MAX_ITER if budget < CORRECTIONS else STALLED), gap


def suits(problem, lambdas):
    """Return True if the closed form holds: a penalty of squares, no limits, something to shrink.
    """
    if problem.loss is not None or problem.penalty.alpha != 0.0:
        return False
    if lambdas is not None and lambdas[-1] == 0.0:
        return False
    open_ = problem.open_columns
    ridge = np.asarray(problem.penalty.l2)[open_] > 0.0
    return bool(np.isinf(problem.limits[:, open_]).all() and ridge.any())


class UnpenalisedColumns(Span):
    """The unpenalised columns: an orthonormal basis Q of their span, and least squares on them."""

    def __init__(self, design, which, w, y, centred):
        self.root_w = np.sqrt(w)
        super().__init__(design, which, self.root_w, centred)
        response = self.root_w * y
        self.explained = self.Q.T @ response  # the response's products with Q
        self.response = self.without(response)
        self.y = y  # response without that, not yet times sqrt(w)
        if len(which):
            self.y = self.response / np.where(self.root_w > 0.0, self.root_w, 1.0)

    def coefficients(self, seen):
        """Return coefficients of the unpenalised columns, for a residual whose products with Q
        are `seen`.
        """
        return self.back @ seen


class Tall:
    """At most as many columns as rows: everything from A'A (p, p) and A'c."""

    def __init__(self, design, which, v, w, free, n_threads):
        self.design, self.unpenalised, self.scale = design, free, np.sqrt(v)
        gram, cross = tall_gram(design, free.root_w, free.y, n_threads)
        gram, cross = gram[np.ix_(which, which)], cross[which]
        seen = [design.products(free.root_w * q, n_threads)[which] for q in free.Q.T]
        self.seen = np.reshape(seen, (-1, len(which))) / self.scale  # Q'A
        self.gram = gram / self.scale / self.scale[:, None] - self.seen.T @ self.seen
        self.cross = cross / self.scale
        self.spectrum, self.turn = eigen(self.gram)
        self.square = free.response @ free.response
        self.start()

    def start(self):
        """Forget the last lam: its error would survive the step to one far away."""
        self.g, self.z = np.zeros(len(self.cross)), self.cross

    def correct(self, lam):
        """Take a Newton step, which in exact arithmetic is the last."""
        excess = self.turn.T @ (self.z - lam * self.g)
        self.g = self.g + self.turn @ (excess / (self.spectrum + lam))
        self.z = self.cross - self.gram @ self.g

    def gap(self, lam):
        """Return the gap at the dual point r, with products z = A'r, or at 0."""
        primal = 0.5 * (self.residual_square() + lam * float(self.g @ self.g))
        if not lam > 0.0:
            return primal
        return gap_of_terms(0.0, ridge_excess(self.g, self.z, lam), 0.0, primal)

    def residual_square(self):
        return float(max(self.square - self.g @ (self.cross + self.z), 0.0))

    def correlations(self):
        return self.z * self.scale

    def coefficients(self):
        return self.g / self.scale

    def left_over(self):
        """Return Q'(c - A g)."""
        return self.unpenalised.explained - self.seen @ self.g


class Wide:
    """More columns than rows: everything from A V^-1 A' (n, n), but for two products with X."""

    def __init__(self, design, which, v, w, free, n_threads):
        self.design, self.unpenalised, self.which, self.v = design, free, which, v
        self.n_threads = n_threads
        gram = wide_gram(design, which, 1.0 / v, free.root_w, n_threads)
        gram = free.without(free.without(gram).T)
        self.spectrum, self.turn = eigen(gram)
        self.start()

    def start(self):
        """Forget the last lam: its error would survive the step to one far away."""
        self.a, self.b = np.zeros(self.design.n), np.zeros(len(self.which))
        self.r, self.fit = self.unpenalised.response, np.zeros(self.design.n)

    def correct(self, lam):
        """Take a Newton step on the dual variable a, then compute b and r = c - A b by products
        with X.
        """
        excess = self.turn.T @ (self.r - lam * self.a)
        self.a = self.unpenalised.without(self.a + self.turn @ (excess / (self.spectrum + lam)))
        u = self.unpenalised.root_w * self.a
        self.b = self.design.products(u, self.n_threads)[self.which] / self.v
        self.fit = self.unpenalised.root_w * self.design.combination(self.which, self.b)
        self.r = self.unpenalised.without(self.unpenalised.response - self.fit)

    def gap(self, lam):
        """Return the gap at the dual point lam a, of which b is the exact answer."""
        return gap_of_terms(squares_excess(self.r, lam * self.a), 0.0)

    def residual_square(self):
        return float(self.r @ self.r)

    def correlations(self):
        return self.design.products(self.unpenalised.root_w * self.r, self.n_threads)[self.which]

    def coefficients(self):
        return self.b

    def left_over(self):
        """Return Q'(c - A b)."""
        return self.unpenalised.explained - self.unpenalised.Q.T @ self.fit
