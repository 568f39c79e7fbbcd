"""Checks by differences that the derivatives of a user's object belong to its value."""

import numpy as np

# Linear predictors at which derivatives are compared.
POINTS = np.array([-2.137, -0.713, 0.291, 1.359, 3.083])
# A kink may lie at one of the points, but not also at this distance from it.
ASIDE = 0.0517
# Differences of fourth order use points this far apart: their errors of truncation and of rounding
# are both below TOLERANCE.
STEP = 1e-3
# Two numbers agree if they differ by at most this, relative to their size.
TOLERANCE = 1e-5
METHODS = ("value", "gradient", "curvature")


def check_derivatives(law, name, responses):
    """Raise unless an object's gradient, curvature and conjugate belong to its value.

    `law` is as described in :func:`sparsesolve.families.from_object`, and `name` names it in
    messages. Each of `responses` is compared at several linear predictors.
    """
    for method in METHODS:
        if not callable(getattr(law, method, None)):
            raise TypeError(f"{name} has no method {method}(y, eta), which a family needs")
    if len(responses) == 0:
        return
    y = np.repeat(np.asarray(responses, dtype=np.float64), len(POINTS))
    faults = _faults(law, y, np.tile(POINTS, len(responses)), name)
    if faults:
        again = _faults(law, y, np.tile(POINTS + ASIDE, len(responses)), name)
        both = [i for i in faults if i in again]
        if both:
            raise ValueError(f"{name}: {faults[both[0]]}")


def _faults(law, y, eta, name):
    """Return what is wrong at which samples; samples without a finite value are skipped."""
    value, gradient, curvature = (_asked(law, m, y, eta, name) for m in METHODS)
    slope = _difference(lambda x: _asked(law, "value", y, x, name), eta)
    change = _difference(lambda x: _asked(law, "gradient", y, x, name), eta)
    usable = np.isfinite(value) & np.isfinite(slope) & np.isfinite(change)
    if not usable.any():
        raise ValueError(f"{name}: value is not finite at y = {y[0]:g}, eta = {eta[0]:g}")
    found = {}
    for i in np.flatnonzero(usable):
        where = f"at y = {y[i]:g}, eta = {eta[i]:g}"
        if _differ(gradient[i], slope[i], value[i]):
            found[i] = (
                f"gradient is {gradient[i]:.6g} {where}, but value rises by {slope[i]:.6g} per "
                "unit of eta there; correct one of them"
            )
        elif _differ(curvature[i], change[i], gradient[i]):
            found[i] = (
                f"curvature is {curvature[i]:.6g} {where}, but gradient rises by {change[i]:.6g} "
                "per unit of eta there; correct one of them"
            )
        elif curvature[i] < -TOLERANCE * (1 + abs(gradient[i])):
            found[i] = f"curvature is {curvature[i]:.6g} {where}; value must be convex in eta"
    if hasattr(law, "conjugate"):
        conjugate = _asked(law, "conjugate", y, gradient, name)
        for i in np.flatnonzero(usable):
            expected = gradient[i] * eta[i] - value[i]
            if _differ(conjugate[i], expected, value[i]):
                found.setdefault(i, (
                    f"conjugate is {conjugate[i]:.6g} at y = {y[i]:g}, v = {gradient[i]:.6g}, "
                    f"where v eta - value reaches {expected:.6g} at eta = {eta[i]:g}; correct it"
                ))  # fmt: skip
    return found


def _asked(law, method, y, x, name):
    with np.errstate(all="ignore"):
        found = np.array(getattr(law, method)(y, x))  # a copy: the object may use its array again
    if found.dtype.kind == "c":
        raise TypeError(f"{name}: {method} returned complex numbers; return real ones")
    found = found.astype(np.float64, copy=False)
    if found.shape != x.shape:
        raise TypeError(
            f"{name}: {method} returned an array of shape {found.shape} for {len(x)} samples; "
            "return one value per sample"
        )
    return found


def _difference(function, eta):
    """Return the derivative by fourth-order central differences."""
    with np.errstate(all="ignore"):
        near = function(eta + STEP) - function(eta - STEP)
        far = function(eta + 2 * STEP) - function(eta - 2 * STEP)
        return (8 * near - far) / (12 * STEP)


def _differ(given, expected, scale):
    return not abs(given - expected) <= TOLERANCE * (1 + abs(expected) + abs(scale))
