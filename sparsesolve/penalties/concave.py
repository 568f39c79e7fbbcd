"""Concave: the base of penalties that are concave in the size of a coefficient.

    Omega_lam(b) = sum_g phi(|b_g|; lam d_g),    phi concave in |b_g|, phi(0) = 0

Large coefficients are shrunk less than by the l1 norm, or not at all. The objective is not convex.
A path is computed by reweighting: phi is replaced by its tangent at the last solution, a weighted
l1 norm or group lasso (`solvers/reductions/reweighting.py`), until the weights no longer change.
Such a point is stationary; it need not be the global minimum.
References: Zhang, "Nearly unbiased variable selection under minimax concave penalty" (2010); Fan,
Li, "Variable selection via nonconcave penalized likelihood" (2001); Zou, Li, "One-step sparse
estimates in nonconcave penalized likelihood models" (2008); Bach et al. 2012, section 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.groups import group_members, held, held_weights, read_groups
from sparsesolve.penalties.norm import Norm, read_weights
from sparsesolve.penalties.prox.balls import lengths


class Concave(Norm):
    """Base class of concave penalties. A subclass gives phi, its derivatives and its scalar prox.

    Parameters
    ----------
    groups : sequence or mapping
        Groups as :class:`sparsesolve.penalties.GroupL2` takes them, by their l2 norms; None:
        single coefficients.
    weights : array-like
        Factor of lam for each feature, or group; None means 1, or the square roots of the sizes
        of groups.
    """

    concave = True
    homogeneous = False

    def __init__(self, groups: Any = None, weights: Any = None, **shape: float):
        vars(self).update(shape)  # the number that phi depends on, by its name
        self._shape = "".join(f"{value!r}, " for value in shape.values())
        self.groups = None if groups is None else held(groups)
        self.weights = None if weights is None else held_weights(weights)

    def _bind(self, names):
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

    def group_members(self, n_features: int, names: Any = None) -> dict:
        """Return the features of each group by its label."""
        return group_members(self.groups, n_features, names)

    def lengths(self, b: np.ndarray) -> np.ndarray:
        """Return each group's length, (G,). For b (K, p) a group has its features in all rows."""
        if self.groups is None and b.ndim == 1:
            return np.abs(b)
        return lengths(self.of, b if b.ndim == 1 else np.hypot.reduce(b, axis=0), len(self.d))

    def slopes(self, b: np.ndarray, lam: float) -> np.ndarray:
        """Return the derivative of phi at each group's length, divided by lam, (G,).

        If lam is 0, this is d, its limit at length 0.
        """
        if lam == 0.0:
            return self.d.copy()
        level = np.where(self.d > 0.0, lam * self.d, 1.0)
        return np.where(self.d > 0.0, self.d * self._slope(self.lengths(b), level) / level, 0.0)

    def value(self, b: ArrayLike, lam: float = 1.0) -> float:
        """Return Omega_lam(b)."""
        read = self._read(b)
        return self._at(read).total(read, lam)

    def total(self, b: np.ndarray, lam: float) -> float:
        """Return Omega_lam(b) for b (p,) or (K, p) whose number of features is known already."""
        some = self.d > 0.0
        return float(self._phi(self.lengths(b)[some], lam * self.d[some]).sum())

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """Return the exact prox: the scalar prox of each group's length."""
        size = self.lengths(v)
        new = np.where(self.d > 0.0, self._scalar(size, t * np.where(self.d > 0, self.d, 1)), size)
        return v * np.divide(new, size, out=np.zeros_like(size), where=size > 0.0)[self.of]

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the least lam at which 0 is stationary against z."""
        some = self.d > 0.0
        at_zero = self._slope(np.zeros(int(some.sum())), self.d[some]) / self.d[some]
        return float((self.lengths(z)[some] / (self.d[some] * at_zero)).max(initial=0.0))

    def _arguments(self):
        return f"{self._shape}groups={self.groups!r}, weights={self.weights!r}"

    def _phi(self, x, lam):
        raise NotImplementedError

    def _slope(self, x, lam):
        raise NotImplementedError

    def _second_derivative(self, x, lam):
        raise NotImplementedError

    def _scalar(self, x, lam):
        """Return argmin over u >= 0 of (u - x)^2 / 2 + phi(u; lam), for x >= 0."""
        raise NotImplementedError
