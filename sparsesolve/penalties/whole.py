"""WholePenalty: a penalty on whole vectors, with a ridge part, in the units of a Problem.

    P(b) = alpha Omega(b) + r |b|^2 / 2

for any object Omega that keeps the contract of ``penalty.py``, of K responses on arrays (K, p).
All of P follows from Omega in closed form:

    prox_{t P}(v)    = prox_{s Omega}(v / (1 + t r)),  s = t alpha / (1 + t r)
    (lam P)*(z)      is attained at prox_{s Omega}(z / (lam r)),  s = alpha / r,  where r > 0

A Problem measures coefficients in a power of two, u. A norm does not change with u. For any other
Omega it is u^-1 Omega(u b) that belongs to the same lambda.
Reference: Bach et al. 2012, section 3.3 (proximal operators of sums with a squared norm).
"""

import numpy as np
from scipy import sparse

from sparsesolve.penalties.forms import splitting_of, splitting_over
from sparsesolve.penalties.norm import LEAST_ALPHA, NO_PENALTY, ORTHOGONAL
from sparsesolve.penalties.prox.balls import near_one
from sparsesolve.penalties.rows import FEASIBLE, ROUNDED, over_responses

# Relative difference up to which two vectors count as multiples of one another.
MULTIPLE = 1e-15
# Relative difference up to which two levels count as equal.
SAME = 1e-9


class LastPolar:
    """Evaluate ``polar(z)`` of a penalty, cached for the last vector.

    A gap needs the polar of z several times, and that of multiples of z; for a norm polar(s z) = s
    polar(z). An iterative polar (``polar_near``) starts from the end of the last one. With a
    level, a bound that decides whether z exceeds it is enough.
    """

    def __init__(self, omega):
        self.omega, self.iterative = omega, hasattr(omega, "polar_near")
        self.is_norm = not hasattr(omega, "conjugate")
        self.last = self.near = None
        self.largest = 0  # place of the largest entry of the last vector

    def __call__(self, z, level=0.0):
        known = self._known(z, level) if self.is_norm and self.last is not None else None
        if known is not None:
            return known
        if self.iterative:
            found, self.near = self.omega.polar_near(z, self.near, level)
        else:
            found = float(self.omega.polar(z))
        self.last = np.array(z), level, found
        self.largest = int(np.argmax(np.abs(z))) if z.size else 0
        return found

    def _known(self, z, level):
        """Return what follows from the last answer, or None."""
        last, asked, known = self.last
        k = self.largest
        if last.shape != z.shape or not last.size or last.flat[k] == 0.0:
            return None
        s = float(z.flat[k] / last.flat[k])
        if abs(z.flat[-1] - s * last.flat[-1]) > MULTIPLE * abs(s * last.flat[-1]):
            return None  # usually decided by this entry alone
        enough = not self.iterative or s * known <= level or abs(s * asked - level) <= SAME * level
        if s > 0.0 and enough:
            multiple = s * last
            if (np.abs(z - multiple) <= MULTIPLE * np.abs(multiple)).all():
                return s * known
        return None


# A projection onto the complement of a kernel is rounded by this fraction of its argument.
DIGITS = 64 * np.finfo(np.float64).eps
# What is left of a vector without its part along the kernel is rounding below this fraction of the
# sizes that the projection adds.
LEFT = 2e-15


