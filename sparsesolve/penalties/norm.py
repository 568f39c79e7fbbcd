"""Norm: the base class of norms on the whole vector, and the reading of their arguments.

A subclass implements `norm`, `norm_prox`, `dual_norm` and, where some directions do not change
Omega, `kernel`. The base reads arrays, and answers the contract of ``penalty.py``.
`WholePenalty` derives the ridge part, the conjugate and the feasible scale from these.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.penalties.columns import by_label

# alpha counts as at least this value when the first lam of a path is chosen, as in glmnet.
LEAST_ALPHA = 1e-3
# A weight below this value counts as no penalty, compared with gradients of size 1.
NO_PENALTY = 1e-14
# What is below this fraction of the largest, or of the sum, counts as 0: coefficients and their
# differences, singular values, and the sum of products on a connected part.
ROUNDING = 1e-9
# The part of a vector along a kernel counts as rounding below this fraction of its length.
ORTHOGONAL = 1e-10
# Squares between these are far from the ends of floats, and so are products of a few of them.
TINY, HUGE = 1e-200, 1e200
# Beyond this many times the size of its argument a prox no longer depends on t.
MOST = 1e100


class Norm:
    """A norm, or a seminorm, of whole vectors of coefficients."""

    scale_free = True  # False where coefficients are compared with one another.
    homogeneous = True  # Omega(c b) = c Omega(b) for c > 0.
    n_features = 0  # set by `over`

    def value(self, b: ArrayLike) -> float:
        """Return Omega(b) for b (p,)."""
        read, power = self._near_one(self._read(b))
        return float(np.ldexp(self._at(read).norm(read), power))

    def prox(self, v: ArrayLike, t: float = 1.0) -> np.ndarray:
        """Return ``argmin_b |b - v|^2 / 2 + t Omega(b)``, a new array (p,)."""
        return self._prox_near_one(v, t, lambda own, x, t: own.norm_prox(x, t))

    def _prox_near_one(self, v, t, prox):
        """Return the prox at v by prox(penalty, x, t), at an x whose squares are floats."""
        read, t = self._read(v), level_of_prox(t)
        if not t > 0.0:
            return read.copy()
        near, power = self._near_one(read)
        if power:
            t = min(float(np.ldexp(t, -power)), MOST)
        found = prox(self._at(read), near, t) if t > 0.0 else near
        return np.ldexp(found, power) if power else found

    def polar(self, z: ArrayLike) -> float:
        """Return the dual norm at z (p,), or an upper bound: the least lam that keeps b at 0."""
        read, power = self._near_one(self._read(z))
        return float(np.ldexp(self._at(read).dual_norm(read), power))

    def _near_one(self, x):
        """Return x times 2^-power, and the power: 0 unless squares of x are beyond floats.

        A norm, its prox and its dual norm scale as x does.
        """
        with np.errstate(over="ignore", under="ignore"):
            square = float(np.vdot(x, x))
        if not self.homogeneous or TINY < square < HUGE:
            return x, 0
        power = int(np.frexp(np.abs(x).max(initial=0.0))[1])
        return np.ldexp(x, -power), power

    def kernel(self) -> Any:
        """Return the directions along which Omega does not change, (p, k), or None."""
        return None

    def over(self, n_features: int, names: Any = None) -> Norm:
        """Return the penalty for `n_features` features; raise ValueError if it does not fit."""
        bound = copy(self)
        bound.n_features = n_features
        bound._bind(names)
        return bound

    def _bind(self, names):
        """Read what depends on `n_features`; raise ValueError if it does not fit."""

    def _at(self, b):
        """Return the penalty for the features of b, (p,) or (K, p)."""
        count = np.shape(b)[-1]
        return self if self.n_features == count > 0 else self.over(count)

    def mapping(self) -> Any:
        """Return the map to an equal penalty on blocks (``forms.py``), or None."""
        return None

    def part(self, which: np.ndarray) -> Any:
        """Return the penalty on the features `which` alone, the others being 0, or None."""
        return None

    def tangent(self, b: np.ndarray) -> Any:
        """Return the directions along which Omega is smooth at b (``forms.py``), or None."""
        return None

    def degrees(self, b: np.ndarray) -> int:
        """Return the degrees of freedom at coefficients b (p,)."""
        return int(np.count_nonzero(b))

    def norm(self, b: np.ndarray) -> float:
        """Return Omega(b)."""
        raise NotImplementedError

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return ``argmin_b |b - v|^2 / 2 + t Omega(b)``, for t > 0."""
        raise NotImplementedError

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm of z, or an upper bound."""
        raise NotImplementedError

    def _arguments(self):
        """Return the arguments of the constructor as text."""
        return ""

    def __repr__(self):
        return f"{type(self).__name__}({self._arguments()})"

    @staticmethod
    def _read(b: ArrayLike) -> np.ndarray:
        try:
            found = np.ascontiguousarray(b, dtype=float)
        except (TypeError, ValueError) as error:
            raise type(error)(f"coefficients must be a vector of numbers (p,): {error}") from None
        if found.ndim != 1:
            raise ValueError(f"coefficients must be a vector (p,), not of shape {found.shape}")
        return found


def units_of(mask):
    """Return the unit vectors of the features in a mask (p,), (p, k), or None without any."""
    which = np.flatnonzero(mask)
    units = sparse.eye_array(len(mask), format="csc")[:, which]
    return units if len(which) else None


def free_directions(penalty, n_features):
    """Return the unpenalised features without limits as directions, csc (p, k)."""
    one = np.ones(n_features)
    free = penalty.unpenalised(1e300 * one, one) & penalty.unpenalised(-1e300 * one, -one)
    return sparse.eye_array(n_features, format="csc")[:, np.flatnonzero(free)]


def level_of_prox(t):
    """Return t as a float; raise ValueError if it is negative or nan."""
    if not t >= 0.0:
        raise ValueError(f"t must be at least 0, not {t}")
    return float(t)


def soft(v, t):
    """Return every entry after soft thresholding, a new array."""
    return np.copysign(np.maximum(np.abs(v) - t, 0.0), v)


def plain(value):
    """Return the Python number or text for a scalar of numpy, whose repr names its type."""
    return value.item() if isinstance(value, np.generic) else value


def read_number(name, value, low=0.0, high=np.inf, inclusive=True):
    """Return a float between low and high; `inclusive` says whether low is allowed."""
    if isinstance(value, bool | np.bool) or not isinstance(value, int | float | np.number):
        raise TypeError(f"{name} must be a number, not {value!r}")
    value = float(value)
    if not (low <= value if inclusive else low < value) or not value < high:
        bound = "at least" if inclusive else "above"
        below = f" and below {high:g}" if high < np.inf else " and finite"
        raise ValueError(f"{name} must be {bound} {low:g}{below}, not {value:g}")
    return value


def read_weights(weights, count, what, labels=None, rest=1.0):
    """Return nonnegative finite weights (count,), or None; raise ValueError on any other entry.

    A mapping or a series has them by `labels` (count,), and `rest` for those it does not name.
    """
    if weights is None:
        return None
    called = "column of X" if what == "features" else what.removesuffix("s")
    weights = np.array(by_label("weights", weights, labels, count, rest, called), dtype=float)
    if weights.shape != (count,):
        raise ValueError(f"weights has shape {weights.shape}; give one for each of {count} {what}")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(wrong):
        k = wrong[0]
        where = f"at {k}" if labels is None or what != "groups" else f"for group {labels[k]!r}"
        raise ValueError(f"weights has {weights[k]} {where}; weights are finite and at least 0")
    return weights


def read_shape(shape):
    """Return a pair of positive ints, or raise."""
    sizes = tuple(shape) if np.ndim(shape) == 1 else ()
    if len(sizes) != 2 or not all(hasattr(m, "__index__") and m > 0 for m in sizes):
        raise ValueError(f"shape must be a pair of positive whole numbers, not {shape!r}")
    return int(sizes[0]), int(sizes[1])


def refuse_no_norm(term):
    """Raise TypeError if a part of a sum of norms is no norm."""
    name = type(term).__name__
    if getattr(term, "concave", False):
        raise TypeError(
            f"{name} is not convex, and sums are certified for convex terms alone; give it as the "
            "only penalty"
        )
    if is_no_norm(term):
        raise TypeError(f"{name} is no norm, as every term of a sum must be")


def is_no_norm(term):
    """Return True if a penalty has a conjugate that is not the indicator of a dual ball."""
    return hasattr(term, "conjugate") and not getattr(term, "has_blocks", False)


def read_order(order, n_features, names):
    """Return a permutation (p,) of the features from numbers or names; None is 0, 1, .., p - 1."""
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
