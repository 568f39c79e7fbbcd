"""MCP, SCAD, Log and Bridge: penalties that are concave in the size of a coefficient.

    Omega_lam(b) = sum_g phi(|b_g|; lam d_g),    phi concave in |b_g|, phi(0) = 0

Large coefficients are shrunk less than by the l1 norm, or not at all. The objective is not convex.
A path is computed by reweighting: phi is replaced by its tangent at the last solution, a weighted
l1 norm or group lasso (`solvers/reductions/reweighting.py`), until the weights no longer change.
Such a point is stationary; it need not be the global minimum.
Reference: Zou, Li, "One-step sparse estimates in nonconcave penalized likelihood models" (2008).

    MCP     phi(x; lam) = lam x - x^2 / (2 gamma)  up to gamma lam,  gamma lam^2 / 2 beyond
    SCAD    phi'(x; lam) = lam  up to lam,  (gamma lam - x) / (gamma - 1)  up to gamma lam,  then 0
    Log     phi(x; lam) = lam log(1 + x / epsilon), whose tangent is the reweighted l1 norm
    Bridge  phi(x; lam) = lam ((x + s)^q - s^q),   s = 0.001 unless told otherwise

`Concave` is their base. `ConcavePenalty` adds a ridge part, in the units of a Problem:

    sum_g phi(|b_g|; alpha lam d_g) + lam (1 - alpha) |b|^2 / 2

A weight is the slope of phi(|b_g| 2^power; alpha lam 2^unit) over lam 2^unit, whatever the units:
the power cancels with that of the loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.penalties.groups import NormOfGroups
from sparsesolve.penalties.norm import read_number
from sparsesolve.penalties.prox.balls import lengths
from sparsesolve.penalties.prox.powers import concave_power_lengths


class Concave(NormOfGroups):
    """Base class of concave penalties. A subclass gives its `form`, and phi and its scalar prox if
    the power of the form is not 0.

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
    # phi'(x; lam) by four numbers (start, s, power, factor): lam - (x - start lam) / s, within 0
    # and lam, if the power is 0; else factor lam (x + s)^power.
    form: tuple[float, float, float, float]
    epsilon: float  # of Log
    q: float  # of Bridge

    def __init__(self, groups: Any = None, weights: Any = None, **shape: float):
        vars(self).update(shape)  # the number that phi depends on, by its name
        self._shape = "".join(f"{value!r}, " for value in shape.values())
        super().__init__(groups, weights)

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
        """Return phi(x; lam) for x >= 0."""
        start, s, _, _ = self.form
        bend = np.clip(x - start * lam, 0.0, s * lam)
        return lam * np.minimum(x, (start + s) * lam) - bend * bend / (2.0 * s)

    def _slope(self, x, lam):
        """Return phi'(x; lam) for x >= 0; `weighted_sweeps` has the same formula."""
        start, s, power, factor = self.form
        if power == 0.0:
            return np.clip(lam - (x - start * lam) / s, 0.0, lam)
        with np.errstate(divide="ignore"):  # inf at 0, if s is 0
            return factor * lam * (x + s) ** power

    def _second_derivative(self, x, lam):
        start, s, power, factor = self.form
        if power == 0.0:
            return np.where((x >= start * lam) & (x < (start + s) * lam), -1.0 / s, 0.0)
        return factor * power * lam * (x + s) ** (power - 1.0)

    def _scalar(self, x, lam):
        """Return argmin over u >= 0 of (u - x)^2 / 2 + phi(u; lam), for x >= 0."""
        start, s, _, _ = self.form
        soft = np.maximum(x - lam, 0.0)
        firm = np.where(soft > start * lam, (s * soft - start * lam) / (s - 1.0), soft)
        return np.where(x <= (start + s) * lam, firm, x)


# Default shift of sizes in Bridge. The slope of |b|^q is infinite at b = 0; that of (|b| + s)^q is
# finite.
SMOOTHED = 1e-3


