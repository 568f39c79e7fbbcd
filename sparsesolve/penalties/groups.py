"""Groups of features: they are read from what a user writes and become numbered blocks."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from operator import index
from typing import Any, NamedTuple

import numpy as np

from sparsesolve.penalties.columns import Labelled, by_label, held_labels, index_of
from sparsesolve.penalties.norm import Norm, plain, read_weights


class Groups(NamedTuple):
    """A partition of p features into G groups; features of no group are groups of one."""

    start: np.ndarray  # (G + 1,) group g is the features member[start[g]:start[g + 1]]
    member: np.ndarray  # (p,) features, group by group
    of: np.ndarray  # (p,) the group of each feature
    labels: list  # (G,) the user's names; None where a feature is a group of its own
    n_named: int  # how many groups the user gave; they come first
    sizes: np.ndarray  # (G,) numbers of features; their square roots are the default weights


def read_groups(groups, n_features, names=None):
    """Return Groups from labels or lists of features.

    Parameters
    ----------
    groups : sequence
        One label per feature, (p,), of any type, None for a feature of no group, in the order of
        the features or a series that has their names as its index; or sequences of
        feature numbers (or names, where there are some), a sequence per group; or a mapping from
        labels to such sequences. Groups are numbered as they first appear, features in none after
        them.
    n_features : int
    names : (p,) strings, default None

    Raises
    ------
    ValueError, TypeError
        Where a feature is in two groups, or does not exist, or there are not p labels.
    """
    groups = _in_order(groups, n_features, names)
    if isinstance(groups, np.ndarray) and groups.ndim == 1 and groups.dtype.kind in "iub":
        return _numbered(groups, n_features)
    labels, lists = _listed(groups, n_features)
    of = np.full(n_features, -1)
    for g, features in enumerate(numbers_of_features(lists, n_features, names)):
        taken = features[of[features] >= 0]
        if len(taken) or len(np.unique(features)) < len(features):
            _refuse_overlap(taken, features, of, g, names, labels)
        of[features] = g
    alone = np.flatnonzero(of < 0)
    of[alone] = len(lists) + np.arange(len(alone))
    return _collected(of, labels, len(alone))


def weighted_groups(groups, weights, n_features, names=None):
    """Return the group of each feature (p,) and the positive weights of all groups (G,).

    Weights are those of the groups named, in the order in which they first appear, or by their
    labels; 1 where none are given.
    """
    layout = read_groups(groups, n_features, names)
    d, count = np.ones(len(layout.sizes)), layout.n_named
    given = read_weights(weights, count, "groups", layout.labels[:count])
    if given is not None:
        d[:count] = given
    if not (d > 0.0).all():
        raise ValueError(f"weights must be {count} positive numbers, one per group")
    return np.asarray(layout.of), d


def group_members(groups, n_features, names):
    """Return the features of each group by its label; a feature of none is a group of its own."""
    return with_single_features(by_number(groups, n_features, names), n_features, names)


def with_single_features(found, n_features, names):
    """Return the features of groups by label, ascending, and after them those of no group alone.

    These are called by their own name, or "feature 3".
    """
    found = {label: np.sort(which) for label, which in found.items()}
    alone = np.full(n_features, True)
    alone[np.concatenate([np.empty(0, dtype=int), *found.values()])] = False
    for j in np.flatnonzero(alone).tolist():
        name = f"feature {j}" if names is None else str(names[j])
        found[name if name not in found else (name, j)] = np.array([j])
    return found


def by_number(groups, n_features, names, mixed=False):
    """Return the groups as a mapping from labels to `numbers_of_features`."""
    labels, lists = _listed(_in_order(groups, n_features, names), n_features)
    found = numbers_of_features(lists, n_features, names, mixed=mixed)
    return dict(zip(labels, found, strict=True))


def _in_order(groups, n_features, names):
    """Return the labels of a series in the order of the features; other groups as they are."""
    labelled = isinstance(groups, Labelled) or index_of(groups) is not None
    return by_label("groups", groups, names, n_features) if labelled else groups


def _listed(groups, n_features):
    """Return the labels of groups, and the features of each as the user gave them."""
    if isinstance(groups, Mapping):
        return list(groups), list(groups.values())
    members = _as_list(groups)
    if not members or _is_label(members[0]):
        return _by_label(members, n_features)
    return list(range(len(members))), members


def _numbered(groups, n_features):
    """Return the groups of an array of integer labels."""
    if len(groups) != n_features:
        _refuse_count(len(groups), n_features)
    labels, places, inverse = np.unique(groups, return_index=True, return_inverse=True)
    order = np.argsort(places)
    rank = np.empty(len(order), dtype=int)
    rank[order] = np.arange(len(order))
    return _collected(rank[inverse], labels[order].tolist(), 0)


def _collected(of, labels, n_alone):
    """Return Groups from the group number of each feature; the last groups are single features."""
    member = np.argsort(of, kind="stable").astype(np.intc)
    sizes = np.bincount(of, minlength=len(labels) + n_alone)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intc)
    labels, n_named = labels + [None] * n_alone, len(labels)
    return Groups(start, member, of.astype(np.intc), labels, n_named, sizes)


def in_order(layout, start):
    """Return Groups with the same labels whose members come one group after the other.

    `start` has G + 1 entries.
    """
    sizes = np.diff(start)
    of = np.repeat(np.arange(len(sizes), dtype=np.intc), sizes)
    member = np.arange(len(of), dtype=np.intc)
    return layout._replace(start=start, member=member, of=of, sizes=sizes)


def one_by_one(count, size):
    """Return `count` Groups without names, of `size` features each, one after the other."""
    start, p = np.arange(count + 1, dtype=np.intc) * np.intc(size), count * size
    of, member = np.repeat(np.arange(count, dtype=np.intc), size), np.arange(p, dtype=np.intc)
    return Groups(start, member, of, [None] * count, 0, np.full(count, size))


def _as_list(groups):
    if isinstance(groups, str) or not hasattr(groups, "__iter__"):
        raise TypeError(
            f"groups is {groups!r}; give a label per feature, or a list of lists of features"
        )
    return groups.tolist() if hasattr(groups, "tolist") else list(groups)


def held(groups):
    """Return a copy of what the user gave that can be read more than once.

    The user may change the original afterwards.
    """
    if isinstance(groups, np.ndarray):
        if np.ma.is_masked(groups):
            raise ValueError(
                "groups is a masked array with masked entries; label them, or pass a list with "
                "None for a feature alone"
            )
        return groups.copy()
    groups = held_labels(groups)
    if isinstance(groups, Labelled):
        return groups
    if isinstance(groups, Mapping):
        return {label: _held_item(features) for label, features in groups.items()}
    if isinstance(groups, str) or not hasattr(groups, "__iter__"):
        # A mapping or string is refused later, with a sentence of its own.
        return groups
    return [_held_item(item) for item in groups]


def held_weights(weights):
    """Return a copy of the user's weights that can be read more than once."""
    weights = held_labels(weights)
    if isinstance(weights, Labelled):
        return dict(zip(weights.labels, weights, strict=True))
    if isinstance(weights, Mapping):
        return dict(weights)
    return list(weights) if hasattr(weights, "__next__") else deepcopy(weights)


