"""Norm: the base of norms on the whole vector, of which a subclass says four things.

    norm(b)          Omega(b)
    norm_prox(v, t)  argmin_b |b - v|^2 / 2 + t Omega(b), a new array
    dual_norm(z)     the dual norm, or an upper bound
    kernel()         directions that Omega does not see, (p, k); None where there are none

The base reads arrays, and answers `value`, `prox`, `polar`: the contract of ``penalty.py``, whose
ridge part, conjugate and feasible scale `WholePenalty` makes from these.
"""

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


class Norm:
    """A norm, or a seminorm, of whole vectors of coefficients."""

    scale_free = False  # coefficients are compared with one another
    n_features = 0  # until `over` tells it

    def value(self, b: ArrayLike) -> float:
        """Omega(b) for b (p,)."""
        read = self._read(b)
        return float(self._at(read).norm(read))

    def prox(self, v: ArrayLike, t: float = 1.0) -> np.ndarray:
        """The proximal operator, ``argmin_b |b - v|^2 / 2 + t Omega(b)``, a new array (p,)."""
        read = self._read(v)
        return self._at(read).norm_prox(read, float(t)) if t > 0.0 else read.copy()

    def polar(self, z: ArrayLike) -> float:
        """The dual norm at z (p,), or a bound from above: the least lam that keeps b at 0."""
        read = self._read(z)
        return float(self._at(read).dual_norm(read))

    def kernel(self) -> Any:
        """Directions along which Omega does not change, (p, k), or None."""
        return None

    def over(self, n_features: int, names: Any = None) -> "Norm":
        """The same for so many features; ValueError where it does not fit them."""
        bound = copy(self)
        bound.n_features = n_features
        bound._bind(names)
        return bound

    def _bind(self, names):
        """Read what depends on `n_features`; ValueError where it does not fit."""

    def _at(self, b):
        return self if self.n_features == len(b) else self.over(len(b))

    def mapping(self) -> Any:
        """A map to a penalty on blocks that this is (``mapping.py``), or None."""
        return None

    def part(self, which: np.ndarray) -> Any:
        """The same on the features `which` alone, the others being 0, or None."""
        return None

    def tangent(self, b: np.ndarray) -> Any:
        """Directions along which Omega is smooth at b (``tangent.py``), or None."""
        return None

    def degrees(self, b: np.ndarray) -> int:
        """Degrees of freedom at coefficients b (p,)."""
        return int(np.count_nonzero(b))

    def norm(self, b: np.ndarray) -> float:
        """Omega(b)."""
        raise NotImplementedError

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """The prox, t > 0."""
        raise NotImplementedError

    def dual_norm(self, z: np.ndarray) -> float:
        """An upper bound of the dual norm."""
        raise NotImplementedError

    def _arguments(self):
        """What the constructor was given, as text."""
        return ""

    def __repr__(self):
        return f"{type(self).__name__}({self._arguments()})"

    @staticmethod
    def _read(b: ArrayLike) -> np.ndarray:
        found = np.ascontiguousarray(b, dtype=float)
        if found.ndim != 1:
            raise ValueError(f"coefficients must be a vector (p,), not of shape {found.shape}")
        return found


def soft(v, t):
    """Soft thresholding of every entry, a new array."""
    return np.copysign(np.maximum(np.abs(v) - t, 0.0), v)


def read_number(name, value, low=0.0, high=np.inf, inclusive=True):
    """A float between low and high; `inclusive` tells whether low is allowed."""
    if isinstance(value, bool | np.bool) or not isinstance(value, int | float | np.number):
        raise TypeError(f"{name} must be a number, not {value!r}")
    value = float(value)
    if not (low <= value if inclusive else low < value) or not value < high:
        bound = "at least" if inclusive else "above"
        below = f" and below {high:g}" if high < np.inf else " and finite"
        raise ValueError(f"{name} must be {bound} {low:g}{below}, not {value:g}")
    return value


def read_weights(weights, count, what):
    """Nonnegative finite weights (count,), or None; ValueError says which is none."""
    if weights is None:
        return None
    weights = np.array(weights, dtype=float)
    if weights.shape != (count,):
        raise ValueError(f"weights has shape {weights.shape}; give one for each of {count} {what}")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(wrong):
        raise ValueError(
            f"weights has {weights[wrong[0]]} at {wrong[0]}; weights are finite and at least 0"
        )
    return weights


def read_order(order, n_features, names):
    """A permutation of the features, by number or name, (p,); None is 0, 1, .., p - 1."""
    if order is None:
        return None
    order = list(order)
    if names is not None and order and all(isinstance(j, str) for j in order):
        place = {name: j for j, name in enumerate(names)}
        missing = [name for name in order if name not in place]
        if missing:
            raise ValueError(f"order names {missing[0]!r}, which is not a column of X")
        order = [place[name] for name in order]
    found = np.asarray(order)
    if found.dtype.kind not in "iu" or not np.array_equal(np.sort(found), np.arange(n_features)):
        raise ValueError(
            f"order must hold each of the features 0 to {n_features - 1} once, in a new order"
        )
    return found.astype(np.intp)
