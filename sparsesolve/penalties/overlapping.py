"""OverlapL2 and OverlapLinf: groups that overlap, in the l2 or the l-infinity norm.

    Omega(b) = sum_g d_g |b_g|_2,       Omega(b) = sum_g d_g max_{j in g} |b_j|

Zeros are unions of groups. Under l2 neither prox nor dual norm has a closed form: see
`prox.sum_of_norms` and `prox.sums`. The prox is computed to rounding. The dual norm is bounded
from above by a decomposition of z. The bound is valid whatever the accuracy of the decomposition,
and is usually within 1e-10 of the dual norm.

Under linf the prox acts on sizes. Its level sets are minimum cuts of a network of features and
groups, which `prox.regions` finds exactly. The dual norm is

    max over sets S  |z|(S) / (weight of the groups that S meets).

`OverlappingNorm` is the base of all norms on such groups, `LatentGroupL2` among them.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sparsesolve.penalties.forms import Splitting, copies, on_pieces, on_support
from sparsesolve.penalties.group_linf import GroupLinf
from sparsesolve.penalties.groups import NormOfGroups, by_number, with_single_features
from sparsesolve.penalties.norm import read_weights
from sparsesolve.penalties.prox.flows import components
from sparsesolve.penalties.prox.regions import largest_ratio, network, prox_levels_near
from sparsesolve.penalties.prox.sum_of_norms import SumOfNorms
from sparsesolve.penalties.prox.sums import ByTheSum
from sparsesolve.penalties.rows import Rows
from sparsesolve.penalties.sparse_group import GroupL2


class Overlapping(NamedTuple):
    """Groups of p features. Features in no group are groups of one with weight 1, at the end."""

    n_features: int
    features: np.ndarray  # intc (q,), group by group
    start: np.ndarray  # intc (G + 1,): group g holds features[start[g]:start[g + 1]]
    weights: np.ndarray  # (G,) > 0

    @property
    def of(self):
        """Return the group of each entry, (q,)."""
        return np.repeat(np.arange(len(self.weights)), np.diff(self.start))

    def part(self, which):
        """Return these groups among the features `which`, numbered from 0, without empty ones."""
        place = np.full(self.n_features, -1)
        place[which] = np.arange(len(which))
        found = place[self.features]
        kept, of = found >= 0, self.of
        size = np.bincount(of[kept], minlength=len(self.weights))
        start = np.append(0, np.cumsum(size[size > 0]))
        return laid_out(len(which), found[kept], start, self.weights[size > 0])

    def repeated(self, n_responses):
        """Return these groups on arrays (K, p), raveled: a group has its features in every row."""
        shift = self.n_features * np.arange(n_responses)
        lists = np.split(self.features, self.start[1:-1])
        every = [(shift[:, None] + own).ravel() for own in lists]
        return laid_out(
            n_responses * self.n_features, np.concatenate(every), n_responses * self.start,
            self.weights,
        )  # fmt: skip


def laid_out(n_features, features, start, weights):
    """Return Overlapping from arrays of any integer type."""
    return Overlapping(n_features, features.astype(np.intc), start.astype(np.intc), weights)


def read_overlapping(groups, weights, n_features, names):
    """Return Overlapping from what a user gave; raise ValueError if it does not fit."""
    given = dict(groups) if isinstance(groups, Mapping) else groups
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise TypeError(f"groups is {given!r}; give a list of lists of features")
    given = given if isinstance(given, dict) else dict(enumerate(given))
    for g, which in enumerate(given.values()):
        if not isinstance(which, Iterable) or isinstance(which, str):
            raise TypeError(
                f"group {g} is {which!r}; give a list of its features. Groups by labels do not "
                "overlap: use GroupL2"
            )
    found = list(by_number(given, n_features, names, mixed=True).values())
    for g, which in enumerate(found):
        if len(np.unique(which)) < len(which):
            raise ValueError(f"group {g} holds a feature twice; leave one out")
    roots = np.sqrt([len(which) for which in found])
    labels = list(groups) if isinstance(groups, Mapping) else None
    listed = read_weights(weights, len(found), "groups", labels, roots)
    d = roots if listed is None else listed
    if not (d > 0.0).all():
        raise ValueError(f"weights has 0 for group {int(np.argmin(d))}; give a positive one")
    alone = np.setdiff1d(np.arange(n_features), np.concatenate([*found, np.empty(0, np.intp)]))
    every = [*found, *alone[:, None]]
    start = np.cumsum([0, *map(len, every)])
    features = np.concatenate([*every, np.empty(0, np.intp)])
    return laid_out(n_features, features, start, np.append(d, np.ones(len(alone))))


def members_by_label(groups, n_features, names):
    """Return the features of each group by its label; a feature of none is a group of its own."""
    found = read_overlapping(groups, None, n_features, names)
    labels = list(groups) if isinstance(groups, Mapping) else range(len(groups))
    members = np.split(found.features, found.start[1:-1])  # first those of the groups given
    return with_single_features(dict(zip(labels, members, strict=False)), n_features, names)


class OverlappingNorm(NormOfGroups):
    """Base class of norms on groups that overlap; a subclass reads its groups in `_of_groups`.

    Parameters
    ----------
    groups : sequence of sequences, or mapping from labels to them
        Feature numbers, or names, of each group. `window_groups`, `interval_groups` and
        `rectangle_groups` make some.
    weights : array-like (G,), default None
        d_g > 0 of the groups given; None means the square roots of their sizes.

    Raises
    ------
    ValueError, TypeError
        When a path is fitted: if a group is empty or names something that is not a feature, or
        weights do not fit or are not positive.
    """

    absolute = True  # Omega depends on sizes alone and grows with them.
    members_of = staticmethod(members_by_label)
    _found: Overlapping

    def _bind(self, names):
        self._of_groups(read_overlapping(self.groups, self.weights, self.n_features, names))

    def _of_groups(self, groups: Any) -> Any:
        """Set the norm's groups, and return the norm."""
        raise NotImplementedError

    def _on(self, n_features, groups):
        """Return the norm on other features with these groups."""
        own = type(self)(self.groups, self.weights)
        own.n_features = n_features
        return own._of_groups(groups)

    def over_responses(self, n_responses: int) -> Any:
        """Return the norm on arrays (K, p): a group has its features' coefficients in all rows."""
        n_features = n_responses * self.n_features
        return Rows(self._on(n_features, self._found.repeated(n_responses)))

    def part(self, which: np.ndarray) -> Any:
        """Return the norm on the features `which`, with the groups cut to these."""
        return self._on(len(which), self._found.part(which))