def _held_item(item):
    return item if _is_label(item) else list(item)


def _is_label(item):
    return isinstance(item, str | tuple) or not hasattr(item, "__iter__")


def _by_label(labels, n_features):
    if len(labels) != n_features:
        _refuse_count(len(labels), n_features)
    found = {}
    for j, label in enumerate(labels):
        if not _is_missing(label):
            found.setdefault(label, []).append(j)
    return list(found), list(found.values())


def _refuse_count(count, n_features):
    raise ValueError(
        f"groups has {count} labels for {n_features} features; give one label per feature, or "
        "lists of features"
    )


def _is_missing(label):
    """Return True if a label is None, NaN or an NA that does not even equal itself."""
    same = label == label
    return label is None or not (isinstance(same, bool | np.bool) and same)


def numbers_of_features(lists, n_features, names, what="group", mixed=False):
    """Yield the feature numbers of each group, or `what` else a list of features is called.

    Names and numbers may stand in one list if `mixed`.
    """
    place = None
    for g, features in enumerate(lists):
        features, called = _as_list(features), f"{what} {g}"
        if not features:
            raise ValueError(f"{called} has no features; leave it out")
        kinds = set(map(type, features))
        named = any if mixed else all
        if names is not None and kinds != {int} and named(isinstance(j, str) for j in features):
            place = _places(names) if place is None else place
            features = [_number(j, called, place) if isinstance(j, str) else j for j in features]
        plain = kinds == {int} and 0 <= min(features) <= max(features) < n_features
        for j in () if plain else features:
            if isinstance(j, bool | np.bool) or not hasattr(j, "__index__") or not (
                0 <= index(j) < n_features
            ):
                raise ValueError(f"{called} {_strange(j, n_features, names)}")
        yield np.array(features if plain else [index(j) for j in features])


