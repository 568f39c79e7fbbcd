"""Total variation along an order of the features: the fused lasso.

The prox is that of l1 after that of total variation (Friedman, Hastie, Hoefling, Tibshirani 2007).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.penalties.forms import Cumulated, on_pieces
from sparsesolve.penalties.norm import ROUNDING, Norm, read_number, read_order, read_weights, soft
from sparsesolve.penalties.prox.chains import (
    chain_polar,
    chain_value,
    prox_chain,
    sparse_chain_polar,
)


class TotalVariation(Norm):
    r"""Total variation, or the fused lasso: pieces of equal coefficients.

    :math:`\Omega(b) = \sum_i w_i |b_{i+1} - b_i| + \ell_1 \sum_i |b_i|`, with :math:`\ell_1` the
    argument l1.

    With l1 = 0 constants are not penalised. Paths are then those of the lasso on cumulated
    columns, with its working sets; otherwise a first-order solver finds them. Features are not
    standardised unless you ask for it: standardised coefficients that are equal are not equal on
    X.

    Parameters
    ----------
    weights : array-like (p - 1,), default None
        w_i of each difference along the order; None means 1. 0 leaves a jump unpenalised.
    l1 : float >= 0, default 0.0
        Weight of the l1 norm added to total variation: the sparse fused lasso.
    order : sequence (p,), default None
        The features, by number or name, in the order in which they are neighbours; None means
        that of the columns of X.

    Raises
    ------
    ValueError, TypeError
        If l1 is not a number of at least 0; when a path is fitted, if weights or order do not fit.

    References
    ----------
    Tibshirani, Saunders, Rosset, Zhu, Knight (2005), "Sparsity and smoothness via the fused
    lasso". Bach, Jenatton, Mairal, Obozinski (2012), section 1.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> y = X @ [0, 0, 0, 2, 2, 2, 1, 1] + 0.1 * rng.normal(size=100)
    >>> fit = ss.path(X, y, penalty=ss.penalties.TotalVariation())
    >>> fit.coef(0.1).round(2)
    array([0.04, 0.04, 0.04, 1.92, 1.92, 1.92, 1.05, 1.05])
    """

    scale_free = False  # Coefficients are compared with one another.
    counted = "pieces"

    def __init__(self, weights: ArrayLike | None = None, l1: float = 0.0, order: Any = None):
        self.l1 = read_number("l1", l1)
        self.weights = None if weights is None else np.array(weights)
        self.order = None if order is None else list(order)

    def _arguments(self):
        return f"weights={self.weights!r}, l1={self.l1!r}, order={self.order!r}"

    def _bind(self, names):
        p = self.n_features
        w = read_weights(self.weights, max(p - 1, 0), "differences of neighbours")
        self._w = np.ones(max(p - 1, 0)) if w is None else w
        self._chain = self.along(p, names)

    def along(self, n_features: int, names: Any = None) -> np.ndarray:
        """Return the features in the order in which they are neighbours."""
        order = read_order(self.order, n_features, names)
        return np.arange(n_features) if order is None else order

    def norm(self, b: np.ndarray) -> float:
        return chain_value(b[self._chain], self._w) + self.l1 * float(np.abs(b).sum())

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        b = prox_chain(v[self._chain], t, None if self.weights is None else self._w)
        out = np.empty_like(b)
        out[self._chain] = soft(b, t * self.l1) if self.l1 > 0.0 else b
        return out

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm; if l1 = 0, z must sum to 0."""
        z = z[self._chain]
        if self.l1 == 0.0:
            return chain_polar(z, self._w)
        return sparse_chain_polar(z, self.l1, self._w)

    def kernel(self) -> Any:
        """Return the constants if l1 = 0, separately between jumps of weight 0."""
        if self.l1 > 0.0 or not self.n_features:
            return None
        piece = np.cumsum(np.r_[False, self._w == 0.0][: self.n_features])
        ones = np.ones(self.n_features)
        return sparse.csc_array((ones, (self._chain, piece)))

    def mapping(self) -> Any:
        """Return the map to the lasso on cumulated columns; None with an l1 part."""
        if self.l1 > 0.0:
            return None
        first = np.arange(self.n_features) == 0
        return Cumulated(self._chain, first, np.r_[0.0, self._w][: self.n_features])

    def tangent(self, b: np.ndarray) -> Any:
        """Return the pieces of equal coefficients as directions; with l1 only nonzero ones."""
        along = b[self._chain]
        starts = np.flatnonzero(np.diff(along, prepend=np.inf))
        side = np.sign(np.diff(along)) * self._w
        pull = np.r_[0.0, side] - np.r_[side, 0.0] + self.l1 * np.sign(along)
        gradient = np.add.reduceat(pull, starts)
        kept = (along[starts] != 0.0) | (self.l1 == 0.0)
        place = np.where(kept, np.cumsum(kept) - 1, -1)
        label = np.empty(len(b), dtype=np.intp)
        label[self._chain] = np.repeat(place, np.diff(np.r_[starts, len(b)]))
        return on_pieces(label, np.ones(len(b)), gradient[kept])

    def degrees(self, b: np.ndarray) -> int:
        """Count the pieces of equal coefficients; with l1 only nonzero ones."""
        b = np.asarray(b)[self._at(b)._chain]
        jumps = np.abs(np.diff(b)) > ROUNDING * np.abs(b).max(initial=0.0)
        starts = np.r_[True, jumps][: len(b)]
        return int(np.count_nonzero(starts & (b != 0.0) if self.l1 > 0.0 else starts))