class WholePenalty:
    """P as solvers use it: b is (p,) for one response and (K, p) for K responses.

    Parameters
    ----------
    omega : object that keeps the contract
    n_features : int
    alpha : float in [0, 1]
    power : int
        u = 2**power; the ridge part is r = (1 - alpha) u.
    n_responses : int, default None
        K, where there are several.
    """

    has_blocks = has_groups = limited = False

    def __init__(self, omega, n_features, alpha=1.0, power=0, n_responses=None):
        self.given, self.alpha = omega, alpha
        self.n_features, self.several = n_features, n_responses
        self.is_norm = not hasattr(omega, "conjugate")
        self.unit, self.power = power, 0 if self.is_norm else power
        self.ridge = float(np.ldexp(1.0 - alpha, power))
        if n_responses is not None:
            omega = over_responses(omega, n_responses)
        self.omega, self._polar = omega, LastPolar(omega)
        self.nonnegative = getattr(omega, "nonnegative", False)  # also where lam or alpha is 0
        self._near_prox = None  # where the last iterative prox ended; the next one starts there
        directions = getattr(self.given, "kernel", lambda: None)()
        some = directions is not None and directions.shape[1] > 0
        self._kernel = orthonormal(directions) if some else None

    @property
    def label(self):
        """Return the name of the penalty in messages."""
        return type(self.given).__name__

    def value(self, b, lam=1.0):
        """Return lam P(b)."""
        if self.nonnegative and (b < 0.0).any():
            return np.inf
        if not lam > 0.0:
            return 0.0
        total = self.alpha * self._norm(b) if self.alpha > 0.0 else 0.0
        if self.ridge > 0.0:
            total += 0.5 * self.ridge * float(np.vdot(b, b))
        return lam * total

    def _norm(self, b):
        value = self.omega.value(np.ldexp(b, self.power) if self.power else b)
        return float(np.ldexp(value, -self.power))

    def _prox(self, v, t):
        if not t > 0.0:
            return np.maximum(v, 0.0) if self.nonnegative else np.array(v, dtype=float)
        if self.power:
            v, t = np.ldexp(v, self.power), float(np.ldexp(t, self.power))
        if hasattr(self.omega, "prox_near"):
            scaled, self._near_prox = self.omega.prox_near(v, t, self._near_prox)
        else:
            scaled = self.omega.prox(v, t)
        return np.ldexp(scaled, -self.power) if self.power else scaled

    def prox(self, v, lam=1.0):
        """Return argmin_b |b - v|^2 / 2 + lam P(b)."""
        shrink = 1.0 + lam * self.ridge
        return self._prox(np.asarray(v) / shrink, lam * self.alpha / shrink)

    def prox_rows(self, V, lam):
        """Return the prox of each row of V (N, p) at its own lam (N,)."""
        if not hasattr(self.omega, "prox_rows") or self.power or not self.alpha > 0.0:
            return np.stack([self.prox(v, level) for v, level in zip(V, lam, strict=True)])
        shrink = 1.0 + lam * self.ridge
        return self.omega.prox_rows(V / shrink[:, None], lam * self.alpha / shrink)

    def polar(self, z, lam=0.0):
        """Return the least lam with b = 0 optimal for the linear term -z'b, or an upper bound.

        With `lam` the bound may be as loose as a comparison with lam allows.
        """
        if self._along_kernel(z):
            return np.inf
        level = self._polar(z, lam * self.alpha)
        if level == 0.0:
            return 0.0
        return level / self.alpha if self.alpha > 0.0 else np.inf

    def conjugate(self, z, lam=1.0):
        """Return sup_b z'b - lam P(b)."""
        if not z.any():
            return 0.0
        level, curvature = lam * self.alpha, lam * self.ridge
        if curvature > 0.0:
            with np.errstate(over="ignore", invalid="ignore"):
                b = self._prox(z / curvature, self.alpha / self.ridge)
                best = float(np.vdot(z, b)) - self.value(b, lam)
                if not b.any() and self.is_norm and self._polar(z, level) <= level * ROUNDED:
                    return 0.0
                if level > 0.0 and hasattr(self.omega, "dual_of_prox"):
                    # b is not quite the best; what its dual point proves is never too little.
                    xi = self.omega.dual_of_prox(self._near_prox, self.alpha / self.ridge)
                    rest = z / curvature - xi
                    best = max(best, 0.5 * curvature * float(np.vdot(rest, rest)))
            return max(best, 0.0) if best < np.inf else np.inf
        if not (level > 0.0 or self.nonnegative) or self._along_kernel(z):
            return np.inf
        if self.is_norm:
            return 0.0 if self._polar(z, level) <= level * ROUNDED else np.inf
        return float(np.ldexp(self.omega.conjugate(z, level), -self.power))

    def feasible_scale(self, z, lam=1.0):
        """Return the largest s <= 1 for which the conjugate of s z is finite, up to rounding."""
        level = lam * self.alpha
        if lam * self.ridge > 0.0 or not z.any():
            return 1.0
        if self._along_kernel(z):
            return 0.0
        if not self.is_norm:
            return float(self.omega.feasible_scale(z, level)) if level > 0.0 else 0.0
        least = self._polar(z, level)
        return 1.0 if least <= level else level / least * (1.0 - FEASIBLE)

    def kernel(self):
        """Return orthonormal directions that do not change P, csc (p, k), or None."""
        return self._kernel if self.ridge == 0.0 else None

    def _along_kernel(self, z):
        """Return True if z has a part along the kernel, which no lam makes optimal at 0."""
        if self._kernel is None:
            return False
        z = near_one(z)[0]
        return bool(np.linalg.norm(self._kernel.T @ z.T) > ORTHOGONAL * np.linalg.norm(z))

    def begin_polar(self, b, parts):
        """Start the next iterative polar from b and a decomposition of its argument."""
        self._polar.near = b, parts

    def terms(self):
        """Return the penalties whose sum is P: of a sum, of which the first has the ridge part."""
        given = getattr(self.given, "summands", lambda: None)()
        if given is None:
            return [self]
        made = [WholePenalty(term, self.n_features, self.alpha, self.unit, self.several)
                for term in given]  # fmt: skip
        for term in made[1:]:
            term.ridge = 0.0
        return made

    def splitting(self):
        """Return Omega as a simple norm of linear images: see `forms.py`."""
        if self.several is None:
            return splitting_of(self.omega, self.n_features)
        return splitting_over(self.omega, (self.several, self.n_features))

    def majorant(self, b, smoothing):
        """Return w (p,) with P <= sum_j w_j b_j^2 / 2 + constant, equal near b; or None."""
        own = getattr(self.omega, "majorant", lambda b, smoothing: None)(b, smoothing)
        return None if own is None else self.alpha * own + self.ridge

    def mapping(self):
        """Return a map to a penalty on disjoint blocks; None without one, or with a ridge part."""
        found = getattr(self.given, "mapping", None)
        return None if found is None or self.ridge > 0.0 else found()

    def tangent(self, b):
        """Return the `Tangent` of P at b, or None; its curvature takes z, shaped like b."""
        own = getattr(self.omega, "tangent", lambda b: None)(np.ldexp(b, self.power))
        if own is None or not self.alpha > 0.0 or (self.power and own.retraction is not None):
            return None
        T, a, r, unit = own.directions, self.alpha, self.ridge, 2.0**self.power

        def curvature(z):
            C = r * (T.T @ T).toarray() if r > 0.0 else np.zeros((T.shape[1], T.shape[1]))
            return C if own.curvature is None else C + a * unit * own.curvature((z - r * b) / a)

        return own._replace(gradient=a * own.gradient + r * (T.T @ b.ravel()), curvature=curvature)

    def sorted_weights(self):
        """Return the weights of a sorted l1 norm of one response, or None."""
        own = getattr(self.omega, "sorted_weights", None)
        return None if own is None or not self.alpha > 0.0 else self.alpha * own()

    def part(self, which):
        """Return P on the features `which` alone, the others being 0, or None."""
        own = self.given.part(which)
        if own is None:
            return None
        return WholePenalty(own, len(which), self.alpha, self.unit, self.several)

    def entry_lambdas(self, z):
        """Return the least lam that keeps b at zero, (1,); alpha counts as at least 1e-3."""
        z = np.asarray(z, dtype=float)
        z = z.reshape(-1, self.n_features) if self.several else z
        kernel = self.kernel()
        if kernel is not None:
            left = orthogonal_to(kernel, z)
            # what rounding leaves of directions in the kernel is orthogonal to nothing
            z = left if np.abs(left).max(initial=0.0) > DIGITS * np.abs(z).max() else 0.0 * z
        level = float(self.omega.polar(z))
        # a ridge part alone keeps the kernel's directions finite
        if level == np.inf and self._kernel is not None:
            z = orthogonal_to(self._kernel, z)
            level = float(self.omega.polar(z))
        if level == np.inf:
            raise ValueError(
                f"No lambda makes 0 optimal for penalty={self.label}, so there is none to begin "
                "with; give lambdas"
            )
        return np.array([level / max(self.alpha, LEAST_ALPHA)])

    def sizes(self, z):
        """Return the products of K responses as `entry_lambdas` takes them, (K p,)."""
        return z.ravel()

    def unpenalised(self, b, z, lam=1.0):
        """Return a mask (p,) of the features without a penalty at this lam: all or none.

        Directions of the kernel do not count, nor does a coefficient that z presses against 0
        from above where all are at least 0.
        """
        free = self.unpenalised_each(b, z, lam)
        return free.all(axis=0) if free.ndim == 2 else free

    def unpenalised_each(self, b, z, lam=1.0):
        """Return a mask (p,), or (K, p), of the coefficients without a penalty at this lam."""
        free = np.full(np.shape(b), lam * max(self.alpha, self.ridge) <= NO_PENALTY)
        return free & ~((b <= 0.0) & (z <= 0.0)) if self.nonnegative else free


def orthogonal_to(kernel, z):
    """Return z (p,) or (K, p) without its part along the orthonormal kernel (p, k).

    A vector within the kernel leaves rounding, which becomes 0.
    """
    size = (abs(kernel) @ (abs(kernel).T @ np.abs(z).T)).T
    left = z - (kernel @ (kernel.T @ z.T)).T
    return np.where(np.abs(left) <= LEFT * size, 0.0, left)


def orthonormal(directions):
    """Return an orthonormal basis (p, k) of these columns' span, sparse if they are disjoint."""
    N = sparse.csc_array(directions, dtype=float)
    gram = sparse.csc_array(N.T @ N)
    diagonal = gram.diagonal()
    apart = abs(gram).sum() == abs(diagonal).sum()
    if apart:
        kept = np.flatnonzero(diagonal > 0.0)
        return sparse.csc_array(N[:, kept] @ sparse.diags_array(diagonal[kept] ** -0.5))
    left, size, _ = np.linalg.svd(N.toarray(), full_matrices=False)
    return sparse.csc_array(left[:, size > 1e-12 * size[0]])
