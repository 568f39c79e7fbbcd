"""Sufficient statistics of the signals that dictionary learning has coded."""

import numpy as np


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
