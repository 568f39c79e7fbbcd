"""What dictionary learning remembers of the signals it has coded: sums, whatever their number."""

import numpy as np


class Statistics:
    """Sums over signals y with codes a, those of long ago counting less.

    Attributes
    ----------
    A : ndarray (p, p)
        sum of a a', column-major.
    B : ndarray (m, p)
        sum of y a', column-major.
    square, penalty, count : float
        Sums of |y|^2 / 2, of the penalty of a, and of 1.
    """

    def __init__(self, m, p):
        self.A, self.B = np.zeros((p, p), order="F"), np.zeros((m, p), order="F")
        self.square = self.penalty = self.count = 0.0

    def after(self, now, step, forgetting):
        """Sums of `now` and of these, which count (1 - 1/step)^forgetting of what they did."""
        share = (1.0 - 1.0 / step) ** forgetting
        total = Statistics(*self.B.shape)
        for name in ("A", "B", "square", "penalty", "count"):
            setattr(total, name, share * getattr(self, name) + getattr(now, name))
        return total

    def add(self, Y, codes, lam, alpha):
        """Take in signals Y (m, N), dense, with codes (p, N), sparse."""
        self.A += (codes @ codes.T).toarray()
        self.B += (codes @ Y.T).T
        self.square += 0.5 * float(np.square(Y).sum())
        size, squares = np.abs(codes.data).sum(), np.square(codes.data).sum()
        self.penalty += float(lam * (alpha * size + (1.0 - alpha) / 2.0 * squares))
        self.count += Y.shape[1]

    def objective(self, D):
        """Mean of |y - D a|^2 / 2 + penalty(a) over the signals, with the codes they had."""
        fit = self.square - float((D * self.B).sum()) + 0.5 * float(((D.T @ D) * self.A).sum())
        return (fit + self.penalty) / self.count
