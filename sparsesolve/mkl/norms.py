"""Penalties of multiple kernel learning: convex functions phi of the vector of kernel norms.

    n_m = ||f_m||        d_m the weight of kernel m

    l1          phi = sum_m d_m n_m                         sparse: the group lasso over kernels
    l1_squared  phi = (sum_m d_m n_m)^2 / 2                 the classical form, as sparse
    lp(p)       phi = (sum_m (d_m n_m)^r)^(2/r) / 2,        r = 2p / (p + 1): kernel weights in the
                                                            lp ball; few kernels count as p -> 1
    elastic(a)  phi = sum_m d_m (a n_m + (1 - a) n_m^2 / 2)
    nested      phi = sum_g w_g |n_g|_2                     groups of kernels, one inside another

A norm knows neither samples nor kernels, and lambda is an argument; `Norm` is the contract.
Certificates need its conjugate: with s_m = sqrt(u'K_m u) the dual objective is -F*(-u) - (lam
phi)*(s). A new norm is a class here, a line in NORMS (except nested, which has no default groups)
and a test.
References: Bach et al. 2012, sections 1.4 and 9; Kloft et al. 2011, "lp-norm multiple kernel
learning", JMLR 12 (p is theirs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import read_choice, read_count, read_number
from sparsesolve.data.array import real_array
from sparsesolve.data.paragraphs import returning
from sparsesolve.penalties.prox.powers import squared_l1_lengths

norm_maker = returning("norm", "For ``norm=`` of :func:`sparsesolve.mkl_path`.")
# The first lambda of a squared norm explains this share of the null objective.
FIRST_SHARE = 0.01


@dataclass(frozen=True)
class Norm:
    """The function phi. A subclass is one of the formulas at the head of this file."""

    name = ""
    sparse = True  # True if some kernels can have norm 0 while others do not
    squared = False  # True if phi has degree 2: no lambda makes all norms 0
    whole = False  # True if phi needs the norms of all kernels, not of some of them

    def refuse(self, M, kernel_weights):
        """Raise ValueError if the norm does not fit M kernels with these weights."""

    def value(self, n, d):
        """Return phi of the norms (k,) of kernels with weights d (k,)."""
        raise NotImplementedError

    def slope(self, n, d):
        """Return the gradient (k,), at n_m = 0 from the right."""
        raise NotImplementedError

    def second_derivative(self, n, d):
        """Return the second derivative (k, k)."""
        raise NotImplementedError

    def reach(self, n):
        """Return the lower bounds (k,) <= 0 of a step from n."""
        return -n

    def move(self, n, t):
        """Return the norms (k,) after a step t from n; to first order they are n + t."""
        return np.maximum(n + t, 0.0)

    def prox(self, v, d, t):
        """Return argmin over x >= 0 of |x - v|^2 / 2 + t phi(x), for v (k,) at least 0."""
        raise NotImplementedError

    def dual(self, s):
        """Return the dual norm of s (k,); of phi of degree 2 that of the norm sqrt(2 phi)."""
        raise NotImplementedError

    # Those that follow are of norms, phi of degree 1.

    def scale(self, s, d, lam):
        """Return the largest c <= 1 for which (lam phi)*(c s) is finite."""
        most = self.dual(s / d)
        return 1.0 if most <= lam else lam / most

    def conjugate(self, s, d, lam):
        """Return (lam phi)*(s) where it is finite, s (k,)."""
        return 0.0

    def inactive_level(self, n, s, d, lam):
        """Return a level c: kernels with s_m <= c d_m change no certificate."""
        return lam

    def first(self, sizes, null):
        """Return the first lambda of a path: the least with all norms 0, or with little
        explained.
        """
        return float(self.dual(sizes))

    def in_units(self, power):
        """Return (the norm in other units, power of lambda) for responses divided by 2**power."""
        return self, power


@dataclass(frozen=True)
class Squared(Norm):
    """A function phi of degree 2, half the square of a norm."""

    squared = True

    def response(self, s, d, lam):
        """Return norms (k,) at which lam phi has the gradient s, as a start."""
        raise NotImplementedError

    def scale(self, s, d, lam):
        return 1.0

    def conjugate(self, s, d, lam):
        return 0.5 * self.dual(s / d) ** 2 / lam

    def first(self, sizes, null):
        return float(self.dual(sizes)) ** 2 / (2.0 * FIRST_SHARE * max(null, 1e-300))

    def in_units(self, power):
        return self, 0


@dataclass(frozen=True)
class L1(Norm):
    """The norm sum_m d_m n_m."""

    name = "l1"

    def dual(self, s):
        return np.max(s, initial=0.0)

    def value(self, n, d):
        return float(d @ n)

    def slope(self, n, d):
        return d.copy()

    def second_derivative(self, n, d):
        return np.zeros((len(n), len(n)))

    def prox(self, v, d, t):
        return np.maximum(v - t * d, 0.0)


@dataclass(frozen=True)
class L1Squared(Squared):
    """The norm (sum_m d_m n_m)^2 / 2."""

    name = "l1_squared"

    def dual(self, s):
        return np.max(s, initial=0.0)

    def value(self, n, d):
        return 0.5 * float(d @ n) ** 2

    def slope(self, n, d):
        return d * (d @ n)

    def second_derivative(self, n, d):
        return np.outer(d, d)

    def prox(self, v, d, t):
        return squared_l1_lengths(v, d, t)

    def response(self, s, d, lam):
        n = np.zeros(len(s))
        if len(s):
            m = int(np.argmax(s / d))
            n[m] = s[m] / d[m] ** 2 / lam
        return n

    def inactive_level(self, n, s, d, lam):
        return max(self.dual(s / d), lam * float(d @ n))


@dataclass(frozen=True)
class Elastic(Norm):
    """sum_m d_m (alpha n_m + (1 - alpha) unit n_m^2 / 2); unit is 1 in the user's units."""

    alpha: float = 0.5
    unit: float = 1.0
    name = "elastic"

    @property
    def ridge(self):
        return (1.0 - self.alpha) * self.unit

    def value(self, n, d):
        return float(d @ (self.alpha * n + 0.5 * self.ridge * n * n))

    def slope(self, n, d):
        return d * (self.alpha + self.ridge * n)

    def second_derivative(self, n, d):
        return np.diag(self.ridge * d)

    def prox(self, v, d, t):
        return np.maximum(v - t * self.alpha * d, 0.0) / (1.0 + t * self.ridge * d)

    def scale(self, s, d, lam):
        return 1.0

    def conjugate(self, s, d, lam):
        beyond = np.maximum(s - lam * self.alpha * d, 0.0)
        return float(0.5 * np.sum(beyond**2 / d) / (lam * self.ridge))

    def inactive_level(self, n, s, d, lam):
        return lam * self.alpha

    def first(self, sizes, null):
        return float(np.max(sizes, initial=0.0)) / max(self.alpha, 1e-3)

    def in_units(self, power):
        return Elastic(self.alpha, float(np.ldexp(self.unit, power))), power


