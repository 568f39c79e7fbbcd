"""Trend filtering: coefficients that are piecewise polynomials along an order.

    Omega(b) = sum_i |(D b)_i|,    D b = differences of order degree + 1 of b

Paths are those of the lasso in a basis of splines: b = P a + H theta. P are the polynomials,
which are not penalised. Column j of H is the spline with one knot, minus its projection on P:

    D H = I,   P'H = 0,     Omega(b) = |theta|_1.

Columns of H are scaled to length 1, because they grow with the distance of the knot from the
ends. The prox is that of `prox.trend`. The dual norm is |u|_inf for z = D'u.
Reference: Kim, Koh, Boyd, Gorinevsky, "l1 trend filtering" (2009); Tibshirani, "Adaptive piecewise
polynomial estimation via trend filtering" (2014); lemma 2 has the basis.
"""

from typing import Any

import numpy as np

from sparsesolve.penalties.elastic_net import ElasticNet
from sparsesolve.penalties.norm import ROUNDING, Norm
from sparsesolve.penalties.prox.trend import differences, polynomials, prox_trend, solve_adjoint

# With a higher degree, differences of doubles have no correct digits when p is a few hundred.
MOST_DEGREE = 3


class TrendFilter(Norm):
    r"""Trend filtering: piecewise polynomials.

    :math:`\Omega(b) = \lVert D^{d+1} b \rVert_1`, with D the differences and d the degree.

    With degree 1 coefficients are linear between knots; with 2 and 3 they are pieces of parabolas
    and cubics; degree 0 is `TotalVariation`. Polynomials up to the degree are not penalised.
    Paths are those of the lasso in a basis of splines, and gaps are those of its coefficients.
    Values of Omega at b itself lose digits where p is large and degree is 2 or 3, as differences
    do.

    Parameters
    ----------
    degree : int from 0 to 3, default 1
        Degree of the polynomials.

    Raises
    ------
    ValueError, TypeError
        If degree is not a whole number from 0 to 3.

    References
    ----------
    Kim, Koh, Boyd, Gorinevsky (2009), "l1 trend filtering". Tibshirani (2014), "Adaptive
    piecewise polynomial estimation via trend filtering".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> penalties.TrendFilter().prox([0.0, 1.0, 2.1, 2.9, 2.0, 1.0], 0.1).round(2)
    array([0.03, 1.03, 2.03, 2.87, 1.97, 1.07])
    """

    scale_free = False  # Coefficients are compared with one another.
    counted = "degrees of freedom"

    def __init__(self, degree: int = 1):
        if isinstance(degree, bool) or not hasattr(degree, "__index__"):
            raise TypeError(f"degree must be a whole number, not {degree!r}")
        if not 0 <= degree <= MOST_DEGREE:
            raise ValueError(f"degree must be from 0 to {MOST_DEGREE}, not {degree}")
        self.degree = int(degree)

    def _arguments(self):
        return f"degree={self.degree!r}"

    def _bind(self, names):
        self._basis = polynomials(self.n_features, self.degree + 1)

    def along(self, n_features: int, names: Any = None) -> np.ndarray:
        """Return the features in order."""
        return np.arange(n_features)

    def norm(self, b: np.ndarray) -> float:
        return float(np.abs(differences(b, self.degree + 1)).sum())

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        return prox_trend(v, t, self.degree + 1)

    def dual_norm(self, z: np.ndarray) -> float:
        """Return the dual norm of z, which must be orthogonal to polynomials of this degree."""
        z = z - self._basis @ (self._basis.T @ z)
        return float(np.abs(solve_adjoint(z, self.degree + 1)).max(initial=0.0))

    def kernel(self) -> Any:
        """Return the polynomials up to the degree."""
        return self._basis if self.n_features else None

    def mapping(self) -> Any:
        """Return the map to the lasso in a basis of splines."""
        return Splines(self._basis)

    def degrees(self, b: np.ndarray) -> int:
        """Count the knots and the coefficients of a polynomial."""
        b, q = np.asarray(b), self.degree + 1
        return min(q, len(b)) + int(np.count_nonzero(knots_of(b, q)))


def knots_of(b, q):
    """Return where differences of order q are no rounding, (p - q,)."""
    return np.abs(differences(b, q)) > ROUNDING * np.abs(b).max(initial=0.0)


class Splines:
    """b = P a + H theta / c, a map as in `penalties.forms`; c are the lengths of H's columns.

    `basis` (p, q) is orthonormal, of the polynomials of degree below q.
    """

    grouped = False

    def __init__(self, basis):
        self.basis, self.n_columns = basis, len(basis)
        self.q = basis.shape[1]
        self.length = np.ones(self.n_columns)
        squares = np.zeros(self.n_columns)
        for k in range(self.q, self.n_columns):
            squares[k] = np.sum(self._spline(k) ** 2)
        self.length[self.q :] = np.sqrt(squares[self.q :])

    def _spline(self, k):
        """Return column k of H, (p,)."""
        x = np.zeros(self.n_columns)
        x[k] = 1.0
        for _ in range(self.q):
            x = np.cumsum(x)
        for _ in range(2):  # what the first subtraction leaves may be small compared with x
            x = x - self.basis @ (self.basis.T @ x)
        return x

    def times(self, theta):
        """Return T theta, (..., p)."""
        theta = np.asarray(theta, dtype=float)
        x = theta / self.length
        x[..., : self.q] = 0.0
        for _ in range(self.q):
            x = np.cumsum(x, axis=-1)
        x = x + (theta[..., : self.q] - x @ self.basis) @ self.basis.T
        return x

    def adjoint(self, z):
        """Return T'z, (..., q)."""
        z = np.asarray(z, dtype=float)
        flat = z @ self.basis
        x = z - flat @ self.basis.T
        for _ in range(self.q):
            x = np.cumsum(x[..., ::-1], axis=-1)[..., ::-1]
        x = x / self.length
        x[..., : self.q] = flat
        return x

    def form(self, rows):
        """Return the columns of X T as rows, (q, n)."""
        return np.ascontiguousarray(self.adjoint(rows.T).T)

    def sources(self, k):
        """Return column k of T: all features, and its entries."""
        every = np.arange(self.n_columns)
        values = self._spline(k) / self.length[k] if k >= self.q else self.basis[:, k]
        return every, np.ascontiguousarray(values)

    def penalty(self):
        """Return the lasso on theta; polynomials are not penalised."""
        factors = np.where(np.arange(self.n_columns) < self.q, 0.0, 1.0 / self.length)
        return ElasticNet(self.n_columns, 1.0, factors)
