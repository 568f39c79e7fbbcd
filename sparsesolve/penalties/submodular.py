"""Submodular: the norm of a submodular function of the support.

    Omega(b) = f(|b|),     f(w) = sum_k w_(k) [F({j_1, .., j_k}) - F({j_1, .., j_{k-1}})],

where j_1, j_2, .. are the features by falling size. f is the Lovasz extension of F, which maps
sets of features to numbers, is 0 for the empty set, never falls as a set grows, and is submodular:
a feature adds less to a larger set. Omega is the largest norm below F(support of b) on the cube.

    dual norm    max over sets A of |z_A|_1 / F(A)
    prox         |v| less the nearest point of the base polytope of t F, where that is positive

The nearest point comes by the algorithm of Fujishige and Wolfe from greedy vertices. With the
order that it finds, pool adjacent violators gives the exact prox; for F of the size alone that is
the order of |v|. The dual norm comes by Dinkelbach's steps over the sets above a level of a prox.
References: Fujishige, "Submodular functions and optimization" (2005), section 7.1; Wolfe,
"Finding the nearest point in a polytope" (1976).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.forms import on_clusters
from sparsesolve.penalties.norm import Norm
from sparsesolve.penalties.prox.ordered import pool_sorted
from sparsesolve.penalties.slope import clusters

# Most vertices that are added; a path of 100 features takes some 10 to 100.
STEPS = 2000
# A gap |x|^2 - x'q of the nearest point x that is rounding, relative to squares of vertices.
NEAREST = 1e-14
# Differences of F, relative to its largest value, that are rounding.
ROUNDED = 1e-10


class Submodular(Norm):
    """The norm of a nondecreasing submodular function F of the set of nonzero coefficients.

    Where a penalty counts what a support costs, this is its convex form: a number of features
    with falling prices, a graph that is cut, groups that are touched (`OverlapLinf` is that norm,
    and faster). Steps are exact; up to some hundred features they are fast.

    Parameters
    ----------
    function : callable or array-like (p,)
        F(A) of an array A of features, a float; or the values of F for sets of 1, 2, .., p
        features, where F depends on the size alone: concave and nondecreasing. A callable may
        have a method ``gains(order)``, what each feature of an order (p,) adds to those before
        it, as that of :func:`graph_cut` has: it saves p calls.

    Raises
    ------
    ValueError, TypeError
        If function is neither; when a path is fitted, if F is 0 for a feature, falls, or is not
        submodular along the orders that are tried.

    References
    ----------
    Bach (2010), "Structured sparsity-inducing norms through submodular functions".

    Examples
    --------
    The fifth feature costs less than the first:

    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> penalty = ss.penalties.Submodular(np.sqrt(np.arange(1, 7)))
    >>> round(penalty.value([3.0, -1.0, 0.0, 0.0, 0.0, 0.0]), 3)
    3.414
    >>> fit = ss.path(X, X[:, 0] - X[:, 1], penalty=penalty)
    >>> fit.nonzero(0.5 * fit.lambdas[0])
    array([0, 1])
    """

    absolute = True  # Omega depends on sizes alone and grows with them.
    scale_free = False  # Coefficients are compared with one another.

    def __init__(self, function: Callable[[np.ndarray], float] | ArrayLike):
        self.function: Any = function
        if not callable(function):
            self.function = np.array(function, dtype=float)
            if self.function.ndim != 1 or not np.isfinite(self.function).all():
                raise ValueError("function must be callable, or finite numbers: F of 1, 2, .., p "
                                 "features")  # fmt: skip

    def _arguments(self):
        return repr(self.function)

    def _bind(self, names):
        p = self.n_features
        by_size = isinstance(self.function, np.ndarray)
        if by_size and len(self.function) != p:
            raise ValueError(f"function has {len(self.function)} values for {p} features")
        self._steps = np.diff(self.function, prepend=0.0) if by_size else None
        self._check()

    def _check(self):
        """Raise ValueError if F falls, or is seen not to be submodular.

        A submodular F never falls if no feature takes from it as the last of all.
        """
        order, (alone, last) = np.arange(self.n_features), self._first_and_last()
        self._alone = alone
        if not (np.isfinite(alone).all() and (alone > 0.0).all()):
            j = int(np.argmin(np.where(np.isfinite(alone), alone, -np.inf)))
            raise ValueError(f"F is {alone[j]:g} for feature {j} alone; it must be positive")
        for tried in (order, order[::-1]):
            gains = self.gains(tried)
            room = ROUNDED * np.abs(gains).sum()
            if last.min() < -room:
                j = int(np.argmin(last))
                raise ValueError(f"F falls by {-last[j]:g} as feature {j} joins all others; it "
                                 "must not fall: add to the price of each feature")  # fmt: skip
            most = alone[tried] if self._steps is None else np.r_[gains[:1], gains[:-1]]
            if not (gains - most).max() <= room:
                k = int(np.argmax(gains - most))
                raise ValueError(f"F is not submodular: feature {tried[k]} adds {gains[k]:g} to "
                                 f"{k} others, more than to fewer")  # fmt: skip
            if not (last[tried] - gains).max() <= room:
                k = int(np.argmax(last[tried] - gains))
                raise ValueError(f"F is not submodular: feature {tried[k]} adds {gains[k]:g} to "
                                 f"{k} others, less than to all")  # fmt: skip

    def _first_and_last(self):
        """Return what each feature adds to none, and to all others, (p,) each."""
        p, F = self.n_features, self.function
        order = np.arange(p)
        if self._steps is not None:
            return np.full(p, self._steps[0]), np.full(p, self._steps[-1])
        if hasattr(F, "gains"):
            ends = np.array([self.gains(np.roll(order, -j))[[0, -1]] for j in range(p)])
            return ends[:, 0], np.roll(ends[:, 1], -1)
        of_all = float(F(order))
        return (np.array([float(F(order[j : j + 1])) for j in range(p)]),
                np.array([of_all - float(F(np.delete(order, j))) for j in range(p)]))  # fmt: skip

    def gains(self, order: np.ndarray) -> np.ndarray:
        """Return what each feature of an order (p,) adds to F of those before it, (p,)."""
        if self._steps is not None:
            return self._steps
        own = getattr(self.function, "gains", None)
        if own is not None:
            return np.asarray(own(order), dtype=float)
        values = [float(self.function(np.sort(order[:k]))) for k in range(1, len(order) + 1)]
        return np.diff(values, prepend=0.0)

    def norm(self, b: np.ndarray) -> float:
        size = np.abs(b)
        order = np.argsort(-size, kind="stable")
        return float(size[order] @ self.gains(order))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return np.copysign(self._nearest(np.abs(v), t)[0], v)

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the largest ratio over sets, or what proves a little more than it."""
        size = np.abs(z)
        if not size.any():
            return 0.0
        level = self._best_ratio(size, np.argsort(-size, kind="stable"))
        if self._steps is not None:
            return level
        for _ in range(100):  # each step finds another set, and some five end
            b, base = self._nearest(size, level)
            new = self._best_ratio(size, np.argsort(-b, kind="stable")) if b.any() else 0.0
            if not new > level * (1.0 + 1e-15):
                break
            level = new
        # |z| is at most a base of level F, and what is over, of which any set has e_j / F({j}) F.
        return level + float(np.sum(np.maximum(size - base, 0.0) / self._alone))

    def _best_ratio(self, size, order):
        """Return the largest sum of sizes over F among the first features of an order."""
        return float((np.cumsum(size[order]) / np.cumsum(self.gains(order))).max())

    def _nearest(self, size, t):
        """Return the prox (p,) at sizes, and the point of the base polytope of t F near them."""
        order = np.argsort(-size, kind="stable")
        vertex = np.empty(len(size))
        vertex[order] = t * self.gains(order)
        if self._steps is not None:
            return self._pooled(size, t, order), vertex
        base = nearest_point(size, vertex, lambda w: self._vertex(w, t))
        return self._pooled(size, t, np.argsort(base - size, kind="stable")), base

    def _vertex(self, w, t):
        """Return the base s of t F with the largest w's, (p,): the greedy one."""
        order, out = np.argsort(-w, kind="stable"), np.empty(len(w))
        out[order] = t * self.gains(order)
        return out

    def _pooled(self, size, t, order):
        """Return the prox, given the order of its entries."""
        out = np.empty(len(size))
        out[order] = pool_sorted(np.ascontiguousarray(size[order]), t,
                                 np.ascontiguousarray(self.gains(order)))  # fmt: skip
        return out

    def part(self, which: np.ndarray) -> Any:
        """Return the norm of F on the subsets of these features."""
        if self._steps is not None:
            return Submodular(self.function[: len(which)]).over(len(which))
        made = Submodular(Subsets(self, np.asarray(which)))
        made.n_features, made._steps, made._alone = len(which), None, self._alone[which]
        return made

    def tangent(self, b: np.ndarray) -> Any:
        """Return clusters of equal sizes as directions, with what they add to F."""
        return on_clusters(b, self.gains(np.argsort(-np.abs(b), kind="stable")))

    def degrees(self, b: np.ndarray) -> int:
        """Count the clusters of equal nonzero sizes."""
        return clusters(b)


