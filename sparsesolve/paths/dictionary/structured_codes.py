"""Codes under any convex penalty: FISTA on many signals together, each with its certificate.

    minimise over a   1/2 |y - D a|^2 + lam (alpha Omega(a) + (1 - alpha) / 2 |a|^2)

Given: signals y, atoms D, a penalty with `value`, `prox` and `polar` (``penalties/penalty.py``).
Returned: a, and the duality gap over |y|^2 / 2. The dual point is s r with r = y - D a, where s
<= 1 makes s D'r feasible:

    gap = (1 - s)^2 |r|^2 / 2 + lam P(a) - s r'D a + (lam P)*(s D'r)

Invariant: all signals take the same step 1 / L, L = |D'D|. Momentum restarts, signal by signal,
where it points uphill. A code is final at the first gap that is small enough. Pure ridge (alpha =
0) is solved in closed form.
Reference: Jenatton, Mairal, Obozinski, Bach, "Proximal methods for hierarchical sparse coding"
(2011); Bach et al. 2012, sections 3 and 19.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, eigvalsh

from sparsesolve.paths.dictionary.encoding import SparseCodes
from sparsesolve.paths.penalty import is_concave, read_penalty
from sparsesolve.penalties import L1
from sparsesolve.penalties.nonnegative import Nonnegative
from sparsesolve.penalties.whole import WholePenalty
from sparsesolve.results.status import Status

# Signals whose steps are made together, as one matrix product.
TOGETHER = 1024
# By default at most this many steps are taken for a signal.
STEPS = 10_000


def read_convex(name, penalty, positive=False):
    """Raise unless this is None or a convex penalty; with `positive` it must depend on sizes
    alone.
    """
    read_penalty(penalty)
    if penalty is None:
        return
    called = type(penalty).__name__
    if is_concave(penalty):
        raise ValueError(f"{name} is {called}, which is not convex; give a convex penalty")
    if positive and not getattr(penalty, "absolute", False):
        raise ValueError(
            f"{called} is no penalty of sizes alone, so nonnegative entries are not to be had; "
            "give TreeL2, TreeLinf, OverlapLinf, OverlapL2 or L1, or leave out positive"
        )


def bound_to(name, penalty, n, positive=False):
    """Return the penalty for n entries; raise ValueError if it does not fit them."""
    if hasattr(penalty, "over"):
        try:
            penalty = penalty.over(n, None)
        except ValueError as error:
            raise ValueError(f"{name}, of {n} entries: {error}") from None
    return Nonnegative(penalty) if positive else penalty


def code_columns(Y, D, penalty, lam, alpha, *, positive=False, tol, budget, advance, start=None):
    """Code the columns of Y (m, N), dense, over D (m, p).

    penalty : None is the l1 norm; lam : (N,); start : first codes (p, N), or None
    """
    p, n = D.shape[1], Y.shape[1]
    omega = bound_to("penalty", L1() if penalty is None else penalty, p, positive)
    whole = WholePenalty(omega, p, alpha)
    if whole.kernel() is not None:
        raise ValueError(
            f"{type(penalty).__name__} has directions that it does not penalise, along which "
            "codes are not bounded; give a norm, as with l1 > 0, or alpha < 1"
        )
    problem = _Signals(D, whole)
    A = np.zeros((n, p)) if start is None else start.T.toarray()
    if alpha == 0.0 and not positive:
        A = problem.ridge(Y, lam)
    gaps, steps = np.empty(n), np.zeros(n, dtype=np.intp)
    for first in range(0, n, TOGETHER):
        own = slice(first, min(first + TOGETHER, n))
        A[own], gaps[own], steps[own] = problem.solve(Y[:, own].T, A[own], lam[own], tol, budget)
        advance(own.stop)
    rest = np.linalg.norm(Y - D @ A.T, axis=0)
    status = np.where(gaps <= tol, Status.CONVERGED, Status.MAX_ITER)
    return SparseCodes(sparse.csc_array(A.T), gaps, status, lam.copy(), rest, steps), whole


def mean_objective(found, whole):
    """Return the mean of |y - D a|^2 / 2 + lam P(a) over codes as `code_columns` returns them."""
    A = found.codes.T.toarray()
    terms = [whole.value(a, lam) for a, lam in zip(A, found.lambdas, strict=True)]
    return float(np.mean(0.5 * found.residuals**2 + terms))


class _Signals:
    """Atoms and a penalty. Signals and codes are rows here."""

    def __init__(self, D, whole):
        self.D, self.whole, self.gram = D, whole, D.T @ D
        # a little larger, so that rounding cannot make a step too long
        self.L = float(eigvalsh(self.gram)[-1]) * (1.0 + 1e-12) or 1.0

    def ridge(self, Y, lam):
        """Return the codes (N, p) that minimise |y - D a|^2 / 2 + lam |a|^2 / 2."""
        A = np.empty((Y.shape[1], len(self.gram)))
        for level in np.unique(lam):
            own = lam == level
            system = self.gram + level * np.eye(len(self.gram))
            A[own] = cho_solve(cho_factor(system), self.D.T @ Y[:, own]).T
        return A

    def solve(self, Y, A, lam, tol, budget):
        """Return (codes, gaps, steps) of signals Y (N, m), starting from codes A (N, p)."""
        out, gaps, steps = A.copy(), self.gaps(Y, A, lam), np.zeros(len(Y), dtype=np.intp)
        at = np.flatnonzero(~(gaps <= tol))  # signals not yet solved
        A = A[at]
        Z, t, target = A, np.ones(len(at)), Y[at] @ self.D
        for step in range(1, budget + 1):
            if not len(at):
                break
            ahead = Z + (target - Z @ self.gram) / self.L
            new = self._prox(ahead, lam[at])
            uphill = np.einsum("ij,ij->i", Z - new, new - A) > 0.0
            t[uphill] = 1.0
            later = 0.5 + np.sqrt(0.25 + t * t)
            Z = new + ((t - 1.0) / later)[:, None] * (new - A)
            A, t = new, later
            if step % 10 == 0 or step == budget:  # a certificate costs about as much as a step
                gaps[at], steps[at], out[at] = self.gaps(Y[at], A, lam[at]), step, A
                left = ~(gaps[at] <= tol)
                at, A, Z, t, target = at[left], A[left], Z[left], t[left], target[left]
        return out, gaps, steps

    def _prox(self, V, lam):
        return self.whole.prox_rows(V, lam / self.L)

    def gaps(self, Y, A, lam):
        """Return the duality gaps over |y|^2 / 2, (N,)."""
        rest = Y - A @ self.D.T
        C, squares = rest @ self.D, np.einsum("ij,ij->i", rest, rest)
        size = 0.5 * np.einsum("ij,ij->i", Y, Y)
        found = np.zeros(len(Y))
        for i in np.flatnonzero(size > 0.0):
            s = self.whole.feasible_scale(C[i], lam[i])
            gap = 0.5 * (1.0 - s) ** 2 * squares[i] + self.whole.value(A[i], lam[i])
            gap += self.whole.conjugate(s * C[i], lam[i]) - s * float(C[i] @ A[i])
            found[i] = max(gap, 0.0) / size[i]
        return found
