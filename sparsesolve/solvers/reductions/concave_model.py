"""The quadratic model of a loss under a concave penalty: a stationary point near a given one.

    minimise over b   b'Gb / 2 - c'b + sum_j phi(|b_j|; lam d_j)

Sweeps of coordinate descent with the weights of the tangents alternate with new weights, which
never raises the objective and finds which coefficients are 0. Of the others Newton's method on
phi itself finds the values, where that lowers the objective and no sign changes.
Given: G (m, m), c (m,), the first `free` of them without a penalty. Invariant: the objective does
not rise. Reference: Zou, Li (2008), one-step sparse estimates.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from sparsesolve.solvers.subproblem.weighted_sweeps import weighted_sweeps

ROUNDS, SWEEPS = 1000, 3  # new weights; sweeps between them
STILL = 1e-11  # change of a coefficient that is none, relative


class ConcaveModel:
    """Of the features `which` of a Problem with a ConcavePenalty, at one lam.

    Parameters
    ----------
    problem : Problem
    which : (k,) features
    lam : float
    free : int
        Entries before those of the features, without a penalty: 1 for an intercept.
    """

    def __init__(self, problem, which, lam, free):
        self.penalty, self.unit = problem.penalty, problem.unit
        self.which, self.lam, self.free = which, lam, free

    def stationary(self, G, c, start):
        """A stationary point of the model, no worse than `start`, (free + k,)."""
        G, b, free = np.ascontiguousarray(G), start.copy(), self.free
        size = np.sqrt(np.abs(c @ b)) + np.sqrt(np.maximum(np.diag(G), 0.0)) @ np.abs(b)
        due, pause = 1, 1
        for k in range(ROUNDS):
            slopes, _ = self._derivatives(b)
            moved = weighted_sweeps(G, c, b, np.concatenate([np.zeros(free), slopes]), SWEEPS)
            if moved <= STILL * max(size, moved):
                break
            if k + 1 >= due:
                better = self._newton_step(G, c, b)
                pause = 1 if better is not None else 2 * pause
                due = k + 1 + pause
                b = b if better is None else better
        return b

    def _newton_step(self, G, c, b):
        """One step on the coefficients that are not 0, or None where it does not help."""
        some = np.flatnonzero(b)
        if not len(some):
            return None
        slopes, bends = self._derivatives(b)
        padded = np.concatenate([np.zeros(self.free), slopes]) * np.sign(b)
        bent = np.concatenate([np.zeros(self.free), bends])
        H, pull = G[np.ix_(some, some)], (c - padded)[some] - G[some] @ b
        try:
            step = cho_solve(cho_factor(H + np.diag(bent[some])), pull)
        except LinAlgError:
            return None
        new = b.copy()
        new[some] += step
        kept = np.sign(new[self.free :]) == np.sign(b[self.free :])
        if not kept.all() or not self._value(G, c, new) < self._value(G, c, b):
            return None
        return new

    def _value(self, G, c, b):
        sizes = np.abs(b[self.free :])
        charge = self.penalty.values_of(sizes, self.which, self.lam, self.unit)
        return float(0.5 * b @ (G @ b) - c @ b) + charge

    def _derivatives(self, b):
        sizes = np.abs(b[self.free :])
        return self.penalty.derivatives_of(sizes, self.which, self.lam, self.unit)