class Subsets:
    """F of the sets of some features, numbered from 0."""

    def __init__(self, whole, which):
        self.whole, self.which = whole, which
        self.rest = np.setdiff1d(np.arange(whole.n_features), which)

    def gains(self, order):
        """Return what each feature of an order adds."""
        return self.whole.gains(np.r_[self.which[order], self.rest])[: len(order)]

    def __call__(self, features):
        return float(self.gains(np.r_[features, np.setdiff1d(np.arange(len(self.which)),
                                                             features)])[: len(features)].sum())


def nearest_point(v: np.ndarray, vertex: np.ndarray, greedy: Callable) -> np.ndarray:
    """Return the point of a polytope nearest to v (p,), by Wolfe's algorithm from a vertex (p,).

    `greedy` maps w (p,) to the vertex s with the largest w's. The answer is a convex combination
    of vertices: within the polytope whatever the accuracy.
    """
    S, share = (vertex - v)[None, :], np.ones(1)  # vertices less v, and their shares
    x, largest = S[0], float(S[0] @ S[0])
    for _ in range(STEPS):
        q = greedy(-x) - v
        largest = max(largest, float(q @ q))
        if x @ x - x @ q <= NEAREST * largest or (S == q).all(axis=1).any():
            break
        S, share = np.vstack([S, q]), np.append(share, 0.0)
        while True:  # the nearest point of the affine hull, or the end of the way to it
            affine = _affine_shares(S)
            if affine.min() > 1e-14:
                share = affine
                break
            falls = affine < share
            with np.errstate(divide="ignore", invalid="ignore"):
                step = np.where(falls, share / (share - affine), np.inf)
            share = share + min(1.0, float(step.min())) * (affine - share)
            kept = share > 1e-14
            kept[np.argmin(step)] = False
            S, share = S[kept], share[kept] / share[kept].sum()
        x = share @ S
    return x + v


