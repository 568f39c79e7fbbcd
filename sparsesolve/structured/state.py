"""A chain as a problem of the package: the design X times K labels with indicators of transitions.

    minimise over W, t   F(X W + 1 t_0', t)  +  lam Omega(W, t)

eta holds the scores of all positions and then transitions, start and stop scores, as ChainLog
reads them. The design is never formed: products with X take K columns at once, and those of the
rest of t are t itself. Everything else, steps and certificate, is FirstOrder's.
"""

import numpy as np

from sparsesolve.losses.chain.rows import times
from sparsesolve.solvers.certificate.gap import duality_gap
from sparsesolve.solvers.first_order.first_order import Point
from sparsesolve.solvers.first_order.panoc import Panoc


class ChainProblem:
    """What a path asks of a problem; the user's units are the solver's.

    Parameters
    ----------
    rows : Rows
    loss : ChainLog
    penalty : ChainPenalty
    intercept : bool
        Whether every label has a score of its own.
    """

    n_responses, limited, simple, grouped = None, False, False, False

    def __init__(self, rows, loss, penalty, intercept):
        self.rows, self.loss, self.penalty, self.intercept = rows, loss, penalty, intercept
        self.K, (self.n, self.p) = loss.K, rows.rows.shape
        self.n_coefficients = (self.p + intercept) * self.K + self.K * self.K + 2 * self.K
        self.null_value = loss.at(np.zeros(loss.n))[0]

    def inner_level(self, lam):
        """The solver's lambda for the user's."""
        return lam

    def user_levels(self, levels):
        """The user's lambdas for the solver's."""
        return levels

    def owed(self, which, values, intercept):
        """What the way back to the user's units may cost the gap: nothing."""
        return 0.0

    def to_user(self, which, values, intercept):
        """The user's coefficients: the same."""
        return which, values, intercept

    def scores(self, b, n_threads=1):
        """eta of flat coefficients b."""
        K, cut = self.K, self.p * self.K
        x = self.rows.rows
        S = times(x.indptr, x.indices, x.data, b[:cut].reshape(self.p, K), n_threads)
        if self.intercept:
            S += b[cut : cut + K]
            cut += K
        return np.concatenate([S.ravel(), b[cut:]])

    def products(self, u, n_threads=1):
        """The design's products with u, one for each coefficient."""
        K, cut = self.K, self.n * self.K
        x, U = self.rows.columns, u[:cut].reshape(self.n, K)
        parts = [times(x.indptr, x.indices, x.data, U, n_threads).ravel()]
        if self.intercept:
            parts.append(U.sum(axis=0))
        return np.concatenate([*parts, u[cut:]])


class ChainState(Panoc):
    """A solver state, see solvers/state.py, at first at zero."""

    def __init__(self, problem, n_threads=1):
        self.problem, self.n_threads, self.several = problem, n_threads, None
        self.penalty, self.loss = problem.penalty, problem.loss
        self.with_intercept, self.iterations = False, 0
        self.point = self.at(np.zeros(problem.n_coefficients), np.zeros(0))
        squares = problem.rows.rows.power(2).sum(axis=1).max() + problem.intercept + 1.0
        self.L = 0.5 * float(squares)

    def at(self, b, c):
        eta = self.problem.scores(b, self.n_threads)
        return Point(b, c, eta, *self.loss.at(eta))

    def products(self, u):
        return self.problem.products(u, self.n_threads)

    def downhill(self, u):
        return self.products(u), np.zeros(0)

    def gap(self, lam):
        """The duality gap at -F', scaled until it is feasible: nothing is without a penalty."""
        b, _, eta, value, u = self.point
        return duality_gap(self.loss, self.penalty, lam, b, eta, value, u, self.products(u))

    @property
    def intercept(self):
        """None of its own: those of the labels are coefficients."""
        return 0.0

    def _coefficients(self):
        return self.point.b
