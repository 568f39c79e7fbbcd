"""Groups that overlap, in the l-infinity norm: zeros are unions of groups.

    Omega(b) = sum_g d_g max_{j in g} |b_j|

The prox acts on sizes. Its level sets are minimum cuts of a network of features and groups, which
`prox.regions` finds exactly. The dual norm is

    max over sets S  |z|(S) / (weight of the groups that S meets).

Reference: Mairal, Jenatton, Obozinski, Bach, "Network flow algorithms for structured sparsity"
(2010).
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.group_linf import GroupLinf
from sparsesolve.penalties.overlapping import OverlappingNorm
from sparsesolve.penalties.prox.flows import components
from sparsesolve.penalties.prox.group_balls import ascend_linf
from sparsesolve.penalties.prox.regions import (
    Flows,
    largest_ratio,
    network,
    prox_levels_near,
)
from sparsesolve.penalties.splitting import Splitting, copies
from sparsesolve.penalties.tangent import on_pieces

# Dual ascent before the exact flows: sweeps between gaps, most sweeps, and the gap, relative to
# |v|^2, that is enough. 8 to 64 sweeps cost the same within a factor of 1.5
# (benchmarks/structured/overlap.py prox).
SWEEPS = 8
MOST_SWEEPS = 24
GAP = 1e-5
# With fewer features, flows from nothing are faster: .28 against .40 ms at 15, .64 against .43 at
# 64.
FROM = 50


class OverlapLinf(OverlappingNorm):
    r"""The l-infinity group lasso with groups that overlap.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_\infty`.

    A group enters or leaves as a whole, so that the features that are 0 are a union of groups; in
    `LatentGroupL2` the features that are not 0 are. Features in no group are groups of one. The
    prox is exact, by minimum cuts.

    References
    ----------
    Mairal, Jenatton, Obozinski, Bach (2010), "Network flow algorithms for structured sparsity".
    Bach, Jenatton, Mairal, Obozinski (2012), sections 3.4 and 8.3.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> penalty = ss.penalties.OverlapLinf(ss.penalties.interval_groups(8))
    >>> fit = ss.path(X, X @ [0, 0, 1, 1, 1, 0, 0, 0], penalty=penalty)
    >>> fit.nonzero(0.3 * fit.lambdas[0])
    array([2, 3, 4])
    """

    _stacked: Any = None  # the network of the last `prox_rows`

    def _of_groups(self, groups):
        """Set the norm's groups."""
        self._stacked = None
        self._found, self._of, p, q = groups, groups.of, self.n_features, len(groups.features)
        self._network = network(
            p, groups.features, p + self._of, np.full(q, np.inf), np.zeros(q), groups.weights
        )
        return self

    def _largest(self, b):
        """Return max |b_g| of each group, (G,)."""
        return np.maximum.reduceat(np.abs(b)[self._found.features], self._found.start[:-1])

    def norm(self, b: np.ndarray) -> float:
        return float(self._found.weights @ self._largest(b))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return self.prox_near(v, t, None)[0]

    def prox_near(self, v: np.ndarray, t: float, near: Any) -> tuple[np.ndarray, Any]:
        """Return the prox, exact whatever it begins with, and a start for the next one."""
        flows = None
        if len(v) >= FROM:
            flows = near() if near is not None else self._approximate(np.abs(v), t)
        b, near = prox_levels_near(self._network, np.abs(v), t, flows, positive=True)
        return np.copysign(b, v), near

    def prox_rows(self, V: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Return the prox of each row of V (N, p) at its own t (N,), all in one network."""
        size, (N, p) = np.abs(V), V.shape
        scale = size.max(axis=1, initial=0.0)
        scale[scale == 0.0] = 1.0
        found, G = self._found, len(self._found.weights)
        if self._stacked is None or self._stacked.n_variables != N * p:
            row = np.arange(N)[:, None]
            features, of = (found.features + p * row).ravel(), (self._of + G * row).ravel()
            q = len(features)
            self._stacked = network(
                N * p, features, N * p + of, np.full(q, np.inf), np.zeros(q), np.zeros(N * G)
            )
        net = self._stacked._replace(deficit=np.outer(t / scale, found.weights).ravel())
        b = prox_levels_near(net, (size / scale[:, None]).ravel(), 1.0, None, positive=True)[0]
        return np.copysign(b.reshape(N, p) * scale[:, None], V)

    def _approximate(self, size, t):
        """Return flows and regions of the prox at sizes (p,) after a few sweeps of dual ascent."""
        found, p = self._found, self.n_features
        radius, b, xi = t * found.weights, size.copy(), np.zeros(len(found.features))
        level, enough = np.zeros(len(found.weights)), GAP * float(size @ size)
        if not np.isfinite(radius).all():
            return None
        for _ in range(0, MOST_SWEEPS, SWEEPS):
            ascend_linf(radius, found.features, found.start, xi, b, level, SWEEPS)
            if float(radius @ self._largest(b) - xi @ b[found.features]) <= enough:
                break
        # A coefficient that uses up the weight of a group has the largest size in it.
        i, j = found.features[xi > 0.0], p + self._of[xi > 0.0]
        label = components(i, j, p + len(level)) + 1
        label[np.append(b, level) <= 0.0] = 0
        used = np.cumsum(np.bincount(label, minlength=1) > 0) - 1
        used += label.min(initial=0) > 0  # 0 is kept for what is 0
        flow = np.empty(len(self._network.head))
        flow[self._network.place] = np.concatenate([xi, -xi])
        return Flows(flow, used[label].astype(np.intc), t)

    def dual_norm(self, z: np.ndarray) -> float:
        return largest_ratio(self._network, np.abs(z), 0.0)

    def _clusters(self, b):
        """Return the cluster of each coefficient: those that keep one size while they are the
        largest.
        """
        size, (p, G) = np.abs(b), (self.n_features, len(self._found.weights))
        top = size[self._found.features] == self._largest(b)[self._of]
        i, j = self._found.features[top], p + self._of[top]
        return components(i, j, p + G)

    def splitting(self) -> Splitting:
        """Return the norm of disjoint groups of copies."""
        found = self._found
        psi = GroupLinf(found.of, found.weights).over(len(found.features))
        return Splitting(copies(self.n_features, found.features), psi)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the directions: coefficients that are the largest of one group keep one size.

        Coefficients that are 0 stay 0.
        """
        label, p = self._clusters(b), self.n_features
        gradient = np.bincount(label[p:], self._found.weights, minlength=label.max() + 1)
        kept = np.zeros(label.max() + 1, dtype=bool)
        kept[label[:p][b != 0.0]] = True
        place = np.where(kept, np.cumsum(kept) - 1, -1)
        return on_pieces(place[label[:p]], np.sign(b), gradient[kept])

    def degrees(self, b: np.ndarray) -> int:
        """Count the clusters of equal nonzero sizes, at b (p,) or (K, p)."""
        b = np.asarray(b)
        own = self._at(b)
        if b.ndim == 2:
            return own.over_responses(len(b)).flat.degrees(b.ravel())
        return len(np.unique(own._clusters(b)[: len(b)][b != 0.0]))