def _strange(j, n_features, names):
    if isinstance(j, str) and names is None:
        return f"names {j!r}, but the columns of X have no names; give numbers, or feature_names="
    return f"holds {plain(j)!r}; features are numbered from 0 to {n_features - 1}"


def _places(names):
    """Return the place of each name; None for a name that stands twice."""
    place = {}
    for j, name in enumerate(names):
        place[name] = None if name in place else j
    return place


def _number(name, called, place):
    if name not in place:
        raise ValueError(f"{called} names {name!r}, which is not a column of X")
    if place[name] is None:
        raise ValueError(
            f"{called} names {name!r}, as several columns of X are called; give numbers"
        )
    return place[name]


def _refuse_overlap(taken, features, of, g, names, labels):
    shown = [k if label is None else repr(label) for k, label in enumerate(labels)]
    if len(taken):
        j, where = int(taken[0]), f"in groups {shown[of[taken[0]]]} and {shown[g]}"
    else:
        values, counts = np.unique(features, return_counts=True)
        j, where = int(values[counts > 1][0]), f"twice in group {shown[g]}"
    called = f"feature {j}" if names is None else f"feature {j} ({names[j]!r})"
    raise ValueError(
        f"{called} is {where}; groups must not overlap here: under LatentGroupL2 (latent group "
        "lasso) a feature enters through any of its groups, under OverlapL2 only if all enter"
    )


class NormOfGroups(Norm):
    """Base class of penalties that users give groups of features, and weights of groups."""

    members_of = staticmethod(group_members)

    def __init__(self, groups: Any, weights: Any = None):
        self.groups = None if groups is None else held(groups)
        self.weights = None if weights is None else held_weights(weights)

    def _bind(self, names):
        """Read the group of each feature `of` (p,) and the weights `d` (G,); None: features."""
        p = self.n_features
        if self.groups is None:
            self.of, sizes, count, labels = np.arange(p), np.ones(p), p, names
        else:
            layout = read_groups(self.groups, p, names)
            self.of, sizes = np.asarray(layout.of), np.asarray(layout.sizes, dtype=float)
            count, labels = layout.n_named, layout.labels[: layout.n_named]
        self.d = np.sqrt(sizes)
        what = "features" if self.groups is None else "groups"
        given = read_weights(self.weights, count, what, labels, self.d[:count])
        if given is not None:
            self.d[:count] = given

    def _arguments(self):
        return f"{self.groups!r}, weights={self.weights!r}"

    def group_members(self, n_features: int, names: Any = None) -> dict:
        """Return the features of each group by its label."""
        return self.members_of(self.groups, n_features, names)
