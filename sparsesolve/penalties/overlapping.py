"""Groups of features that may overlap: their layout in memory, and the base class of their norms.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sparsesolve.penalties.groups import NormOfGroups, with_single_features
from sparsesolve.penalties.norm import plain, read_weights
from sparsesolve.penalties.splitting import splitting_of


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
        """Return these groups among the features `which`, numbered from 0, without empty groups.
        """
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
    lists = list(groups.values()) if isinstance(groups, Mapping) else groups
    if not isinstance(lists, Iterable) or isinstance(lists, str):
        raise TypeError(f"groups is {groups!r}; give a list of lists of features")
    place = None if names is None else {name: j for j, name in enumerate(names)}
    found = [_members(g, which, n_features, place) for g, which in enumerate(lists)]
    roots = np.sqrt([len(which) for which in found])
    labels = list(groups) if isinstance(groups, Mapping) else None
    given = read_weights(weights, len(found), "groups", labels, roots)
    d = roots if given is None else given
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


def _members(g, features, p, place):
    """Return the feature numbers of group g, (m,)."""
    if not isinstance(features, Iterable) or isinstance(features, str):
        raise TypeError(
            f"group {g} is {features!r}; give a list of its features. Groups by labels do not "
            "overlap: use GroupL2"
        )
    features = list(features)
    if not features:
        raise ValueError(f"group {g} has no features; leave it out")
    for k, j in enumerate(features):
        if isinstance(j, str):
            if place is None:
                raise ValueError(
                    f"group {g} names {j!r}, but the columns of X have no names; give numbers, or "
                    "feature_names="
                )
            if j not in place:
                raise ValueError(f"group {g} names {j!r}, which is not a column of X")
            features[k] = place[j]
        elif isinstance(j, bool) or not hasattr(j, "__index__") or not 0 <= j < p:
            raise ValueError(
                f"group {g} holds {plain(j)!r}; features are numbered from 0 to {p - 1}"
            )
    if len(set(features)) < len(features):
        raise ValueError(f"group {g} holds a feature twice; leave one out")
    return np.array(features, dtype=np.intp)


class Flat:
    """A norm of vectors (K p,) as a norm on arrays (K, p)."""

    def __init__(self, one):
        self.one = one
        for name in ("prox_near", "polar_near", "dual_of_prox"):
            if hasattr(one, name):  # iterative: each call starts where the last one ended
                setattr(self, name, getattr(self, f"_{name}"))

    def _prox_near(self, V, t, near):
        self.shape = V.shape
        b, near = self.one.prox_near(V.ravel(), t, near)
        return b.reshape(V.shape), near

    def _polar_near(self, Z, near, level):
        near = None if near is None else (np.ravel(near[0]), near[1])
        return self.one.polar_near(Z.ravel(), near, level)

    def _dual_of_prox(self, near, t):
        return self.one.dual_of_prox(near, t).reshape(self.shape)

    def value(self, B):
        return self.one.value(B.ravel())

    def prox(self, V, t):
        return self.one.prox(V.ravel(), t).reshape(V.shape)

    def polar(self, Z):
        return self.one.polar(Z.ravel())

    def tangent(self, B):
        return self.one.tangent(B.ravel())

    def splitting_over(self, shape):
        return splitting_of(self.one, shape[0] * shape[1])


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
        return Flat(self._on(n_features, self._found.repeated(n_responses)))

    def part(self, which: np.ndarray) -> Any:
        """Return the norm on the features `which`, with the groups cut to these."""
        return self._on(len(which), self._found.part(which))