class MCP(Concave):
    r"""The minimax concave penalty.

    :math:`\varphi' = \lambda - |b| / \gamma` up to :math:`\gamma \lambda`, 0 beyond.

    Parameters
    ----------
    gamma : float > 1, default 3.0
        How soon the penalty ends: towards 1 it is hard thresholding, towards inf the l1 norm.

    Raises
    ------
    ValueError, TypeError
        If gamma is not a number above 1; when a path is fitted, if groups or weights do not fit.

    References
    ----------
    Zhang (2010), "Nearly unbiased variable selection under minimax concave penalty".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 8))
    >>> y = 2 * X[:, 0] + rng.normal(size=100)
    >>> fit = ss.path(X, y, penalty=ss.penalties.MCP())
    >>> fit.coef(0.4).round(2)[:3]
    array([1.88, 0.  , 0.  ])
    """

    def __init__(self, gamma: float = 3.0, groups: Any = None, weights: Any = None):
        gamma = read_number("gamma", gamma, 1.0, inclusive=False)
        super().__init__(groups, weights, gamma=gamma)
        self.form = 0.0, gamma, 0.0, 1.0


class SCAD(Concave):
    r"""The smoothly clipped absolute deviation.

    :math:`\varphi' = \lambda` up to :math:`\lambda`, then falling to 0 at :math:`\gamma \lambda`.

    Parameters
    ----------
    gamma : float > 2, default 3.7
        Where the penalty ends, in multiples of lam.

    Raises
    ------
    ValueError, TypeError
        If gamma is not a number above 2; when a path is fitted, if groups or weights do not fit.

    References
    ----------
    Fan, Li (2001), "Variable selection via nonconcave penalized likelihood".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.SCAD().prox([0.5, 1.5, 9.0], 1.0)
    array([0. , 0.5, 9. ])
    """

    def __init__(self, gamma: float = 3.7, groups: Any = None, weights: Any = None):
        gamma = read_number("gamma", gamma, 2.0, inclusive=False)
        super().__init__(groups, weights, gamma=gamma)
        self.form = 1.0, gamma - 1.0, 0.0, 1.0


class Log(Concave):
    r"""The penalty behind the reweighted l1 norm.

    :math:`\varphi = \lambda \log(1 + |b| / \epsilon)`.

    Parameters
    ----------
    epsilon : float > 0
        Size, on standardised columns, at which the penalty begins to flatten.

    Raises
    ------
    ValueError, TypeError
        If epsilon is not a positive number; when a path is fitted, if groups or weights do not
        fit.

    References
    ----------
    Candes, Wakin, Boyd (2008), "Enhancing sparsity by reweighted l1 minimization".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.Log(1.0).prox([0.5, 3.0], 1.0).round(3)
    array([0.   , 2.732])
    """

    def __init__(self, epsilon: float, groups: Any = None, weights: Any = None):
        epsilon = read_number("epsilon", epsilon, inclusive=False)
        super().__init__(groups, weights, epsilon=epsilon)
        self.form = 0.0, epsilon, -1.0, 1.0

    def _phi(self, x, lam):
        return lam * np.log1p(x / self.epsilon)

    def _scalar(self, x, lam):
        e = self.epsilon
        root = np.sqrt(np.maximum((x + e) ** 2 - 4.0 * lam, 0.0))
        u = np.maximum(0.5 * (x - e + root), 0.0)
        u = np.where((x + e) ** 2 >= 4.0 * lam, u, 0.0)
        return np.where(0.5 * (u - x) ** 2 + self._phi(u, lam) < 0.5 * x * x, u, 0.0)


class Bridge(Concave):
    r"""A power below 1 of each coefficient, smoothed at 0.

    :math:`\varphi = \lambda |b|^q` with 0 < q < 1.

    The slope of :math:`|b|^q` at 0 is infinite and would keep every coefficient at 0, so that
    :math:`(|b| + s)^q - s^q` takes its place, on standardised columns.

    Parameters
    ----------
    q : float in (0, 1)
        The power.
    smoothing : float >= 0, default 0.001
        s. With 0, :meth:`prox` is the exact one of :math:`|b|^q`, for methods that take proximal
        steps; a path needs a positive one.

    Raises
    ------
    ValueError, TypeError
        If q is not between 0 and 1 or smoothing is negative; when a path is fitted, if smoothing
        is 0, or groups or weights do not fit.

    References
    ----------
    Knight, Fu (2000), "Asymptotics for lasso-type estimators".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.Bridge(0.5, smoothing=0.0).prox([0.5, 3.0], 1.0).round(2)
    array([0. , 2.7])
    """

    smoothing = SMOOTHED  # of objects that older versions saved

    def __init__(self, q: float, groups: Any = None, weights: Any = None,
                 smoothing: float = SMOOTHED):  # fmt: skip
        q, s = read_number("q", q, 0.0, 1.0, inclusive=False), read_number("smoothing", smoothing)
        super().__init__(groups, weights, q=q)
        self.smoothing = s
        self.form = 0.0, s, q - 1.0, q

    def _arguments(self):
        return super()._arguments() + f", smoothing={self.smoothing!r}"

    def _phi(self, x, lam):
        return lam * ((x + self.smoothing) ** self.q - self.smoothing**self.q)

    def _scalar(self, x, lam):
        return concave_power_lengths(x, lam, self.q, self.smoothing)