def _affine_shares(S):
    """Return the shares, of sum 1, of the point of the affine hull of rows nearest to 0."""
    moved = S[1:] - S[0]
    rest = np.linalg.lstsq(moved.T, -S[0], rcond=1e-13)[0]
    return np.append(1.0 - rest.sum(), rest)


class Cut:
    """The price of a set of nodes of a graph: see `graph_cut`."""

    def __init__(self, edges, weights, modular):
        self.edges = np.array(edges, dtype=np.intp).reshape(-1, 2)
        self.weights, self.modular = np.broadcast_to(weights, len(self.edges)) * 1.0, modular

    def __call__(self, features: np.ndarray) -> float:
        """Return F of these features."""
        count = 1 + max(int(self.edges.max(initial=0)), int(np.max(features, initial=0)))
        count = max(count, np.size(self.modular))
        inside = np.zeros(count, dtype=bool)
        inside[features] = True
        cut = inside[self.edges[:, 0]] != inside[self.edges[:, 1]]
        price = np.broadcast_to(self.modular, len(inside))
        return float(self.weights[cut].sum() + price[inside].sum())

    def gains(self, order: np.ndarray) -> np.ndarray:
        """Return what each feature of an order adds to F of those before it."""
        p = len(order)
        if len(self.edges) and not 0 <= self.edges.min() <= self.edges.max() < p:
            raise ValueError(f"edges hold {self.edges.min()} to {self.edges.max()}; features are "
                             f"numbered from 0 to {p - 1}")  # fmt: skip
        place = np.empty(p, dtype=np.intp)
        place[order] = np.arange(p)
        ends = np.sort(place[self.edges], axis=1)
        cut = np.bincount(ends[:, 0], self.weights, p) - np.bincount(ends[:, 1], self.weights, p)
        return cut + np.broadcast_to(self.modular, p)[order]

    def __repr__(self):
        return f"graph_cut of {len(self.edges)} edges"


def graph_cut(
    edges: Sequence[Sequence[int]], weights: ArrayLike = 1.0, modular: ArrayLike = 1.0
) -> Cut:
    """Return F(A): the weights of the edges between A and the rest, plus a price per feature.

    Under :class:`Submodular`, features that are neighbours enter together. The price of a feature
    must be at least the weight of its edges, so that F does not fall as a set grows.

    Parameters
    ----------
    edges : sequence of pairs of feature numbers
    weights : float or array-like (number of edges,), default 1.0
        At least 0.
    modular : float or array-like (p,), default 1.0
        Price of each feature.

    Returns
    -------
    callable
        F, with a method ``gains``.

    Raises
    ------
    ValueError
        If a weight is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> F = penalties.graph_cut([(0, 1), (1, 2)], modular=2.0)
    >>> F(np.array([0])), F(np.array([0, 1])), F(np.array([0, 1, 2]))
    (3.0, 5.0, 6.0)
    >>> penalties.Submodular(F).value([2.0, 2.0, 0.0])
    10.0
    """
    pairs = np.asarray(edges)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu" or (
        (pairs[:, 0] == pairs[:, 1]).any()
    ):
        raise ValueError("edges must be pairs of two different features, by number")
    if not (np.asarray(weights, dtype=float) >= 0.0).all():
        raise ValueError("weights of edges must be at least 0")
    return Cut(edges, weights, np.asarray(modular, dtype=float))
