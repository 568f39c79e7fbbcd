"""An independent certificate of a lasso or elastic-net path, in numpy and scipy alone.

Per lambda, with everything centred (which is what the free intercept does):

    P(b) = |y - X b|^2 / (2n) + lambda (alpha |b|_1 + (1 - alpha)/2 |b|^2)
    D(u) = <u, y> - n |u|^2 / 2 - sum_j (|x_j'u| - lambda alpha)_+^2 / (2 lambda (1 - alpha))

The last sum is the condition |x_j'u| <= lambda when alpha = 1. The dual point of coefficients b is
u = s (y - X b) / n with the best feasible s; for alpha < 1 the best of 20 values between 1 and the
s that brings all correlations under lambda alpha. The gap of b is P(b) - D(u); its suboptimality
is at most P(b) - (the best D known for that lambda). Both are relative to P(0).
"""

import numpy as np
from scipy import sparse


class Certificate:
    """Measures coefficients of one problem and keeps the best dual bound of every lambda."""

    def __init__(self, q):
        self.q, self.n = q, q.y.size
        self.y = q.y - q.y.mean()
        self.null = self.y @ self.y / (2 * self.n)  # P(0)
        self.X = q.X if sparse.issparse(q.X) else np.asfortranarray(q.X, dtype=np.float64)
        self.best_dual = np.zeros(q.lambdas.size)
        self.best_primal = np.full(q.lambdas.size, self.null)

    def residuals(self, B):
        """Centred residuals (n, L) of sparse coefficients (p, L)."""
        fit = (B.T @ self.X.T).T
        fit = fit.toarray() if sparse.issparse(fit) else np.asarray(fit)
        return self.y[:, None] - (fit - fit.mean(axis=0))

    def primal(self, B, R, lams):
        """P of every column of B."""
        l1 = np.asarray(abs(B).sum(axis=0)).ravel()
        l2 = np.asarray(B.multiply(B).sum(axis=0)).ravel()
        alpha = self.q.alpha
        return (R**2).sum(axis=0) / (2 * self.n) + lams * (alpha * l1 + (1 - alpha) / 2 * l2)

    def dual(self, R, lams):
        """D of the dual point of every column of R."""
        alpha, n = self.q.alpha, self.n
        Z = np.abs(self.X.T @ R) / n
        inner, square = self.y @ R / n, (R**2).sum(axis=0) / n
        square = np.maximum(square, np.finfo(float).tiny)
        limit = lams * alpha / np.maximum(Z.max(axis=0), np.finfo(float).tiny)
        scale = np.clip(inner / square, -limit, limit)
        best = scale * inner - scale**2 * square / 2
        if alpha < 1:
            for s in np.linspace(np.clip(limit, 0, 1), 1, 20):
                excess = (np.maximum(s * Z - lams * alpha, 0) ** 2).sum(axis=0)
                value = s * inner - s**2 * square / 2 - excess / (2 * lams * (1 - alpha))
                best = np.maximum(best, value)
        return best

    def measure(self, B, chunk=20):
        """Primal values and gaps (L,), the gaps relative to P(0); improves the best dual."""
        B = sparse.csc_matrix(B)
        primal, dual = np.empty(B.shape[1]), np.empty(B.shape[1])
        for k in range(0, B.shape[1], chunk):  # chunks bound the memory of X'R
            part = slice(k, min(k + chunk, B.shape[1]))
            lams = self.q.lambdas[part]
            R = self.residuals(B[:, part])
            primal[part], dual[part] = self.primal(B[:, part], R, lams), self.dual(R, lams)
        self.best_dual = np.maximum(self.best_dual, dual)
        self.best_primal = np.minimum(self.best_primal, primal)
        return primal, (primal - dual) / self.null

    def suboptimality(self, primal):
        """Certified relative suboptimality (L,) of primal values, by the best dual so far."""
        return (primal - self.best_dual) / self.null

    def slack(self):
        """How far the best primal and the best dual are apart at worst: what is not known."""
        return ((self.best_primal - self.best_dual) / self.null).max()
