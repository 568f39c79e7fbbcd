"""Groups of features that may overlap: their layout in memory, and the base class of their norms.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sparsesolve.penalties.groups import NormOfGroups, by_number, with_single_features
from sparsesolve.penalties.norm import read_weights
from sparsesolve.penalties.rows import Rows


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
