"""Pragam on chains by marginals: the projection onto a simplex that factorises, and its maps.

    maximise over alpha   (1/N) sum of costs'alpha - |F'(gold - alpha)|^2 / (2 lam N^2)

alpha holds a table (K, K) for each pair of neighbours, which is the distribution of their labels
where all pairs of a sequence agree about the label that they share. F maps w to the scores of
tables. A score of a position counts half in either pair, and whole at an end of the sequence. A
sequence of one position has a table of which one row is in use.

The projection of tables m solves, for each sequence,

    minimise |alpha - m|^2 / 2      with alpha >= 0, sum alpha_e = 1, and for neighbours e, e + 1
                                    sum_i alpha_e(i, j) = sum_k alpha_{e+1}(j, k) for each j

by its dual: alpha_e(i, j) = [m_e(i, j) + lam_e + mu_e(j) - mu_{e-1}(i)]_+. Algorithm 3 of the
paper goes back and forth between the slack of alpha >= 0 and conjugate gradients for (lam, mu).
Fixing which entries are positive, in place of the slack, makes the same conjugate gradients a
Newton step, with a line search. Invariant of what is returned: tables agree, as they are rebuilt
from the first label's distribution and the transitions, whatever the multipliers are.

References: Saha, Zhang, Vishwanathan, "Lower bounds for BMRM and faster rates for training SVMs"
(2010), section 4.2 and appendix E, whose gradients are not those used here: (35a) and (38) have
other signs and powers than (33) and (37); Taskar, Guestrin, Koller (2004).
"""

import numpy as np
from scipy import sparse

from sparsesolve.solvers.baselines.bundle import ExcessiveGap, squared_norm

# A projection ends when sums of a sequence's tables differ by at most this, in length.
AGREE = 1e-8
# Newton steps of a projection, and conjugate gradients of a step. Chains of digits take 3 to 8.
MOST_NEWTON, MOST_CG = 60, 200