@norm_maker
def elastic(alpha: float = 0.5) -> Norm:
    """Return a mixture of the l1 norm and of half the squared l2 norm of the kernel norms.

    Parameters
    ----------
    alpha : float in (0, 1], default 0.5
        Share of the l1 norm.

    Raises
    ------
    ValueError, TypeError
        If `alpha` is not above 0 and at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> kernels = [np.outer(x, x) for x in X.T]  # one for each column
    >>> fit = ss.mkl_path(kernels, X[:, 0] + X[:, 1], norm=ss.mkl.elastic(0.9), n_lambdas=10)
    >>> fit.active(0.5 * fit.lambdas[0])
    array([0, 1])
    """
    alpha = read_number("alpha", alpha, 0, 1, open_low=True)
    return L1() if alpha == 1.0 else Elastic(alpha)


# One step reduces the slope to no less than this share of it: no norm can be 0.
KEEP = 0.01
# One step raises the slope to at most this multiple of it.
GROW = 1e3
# A step makes a norm at most this many times as large.
MOST = 1e9


@dataclass(frozen=True)
class Lp(Squared):
    """The norm (sum_m (d_m n_m)^r)^(2/r) / 2 with r = 2p / (p + 1) in (1, 2)."""

    p: float = 2.0
    name = "lp"
    sparse = False

    @property
    def r(self):
        return 2.0 * self.p / (self.p + 1.0)

    def _size(self, v, r):
        most = np.max(v, initial=0.0)
        return most * np.sum((v / most) ** r) ** (1.0 / r) if most > 0.0 else 0.0

    def value(self, n, d):
        return 0.5 * self._size(d * n, self.r) ** 2

    def slope(self, n, d):
        v, size = d * n, self._size(d * n, self.r)
        return d * size * (v / size) ** (self.r - 1.0) if size > 0.0 else np.zeros(len(n))

    def second_derivative(self, n, d):
        r, size = self.r, self._size(d * n, self.r)
        v = np.maximum(d * n / max(size, 1e-300), 1e-100)
        a = d * v ** (r - 1.0)
        return (2.0 - r) * np.outer(a, a) + np.diag((r - 1.0) * d * d * v ** (r - 2.0))

    def reach(self, n):
        return -(1.0 - KEEP) * n / (self.r - 1.0)

    def move(self, n, t):
        """Move along the power law of the slope: a straight step could not follow n to 1e-30."""
        share = np.divide(t, n, out=np.zeros_like(n), where=n > 0.0)
        farthest = min(GROW, MOST ** (self.r - 1.0) - 1.0) / (self.r - 1.0)
        share = np.minimum(share, farthest)
        return n * (1.0 + (self.r - 1.0) * share) ** (1.0 / (self.r - 1.0))

    def dual(self, s):
        return self._size(s, self.r / (self.r - 1.0))

    def response(self, s, d, lam):
        dual, size = self.r / (self.r - 1.0), self.dual(s / d)
        if size == 0.0:
            return np.zeros(len(s))
        return size * (s / d / size) ** (dual - 1.0) / d / lam

    def inactive_level(self, n, s, d, lam):
        return 0.0


