"""The quadratic model of a loss under a concave penalty: a stationary point near a given one.

    minimise over b   b'Gb / 2 - c'b + sum_g phi(|b_g|_2; lam d_g)

Given: G (m, m), c (m,); the first `free` entries have no penalty, the others come group by group.
Returned: a stationary point. Invariant: the objective does not rise.

Sweeps of block descent with the weights of the tangents alternate with new weights. That never
raises the objective and finds which groups are 0. Newton's method on phi itself finds the values
of the others, if that lowers the objective and reverses no group: along u = b_g / |b_g| the
curvature of phi is phi'', across it phi' / |b_g|.

Reference: Zou, Li (2008), one-step sparse estimates.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from sparsesolve.solvers.costs.reductions import SWEEPS_A_WEIGHT
from sparsesolve.solvers.subproblem.weighted_sweeps import weighted_sweeps

# New weights of the quadratic model; Newton steps end most searches within ten.
ROUNDS = 1000
# A change of a group below this, relative, is none.
STILL = 1e-11


class ConcaveModel:
    """The model on some groups of a Problem with a ConcavePenalty, at one lam.

    Parameters
    ----------
    problem : Problem
    of : (k,) the groups of the features, equal ones side by side
    lam : float
    free : int
        Entries before those of the features, without a penalty: 1 for an intercept.
    """

    def __init__(self, problem, of, lam, free):
        self.penalty, self.unit = problem.penalty, problem.unit
        self.lam, self.free = lam, free
        first = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
        self.groups, self.first = of[first], first
        self.block = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(of))))
        # Entries without a penalty are blocks of one.
        ends = free + np.append(first, len(of))
        self.start = np.append(np.arange(free), ends).astype(np.intp)

    def stationary(self, G, c, start):
        """Return a stationary point of the model, no worse than `start`, (free + k,)."""
        G, b = np.ascontiguousarray(G), start.copy()
        curvature, unpenalised = self._curvature(G), np.zeros(self.free)
        size = np.sqrt(np.abs(c @ b)) + np.sqrt(np.maximum(np.diag(G), 0.0)) @ np.abs(b)
        due, pause = 1, 1
        for k in range(ROUNDS):
            weights = np.concatenate([unpenalised, self._derivatives(b)[0]])
            moved = weighted_sweeps(G, c, b, self.start, curvature, weights, SWEEPS_A_WEIGHT)
            if moved <= STILL * max(size, moved):
                break
            if k + 1 >= due:
                better = self._newton_step(G, c, b)
                pause = 1 if better is not None else 2 * pause
                due = k + 1 + pause
                b = b if better is None else better
        return b

    def _curvature(self, G):
        """Return the largest eigenvalue of each diagonal block."""
        first, sizes = self.start[:-1], np.diff(self.start)
        out = np.diag(G)[first].copy()
        for size in np.unique(sizes[sizes > 1]):
            some = np.flatnonzero(sizes == size)
            places = first[some][:, None] + np.arange(size)
            blocks = G[places[:, :, None], places[:, None, :]]
            out[some] = np.linalg.eigvalsh(blocks)[:, -1]
        return out

    def _newton_step(self, G, c, b):
        """Return b after one step on the nonzero groups, or None if it does not help."""
        some = np.flatnonzero(b)
        if not len(some):
            return None
        H, pull = G[np.ix_(some, some)], c[some] - G[some] @ b
        self._add_penalty(b, some, H, pull)
        try:
            step = cho_solve(cho_factor(H, overwrite_a=True), pull)
        except LinAlgError:
            return None
        new = b.copy()
        new[some] += step
        kept = (self._sums((new * b)[self.free :]) > 0.0) | (self._sizes(b) == 0.0)
        if not kept.all() or not self._value(G, c, new) < self._value(G, c, b):
            return None
        return new

    def _add_penalty(self, b, some, H, pull):
        """Add the penalty's Hessian to H and subtract its gradient from `pull`.

        Both are of the entries `some`, of groups that are not 0.
        """
        held = np.searchsorted(some, self.free)
        block = self.block[some[held:] - self.free]
        slopes, curvatures = (x[block] for x in self._derivatives(b))
        sizes = self._sizes(b)[block]
        unit = b[some[held:]] / sizes
        pull[held:] -= slopes * unit
        own = np.outer((curvatures - slopes / sizes) * unit, unit)
        own *= block[:, None] == block
        H[held:, held:] += own
        H[np.arange(held, len(H)), np.arange(held, len(H))] += slopes / sizes

    def _value(self, G, c, b):
        charge = self.penalty.values_of(self._sizes(b), self.groups, self.lam, self.unit)
        return float(0.5 * b @ (G @ b) - c @ b) + charge

    def _derivatives(self, b):
        return self.penalty.derivatives_of(self._sizes(b), self.groups, self.lam, self.unit)

    def _sizes(self, b):
        """Return the length of each group."""
        return np.sqrt(self._sums(b[self.free :] ** 2))

    def _sums(self, x):
        """Return sums over the groups."""
        return np.add.reduceat(x, self.first)
