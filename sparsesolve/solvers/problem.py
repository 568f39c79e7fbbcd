"""Problem: a standardised design, a penalty and a centred response in units where arithmetic is safe.

    minimise over b   sum_i w_i (y_i - (Zb)_i)^2 / 2  +  lam Omega(b)

Columns and response are divided by powers of two, which is exact, so the answer does not depend on the user's units
and squares neither overflow nor vanish. `to_user` leads back.
"""

from dataclasses import dataclass

import numpy as np

from sparsesolve.linalg.design import Design
from sparsesolve.penalties import ElasticNet


@dataclass(frozen=True)
class Problem:
    """What a solver is given. Inner coefficients b belong to the columns of `design`."""

    design: Design  # standardised
    penalty: ElasticNet  # in inner units
    weights: np.ndarray  # (n,) sum 1
    response: np.ndarray  # (n,) y - offset, centred when there is an intercept, divided by 2**exponent
    null_value: float  # objective at b = 0, inner units
    level: float  # inner lam = user's lam * level
    factor: np.ndarray  # (p,) with `shift`: user's b = b * factor * 2**shift
    shift: np.ndarray  # (p,) integers
    mean: float  # of y - offset, divided by 2**exponent; 0 without an intercept
    exponent: int

    def to_user(self, which, values):
        """User's coefficients and intercept from inner ones: values (k,) of the features which (k,)."""
        scaled = values * self.factor[which]
        moved = np.dot(scaled, np.asarray(self.design.mean)[which]) if self.intercept else 0.0
        return np.ldexp(scaled, self.shift[which]), float(np.ldexp(self.mean - moved, self.exponent))

    intercept: bool = True


def assemble(design, y, weights, penalty_of, *, intercept, standardize):
    """Standardise a design whose moments are known, and scale the response.

    Parameters
    ----------
    design : Design
        After ``moments(weights)``.
    y : (n,) response less offset
    weights : (n,) summing to 1
    penalty_of : callable (l1_unit, coef_unit) -> ElasticNet
        Called with the scale of the ridge part and the (p,) user's coefficient per inner one.
    """
    response, mean, exponent = scaled_response(y, weights, intercept)
    spread, stored = np.asarray(design.spread), np.asarray(design.exponent)
    alive = spread > 0
    common = 0
    if standardize:
        factor = np.divide(1.0, spread, out=np.zeros_like(spread), where=alive)
    else:
        common = int(np.max(np.frexp(spread)[1] + stored, where=alive, initial=-5000)) if alive.any() else 0
        factor = np.where(alive, np.ldexp(1.0, stored - common), 0.0)
    centre = np.asarray(design.mean) if intercept else np.zeros_like(spread)
    design.standardise(centre, factor)
    shift = exponent - stored
    return Problem(
        design=design,
        penalty=penalty_of(np.ldexp(1.0, exponent - common), factor, shift),
        weights=weights,
        response=response,
        null_value=0.5 * float(np.dot(weights, response**2)),
        level=float(np.ldexp(1.0, -exponent - common)),
        factor=factor,
        shift=shift,
        mean=mean,
        exponent=exponent,
        intercept=intercept,
    )


def scaled_response(y, weights, intercept):
    """Return (centred y / 2**exponent, mean / 2**exponent, exponent), the first of size about 1."""
    exponent = int(np.frexp(np.max(np.abs(y)))[1])
    y = np.ldexp(y, -exponent)
    mean = float(np.dot(weights, y)) if intercept else 0.0
    y = y - mean
    if intercept:
        y = y - np.dot(weights, y)
    spread = np.sqrt(np.dot(weights, y**2))
    if spread <= 1e-15 * abs(mean):  # the rounding of a constant
        return np.zeros_like(y), mean, exponent
    finer = int(np.frexp(spread)[1])
    return np.ldexp(y, -finer), float(np.ldexp(mean, -finer)), exponent + finer
