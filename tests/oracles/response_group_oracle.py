"""A slow solver for groups of features of K responses, and a certificate, in numpy.

    minimise over b0 (K,), B (K, p)
        sum_i w_i loss(y_i, o_i + b0 + B z_i) + lam sum_g penalty(B_g),   low <= B <= high

B_g (K, p_g) is one block of `group_oracle`, read row by row; of the package nothing is used. Z is
standardised by whoever calls, Y is (n, K), all weights are positive.
"""

import group_oracle
import numpy as np
import oracle
import response_oracle
from scipy import special


class Problem:
    """What a block costs is said as for `group_oracle`; sizes of groups count features."""

    def __init__(self, Z, Y, lists, *, family, kind, d=None, tau=0.5, alpha=1.0, factors=None,
                 w=None, offset=None, intercept=True, low=-np.inf, high=np.inf):  # fmt: skip
        (n, p), K = Z.shape, Y.shape[1]
        self.Z, self.Y, self.family, self.intercept = Z, Y, family, intercept
        self.w = np.full(n, 1 / n) if w is None else w / w.sum()
        self.offset = np.zeros((K, n)) if offset is None else offset
        d = np.sqrt([len(part) for part in lists]) if d is None else d
        v = np.ones(len(lists)) if factors is None else np.asarray(factors)
        v = v * len(v) / v.sum()
        self.low, self.high = np.broadcast_to(low, p), np.broadcast_to(high, p)
        self.blocks, self.free = [], np.zeros(p, dtype=bool)
        for part, weight, factor in zip(lists, d, v, strict=True):
            part = np.asarray(part)
            l1 = tau if kind == "sparse" else 0.0
            main = (1.0 - tau if kind == "sparse" else 1.0) * weight
            self.free[part] = factor * (l1 + main) == 0.0
            flat = (np.arange(K)[:, None] * p + part).ravel()
            scale, linf = alpha * factor, kind == "linf"
            self.blocks.append(group_oracle.Block(
                flat, scale * l1, 0.0 if linf else scale * main, scale * main if linf else 0.0,
                (1 - alpha) * factor * (l1 + main), np.tile(self.low[part], K),
                np.tile(self.high[part], K)))  # fmt: skip

    def loss(self, b0, B):
        eta = self.offset + b0[:, None] + B @ self.Z.T
        return response_oracle.loss(self.family, self.Y, self.w, eta), eta

    def penalty(self, lam, B):
        if (B < self.low - 1e-12).any() or (B > self.high + 1e-12).any():
            return np.inf
        return sum(block.value(lam, B.ravel()[block.columns]) for block in self.blocks)

    def objective(self, lam, b0, B):
        return self.loss(b0, B)[0][0] + self.penalty(lam, B)

    @oracle.BLAS.wrap(limits=1, user_api="blas")
    def solve(self, lam, steps=20_000, enough=1e-12):
        """Accelerated proximal gradient; (b0, B)."""
        A = np.hstack([np.full((len(self.Z), 1), float(self.intercept)), self.Z])
        h = np.linalg.eigvalsh(A.T @ (self.w[:, None] * A)).max()
        h *= 1.0 if self.family == "multigaussian" else 0.5

        def gradient(B):
            return self.loss(B[:, 0] * self.intercept, B[:, 1:])[0][1] @ A

        def prox(B):
            new, inner = B.copy(), h * B[:, 1:].ravel()
            end = np.empty_like(inner)
            for block in self.blocks:
                end[block.columns] = block.prox(lam, h, inner[block.columns])
            new[:, 1:] = end.reshape(new[:, 1:].shape)
            return new

        start = np.zeros((self.Y.shape[1], A.shape[1]))
        B = response_oracle.accelerated(gradient, prox, start, h, steps, enough)
        return B[:, 0] * self.intercept, B[:, 1:]

    def null(self):
        """Intercepts and coefficients without a penalty where all others are zero."""
        B = np.zeros((self.Y.shape[1], self.Z.shape[1]))
        if not self.intercept and not self.free.any():
            return np.zeros(len(B)), B
        part = Problem(self.Z[:, self.free], self.Y, [[j] for j in range(self.free.sum())],
                       family=self.family, kind="l2", w=self.w, offset=self.offset,
                       intercept=self.intercept)  # fmt: skip
        b0, B[:, self.free] = part.solve(0.0)
        return b0, B

    def excess(self, b0, B):
        """F less its infimum."""
        saturated = 0.0  # of real responses
        if self.family == "multinomial":
            saturated = -np.sum(self.w[:, None] * special.xlogy(self.Y, self.Y))
        return self.loss(b0, B)[0][0] - saturated

    def certificate(self, lam, b0, B):
        """P - D over the loss of the empty model; free columns projected out by plain lstsq."""
        (value, gradient), eta = self.loss(b0, B)
        u, columns = -gradient, self.Z[:, self.free]
        if self.intercept:
            columns = np.column_stack([np.ones(len(self.Z)), columns])
        if columns.shape[1]:
            weighted = self.w[:, None] * columns
            found = np.linalg.lstsq(columns.T @ weighted, columns.T @ u.T, rcond=None)[0]
            u = u - found.T @ weighted.T
        z, best, charge = (u @ self.Z).ravel(), np.inf, self.penalty(lam, B)
        held = self.held()
        strict = max((block.polar(z[block.columns]) for block in held), default=0.0) / lam
        loose = max((block.open_polar(z[block.columns]) for block in held if block.ridge == 0),
                    default=0.0) / lam  # fmt: skip
        for most in (strict, loose):
            s = (1 - 1e-13) / max(most, 1.0)
            dual = self.divergence(eta, s * u)
            for block in held:
                k = block.columns
                dual += block.conjugate(lam, s * z[k]) - s * (z[k] @ B.ravel()[k])
            best = min(best, dual + charge)
        null = self.null()
        return best / self.excess(*null)

    def divergence(self, eta, u):
        """F(eta) + F*(-u) + u'eta."""
        q = self.Y.T - u / self.w
        if self.family == "multigaussian":
            return 0.5 * np.sum(self.w * (q - eta) ** 2)
        log_p = eta - eta.max(axis=0)
        log_p = log_p - np.log(np.exp(log_p).sum(axis=0))
        q = np.maximum(q, 0.0)
        return np.sum(self.w * (special.xlogy(q, q) - q * log_p))

    def lambda_max(self):
        """The least lam with B = 0 but for free columns."""
        u = -self.loss(*self.null())[0][1]
        z = (u @ self.Z).ravel()
        return max(block.polar(z[block.columns]) for block in self.held())

    def held(self):
        """The blocks with a penalty."""
        p = self.Z.shape[1]
        return [block for block in self.blocks if not self.free[block.columns[0] % p]]
