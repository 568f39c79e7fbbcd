"""An independent certificate of a lasso or elastic-net path, in numpy and scipy alone.

Per lambda, with a mean loss F of `losses.py` and b0 at its best for b,

    P(b) = F(b0 + X b) + lambda (alpha |b|_1 + (1 - alpha)/2 |b|^2)
    D(u) = -F*(-u) - sum_j (|x_j'u| - lambda alpha)_+^2 / (2 lambda (1 - alpha)),   1'u = 0.

The last sum is the condition |x_j'u| <= lambda when alpha = 1. The dual point of coefficients b is
u = s (y - mean(b0 + X b)) / n with the best feasible s (s <= 1 unless the loss is quadratic); for
alpha < 1 the best of 20 values between 1 and the s that brings all correlations under lambda
alpha. The gap of b is P(b) - D(u); its suboptimality is at most P(b) - (the best D known for that
lambda). Both are relative to P(0) less the loss of the saturated model: half the null deviance.
"""

import numpy as np
from losses import LOSSES
from scipy import sparse

TINY = np.finfo(float).tiny


class Certificate:
    """Measures coefficients of one problem and keeps the best dual bound of every lambda."""

    def __init__(self, q):
        self.q, self.n, self.loss = q, q.y.size, LOSSES[q.loss]
        self.y = np.asarray(q.y, dtype=np.float64)[:, None]
        nothing = np.zeros_like(self.y)
        zero = self.loss.value(self.y, self.loss.intercept(self.y, nothing) + nothing)[0]
        self.null = zero - self.loss.dual(self.y, nothing)[0]
        self.X = q.X if sparse.issparse(q.X) else np.asfortranarray(q.X, dtype=np.float64)
        self.best_dual = np.full(q.lambdas.size, self.loss.dual(self.y, nothing)[0])
        self.best_primal = np.full(q.lambdas.size, zero)

    def predictors(self, B):
        """b0 + X B (n, L) of sparse coefficients (p, L), each b0 at its best."""
        fit = (B.T @ self.X.T).T
        fit = fit.toarray() if sparse.issparse(fit) else np.asarray(fit)
        return fit + self.loss.intercept(self.y, fit)

    def primal(self, B, eta, lams):
        """P of every column of B."""
        l1 = np.asarray(abs(B).sum(axis=0)).ravel()
        l2 = np.asarray(B.multiply(B).sum(axis=0)).ravel()
        alpha = self.q.alpha
        return self.loss.value(self.y, eta) + lams * (alpha * l1 + (1 - alpha) / 2 * l2)

    def dual(self, R, lams):
        """D of the dual point of every column of R = y - mean."""
        alpha = self.q.alpha
        Z = np.abs(self.X.T @ R) / self.n
        best = self.loss.best_multiple(self.y, R)
        limit = lams * alpha / np.maximum(Z.max(axis=0), TINY)
        value = self.loss.dual(self.y, np.clip(best, -limit, limit) * R)
        if alpha < 1:
            for s in np.linspace(np.clip(limit, 0, 1), 1, 20):
                excess = (np.maximum(s * Z - lams * alpha, 0) ** 2).sum(axis=0)
                other = self.loss.dual(self.y, s * R) - excess / (2 * lams * (1 - alpha))
                value = np.maximum(value, other)
        return value

    def measure(self, B):
        """Primal values and gaps (L,), the gaps relative to P(0); improves the best dual."""
        B = sparse.csc_matrix(B)
        primal, dual = np.empty(B.shape[1]), np.empty(B.shape[1])
        chunk = int(np.clip(2e6 / self.n, 1, 20))  # bounds the memory of X'R and of predictors
        for k in range(0, B.shape[1], chunk):
            part = slice(k, min(k + chunk, B.shape[1]))
            lams, eta = self.q.lambdas[part], self.predictors(B[:, part])
            R = self.y - self.loss.mean(eta)
            primal[part], dual[part] = self.primal(B[:, part], eta, lams), self.dual(R, lams)
        self.best_dual = np.maximum(self.best_dual, dual)
        self.best_primal = np.minimum(self.best_primal, primal)
        return primal, (primal - dual) / self.null

    def suboptimality(self, primal):
        """Certified relative suboptimality (L,) of primal values, by the best dual so far."""
        return (primal - self.best_dual) / self.null

    def slack(self):
        """How far the best primal and the best dual are apart at worst: what is not known."""
        return ((self.best_primal - self.best_dual) / self.null).max()
