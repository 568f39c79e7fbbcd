"""Refit: the selected features, fitted without penalty, with standard errors and their warning."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows, read_number, read_offset
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.coefficient_table import Tabled, Text, frame_of
from sparsesolve.results.cv_path import CVPath, one_lambda, path_of
from sparsesolve.results.fitted_data import FittedData, refuse_lost_limits, with_rows
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.path import Path
from sparsesolve.results.pictures.axes import on_axes, plot_intervals
from sparsesolve.results.prediction import is_signal
from sparsesolve.selection.information import (
    UNBOUNDED,
    has_intercept,
    information,
    inverse,
    names_of,
    refuse_collinear,
    selected_columns,
)
from sparsesolve.selection.pieces import fit_of_pieces
from sparsesolve.selection.relaxed import without_penalty

# Families whose variance follows from the mean, or gaussian, where residuals estimate it.
FAMILIES = ("gaussian", "binomial", "poisson", "cox", "probit", "cloglog", "negative_binomial")
LIMITS = ("lower", "upper")
# If less than this fraction of the deviance is left to explain, the likelihood has no maximum.
PERFECT = 1e-6
CAUTION = (
    "The same data chose these features and now measure them: intervals are too narrow and\n"
    "p-values too small, by how much this table cannot tell. Take them as a description, or\n"
    "refit on rows that took no part in the choice, or ask sparsesolve.inference.carve."
)


@dataclass(frozen=True, eq=False, repr=False)
class Refit(Frozen, Tabled):
    """Estimates of the selected features without penalty; ``print`` shows the table.

    Attributes
    ----------
    names : list (m,)
        Names of the intercept, if there is one, and of the features.
    features : ndarray (m,)
        Their columns; -1 is the intercept.
    estimates : ndarray (m,)
    errors : ndarray (m,)
        Standard errors, valid for a model chosen beforehand.
    statistics : ndarray (m,)
        Estimate over error: t for gaussian, else z.
    p_values : ndarray (m,)
        Two-sided.
    lower : ndarray (m,)
        Ends of the intervals.
    upper : ndarray (m,)
    level : float
        Level of the confidence intervals.
    covariance : ndarray (m, m)
        Covariance of the estimates.
    dispersion : float
        Variance of a residual for gaussian, else 1.
    degrees_of_freedom : float
        Degrees of freedom of the t distribution; inf for z.
    """

    names: list
    features: np.ndarray
    estimates: np.ndarray
    errors: np.ndarray
    statistics: np.ndarray
    p_values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    covariance: np.ndarray
    dispersion: float
    degrees_of_freedom: float

    def _columns(self):
        return {
            "feature": np.array(self.names, dtype=object), "estimate": self.estimates,
            "std_error": self.errors, "statistic": self.statistics, "p_value": self.p_values,
            "lower": self.lower, "upper": self.upper,
        }  # fmt: skip

    def conf_int(self, level: float | None = None) -> Any:
        """Return the ends of confidence intervals, of which the class says what they are worth.

        Parameters
        ----------
        level : float in (0, 1), optional
            Default: the level of the fit.

        Returns
        -------
        frame : pandas.DataFrame or dict of ndarray
            Columns ``feature``, ``lower`` and ``upper``.
        """
        level = self.level if level is None else read_number(
            "level", level, 0.0, 1.0, open_low=True, open_high=True)  # fmt: skip
        reach = _reach(level, self.degrees_of_freedom) * self.errors
        return frame_of({"feature": np.array(self.names, dtype=object),
                         "lower": self.estimates - reach, "upper": self.estimates + reach})

    def summary(self) -> str:
        """Return the table as text, with what its intervals are worth."""
        return Text(str(self))

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the estimates of the features with their intervals, the intercept left out."""

        kept = np.flatnonzero(self.features >= 0)
        return plot_intervals(
            [self.names[k] for k in kept], self.estimates[kept], self.lower[kept],
            self.upper[kept], f"Estimate and {100 * self.level:g}% interval", ax,
        )  # fmt: skip

    def __repr__(self):
        shown = ", ".join(self.names[:5]) + ", ..." * (len(self.names) > 5)
        return f"<Refit: {len(self.names)} estimates ({shown}); print shows the table>"

    def __str__(self):
        letter = "z" if np.isinf(self.degrees_of_freedom) else "t"
        ends = f"[{100 * self.level:g}%", "interval]"
        cells = [["", "Estimate", "Std. error", letter, f"P>|{letter}|", *ends]]
        columns = (self.estimates, self.errors, self.statistics, self.p_values, self.lower,
                   self.upper)  # fmt: skip
        for name, *row in zip(self.names, *columns, strict=True):
            cells.append([str(name), *(f"{value:.4g}" for value in row)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([*lines, "", CAUTION])


@answers_keywords()
@by_rows("y", "weights", "offset")
def refit(
    fit: Path | CVPath,
    X: Any,
    y: Any,
    s: float | str | None = None,
    *,
    level: float = 0.95,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Refit:
    """Fit the selected features without penalty, with standard errors and confidence intervals.

    Parameters
    ----------
    fit : Path or CVPath
        Its family is gaussian, binomial, poisson, cox, probit, cloglog or negative_binomial, and
        coefficients have no limits.
    X, y : array-like
        The data of the fit. Weights count rows: doubling them divides standard errors by sqrt(2),
        except for gaussian.
    s : float or, of a CVPath, "lambda_1se" or "lambda_min", default None
        One lambda; None means lambda_1se of a CVPath.
    level : float in (0, 1), default 0.95
        Level of the confidence intervals.
    weights, offset : array-like, default None
        Those of the fit, for a path from a file, which does not hold them. Default: those that
        the path knows.

    Returns
    -------
    Refit

    Raises
    ------
    ValueError
        If the selected features are collinear or too many for the rows, or no finite fit is best.

    References
    ----------
    Berk, Brown, Buja, Zhang, Zhao (2013), "Valid post-selection inference", on what the numbers
    do not mean.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 30))
    >>> y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=100)
    >>> table = ss.refit(ss.path(X, y), X, y, s=0.5)
    >>> table.names, table.estimates.round(2), table.errors.round(2)
    (['(Intercept)', 'x0', 'x1'], array([ 0.06,  2.09, -0.91]), array([0.11, 0.1 , 0.11]))
    """
    level = read_number("level", level, 0.0, 1.0, open_low=True, open_high=True)
    path, s = path_of(fit), one_lambda(fit, s)
    _refuse(path)
    path = with_rows(path, weights, offset)
    if is_signal(path):
        FittedData(path, None, y).refuse_others()
        path, X, y = fit_of_pieces(path, y, s)
        s = 0.0
    data, support = FittedData(path, X, y, in_blocks=True), path.nonzero(s)
    data.refuse_others()
    if isinstance(data.matrix, DistributedDesign):
        data.matrix = data.matrix.taken(support)
    refuse_unfit(path, data, support, s)
    alone = fitted_alone(path, data.matrix, y, support)
    warn_missed([alone], alone.options["tol"])
    return _table(path, data, support, alone, level)


def refuse_unfit(path, data, support, lam):
    """Raise ValueError if rows do not determine the coefficients of the features `support`."""
    n, m = data.n_informative(), len(support) + has_intercept(path)
    if not len(support) or n <= m:
        found = "no feature is" if not len(support) else f"{len(support)} features are"
        raise ValueError(f"{found} selected at lambda = {lam:.4g}, of {n:g} rows; choose another")
    refuse_collinear(path, data, support)


def fitted_alone(path, matrix, y, support):
    """Return the fit of the features `support` without penalty, if a finite one is best."""
    alone = without_penalty(path, matrix, y, support)
    if path.family != "gaussian" and alone.dev_ratio[0] > 1.0 - PERFECT:
        raise ValueError(UNBOUNDED)
    return alone


def _refuse(path):
    if path.family.split("(")[0] not in FAMILIES:
        raise ValueError(
            f"family {path.family} has no standard errors here; draw rows again and fit these"
        )
    refuse_lost_limits(path)
    options = path.options or {}
    if options.get("positive") or any(options.get(side) is not None for side in LIMITS):
        raise ValueError("coefficients within bounds have no standard errors; fit without bounds")


def _table(path, data, support, alone, level):
    """Return the Refit of a path, from the fit `alone` of its features `support`."""
    from scipy import special

    estimates, features = alone.coefs.toarray().ravel(), support
    eta = np.asarray(data.matrix[:, support] @ estimates) + alone.intercepts[0]
    if has_intercept(path):
        features, estimates = np.append(-1, support), np.append(alone.intercepts[0], estimates)
    Z, power, turn = selected_columns(path, data, support)
    offset = read_offset(data.options.get("offset"), len(eta))
    eta = eta if offset is None else eta + offset
    degrees, dispersion = inf, 1.0
    if path.family == "gaussian":
        degrees = float(data.n_informative() - len(estimates))
        dispersion = float(data.weights @ (data.response.values - eta) ** 2 / degrees)
    covariance = turn @ (dispersion * inverse(information(data, eta, Z))) @ turn.T
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        statistics = np.ldexp(estimates, power) / np.sqrt(np.diag(covariance))
        errors = np.ldexp(np.sqrt(np.diag(covariance)), -power)
        covariance = np.ldexp(covariance, -(power[:, None] + power))
    reach = _reach(level, degrees)
    tail = -np.abs(statistics)
    p_values = 2.0 * (special.stdtr(degrees, tail) if degrees < inf else special.ndtr(tail))
    return Refit(
        names=names_of(path, features),
        features=features, estimates=estimates, errors=errors, statistics=statistics,
        p_values=p_values, lower=estimates - reach * errors, upper=estimates + reach * errors,
        level=level, covariance=covariance, dispersion=dispersion, degrees_of_freedom=degrees,
    )  # fmt: skip


def _reach(level, degrees):
    """Return half the width of an interval over its standard error."""
    from scipy import special

    if degrees < inf:
        return special.stdtrit(degrees, 0.5 + level / 2)
    return special.ndtri(0.5 + level / 2)