@norm_maker
def lp(p: float = 2.0) -> Norm:
    """Return the norm with kernel weights in the lp ball, as in Kloft et al. (2011).

    Parameters
    ----------
    p : float >= 1, default 2
        1 is "l1_squared"; with a larger p the kernels' shares are more equal.

    Raises
    ------
    ValueError, TypeError
        If `p` is below 1 or not finite.

    References
    ----------
    Kloft, Brefeld, Sonnenburg, Zien (2011), "lp-norm multiple kernel learning".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> kernels = [np.outer(x, x) for x in X.T]  # one for each column
    >>> fit = ss.mkl_path(kernels, X[:, 0] + X[:, 1], norm=ss.mkl.lp(1.5), n_lambdas=10)
    >>> fit.df[-1]  # all of them
    np.int64(4)
    """
    p = read_number("p", p, 1, np.inf)
    return L1Squared() if p == 1.0 else Lp(p)


@dataclass(frozen=True)
class Nested(Norm):
    """A tree of groups, inner ones first: any two are disjoint, or one holds the other.

    If a group is zero, all groups inside it are zero. Singletons together with larger groups are
    the sparse group norm; groups alone are the group lasso over sums of kernels. The proximal
    operator is the composition of those of the groups, inner ones first. The dual norm is the
    least level at which it gives 0.
    Reference: Jenatton, Mairal, Obozinski, Bach 2011, "Proximal methods for hierarchical sparse
    coding", JMLR 12; Bach et al. 2012, section 3.3.
    """

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

    def scale(self, s, d, lam):  # the dual norm is known from above alone
        return lam / self.dual(s) if self.prox(s, d, lam).any() else 1.0

    def dual(self, s):
        """Return the upper end of a bisection for the dual norm, the least t with prox_t(s) = 0.
        """
        if not s.any():
            return 0.0
        low = float(s @ s) / self.value(s, None)
        high = low
        while self.prox(s, None, high).any():
            high *= 2.0
        while high - low > 1e-15 * high and low < 0.5 * (low + high) < high:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.prox(s, None, middle).any() else (low, middle)
        return high


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


NORMS = {"l1": L1(), "l1_squared": L1Squared(), "lp": Lp(), "elastic": Elastic()}


def read_norm(norm):
    """Return the Norm for a name or a Norm."""
    if isinstance(norm, Norm):
        return norm
    if callable(norm):
        raise TypeError(f"norm is the function {norm.__name__}; call it: mkl.{norm.__name__}(...)")
    return NORMS[read_choice("norm", norm, list(NORMS))]