class ChainTables:
    """The tables of N sequences: which belong together, and which labels may follow which.

    Parameters
    ----------
    ptr : (N + 1,) starts of the sequences
    K : int
    allowed : (K, K) bool or None
    """

    def __init__(self, ptr, K, allowed=None):
        sizes = np.diff(ptr)
        pairs = np.maximum(sizes - 1, 1)  # tables of each sequence
        self.sequence = np.repeat(np.arange(len(sizes)), pairs)
        end = np.cumsum(pairs)
        self.place = np.arange(end[-1]) - np.repeat(end - pairs, pairs)
        self.first, self.last = self.place == 0, np.isin(np.arange(end[-1]), end - 1)
        self.left = np.repeat(ptr[:-1], pairs) + self.place
        self.single = np.repeat(sizes == 1, pairs)
        self.right = np.where(self.single, self.left, self.left + 1)
        self.N, self.K, self.E = len(sizes), K, int(end[-1])
        self.open = np.ones((self.E, K, K), dtype=bool)
        if allowed is not None:
            self.open[:] = np.asarray(allowed, dtype=bool)
        self.open[self.single] = np.arange(K)[:, None] == 0
        self.near = np.zeros(self.E), np.zeros((self.E, K))  # multipliers of the last projection

    def _from_left(self, mu):
        """Return what each table has from the one before it, 0 for the first."""
        out = np.zeros_like(mu)
        out[1:] = mu[:-1]
        out[self.first] = 0.0
        return out

    def _to_right(self, rows):
        """Return the row sums of the table after each, 0 for the last."""
        out = np.zeros_like(rows)
        out[:-1] = rows[1:]
        out[self.last] = 0.0
        return out

    def _each(self, x):
        """Return the sum of x (E, ...) over the tables of each sequence, (N,)."""
        return np.bincount(self.sequence, x.reshape(self.E, -1).sum(axis=1), self.N)

    def project(self, m):
        """Return the nearest marginals to tables m (E, K, K), from the last multipliers."""
        m = np.where(self.open, m, -np.inf)
        lam, mu = self.near
        value, alpha = self._dual(m, lam, mu)
        for _ in range(MOST_NEWTON):
            slope = self._slope(alpha)
            size = np.sqrt(self._each(slope[0][:, None] ** 2) + self._each(slope[1] ** 2))
            if size.max() <= AGREE:
                break
            left = (size > AGREE)[self.sequence]  # directions of the others would be rounding
            slope = slope[0] * left, slope[1] * left[:, None]
            d = self._newton(alpha > 0.0, slope)
            along = self._each(slope[0][:, None] * d[0][:, None]) + self._each(slope[1] * d[1])
            step, moving = np.ones(self.N), np.ones(self.N, dtype=bool)
            for _ in range(40):  # halved until the dual falls, sequence by sequence
                share = (step * moving)[self.sequence]
                try_lam, try_mu = lam + share * d[0], mu + share[:, None] * d[1]
                found, alpha = self._dual(m, try_lam, try_mu)
                short = found > value + 1e-4 * step * along + 1e-14 * (1.0 + np.abs(value))
                if not (short & moving).any():
                    break
                step[short] *= 0.5
                moving &= ~short | (step > 1e-9)
            lam, mu, value = try_lam, try_mu, found
        self.near = lam, mu
        return self._agreeing(alpha)

    def _dual(self, m, lam, mu):
        """Return the dual objective of each sequence, to be minimised, and alpha."""
        alpha = m + (lam[:, None] - self._from_left(mu))[:, :, None]
        alpha += mu[:, None, :]
        np.maximum(alpha, 0.0, out=alpha)
        return 0.5 * self._each(alpha * alpha) - self._each(lam[:, None]), alpha

    def _slope(self, alpha):
        """Return the gradient of the dual: by how much sums and neighbours disagree."""
        cols, rows = alpha.sum(axis=1), alpha.sum(axis=2)
        cols[self.last] = 0.0
        return rows.sum(axis=1) - 1.0, cols - self._to_right(rows)

    def _newton(self, positive, slope):
        """Return the Newton direction by conjugate gradients, sequence by sequence."""
        D = positive.astype(float)
        col, row = D.sum(axis=1), D.sum(axis=2)
        inner = ~self.last[:, None]
        size = np.sqrt(self._each(slope[0][:, None] ** 2) + self._each(slope[1] ** 2))
        # Not 0, so that multipliers that change nothing stay.
        ridge = (1e-2 * np.minimum(size, 1.0))[self.sequence] + AGREE
        scale = (col.sum(axis=1) + ridge,
                 np.where(inner, col + self._to_right(row), 0.0) + ridge[:, None])

        def product(lam, mu):
            left = self._from_left(mu)
            cols = col * (lam[:, None] + mu) - np.matmul(left[:, None, :], D)[:, 0, :]
            rows = row * (lam[:, None] - left) + np.matmul(D, mu[:, :, None])[:, :, 0]
            return cols.sum(axis=1) + ridge * lam, (
                np.where(inner, cols - self._to_right(rows), 0.0) + ridge[:, None] * mu)

        def dot(a, b):
            return self._each((a[0] * b[0])[:, None]) + self._each(a[1] * b[1])

        x = np.zeros_like(slope[0]), np.zeros_like(slope[1])
        r = tuple(-part for part in slope)
        z = tuple(a / b for a, b in zip(r, scale, strict=True))
        p, rz = z, dot(r, z)
        goal = rz * np.clip(size, 1e-3, 0.1) ** 2
        for _ in range(MOST_CG):
            Ap = product(*p)
            curve = dot(p, Ap)
            live = (rz > goal) & (curve > 0.0)
            if not live.any():
                break
            a = np.where(live, rz / np.where(curve > 0.0, curve, 1.0), 0.0)[self.sequence]
            x = x[0] + a * p[0], x[1] + a[:, None] * p[1]
            r = r[0] - a * Ap[0], r[1] - a[:, None] * Ap[1]
            z = tuple(u / v for u, v in zip(r, scale, strict=True))
            rz, before = np.where(live, dot(r, z), rz), rz
            b = np.where(live, rz / np.where(before > 0.0, before, 1.0), 0.0)[self.sequence]
            p = z[0] + b * p[0], z[1] + b[:, None] * p[1]
        return x

    def _agreeing(self, alpha):
        """Return the tables of the Markov chain that these nearly are: neighbours agree."""
        rows = alpha.sum(axis=2, keepdims=True)
        spread = self.open / np.maximum(self.open.sum(axis=2, keepdims=True), 1)
        flow = np.where(rows > 0.0, alpha / np.where(rows > 0.0, rows, 1.0), spread)
        start = rows[self.first, :, 0]
        label = start / start.sum(axis=1, keepdims=True)
        for t in range(int(self.place.max()) + 1):
            here = np.flatnonzero(self.place == t)
            who = self.sequence[here]
            flow[here] *= label[who][:, :, None]
            label[who] = flow[here].sum(axis=1)
        return flow


