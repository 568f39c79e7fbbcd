"""Separate: disjoint sets of features, each with a penalty of its own, such as L1 or none.

    Omega(b) = sum_k Omega_k(b_k),   b_k the coefficients of set k
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.penalties.forms import Cumulated, Tangent, on_support
from sparsesolve.penalties.groups import with_single_features
from sparsesolve.penalties.norm import Norm, is_no_norm, plain, read_number, refuse_no_norm, soft
from sparsesolve.penalties.penalty import is_scale_free
from sparsesolve.penalties.rows import Disjoint, degrees, ends_early, over_responses


class L1(Norm):
    r""":math:`\Omega(b) = \sum_j w_j |b_j|`, as a part of :class:`Separate`.

    Parameters
    ----------
    weight : float > 0, default 1.0
        Weight of every coefficient.

    Raises
    ------
    ValueError, TypeError
        If weight is not a positive number.

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.L1().prox([3.0, -0.5], 1.0)
    array([ 2., -0.])
    """

    absolute = True  # Omega depends on sizes alone and grows with them.

    def __init__(self, weight: float = 1.0):
        self.weight = read_number("weight", weight, inclusive=False)

    def _arguments(self):
        return repr(self.weight)

    def norm(self, b: np.ndarray) -> float:
        return self.weight * np.abs(b).sum()

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return soft(v, t * self.weight)

    def dual_norm(self, z: np.ndarray) -> float:
        return np.abs(z).max(initial=0.0) / self.weight

    def part(self, which: np.ndarray) -> Any:
        return self.over(len(which))

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray:
        """Return w (p,) with Omega <= sum_j w_j b_j^2 / 2 + constant, equal near b."""
        return self.weight / np.hypot(b, smoothing)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the directions along which Omega is smooth at b."""
        return on_support(b, self.weight * np.sign(b))

    def mapping(self) -> Any:
        """Return the map that makes each feature a chain of its own."""
        p = self.n_features
        return Cumulated(np.arange(p), np.ones(p, dtype=bool), np.full(p, self.weight))


class Nothing(Norm):
    """No penalty."""

    def norm(self, b: np.ndarray) -> float:
        return 0.0

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return v.copy()

    def dual_norm(self, z: np.ndarray) -> float:
        return 0.0

    def kernel(self) -> Any:
        return sparse.eye_array(self.n_features, format="csc")

    def tangent(self, b: np.ndarray) -> Any:
        return Tangent(sparse.eye_array(len(b), format="csc"), np.zeros(len(b)))

    def mapping(self) -> Any:
        p = self.n_features
        return Cumulated(np.arange(p), np.ones(p, dtype=bool), np.zeros(p))


