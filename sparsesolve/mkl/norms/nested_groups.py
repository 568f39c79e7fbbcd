"""Groups of kernels, one inside another: sums of l2 norms of the kernel norms over a tree.

    phi(n) = sum_g w_g |n_g|_2        n_g the norms of the kernels of group g

Any two groups are disjoint, or one holds the other. If a group is zero, all groups inside it are
zero. Singletons together with larger groups are the sparse group norm; groups alone are the group
lasso over sums of kernels. The proximal operator of such a tree is the composition of those of
its groups, inner ones first. The dual norm is the least level at which it gives 0.
Reference: Jenatton, Mairal, Obozinski, Bach 2011, "Proximal methods for hierarchical sparse
coding", JMLR 12; Bach et al. 2012, section 3.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import read_count
from sparsesolve.data.array import real_array
from sparsesolve.mkl.norms.base import Norm

# Relative accuracy of the dual norm, which is known from above.
CLOSE = 1e-15


@dataclass(frozen=True)
class Nested(Norm):
    """A tree of groups, inner ones first."""

    groups: tuple = ()  # of tuples of kernel numbers
    weights: tuple = ()
    name = "nested"
    whole = True

    def _each(self):
        return zip(map(list, self.groups), self.weights, strict=True)

    def refuse(self, M, kernel_weights):
        if kernel_weights is not None:
            raise ValueError(
                "kernel_weights do not go with nested groups, which have weights of their own: "
                "mkl.nested(groups, weights)"
            )
        covered = {m for group in self.groups for m in group}
        beyond = sorted(covered - set(range(M)))
        if beyond:
            raise ValueError(f"A group holds kernel {beyond[0]}; kernels are 0 to {M - 1}")
        missing = sorted(set(range(M)) - covered)
        if missing:
            raise ValueError(
                f"Kernel {missing[0]} is in no group, so nothing would shrink it; give it one, "
                f"of its own perhaps: [{missing[0]}]"
            )

    def value(self, n, d):
        return float(sum(w * np.linalg.norm(n[group]) for group, w in self._each()))

    def slope(self, n, d):
        slope = np.zeros(len(n))
        for group, w in self._each():
            size = np.linalg.norm(n[group])
            if size > 0.0:
                slope[group] += w * n[group] / size
        return slope

    def prox(self, v, d, t):
        x = np.array(v)
        for group, w in self._each():
            size = np.linalg.norm(x[group])
            x[group] *= 1.0 - t * w / size if size > t * w else 0.0
        return x

    def scale(self, s, d, lam):
        if not self.prox(s, d, lam).any():
            return 1.0
        return lam / self.dual(s)

    def dual(self, s):
        """Return the upper end of a bisection for the dual norm, the least t with prox_t(s) = 0.
        """
        if not s.any():
            return 0.0
        low = float(s @ s) / self.value(s, None)
        high = low
        while self.prox(s, None, high).any():
            high *= 2.0
        while high - low > CLOSE * high and low < 0.5 * (low + high) < high:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.prox(s, None, middle).any() else (low, middle)
        return high

    def conjugate(self, s, d, lam):
        return 0.0

    def first(self, sizes, null):
        return self.dual(sizes)

    def in_units(self, power):
        return self, power


def nested(
    groups: Sequence[Sequence[int]], weights: ArrayLike | None = None
) -> Norm:
    """Return the norm of groups of kernels, disjoint or nested, that are selected together.

    Parameters
    ----------
    groups : sequence of sequences of int
        Numbers of kernels, from 0; every kernel in at least one group. Any two groups must be
        disjoint, or one inside the other: ``[[0, 1, 2], [3, 4], [0], [1], [2]]``.
    weights : array-like (number of groups,), default None
        Positive factor of each group's norm. None: 1.

    Returns
    -------
    norm
        For ``mkl_path(norm=)``, which solves it by proximal gradients, without `kernel_weights`.

    Raises
    ------
    ValueError, TypeError
        If two groups overlap and neither holds the other, or a weight is not positive. A kernel
        in no group is found when a path is fitted.

    Examples
    --------
    >>> import numpy as np, sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> kernels = [np.exp(-np.subtract.outer(x, x) ** 2) for x in X.T]
    >>> fit = ss.mkl_path(kernels, np.sin(2 * X[:, 0]), norm=ss.mkl.nested([[0, 1], [2, 3]]),
    ...                   n_lambdas=10, tol=1e-5)
    >>> fit.active(s=0.8 * fit.lambdas[0])
    array([0, 1])
    """
    read = []
    for g, group in enumerate(groups):
        if not hasattr(group, "__iter__"):
            raise TypeError(
                f"groups[{g}] is {group!r}; give lists of kernels by number, as in [[0, 1], [2]]"
            )
        members = [read_count(f"groups[{g}][{k}]", m, 0) for k, m in enumerate(group)]
        if not members or len(set(members)) < len(members):
            raise ValueError(f"groups[{g}] is {list(group)}; give each kernel of it once")
        read.append(tuple(members))
    w = np.ones(len(read)) if weights is None else real_array("weights", weights)
    if np.shape(w) != (len(read),):
        raise ValueError(f"weights has shape {np.shape(w)}; give one per group, ({len(read)},)")
    if not (np.isfinite(w) & (w > 0.0)).all():
        bad = int(np.flatnonzero(~(np.isfinite(w) & (w > 0.0)))[0])
        raise ValueError(f"weights[{bad}] is {w[bad]}; the weight of a group must be positive")
    _refuse_crossing(read)
    order = sorted(range(len(read)), key=lambda g: len(read[g]))
    return Nested(tuple(read[g] for g in order), tuple(float(w[g]) for g in order))


def _refuse_crossing(groups):
    sets = [set(group) for group in groups]
    for g, one in enumerate(sets):
        for h, two in enumerate(sets[:g]):
            common = len(one & two)
            if common and common < min(len(one), len(two)):
                raise ValueError(
                    f"groups[{h}] and groups[{g}] overlap, and neither holds the other; for "
                    f"overlapping groups pass a kernel once for each of its groups"
                )
