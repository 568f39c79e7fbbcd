"""Carving: select on a share of the rows, infer from all rows given the selection.

The selecting rows give the event M beta1 >= k of `event.py`; all rows give the unpenalised fit
beta of the chosen features, of covariance C. With C1 that of beta1, W = beta1 - beta is
independent of beta and of covariance D = C1 - C (exactly for gaussian, for many rows otherwise).
For feature j let c = C e_j / C_jj and w = c' D^-1 W / (c' D^-1 c), of variance 1 / (c' D^-1 c).
Given beta - c beta_j and W - c w, which are independent of T = beta_j and of w, the event is

    lo <= T + w <= hi,

and the law of T given it has one parameter, the coefficient. Its intervals are never longer than
those of the rows alone that took no part in the selection. Where D is a multiple of C, w = W_j.

References: Fithian, Sun, Taylor (2014), "Optimal inference after model selection"; Panigrahi, Fry,
Taylor (2024), "Exact selective inference with randomization"; Kivaranovic and Leeb (2024), on the
lengths.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsesolve.data import by_rows, read_number
from sparsesolve.families import read_family
from sparsesolve.inference.event import (
    Selection,
    certified,
    refuse_other_events,
    with_options,
    without_intercept,
)
from sparsesolve.inference.polyhedral import conditional, limits, noise_level, noise_words
from sparsesolve.inference.splitting import Drawn, own_stream, read_columns, share_of_rows
from sparsesolve.inference.truncated import Carved
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import solve_path
from sparsesolve.results.doubts import doubts
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.results.intervals import Intervals
from sparsesolve.selection.folds import Rows
from sparsesolve.selection.information import inverse, names_of
from sparsesolve.selection.jobs import read_options
from sparsesolve.selection.relaxed import ONE_FIT

# Below this least eigenvalue (unit diagonal) rows cannot distinguish features.
SINGULAR = 1e-10


@by_rows("y", "weights", "offset", "family")
def carve(
    X: Any,
    y: Any,
    lam: float | None = None,
    *,
    share: float = 0.8,
    level: float = 0.95,
    sigma: float | None = None,
    seed: int | np.random.Generator | None = 0,
    **options: Any,
) -> Intervals:
    """Select by the lasso on a share of the rows, and test the choice on all rows given it.

    Parameters
    ----------
    X, y
        As in :func:`sparsesolve.path`.
    lam : float, default None
        Lambda of the selection, on the scale of the path, chosen before these rows were seen or
        by other rows. None: the mean of the largest correlation with noise, which keeps most
        features without influence out.
    share : float in (0, 1), default 0.8
        Share of the rows that select; classes, and deaths of cox, are divided evenly. The others
        have weight 0 in the selection.
    level : float in (0, 1), default 0.95
        Level of the intervals.
    sigma : float, default None
        Standard deviation of a gaussian response of weight 1; None estimates it as
        :func:`sparsesolve.inference.selective` does.
    seed : int or numpy Generator, default 0
        Seed of the share.
    **options
        Options of :func:`sparsesolve.path`: a lasso or elastic net of family gaussian, binomial,
        poisson, cox, probit, cloglog or negative_binomial, with weights (counts of rows; for
        gaussian precisions), offset, penalty factors and limits of 0 as they may be.

    Returns
    -------
    Intervals
        One row for each feature chosen, on its coefficient in the best fit on these features
        alone; none where none is chosen.

    Raises
    ------
    ValueError
        If the event is not a polyhedron (other penalties or limits; use
        :func:`sparsesolve.inference.split`), chosen columns are collinear, or the active set and
        signs cannot be certified: then the features in doubt are named.

    References
    ----------
    Fithian, Sun, Taylor (2014), "Optimal inference after model selection". Panigrahi, Fry, Taylor
    (2024), "Exact selective inference with randomization". Kivaranovic, Leeb (2024), on the
    lengths of intervals.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 50))
    >>> y = 0.6 * X[:, 0] - 0.4 * X[:, 1] + rng.normal(size=200)
    >>> table = ss.inference.carve(X, y, 0.2, seed=0)
    >>> table.names, table.p_values.round(4)
    (['x0', 'x1'], array([0.    , 0.0001]))
    """
    ends = {"open_low": True, "open_high": True}
    share, level = (read_number(name, value, 0.0, 1.0, **ends)
                    for name, value in (("share", share), ("level", level)))  # fmt: skip
    options = {**read_options(options, carve), **ONE_FIT}
    if options["lambdas"] is not None:
        raise ValueError("carve is of one lambda; give lam= in place of lambdas=")
    doubts(X, y, options["family"])
    family = read_family(options["family"])
    matrix, names = read_columns(X, options["feature_names"])
    rows = Rows(family, matrix, family.read(y, matrix.shape[0]), options)
    rng = own_stream(seed)
    drawn = share_of_rows(rows, share, rng)
    rows.refuse_untrainable(Drawn(drawn), part="share", advice="give a larger share")
    sigma, rule = noise_level(matrix, y, options, sigma)
    if lam is None:
        lam = null_lambda(matrix, y, options, drawn, rows, sigma, rng)
    lam = read_number("lam", lam, 0.0, np.inf, open_low=True)
    own = {**options, "weights": rows.weights * drawn, "lambdas": [lam]}
    path = solve_path(matrix, y, PathOptions(**own), names)
    refuse_other_events(path)
    if not path.df[0]:
        return _empty(path, level, sigma, rule)
    selection = certified(path, lam, matrix, y)
    whole = with_options(selection.path, weights=rows.weights)
    return _table(selection, whole, matrix, y, share, level, sigma, rule)


def null_lambda(matrix, y, options, drawn, rows, sigma, rng):
    """Return the mean over draws of noise of the first lambda of the rows drawn.

    Noise is normal for gaussian; otherwise the slopes of the null model, with random signs.
    """
    one = {**options, "lambdas": None, "n_lambdas": 1}
    null = solve_path(matrix, y, PathOptions(**{**one, "weights": rows.weights * drawn}))
    if not len(null.lambdas) or not null.lambdas[0] > 0.0:
        raise ValueError("no feature has an influence at any lambda; give lam=")
    data = FittedData(null, matrix, y)
    u = data.loss.at(np.moveaxis(data.link(null.lambdas[:1]), -1, 0)[0])[1]
    w = data.weights / data.total
    size = sigma * w / np.sqrt(np.where(w > 0.0, data.weights, 1.0)) if (
        rows.family.name == "gaussian") else u  # fmt: skip
    noise = rng.normal(size=(len(u), 200)) * size[:, None]
    if options["intercept"] and rows.family.name != "cox":
        noise -= w[:, None] * noise.sum(axis=0)
    # the largest correlation in units of lambda, whose value for u itself is known
    factors = Selection.penalties.func(_Level(null, matrix, data))[0]
    found = np.abs(np.asarray(matrix.T @ np.column_stack([u - w * u.sum(), noise])))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where((factors > 0.0)[:, None], found / factors[:, None], 0.0).max(axis=0)
    return float(found[1:].mean() * null.lambdas[0])


class _Level:
    """What the penalty factors of a lambda need to know."""

    def __init__(self, path, matrix, data):
        self.path, self.matrix, self.data = path, matrix, data
        self.lam, self.b = float(path.lambdas[0]), np.zeros(path.n_features)


def _table(selection, whole, matrix, y, share, level, sigma, rule):
    """Return the Intervals of a certified selection, from the path `whole` of all rows."""
    everyone = Selection(whole, np.flatnonzero(whole.lambdas == selection.lam)[0], matrix, y)
    selection.columns = everyone.columns  # which hold all rows
    (eta, beta), beta1 = everyone.unpenalised, selection.unpenalised[1]
    C1, C = _covariances(selection, everyone, eta, sigma)
    law = carved(beta, C, beta1, C1, *selection.event())
    words = ["It holds for a lambda that was fixed before these rows were seen.",
             *noise_words(everyone, sigma, rule)]  # fmt: skip
    return conditional(selection, law, (law.lo, law.hi), level, "carve",
                       f" on {100 * share:g} % of the rows", words, sigma, rule)  # fmt: skip


def carved(beta, C, beta1, C1, M, k):
    """Return the Carved laws of beta (q,), of covariance C, given M beta1 >= k."""
    c, D = C / np.diag(C), C1 - C
    size = np.sqrt(np.maximum(np.diag(D), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = D / np.outer(size, size)
    if not np.isfinite(unit).all() or np.linalg.eigvalsh(unit)[0] < SINGULAR:
        raise ValueError(
            f"the rows that took no part in the selection cannot tell the {len(beta)} features "
            "chosen from each other; give a smaller share, or a larger lam"
        )
    inner = np.linalg.solve(unit, c / size[:, None]) / size[:, None]  # D^-1 c of each
    noise = 1.0 / np.einsum("ij,ij->j", c, inner)
    total = beta + noise * ((beta1 - beta) @ inner)
    lo, hi = limits(C, beta1, M, k)
    return Carved(beta, np.diag(C), lo - beta1 + total, hi - beta1 + total, noise)


def _covariances(selection, everyone, eta, sigma):
    """Return the covariances of the fits of the selecting rows and of all, at the predictor eta.

    The information of the selecting rows is a part of that of all, but for cox, whose rows share
    risk sets: there it is a share of it, that of the deaths.
    """
    q, J = len(selection.support), everyone.information(eta)
    J1 = selection.information(eta)
    if selection.path.family == "cox":
        J1 = J * (selection.n_rows / everyone.n_rows)
    return tuple(sigma**2 * inverse(without_intercept(one, q)) for one in (J1, J))


def _empty(path, level, sigma, rule):
    """Return the Intervals of no feature."""
    none = np.zeros(0)
    return Intervals(
        names=names_of(path, none), features=none.astype(np.intp), estimates=none, errors=none,
        p_values=none, lower=none, upper=none, level=level, method="carve", sigma=sigma,
        words=[f"The lasso at lambda = {path.lambdas[0]:.4g} chose no feature on these rows."],
        sigma_rule=rule, event="certified", lam=float(path.lambdas[0]),
    )  # fmt: skip