class OverlapL2(ByTheSum, OverlappingNorm):
    r"""The overlapping group lasso.

    :math:`\Omega(b) = \sum_g d_g \lVert b_g \rVert_2`.

    A group enters or leaves as a whole, so that the features that are 0 are a union of groups; in
    `LatentGroupL2` the features that are not 0 are. With `interval_groups` supports are intervals,
    with `rectangle_groups` rectangles. Features in no group are groups of one.

    References
    ----------
    Jenatton, Audibert, Bach (2011), "Structured variable selection with sparsity-inducing norms".
    Bach, Jenatton, Mairal, Obozinski (2012), section 1.3.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> penalty = ss.penalties.OverlapL2(ss.penalties.interval_groups(8))
    >>> fit = ss.path(X, X @ [0, 0, 1, 1, 1, 0, 0, 0], penalty=penalty)
    >>> fit.nonzero(0.3 * fit.lambdas[0])
    array([2, 3, 4, 5, 6, 7])
    """

    def _of_groups(self, groups):
        """Set the norm's groups."""
        self._found = groups
        self._sum = SumOfNorms(self.n_features, groups.features, groups.start, groups.weights)
        return self

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray:
        """Return w (p,) with Omega <= sum_j w_j b_j^2 / 2 + constant, equal near b."""
        found = self._found
        square = np.bincount(found.of, b[found.features] ** 2, len(found.weights))
        own = found.weights / np.hypot(np.sqrt(square), smoothing)
        return np.bincount(found.features, own[found.of], self.n_features)

    def splitting(self) -> Splitting:
        """Return the norm of disjoint groups of copies."""
        found = self._found
        psi = GroupL2(found.of, found.weights).over(len(found.features))
        return Splitting(copies(self.n_features, found.features), psi, lambda y: y)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the nonzero coefficients as directions: their groups' lengths are smooth."""
        which = np.flatnonzero(b)
        weight, unit = self._sum.smooth_part(b)
        gradient = self._sum.total(weight[self._sum.of] * b[self._sum.features])

        def curvature(z):
            return self._sum.curvature(weight, unit)[np.ix_(which, which)]

        return on_support(b, gradient)._replace(curvature=curvature)


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
        flows = None if near is None else near()
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

    def dual_norm(self, z: np.ndarray) -> float:
        return largest_ratio(self._network, np.abs(z), 0.0)

    def _clusters(self, b):
        """Return the cluster of each coefficient: those that keep one size as the largest."""
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
