"""SLOPE: the sorted l1 norm, under which coefficients of similar sizes become equal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.forms import on_clusters
from sparsesolve.penalties.norm import ROUNDING, Norm, read_number
from sparsesolve.penalties.prox.ordered import prox_sorted

KINDS = ("bh", "oscar", "constant")


class Slope(Norm):
    r"""The sorted l1 norm: the largest coefficients are penalised most.

    :math:`\Omega(b) = \sum_i \lambda_i |b|_{(i)}`, with :math:`|b|_{(1)}` the largest.

    Parameters
    ----------
    lambdas : array-like (p,), default None
        Nonincreasing weights, at least 0, the first positive. None makes them by `kind`.
    q : float in (0, 1), default 0.1
        For kind="bh" the false discovery rate; for "oscar" the slope of the line.
    kind : {"bh", "oscar", "constant"}, default "bh"
        "bh" has the normal quantiles ``lambda_i = z(1 - i q / (2 p))`` over the first one;
        "oscar" a line from 1 down to 1 - q, with q up to 1; "constant" is the lasso.

    Raises
    ------
    ValueError, TypeError
        If the weights rise or are negative, or q or kind is not one of these.

    References
    ----------
    Bogdan, van den Berg, Sabatti, Su, Candes (2015), "SLOPE: adaptive variable selection via
    convex optimization". Bondell, Reich (2008) for OSCAR.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> y = X @ [2, -2, 2, 0, 0, 0, 0, 0] + rng.normal(size=100)
    >>> fit = ss.path(X, y, penalty=ss.penalties.Slope(kind="oscar", q=0.5))
    >>> fit.coef(1.0).round(2)[:4]
    array([ 0.79, -0.8 ,  0.8 ,  0.  ])
    """

    scale_free = False  # Coefficients are compared with one another.

    def __init__(self, lambdas: ArrayLike | None = None, q: float = 0.1, kind: str = "bh"):
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, not {kind!r}")
        self.q, self.kind = read_number("q", q, 0.0, 1.0, inclusive=False), kind
        self.lambdas = None if lambdas is None else np.array(lambdas, dtype=float)
        if self.lambdas is not None:
            _check(self.lambdas)

    def _arguments(self):
        return f"lambdas={self.lambdas!r}, q={self.q!r}, kind={self.kind!r}"

    def _bind(self, names):
        p = self.n_features
        if self.lambdas is not None and len(self.lambdas) != p:
            raise ValueError(f"lambdas has {len(self.lambdas)} weights for {p} features")
        made = self.lambdas if self.lambdas is not None else _made(p, self.q, self.kind)
        self._w, self._sums = made, np.cumsum(made)

    def norm(self, b: np.ndarray) -> float:
        return float(np.sort(np.abs(b))[::-1] @ self._w)

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return prox_sorted(v, t, self._w)

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm: the largest ratio of prefix sums."""
        sums = np.cumsum(np.sort(np.abs(z))[::-1])
        return float((sums / self._sums).max(initial=0.0))

    def sorted_weights(self) -> np.ndarray:
        """Return the weights (p,) of the sizes from the largest down."""
        return self._w

    def part(self, which: np.ndarray) -> Any:
        """Return the norm with the largest weights: zeros come last."""
        return Slope(self._w[: len(which)]).over(len(which))

    def tangent(self, b: np.ndarray) -> Any:
        """Return clusters of equal nonzero sizes as directions, with weights of their ranks."""
        return on_clusters(b, self._w)

    def degrees(self, b: np.ndarray) -> int:
        """Count the clusters of equal nonzero sizes."""
        return clusters(b)


def clusters(b):
    """Return the number of clusters of equal nonzero sizes in b (p,)."""
    size = np.sort(np.abs(b[b != 0.0]))
    return int(len(size) > 0) + int(np.count_nonzero(np.diff(size) > ROUNDING * size[-1:]))


def _made(p, q, kind):
    if kind == "constant":
        return np.ones(p)
    if kind == "oscar":
        return np.linspace(1.0, 1.0 - q, p)
    from scipy.special import ndtri  # here, because it is slow to import

    quantiles = ndtri(1.0 - q * np.arange(1, p + 1) / (2.0 * p))
    return quantiles / quantiles[:1]


def _check(w):
    if w.ndim != 1 or not len(w) or not np.isfinite(w).all():
        raise ValueError("lambdas must be finite numbers, one per feature")
    rising = np.flatnonzero(np.diff(w) > 0.0)
    if len(rising):
        raise ValueError(
            f"lambdas rises from {w[rising[0]]:g} to {w[rising[0] + 1]:g} at {rising[0] + 1}; "
            "SLOPE's weights do not rise: sort them from the largest down"
        )
    if w[-1] < 0.0 or w[0] == 0.0:
        raise ValueError(f"lambdas ends at {w[-1]:g}; weights are at least 0, the first positive")
