"""The constrained form: the solution within a given radius of the penalty, by a search for
lambda.

    minimise over b   F(Xb)   where   Omega(b) <= r

Omega(b(lam)) does not increase with lam. A dual point of the penalised problem at lam is one of
the constrained problem, with r lam in place of 0, so its gap is gap_lam + lam (r - Omega(b)).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsesolve.data import answers_keywords, by_rows, read_number
from sparsesolve.paths.penalty import is_concave
from sparsesolve.penalties.rows import over_responses
from sparsesolve.results.coefficient_table import INTERCEPT, Tabled, columns_of_one, described
from sparsesolve.results.continuation import solve_at
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.path import Path
from sparsesolve.results.pictures.axes import on_axes, plot_intervals

# The search ends when Omega is below the radius by at most this fraction.
NEAR = 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class Constrained(Frozen, Tabled):
    """The solution within a radius: see :func:`sparsesolve.selection.at_radius`."""

    lam: float  #: the Lagrange multiplier, a lambda of the path; 0 if the radius is not active
    coef: np.ndarray  #: (p,), or (K, p)
    intercept: Any  #: float, or (K,)
    value: float  #: Omega(coef), at most the radius
    gap: float  #: duality gap of the constrained problem, relative to the null objective
    feature_names: np.ndarray | None = None  #: (p,), if X had names
    class_names: np.ndarray | None = None  #: (K,), if y had classes

    def _columns(self):
        responses = None if self.class_names is None else self.class_names.tolist()
        return columns_of_one(self.coef, self.intercept, self.feature_names, responses)

    def summary(self) -> str:
        """Describe in words the solution, and its largest coefficients."""
        count = np.count_nonzero(np.atleast_2d(self.coef).any(axis=0))
        lines = [f"Omega = {self.value:.5g}, lambda = {self.lam:.4g}",
                 f"{count} of {self.coef.shape[-1]} features",
                 f"certified gap {self.gap:.1e}, relative to the model without features"]
        return described(lines, self._columns())

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the coefficients that are not 0, the largest on top."""

        columns = self._columns()
        kept = np.flatnonzero(columns["feature"] != INTERCEPT)
        kept = kept[np.argsort(-np.abs(columns["coefficient"][kept]), kind="stable")]
        b, ends = columns["coefficient"][kept], np.zeros(len(kept))
        return plot_intervals(columns["feature"][kept], b, np.minimum(b, ends),
                              np.maximum(b, ends), "Coefficient", ax)  # fmt: skip

    def __repr__(self):
        return (
            f"<Constrained: Omega = {self.value:.5g} at lambda = {self.lam:.4g}, gap "
            f"{self.gap:.1e}>"
        )


@answers_keywords()
@by_rows("y")
def at_radius(fit: Path, radius: float, X: Any, y: Any) -> Constrained:
    r"""Solve the constrained form, :math:`\Omega(b) \le r`, with a certificate.

    Parameters
    ----------
    fit : Path
        Made by ``path(..., alpha=1, standardize=False)`` with a penalty that is a norm, or
        without one (then Omega is the l1 norm). The search starts from its lambdas.
    radius : float > 0
    X, y : array-like
        The data of the fit.

    Returns
    -------
    Constrained
        Multiplier, coefficients, intercept, value and gap.

    Raises
    ------
    ValueError
        If the path has a ridge part, standardised features, limits or penalty factors, for which
        the radius would mean something else; or X and y are not its data.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), section 1.2 on the equivalence of both forms.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> fit = ss.path(X, X[:, 0] + X[:, 1], standardize=False)
    >>> found = ss.selection.at_radius(fit, 1.0, X, X[:, 0] + X[:, 1])
    >>> round(found.value, 4), found.gap < 1e-6
    (1.0, True)
    """
    radius = read_number("radius", radius, 0.0, np.inf, open_low=True)
    _refuse(fit)
    null = fit.null_deviance / (2.0 * FittedData(fit, X, y).total)
    high, low = float(fit.lambdas[0]), float(fit.lambdas[-1])
    best = _at(fit, high, X, y)
    names = {"feature_names": fit.feature_names, "class_names": fit.class_names}
    if best[0] > radius:
        raise ValueError(
            f"The path begins at {best[0]:.4g}, above the radius {radius:.4g}; begin it at a "
            "larger lambda"
        )
    end = _at(fit, low, X, y)
    if end[0] <= radius:
        low, end = 0.0, _at(fit, 0.0, X, y)
        if end[0] <= radius:  # the radius is not active
            return Constrained(0.0, end[1], end[2], end[0], end[3], **names)
    for step in range(80):  # chords end it after a few; every third step halves, at worst 2^26
        if radius - best[0] <= NEAR * radius or high - low <= 1e-15 * high:
            break
        fall = end[0] - best[0]
        chord = high - (radius * (1.0 - 0.5 * NEAR) - best[0]) * (high - low) / fall
        lam = chord if step % 3 < 2 and low < chord < high else 0.5 * (low + high)
        found = _at(fit, lam, X, y)
        if found[0] <= radius:
            high, best = lam, found
        else:
            low, end = lam, found
    value, coef, intercept, gap = best
    extra = high * (radius - value) / null if null > 0.0 else 0.0
    return Constrained(high, coef, intercept, value, gap + float(extra), **names)


def _at(fit, lam, X, y):
    """Return (Omega, coefficients, intercept, gap) at lam."""
    solved = solve_at(fit, np.array([lam]), X, y)
    k = int(np.flatnonzero(solved.lambdas == lam)[0])
    several = isinstance(solved.coefs, list)
    rows = [c[:, [k]].toarray().ravel() for c in (solved.coefs if several else [solved.coefs])]
    coef = np.stack(rows) if several else rows[0]
    return _omega(fit, coef), coef, solved.intercepts[..., k], float(solved.gaps[k])


def _omega(fit, coef):
    penalty = (fit.options or {}).get("penalty")
    if penalty is None and coef.ndim == 2 and _in_rows(fit):
        return float(np.linalg.norm(coef, axis=0).sum())
    if penalty is None:
        return float(np.abs(coef).sum())
    if hasattr(penalty, "over"):
        penalty = penalty.over(fit.n_features, fit.feature_names)
    if coef.ndim == 1:
        return float(penalty.value(coef))
    return float(over_responses(penalty, len(coef)).value(coef))


def _in_rows(fit):
    """Return True if the l2 norm ties the coefficients of a feature in all responses."""
    return fit.family == "multigaussian" or bool((fit.options or {}).get("grouped", False))


def _refuse(fit):
    options = fit.options or {}
    penalty = options.get("penalty")
    if is_concave(penalty):
        raise ValueError(
            f"{type(penalty).__name__} is not convex, so that no multiplier certifies a solution "
            "within a radius; give a path under a norm"
        )
    if hasattr(penalty, "radius"):
        raise ValueError(
            f"{type(penalty).__name__} is a constraint itself, with radius {penalty.radius:g}; "
            "give a path under a norm"
        )
    for name, wanted in (("alpha", 1.0), ("standardize", False), ("penalty_factor", None),
                         ("lower", None), ("upper", None), ("exclude", None)):  # fmt: skip
        given = options.get(name, wanted)
        if given is not wanted and (wanted is None or given != wanted):
            raise ValueError(
                f"The path has {name}={options[name]!r}, so that a radius would mean something "
                f"else; fit it with {name}={wanted!r}"
            )
