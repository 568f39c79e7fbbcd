"""Checks that the methods of a penalty written by a user belong to one function.

The prox is optimal for the value if and only if Fenchel-Young holds with equality at b = prox(v):

    t Omega(b) + (t Omega)*(z) = z'b,   z = v - b

For a norm this says polar(z) <= t and z'b = t Omega(b). So if value, prox and polar agree at a
few points in all scales, they are those of one function. A polar that is too large makes a
certificate loose; one that is too small would make it false.
"""

import numpy as np

from sparsesolve.penalties.whole import orthonormal

# Relative difference up to which two numbers agree. User code may iterate to about this accuracy.
TOLERANCE = 1e-6
# With more features the checks are skipped: they would take longer than a step of a solver.
MOST_FEATURES = 1_000_000


def check_definition(penalty, n_features, name):
    """Raise ValueError unless value, prox, polar, conjugate and kernel belong to one function.

    The message says which methods contradict one another, and where. TypeError where a method
    returns what is not a number, or no vector of that length.
    """
    if n_features > MOST_FEATURES:
        return
    asked = _Asked(penalty, n_features, name)
    zero = asked.number("value", np.zeros(n_features))
    if abs(zero) > TOLERANCE:
        raise ValueError(
            f"{name}: value is {zero:.6g} at b = 0, where a penalty is 0; subtract it"
        )
    rng = np.random.default_rng(0)
    kernel = _check_kernel(asked, rng)
    for scale in (0.1, 1.0, 10.0):
        v = scale * rng.standard_normal(n_features)
        _check_at(asked, v, kernel, rng)


def _check_at(asked, v, kernel, rng):
    """Compare the methods at v, at a level at which the prox changes v but does not return 0."""
    name, v0 = asked.name, v - kernel @ (kernel.T @ v)
    level = asked.number("polar", v0)
    if level == np.inf and not asked.is_norm:  # then b = 0 is never optimal
        level = 1.0
    if not 0.0 <= level < np.inf:
        raise ValueError(
            f"{name}: polar is {level:.6g} for a vector orthogonal to kernel(); where a direction "
            "has no penalty, let kernel() tell it"
        )
    for t in (0.5 * level, 0.05 * level):
        if not t > 0.0:
            continue
        b = asked.vector("prox", v, t)
        z, size = v - b, t * asked.number("value", b)
        inner, bar = float(z @ b), TOLERANCE * (float(v @ v) + abs(size))
        polar = asked.number("polar", z - kernel @ (kernel.T @ z))
        if asked.is_norm:
            if polar > t * (1.0 + TOLERANCE) + 1e-12:
                raise ValueError(
                    f"{name}: polar(v - prox(v, t)) is {polar:.6g} at t = {t:.6g}, and at most "
                    "t for a norm; correct polar or prox, or give conjugate and feasible_scale"
                )
            conjugate = 0.0
        else:
            conjugate = asked.number("conjugate", z, t)
        if abs(size + conjugate - inner) > bar:
            raise ValueError(
                f"{name}: prox does not belong to value: at b = prox(v, t), t = {t:.6g}, "
                f"t value(b) is {size:.6g} and (v - b)'b is {inner - conjugate:.6g}, which are "
                "equal where b is the minimum; correct one of them"
            )
        _check_pairs(asked, v0, level, b, rng)


def _check_pairs(asked, z, level, b, rng):
    """Check z'b <= polar(z) value(b), and that value is convex near b."""
    for c in (b, b + 0.1 * np.abs(b).max(initial=0.1) * rng.standard_normal(len(b))):
        size, inner = asked.number("value", c), float(z @ c)
        if asked.is_norm and inner > level * size + TOLERANCE * (abs(inner) + level * size):
            raise ValueError(
                f"{asked.name}: polar is {level:.6g}, too small: z'b = {inner:.6g} is above "
                f"polar(z) value(b) = {level * size:.6g}, so certificates would be false"
            )
        if asked.is_norm:
            double = asked.number("value", 2.0 * c)
            if abs(double - 2.0 * size) > TOLERANCE * (1e-12 + abs(double)):
                raise ValueError(
                    f"{asked.name}: value(2 b) is {double:.6g}, not twice value(b) = {size:.6g}: "
                    "it is not a norm, so give conjugate(z, lam) and feasible_scale(z, lam)"
                )


def _check_kernel(asked, rng):
    """Return the kernel with orthonormal columns; raise ValueError if value changes along it."""
    p, found = asked.n_features, getattr(asked.penalty, "kernel", None)
    directions = None if found is None else found()
    if directions is None:
        return np.zeros((p, 0))
    if np.ndim(directions) != 2 or directions.shape[0] != p:
        raise TypeError(
            f"{asked.name}: kernel returned an array of shape {np.shape(directions)} for {p} "
            "features; return one column per direction, (p, k)"
        )
    if directions.shape[1] == 0:
        return np.zeros((p, 0))
    kernel = orthonormal(directions)
    b = rng.standard_normal(p)
    before = asked.number("value", b)
    after = asked.number("value", b + kernel @ rng.standard_normal(kernel.shape[1]))
    if abs(after - before) > TOLERANCE * (1.0 + abs(before)):
        raise ValueError(
            f"{asked.name}: value goes from {before:.6g} to {after:.6g} along kernel(), whose "
            "columns are directions that leave it as it is; correct one of them"
        )
    return kernel


class _Asked:
    """A penalty whose answers are checked for type and shape."""

    def __init__(self, penalty, n_features, name):
        self.penalty, self.n_features, self.name = penalty, n_features, name
        self.is_norm = not hasattr(penalty, "conjugate")
        if not self.is_norm and not hasattr(penalty, "feasible_scale"):
            raise TypeError(f"{name} has conjugate, but no method feasible_scale(z, lam); add it")

    def number(self, method, *arguments):
        """Return the answer as a float; the method gets copies of the arguments."""
        found = np.asarray(self._ask(method, arguments))
        if found.ndim or found.dtype.kind not in "fiu" or np.isnan(found):
            raise TypeError(f"{self.name}: {method} returned {found!r}; return a real number")
        return float(found)

    def vector(self, method, *arguments):
        """Return the answer as a new array (p,)."""
        found = self._ask(method, arguments)
        array = np.asarray(found)
        if array.shape != (self.n_features,) or array.dtype.kind not in "fiu":
            raise TypeError(
                f"{self.name}: {method} returned an array of shape {array.shape} and type "
                f"{array.dtype} for {self.n_features} features; return one number per feature"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{self.name}: {method} returned NaN or infinity")
        if any(isinstance(a, np.ndarray) and np.shares_memory(a, array) for a in arguments):
            raise ValueError(f"{self.name}: {method} returned its argument; return a new array")
        return array

    def _ask(self, method, arguments):
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                argument.setflags(write=False)
        return getattr(self.penalty, method)(*arguments)
