"""Penalties of multiple kernel learning: convex functions phi of the vector of kernel norms.

    n_m = ||f_m||        d_m the weight of kernel m

    l1          phi = sum_m d_m n_m                         sparse: the group lasso over kernels
    l1_squared  phi = (sum_m d_m n_m)^2 / 2                 the classical form, as sparse
    lp(p)       phi = (sum_m (d_m n_m)^r)^(2/r) / 2,        r = 2p / (p + 1): kernel weights in the
                                                            lp ball; all kernels, p -> 1 few count
    elastic(a)  phi = sum_m d_m (a n_m + (1 - a) n_m^2 / 2)

A norm knows neither samples nor kernels; lambda is an argument. Where lam phi has its conjugate
is what certificates need of it: with s_m = sqrt(u'K_m u) the dual objective is
-F*(-u) - (lam phi)*(s).
References: Bach et al. 2012, sections 1.4 and 9; Kloft et al. 2011, "lp-norm multiple kernel
learning", JMLR 12 (p is theirs).
"""

from dataclasses import dataclass

import numpy as np

from sparsesolve.checks import read_choice, read_number

KEEP = 0.01  # of the slope at least, in one step, where no norm can be 0
GROW = 1e3  # of the slope at most
FIRST_SHARE = 0.01  # of the null objective: what the first lambda of a squared norm can explain


@dataclass(frozen=True)
class Norm:
    """phi; a subclass is one of the formulas above."""

    name = ""
    sparse = True  # whether kernels can have norm 0 beside others that have not
    squared = False  # whether phi has degree 2: no lambda is so large that all norms are 0
    whole = False  # whether phi wants the norms of all kernels, not of some of them

    def refuse(self, M, kernel_weights):
        """Raise ValueError where the norm does not fit M kernels of these weights."""

    def value(self, n, d):
        """phi of the norms (k,) of kernels with weights d (k,)."""
        raise NotImplementedError

    def slope(self, n, d):
        """Its gradient (k,), at n_m = 0 from the right."""
        raise NotImplementedError

    def bend(self, n, d):
        """Its second derivative (k, k)."""
        raise NotImplementedError

    def reach(self, n):
        """How far down a step from n may go, (k,) at most 0."""
        return -n

    def move(self, n, t):
        """The norms (k,) that a step t from n leads to, n + t to first order."""
        return np.maximum(n + t, 0.0)

    def prox(self, v, d, t):
        """argmin over x >= 0 of |x - v|^2 / 2 + t phi(x), for v (k,) at least 0."""
        raise NotImplementedError

    def scale(self, s, d, lam):
        """The largest c <= 1 for which (lam phi)*(c s) is finite."""
        return 1.0

    def conjugate(self, s, d, lam):
        """(lam phi)*(s) where it is finite, s (k,)."""
        raise NotImplementedError

    def response(self, s, d, lam):
        """Norms (k,) at which lam phi has the gradient s, or one of them: to start from."""
        raise NotImplementedError

    def quiet(self, n, s, d, lam):
        """A level c (the kernels': s_m <= c d_m) under which others change no certificate."""
        raise NotImplementedError

    def first(self, sizes, null):
        """Where the path starts: the least lambda with all norms 0, or with little explained."""
        raise NotImplementedError

    def in_units(self, power):
        """(the same norm, power of lambda) for responses divided by 2**power."""
        return self, 0


@dataclass(frozen=True)
class L1(Norm):
    """sum_m d_m n_m."""

    name = "l1"

    def value(self, n, d):
        return float(d @ n)

    def slope(self, n, d):
        return d.copy()

    def bend(self, n, d):
        return np.zeros((len(n), len(n)))

    def prox(self, v, d, t):
        return np.maximum(v - t * d, 0.0)

    def scale(self, s, d, lam):
        most = np.max(s / d, initial=0.0)
        return 1.0 if most <= lam else lam / most

    def conjugate(self, s, d, lam):
        return 0.0

    def response(self, s, d, lam):
        return np.zeros(len(s))

    def quiet(self, n, s, d, lam):
        return lam

    def first(self, sizes, null):
        return float(np.max(sizes, initial=0.0))

    def in_units(self, power):
        return self, power


