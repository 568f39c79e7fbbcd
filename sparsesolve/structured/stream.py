"""Chains learnt from a stream of sequences: FTRL-proximal steps of the log loss.

    minimise over b   sum_s log loss of sequence s at b  +  T (l1 |b|_1 + l2 |b|^2 / 2)

after T sequences. For every coefficient the sums z of gradients (minus the terms of the moves)
and q of squared gradients are kept. The coefficient is computed from them when it is needed:

    b = -sign(z) (|z| - T l1)_+ / ((BETA + sqrt(q)) / RATE + T l2)

So features that do not occur in a batch cost nothing, and penalties on them are exact all the
same. Given: batches of sequences. Returned: the current coefficients, without a certificate.
Reference: McMahan et al. (2013), "Ad click prediction: a view from the trenches", algorithm 1.
"""

import numpy as np
from scipy import sparse

from sparsesolve.losses.chain.log_loss import ChainLog
from sparsesolve.structured.result import of_one_lambda
from sparsesolve.structured.sequences import in_positions_of, known_tags, read_rows, refuse_dicts

# One step adds up the gradients of this many sequences.
BATCH = 4
# Step sizes are RATE / (BETA + root of the sum of squared gradients), as in McMahan et al.
# (2013).
RATE, BETA = 0.5, 1.0


class ChainStream:
    """Coefficients of p features and K labels during learning.

    Parameters
    ----------
    labels : (K,) all labels that there may be, sorted
    n_features : int
    intercept : bool
    l1, l2 : float
        Penalties for each sequence.
    names : (p,) names of the features, or None
    """

    def __init__(self, labels, n_features, intercept, l1, l2, names=None):
        K = len(labels)
        self.labels, self.p, self.intercept, self.names = labels, n_features, intercept, names
        self.l1, self.l2, self.count = l1, l2, 0
        self.cut = (n_features + intercept) * K  # the first of transitions, start and stop
        self.z, self.q = np.zeros((2, self.cut + K * K + 2 * K))

    def begin_at(self, flat, count):
        """Set these coefficients, as if `count` sequences had led to them."""
        self.count = count
        self.z = -flat * (BETA / RATE + count * self.l2) - np.sign(flat) * count * self.l1

    def coefficients(self, at=slice(None)):
        """Return the coefficients at some places."""
        z, weight = self.z[at], (BETA + np.sqrt(self.q[at])) / RATE + self.count * self.l2
        return -np.sign(z) * np.maximum(np.abs(z) - self.count * self.l1, 0.0) / weight

    def read(self, X, y, lengths=None):
        """Return sequences as (rows, codes, starts), checked against those that came before."""
        y = in_positions_of(X, y)
        refuse_dicts(X, self.names)
        rows = read_rows(X, lengths, both=False, known=self.names)
        if rows.rows.shape[1] != self.p:
            raise ValueError(
                f"X has {rows.rows.shape[1]} columns, but the first batch had {self.p}"
            )
        return rows.rows, known_tags(y, rows.ptr, self.labels), np.asarray(rows.ptr)

    def learn(self, X, y, lengths=None, n_threads=1):
        """Make one pass over sequences in their order; return the mean loss before each step."""
        rows, codes, ptr = self.read(X, y, lengths)
        total, N = 0.0, len(ptr) - 1
        for first in range(0, N, BATCH):
            cuts = ptr[first : min(first + BATCH, N) + 1]
            part = rows[cuts[0] : cuts[-1]]
            total += self._step(part, codes[cuts[0] : cuts[-1]], cuts - cuts[0], n_threads)
        return total / N

    def _step(self, x, codes, ptr, n_threads):
        """Take the step of one batch; return the sum of its losses."""
        K, n, size = len(self.labels), x.shape[0], len(ptr) - 1
        used, columns = np.unique(x.indices, return_inverse=True)
        if self.intercept:
            used = np.append(used, self.p)
        tied = np.arange(self.cut, len(self.z))
        at = np.concatenate([(used[:, None] * K + np.arange(K)).ravel(), tied])
        local = sparse.csr_array((x.data, columns, x.indptr), shape=(n, len(used)))
        if self.intercept:
            local = sparse.hstack([local[:, :-1], np.ones((n, 1))], format="csr")
        b, cut = self.coefficients(at), len(used) * K
        S = local @ b[:cut].reshape(-1, K)
        loss = ChainLog(codes, np.full(size, 1.0 / size), ptr, K, None, n_threads)
        value, u = loss.at(np.concatenate([S.ravel(), b[cut:]]))
        own = local.T @ u[: n * K].reshape(n, K)
        g = -size * np.concatenate([own.ravel(), u[n * K :]])
        new = self.q[at] + g * g
        self.z[at] += g - (np.sqrt(new) - np.sqrt(self.q[at])) / RATE * b
        self.q[at] = new
        self.count += size
        return size * value

    def fitted(self, lam):
        """Return the current model: a CRFPath of one lambda without a certificate."""
        return of_one_lambda(
            self.coefficients(), lam, self.labels, self.p, stop_reason="the stream ended",
            null_value=np.nan, feature_names=self.names, options={"loss": "log"},
        )  # fmt: skip