class ConcavePenalty:
    """A penalty of this file as `solvers/reductions/reweighting.py` uses it.

    Parameters
    ----------
    given : Concave, for the features of the problem
    power : int
        The user's standardised coefficients are the inner ones times 2**power.
    alpha : float in (0, 1]
    """

    has_blocks = has_groups = limited = False
    concave = True

    def __init__(self, given, power, alpha=1.0):
        if getattr(given, "smoothing", 1.0) == 0.0:
            raise ValueError("smoothing=0 keeps every coefficient of a path at 0, where the slope "
                             "of |b|^q is infinite; give Bridge a positive one")  # fmt: skip
        self.given, self.power, self.alpha = given, power, alpha
        self.of, self.d, self.form = given.of, given.d, given.form
        self.label = type(given).__name__
        self.ridge = float(np.ldexp(1.0 - alpha, power))

    def lengths(self, b):
        """Return the length of each group, (G,)."""
        return self.given.lengths(b)

    def slopes(self, b, lam, unit):
        """Return the weights w_g of the tangent at b, (G,), for a Problem of that unit."""
        with np.errstate(over="ignore"):
            level = self._level(lam, unit)
            return self.alpha * self.given.slopes(np.ldexp(b, self.power), level)

    def levels_of(self, groups, lam, unit):
        """Return the lam of phi on each of these groups (m,), in the user's units."""
        return self._level(lam, unit) * self.d[groups]

    def derivatives_of(self, sizes, groups, lam, unit):
        """Return slopes and second derivatives of phi (m,) of these groups at these lengths.

        Slopes are lam times the weights of the tangents.
        """
        level = self.levels_of(groups, lam, unit)
        held = level > 0.0
        level[~held] = 1.0
        x = np.ldexp(sizes, self.power)
        slope = np.where(held, np.ldexp(self.given._slope(x, level), -unit), 0.0)
        second = np.ldexp(self.given._second_derivative(x, level), self.power - unit)
        return slope, np.where(held, second, 0.0)

    def values_of(self, sizes, groups, lam, unit):
        """Return the penalty on these groups alone, without its ridge part."""
        level = self.levels_of(groups, lam, unit)
        held = level > 0.0
        own = self.given._phi(np.ldexp(sizes[held], self.power), level[held]).sum()
        return float(np.ldexp(own, -(self.power + unit)))

    def flat_at(self, which, values, lam, unit):
        """Return the features (m,) at which the slope of the penalty is 0 at this point."""
        b = np.zeros((*np.shape(values)[:-1], len(self.of)))
        b[..., which] = values
        flat = self.slopes(b, lam, unit)[self.of] == 0.0
        return np.flatnonzero(flat & (self.ridge == 0.0))

    def value(self, b, lam, unit):
        """Return the penalty in inner units."""
        with np.errstate(over="ignore"):
            own = self.given.total(np.ldexp(b, self.power), self._level(lam, unit))
        own = float(np.ldexp(own, -(self.power + unit)))
        return own + 0.5 * lam * self.ridge * float(np.vdot(b, b)) if self.ridge > 0.0 else own

    def entry_lambdas(self, z):
        """Return the least lam at which 0 is stationary against z, (1,)."""
        z = np.asarray(z, dtype=float)
        z = z if len(z) == len(self.of) else z.reshape(-1, len(self.of))
        at_zero = self.given.dual_norm(z)
        return np.array([at_zero / self.alpha])

    def _level(self, lam, unit):
        return float(np.ldexp(self.alpha * lam, unit))
