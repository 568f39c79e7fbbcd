"""Atoms of dictionary learning: their start, sums over codes, and their update under a penalty.

    minimise over D   1/2 tr(D'D A) - tr(D'B) + level sum_j Omega(d_j)     |d_j| <= 1

Given: A = sum a a' and B = sum y a' over codes a of signals y, and a penalty of vectors (m,) with
Omega(s d) = s Omega(d) for s >= 0. Returned: D, changed in place. Each atom moves to its
minimiser while the others stay: the prox of d_j + (b_j - D a_j) / A_jj, divided by its length if
that is above 1. This is exact, because a multiplier of the ball only scales the result of the
prox. An atom that no code uses becomes 0 and stays 0. Invariant: the objective never rises.
Reference: Jenatton, Obozinski, Bach, "Structured sparse principal component analysis" (2010); Bach
et al. 2012, section 19; Mairal, Bach, Ponce, Sapiro (2010), section 3.
"""

import numpy as np

from sparsesolve.paths.dictionary.encoding import dense_columns, read_columns

# A signal becomes an atom only if its norm exceeds this share of the largest norm.
SILENT = 1e-6
# An atom whose A_jj is at most this share of the largest one is used by no code.
UNUSED = 1e-12


def read_atoms(dictionary, n_atoms, positive):
    """Return the user's atoms (m, n_atoms); atoms of a norm beyond 1 are divided by it."""
    atoms = dense_columns(read_columns("dictionary", dictionary))
    if atoms.shape[1] != n_atoms:
        raise ValueError(f"dictionary has {atoms.shape[1]} columns, not {n_atoms} atoms")
    if positive and atoms.min() < 0:
        raise ValueError("dictionary has negative entries; leave out positive_atoms")
    return np.asfortranarray(atoms / np.maximum(np.linalg.norm(atoms, axis=0), 1.0))


def draw_atoms(Y, count, positive, rng):
    """Return atoms (m, count) of norm 1, signals of Y (m, N) drawn by the generator `rng`.

    Where there are too few signals, the others are random directions. With `positive` negative
    entries become 0.
    """
    Y = np.maximum(Y, 0.0) if positive else Y
    norms = np.linalg.norm(Y, axis=0)
    loud = rng.permutation(np.flatnonzero(norms > SILENT * norms.max(initial=0.0)))[:count]
    rest = rng.standard_normal((Y.shape[0], count - len(loud)))
    rest = np.abs(rest) if positive else rest
    atoms = np.hstack([Y[:, loud] / norms[loud], rest / np.linalg.norm(rest, axis=0)])
    return np.asfortranarray(atoms)


class Statistics:
    """Sums over signals y with codes a, in which older signals count less.

    Attributes
    ----------
    A : ndarray (p, p)
        The sum of a a', column-major.
    B : ndarray (m, p)
        The sum of y a', column-major.
    count : float
        Number of signals, discounted likewise.
    """

    def __init__(self, m, p):
        self.count = 0.0
        self.A, self.B = np.zeros((p, p), order="F"), np.zeros((m, p), order="F")

    def after(self, now, step, forgetting):
        """Return the sums of `now` plus (1 - 1/step)^forgetting times these."""
        share = (1.0 - 1.0 / step) ** forgetting
        total = Statistics(*self.B.shape)
        total.A, total.B = share * self.A + now.A, share * self.B + now.B
        total.count = share * self.count + now.count
        return total

    def add(self, Y, codes):
        """Add signals Y (m, N), dense, with codes (p, N), sparse."""
        self.A += (codes @ codes.T).toarray()
        self.B += (codes @ Y.T).T
        self.count += Y.shape[1]


def mean_objective(Y, D, codes, lam, alpha):
    """Return the mean of |y - D a|^2 / 2 + penalty(a) over signals Y (m, N) with codes (p, N)."""
    rest = Y - (codes.T @ D.T).T
    size, squares = np.abs(codes.data).sum(), np.square(codes.data).sum()
    penalty = lam * (alpha * size + (1.0 - alpha) / 2.0 * squares)
    return float((0.5 * np.square(rest).sum() + penalty) / Y.shape[1])


def update_structured_atoms(D, A, B, omega, level, sweeps=1):
    """Move all atoms of D (m, p) in place, `sweeps` times."""
    used = np.diagonal(A) > UNUSED * max(np.diagonal(A).max(), 1e-300)
    D[:, ~used] = 0.0
    for _ in range(sweeps):
        for j in np.flatnonzero(used):
            u = D[:, j] + (B[:, j] - D @ A[:, j]) / A[j, j]
            d = omega.prox(np.ascontiguousarray(u), level / A[j, j])
            D[:, j] = d / max(np.linalg.norm(d), 1.0)
