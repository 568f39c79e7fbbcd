"""FeatureGroups: the groups of a fit by the names that the user gave, and which are in the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data.number import some_of


class FeatureGroups(Mapping):
    """A mapping from the name of each group to its features, ascending.

    Names are the labels that the penalty was given, or numbers where it was given lists. A
    feature of no group is a group of one, by its own name. Groups may overlap.

    Parameters
    ----------
    penalty : penalty with the method `group_members`, or None
        Groups are read from it when they are first asked for.
    n_features : int
    feature_names : ndarray (p,) or None
    members : dict, optional
        The mapping itself, if there is no penalty.
    """

    def __init__(self, penalty: Any, n_features: int, feature_names: Any = None,
                 members: dict | None = None) -> None:
        self.penalty, self.n_features, self.feature_names = penalty, n_features, feature_names
        self._given = members

    @cached_property
    def members(self) -> dict[Any, np.ndarray]:
        """The groups as a dict."""
        if self._given is not None:
            return self._given
        names = None if self.feature_names is None else list(self.feature_names)
        return self.penalty.group_members(self.n_features, names)

    def __getitem__(self, name: Any) -> np.ndarray:
        return self.members[name]

    def __iter__(self) -> Iterator:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Mapping) or list(self) != list(other):
            return False
        return all(np.array_equal(self[name], other[name]) for name in self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} groups of {self.n_features} features: {some_of(list(self))}>"

    @cached_property
    def holds(self) -> sparse.csr_array:
        """Return a matrix (G, p) with 1 where a group holds a feature."""
        which = np.concatenate([np.empty(0, dtype=int), *self.values()])
        starts = np.cumsum([0, *map(len, self.values())])
        return sparse.csr_array((np.ones(len(which)), which, starts),
                                shape=(len(self), self.n_features))  # fmt: skip

    @property
    def labels(self) -> list[str]:
        """Return the names as pictures show them: "group 3" where it is a number.

        A group of one feature without a name is called by that of the feature.
        """
        found = [name if isinstance(name, str) else f"group {name}" for name in self]
        for g, (name, which) in enumerate(self.items()):
            if len(which) == 1 and not isinstance(name, str) and self.feature_names is not None:
                found[g] = str(self.feature_names[which[0]])
        return found

    def of_features(self) -> list[str]:
        """Return the names of each feature's groups, joined by commas, (p,)."""
        found: list[list[str]] = [[] for _ in range(self.n_features)]
        for name, which in self.items():
            for j in which.tolist():
                found[j].append(str(name))
        return [", ".join(names) for names in found]

    def norms(self, coefs: Any) -> sparse.csr_array:
        """Return the Euclidean norm of each group's coefficients at each lambda, (G, L).

        `coefs` is (p, L), or a list of K of them. Where the penalty divides coefficients among its
        groups (`penalties.LatentGroupL2`), the norm is that of a group's share.
        """
        several = isinstance(coefs, list)
        if hasattr(self.penalty, "latent") and not several:
            bound = self.penalty.over(self.n_features, self.feature_names)
            columns = [[np.linalg.norm(v) for v in bound.latent(b)] for b in coefs.toarray().T]
            return sparse.csr_array(np.array(columns).reshape(-1, len(self)).T)
        squares = sum(matrix.power(2) for matrix in (coefs if several else [coefs]))
        return sparse.csr_array((self.holds @ squares).sqrt())


def groups_of(penalty: Any, n_features: int, feature_names: Any) -> FeatureGroups | None:
    """Return the groups of a penalty; None if it has none."""
    members = getattr(penalty, "group_members", None)
    if members is None or getattr(penalty, "groups", None) is None:
        return None
    return FeatureGroups(penalty, n_features, feature_names)