@dataclass(frozen=True)
class L1Squared(Norm):
    """(sum_m d_m n_m)^2 / 2."""

    name = "l1_squared"
    squared = True

    def value(self, n, d):
        return 0.5 * float(d @ n) ** 2

    def slope(self, n, d):
        return d * (d @ n)

    def bend(self, n, d):
        return np.outer(d, d)

    def prox(self, v, d, t):
        """x = (v - t d S)+ with S = d'x: the v / d that exceed t S are kept."""
        order = np.argsort(-v / d)
        sums = np.cumsum((d * v)[order]) / (1.0 + t * np.cumsum((d * d)[order]))
        kept = np.flatnonzero((v / d)[order] > t * sums)
        return np.maximum(v - t * d * (sums[kept[-1]] if len(kept) else 0.0), 0.0)

    def conjugate(self, s, d, lam):
        return 0.5 * np.max(s / d, initial=0.0) ** 2 / lam

    def response(self, s, d, lam):
        n = np.zeros(len(s))
        if len(s):
            m = int(np.argmax(s / d))
            n[m] = s[m] / d[m] ** 2 / lam
        return n

    def quiet(self, n, s, d, lam):
        return max(np.max(s / d, initial=0.0), lam * float(d @ n))

    def first(self, sizes, null):
        return float(np.max(sizes, initial=0.0)) ** 2 / (2.0 * FIRST_SHARE * max(null, 1e-300))


@dataclass(frozen=True)
class Lp(Norm):
    """(sum_m (d_m n_m)^r)^(2/r) / 2 with r = 2p / (p + 1) in (1, 2)."""

    p: float = 2.0
    name = "lp"
    sparse = False
    squared = True

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

    def bend(self, n, d):
        r, size = self.r, self._size(d * n, self.r)
        v = np.maximum(d * n / max(size, 1e-300), 1e-100)
        a = d * v ** (r - 1.0)
        return (2.0 - r) * np.outer(a, a) + np.diag((r - 1.0) * d * d * v ** (r - 2.0))

    def reach(self, n):
        return -(1.0 - KEEP) * n / (self.r - 1.0)

    def move(self, n, t):
        """Along the power law that the slope follows: a straight step cannot follow n to 1e-30."""
        share = np.divide(t, n, out=np.zeros_like(n), where=n > 0.0)
        share = np.minimum(share, GROW / (self.r - 1.0))
        return n * (1.0 + (self.r - 1.0) * share) ** (1.0 / (self.r - 1.0))

    def conjugate(self, s, d, lam):
        return 0.5 * self._size(s / d, self.r / (self.r - 1.0)) ** 2 / lam

    def response(self, s, d, lam):
        dual = self.r / (self.r - 1.0)
        size = self._size(s / d, dual)
        if size == 0.0:
            return np.zeros(len(s))
        return size * (s / d / size) ** (dual - 1.0) / d / lam

    def quiet(self, n, s, d, lam):
        return 0.0

    def first(self, sizes, null):
        size = self._size(sizes, self.r / (self.r - 1.0))
        return size**2 / (2.0 * FIRST_SHARE * max(null, 1e-300))


@dataclass(frozen=True)
class Elastic(Norm):
    """sum_m d_m (alpha n_m + (1 - alpha) unit n_m^2 / 2), unit 1 in the user's units."""

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

    def bend(self, n, d):
        return np.diag(self.ridge * d)

    def prox(self, v, d, t):
        return np.maximum(v - t * self.alpha * d, 0.0) / (1.0 + t * self.ridge * d)

    def conjugate(self, s, d, lam):
        beyond = np.maximum(s - lam * self.alpha * d, 0.0)
        return float(0.5 * np.sum(beyond**2 / d) / (lam * self.ridge))

    def response(self, s, d, lam):
        return np.maximum(s - lam * self.alpha * d, 0.0) / (lam * self.ridge * d)

    def quiet(self, n, s, d, lam):
        return lam * self.alpha

    def first(self, sizes, null):
        return float(np.max(sizes, initial=0.0)) / max(self.alpha, 1e-3)

    def in_units(self, power):
        return Elastic(self.alpha, float(np.ldexp(self.unit, power))), power


def lp(p: float = 2.0) -> Norm:
    """Kernel weights in the lp ball, as in Kloft et al. (2011).

    Parameters
    ----------
    p : float >= 1, default 2
        1 is "l1_squared"; the larger, the more equal the kernels' shares.

    Returns
    -------
    norm
        For ``norm=`` of :func:`sparsesolve.mkl_path`.

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


def elastic(alpha: float = 0.5) -> Norm:
    """Mixture of the l1 norm and of half the squared l2 norm of the kernel norms.

    Parameters
    ----------
    alpha : float in (0, 1], default 0.5
        Share of the l1 norm.

    Returns
    -------
    norm
        For ``norm=`` of :func:`sparsesolve.mkl_path`.

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


NORMS = {"l1": L1(), "l1_squared": L1Squared(), "lp": Lp(), "elastic": Elastic()}


def read_norm(norm):
    """The Norm that a name or a Norm stands for."""
    if isinstance(norm, Norm):
        return norm
    if callable(norm):
        raise TypeError(f"norm is the function {norm.__name__}; call it: mkl.{norm.__name__}(...)")
    return NORMS[read_choice("norm", norm, list(NORMS))]