class Separate(Norm):
    """A penalty for each set of features, for example total variation on probes and none on age.

    Parameters
    ----------
    parts : mapping from features to penalty
        Keys are tuples of feature numbers or names, ranges, or one number or name; values are
        convex objects that keep the contract of a penalty (`TotalVariation`, `L1`, `GroupL2`,
        `Berhu`, ...), or None for no penalty. Every feature is in one key.

    Raises
    ------
    ValueError, TypeError
        When a path is fitted, if a feature is in two sets, in none, or does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> y = X @ [3, 0, 0, 2, 2, 2, 1, 1] + 0.1 * rng.normal(size=100)
    >>> penalty = ss.penalties.Separate({0: None, range(1, 8): ss.penalties.TotalVariation()})
    >>> ss.path(X, y, penalty=penalty).coef(0.1).round(1)
    array([3. , 0.1, 0.1, 1.9, 1.9, 1.9, 1. , 1. ])
    """

    def __init__(self, parts: Mapping[Any, Any]):
        if not hasattr(parts, "items") or not parts:
            raise TypeError("parts must be a mapping from features to penalties, and not empty")
        self.parts = dict(parts)

    @property
    def scale_free(self) -> bool:  # type: ignore[override]
        """Return True if no part compares its coefficients with one another."""
        return all(map(is_scale_free, self.parts.values()))

    def _arguments(self):
        return repr(self.parts)

    @property
    def groups(self) -> Any:
        """The parts with groups, by their features; None if there are none."""
        return {key: part for key, part in self.parts.items()
                if getattr(part, "groups", None) is not None and hasattr(part, "group_members")
                } or None  # fmt: skip

    def group_members(self, n_features: int, names: Any = None) -> dict:
        """Return the features of each group of the parts by its label."""
        found: dict[Any, np.ndarray] = {}
        for key, part in (self.groups or {}).items():
            which = _features(key, n_features, names)
            own = [f"feature {j}" if names is None else names[j] for j in which.tolist()]
            for label, inside in part.group_members(len(which), own).items():
                found[(label, key) if label in found else label] = which[inside]
        return with_single_features(found, n_features, names)

    def _bind(self, names):
        taken, self._bound = np.full(self.n_features, False), []
        for key, part in self.parts.items():
            which = _features(key, self.n_features, names)
            twice = which[taken[which]]
            if len(twice) or len(np.unique(which)) < len(which):
                raise ValueError(f"feature {(*twice, *which)[0]} is in two sets; each is in one")
            taken[which] = True
            if not is_no_norm(part):
                refuse_no_norm(part)  # concave ones
            own = Nothing() if part is None else part
            if hasattr(own, "over"):
                own = own.over(len(which), None if names is None else [names[j] for j in which])
            self._bound.append((which, own))
        if not taken.all():
            j = int(np.flatnonzero(~taken)[0])
            raise ValueError(
                f"feature {j} is in no set; name every feature, with None for no penalty"
            )
        self._others = [is_no_norm(own) for _, own in self._bound]
        self._parts = Disjoint(self._bound, self._others)
        if any(self._others):
            self._keep_conjugate()
        if hasattr(self._parts, "prox_near"):
            self.prox_near, self.dual_of_prox = self._parts.prox_near, self._parts.dual_of_prox

    def _keep_conjugate(self):
        """Answer as what is no norm."""
        for _, own in self._bound:
            if ends_early(own):
                raise TypeError(f"the prox of {type(own).__name__} is iterative, which has no "
                                "certificate next to a part that is no norm")  # fmt: skip
        self.homogeneous = False
        self.conjugate, self.feasible_scale = self._conjugate, self._feasible_scale

    def _conjugate(self, z, lam):
        return self._parts.conjugate(self._read(z), lam)

    def _feasible_scale(self, z, lam):
        return self._parts.feasible_scale(self._read(z), lam)

    def norm(self, b: np.ndarray) -> float:
        """Return the sum over the parts."""
        return self._parts.value(b)

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return the prox of each part."""
        return self._parts.prox(v, t)

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the largest dual norm of the parts."""
        return self._parts.polar(z)

    def tangent(self, b: np.ndarray) -> Any:
        """Return the tangents of the parts as one, or None if a part has none."""
        return self._parts.tangent(b)

    def majorant(self, b: np.ndarray, smoothing: float) -> np.ndarray | None:
        """Return w (p,) as that of each part; None if one has none."""
        out = np.zeros(len(b))
        for which, own in self._bound:
            found = getattr(own, "majorant", lambda b, smoothing: None)(b[which], smoothing)
            if found is None:
                return None
            out[which] = found
        return out

    def over_responses(self, n_responses: int) -> Any:
        """Return the sum of the parts on arrays (K, p)."""
        found = [(which, over_responses(part, n_responses)) for which, part in self._bound]
        return Disjoint(found, self._others)

    def kernel(self) -> Any:
        """Return the kernels of the parts, side by side."""
        found = []
        for which, part in self._bound if self.n_features else []:
            own = getattr(part, "kernel", lambda: None)()
            if own is not None and own.shape[1]:
                own = sparse.coo_array(own)
                place = (which[own.coords[0]], own.coords[1])
                found.append(sparse.csc_array((own.data, place), (self.n_features, own.shape[1])))
        return sparse.hstack(found, format="csc") if found else None

    def mapping(self) -> Any:
        """Return the chains of all parts as one map, or None if a part has none."""
        parts: list[tuple[np.ndarray, Any]] = [
            (which, getattr(part, "mapping", lambda: None)()) for which, part in self._bound
        ]
        if not all(isinstance(own, Cumulated) for _, own in parts):
            return None
        begins = [np.isin(np.arange(len(which)), own.start) for which, own in parts]
        return Cumulated(
            np.concatenate([which[own.order] for which, own in parts]), np.concatenate(begins),
            np.concatenate([own.factors for _, own in parts]),
        )  # fmt: skip

    def degrees(self, b: np.ndarray) -> int:
        """Return the sum over the parts, at b (p,) or (K, p)."""
        b = np.asarray(b)
        own = self._at(b)
        return sum(degrees(part, b[..., which]) for which, part in own._bound)


def _features(key, n_features, names):
    """Return the feature numbers of a key, (m,)."""
    listed = list(key) if isinstance(key, tuple | range | frozenset) else [key]
    found = []
    for j in listed:
        if isinstance(j, str):
            at = [] if names is None else [k for k, name in enumerate(names) if name == j]
            if len(at) != 1:
                raise ValueError(f"parts names {j!r}, which is {len(at)} columns of X")
            j = at[0]
        if isinstance(j, bool) or not hasattr(j, "__index__") or not 0 <= j < n_features:
            last = n_features - 1
            raise ValueError(f"parts names feature {plain(j)!r}; numbers go from 0 to {last}")
        found.append(int(j))
    if not found:
        raise ValueError("a set of features is empty; leave it out")
    return np.array(found, dtype=np.intp)