class ChainMargin:
    """What `ExcessiveGap` asks of a risk: products with F, costs and the projection.

    Parameters
    ----------
    rows : csr (n, p)
    ptr, codes : starts of the sequences; labels (n,) by number
    K : int
    allowed : (K, K) bool or None
    costs : (K, K) of wrong labels, from row to column, or None
    """

    total = None

    def __init__(self, rows, ptr, codes, K, allowed=None, costs=None):
        self.rows, self.columns = rows, sparse.csr_array(rows.T)
        self.tables, self.K, self.p = ChainTables(ptr, K, allowed), K, rows.shape[1]
        tables = self.tables
        self.begin, self.end = ptr[:-1], ptr[1:] - 1
        self.of_left = np.where(tables.single, 0.0, np.where(tables.first, 1.0, 0.5))[:, None]
        self.of_right = np.where(tables.last, 1.0, 0.5)[:, None]
        self.gold = np.zeros(tables.open.shape)
        left = np.where(tables.single, 0, codes[tables.left])
        self.gold[np.arange(tables.E), left, codes[tables.right]] = 1.0
        wrong = 1.0 - np.eye(K) if costs is None else costs
        self.h = -self._tabled(wrong[codes]).ravel()
        self.centre = self.project(self.gold.ravel() / tables.N)  # of the tables nearest to 0
        alpha = self.gold - tables.N * self.centre.reshape(self.gold.shape)
        # <c, x> >= |c|^2 for the point c nearest to 0, so that |x - c|^2 <= |x|^2 - |c|^2.
        self.radius = (tables.E - float(np.vdot(alpha, alpha))) / (2.0 * tables.N**2)

    def _tabled(self, S):
        """Return the scores of positions (n, K) as scores of tables (E, K, K)."""
        left = self.of_left * S[self.tables.left]
        return left[:, :, None] + (self.of_right * S[self.tables.right])[:, None, :]

    def forward(self, w):
        """Return F w (E K K,)."""
        K, cut = self.K, self.p * self.K
        S = self.rows @ w[:cut].reshape(self.p, K) + w[cut : cut + K]
        T, ends = w[cut + K : cut + K + K * K].reshape(K, K), w[cut + K + K * K :]
        np.add.at(S, self.begin, ends[:K])
        np.add.at(S, self.end, ends[K:])
        return (self._tabled(S) + T * ~self.tables.single[:, None, None]).ravel()

    def back(self, u):
        """Return F'u, in the order of w."""
        K, tables = self.K, self.tables
        u = u.reshape(tables.E, K, K)
        S = np.zeros((self.rows.shape[0], K))
        np.add.at(S, tables.left, self.of_left * u.sum(axis=2))
        np.add.at(S, tables.right, self.of_right * u.sum(axis=1))
        return np.concatenate([
            (self.columns @ S).ravel(), S.sum(axis=0), u[~tables.single].sum(axis=0).ravel(),
            S[self.begin].sum(axis=0), S[self.end].sum(axis=0),
        ])  # fmt: skip

    def project(self, u):
        """Return the nearest u = (gold - alpha) / N."""
        N, gold = self.tables.N, self.gold
        return ((gold - self.tables.project(gold - N * u.reshape(gold.shape))) / N).ravel()


def excessive_gap(risk, lam, n_coefficients):
    """Return the method of Pragam at its start, for a ChainMargin, with the true L."""
    square = squared_norm(risk.forward, risk.back, len(risk.h), n_coefficients)
    return ExcessiveGap(risk, lam, (square or 1.0) / lam, False, risk.centre)
