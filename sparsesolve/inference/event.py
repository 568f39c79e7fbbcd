"""The event of a lasso: its active set E and signs s, as inequalities, and their certificate.

    minimise over b0, b   F(b0 + Xb) + sum_j p_j |b_j| + r_j b_j^2 / 2,     E = {j: b_j != 0}

Let beta be the fit of E without penalty, H the mean information of E (minus the second derivative
of the log-likelihood, the intercept eliminated) between b and beta, R = diag(r) and u = p s on the
scale of the log-likelihood, K = H + R. Then H (beta - b) = u + R b, so that the event is

    s b = s K^-1 (H beta - u) >= 0

in the rows of E with a penalty. Slopes of the other features are independent of beta, unless there
is a ridge part, which adds rows for them. beta is normal, for gaussian exactly: there it is least
squares on E, from y, whatever b is. At the
shrunken b alone, H of other families is too large.

The certificate. Let P(b) - min P <= G (the duality gap) and |f'''| <= M f'' for the loss of a row
(M = 0 gaussian, 1 binomial and poisson, 2 cox, whose value does not change with a constant). For
the minimiser b* over E, q^2 = (b - b*)' H (b - b*), k = the largest row norm in H^-1 and
t = M k q, Bach (2010), proposition 1, gives

    q^2 e^-t 2 (e^-t + t - 1) / t^2 <= 2 G,

hence a bound on q. Sign j is certain if |b_j| > q (H^-1)_jj^(1/2). Feature k outside is certainly
inactive if |x_k' F'| + e^t q h_k^(1/2) < p_k with h_k its information: then b* meets all
conditions with room, and is the only solution. For gaussian these are the gap-safe rules.

References: Lee, Sun, Sun, Taylor (2016); Taylor and Tibshirani (2018), "Post-selection inference
for l1-penalized likelihood models"; Bach (2010), "Self-concordant analysis for logistic
regression".
"""

from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy import special

from sparsesolve.data import read_design, read_limits, read_offset, read_penalty_factor
from sparsesolve.linalg.design.design import Design
from sparsesolve.paths.assembly import glmnet_factors
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import solve_path
from sparsesolve.results.fitted_data import FittedData
from sparsesolve.selection.information import (
    has_intercept,
    information,
    inverse,
    names_of,
    selected_columns,
)
from sparsesolve.selection.refit import FAMILIES, fitted_alone, refuse_unfit
from sparsesolve.selection.relaxed import ONE_FIT, options_of

# The gap asked for where that of the fit leaves features in doubt.
FINE = 1e-13
# Gaps have this relative rounding error.
ROUNDING = 1e-15
# Beyond this t the bound on q does not hold (its left side no longer grows).
LARGEST_T = 1.2
# Gauss-Legendre nodes on [0, 1], for the mean information.
TIMES, TIME_WEIGHTS = ((a + b) / 2 for a, b in zip(special.roots_legendre(6), (1.0, 0.0),
                                                   strict=True))  # fmt: skip
NO_POLYHEDRON = "the event of {} is not a polyhedron; inference.split holds for it"


class Selection:
    """The active set and signs of one lambda, with the rows that selected them.

    Parameters
    ----------
    path : Path
        With the weights and offset of its rows among its options.
    k : int
        The place of the lambda.
    matrix, y
        The data of the fit.
    """

    def __init__(self, path, k, matrix, y):
        self.path, self.lam, self.data = path, float(path.lambdas[k]), FittedData(path, matrix, y)
        data, self.matrix = self.data, matrix
        self.b = path.coefs[:, [k]].toarray().ravel()
        self.support = np.flatnonzero(self.b)
        names, self.n_rows = names_of(path, self.support), data.n_informative()
        refuse_unfit(path, data, self.support, self.lam)
        self.names, self.signs = names, np.sign(self.b[self.support])
        self.gap = path.gaps[k] + ROUNDING
        self.gap *= path.null_deviance / (2.0 * data.total)
        self.y = y
        self.eta = self.predictor(self.b[self.support], path.intercepts[k])

    @cached_property
    def penalties(self):
        """Factors p and r of |b_j| and b_j^2 / 2, (p,) each, on the scale of F; p may be inf."""
        path, options = self.path, options_of(self.path)
        p, names, alpha = len(self.b), path.feature_names, options["alpha"]
        v, excluded = glmnet_factors(read_penalty_factor(
            options["penalty_factor"], p, labels=names), p)  # fmt: skip
        left_out = options["exclude"]
        d = np.ones(p)
        if options["standardize"]:
            d = _spread(self.matrix, self.data.weights / self.data.total)
        l1 = np.where(excluded | (d == 0.0), np.inf, self.lam * alpha * v * d)
        if left_out is not None:
            l1[np.asarray(left_out)] = np.inf
        return l1, self.lam * (1.0 - alpha) * v * d * d

    @cached_property
    def columns(self):
        """Columns of the intercept and of E, scaled by powers of two, and these powers (q,)."""
        Z, power, _ = selected_columns(self.path, self.data, self.support)
        return Z, power[-len(self.support) :]

    def information(self, eta, data=None):
        """Return the information of the intercept and of E at a linear predictor."""
        return information(self.data if data is None else data, eta, self.columns[0])

    @cached_property
    def unpenalised(self):
        """The fit of E without penalty: its predictor (n,), and beta (q,) in units of `columns`.

        A Newton step ends it, which for gaussian is least squares, whatever the start is.
        """
        (Z, power), q = self.columns, len(self.support)
        if self.path.family == "gaussian":
            b, eta = self.b[self.support], self.eta
        else:
            alone = fitted_alone(self.path, self.matrix, self.y, self.support)
            b = alone.coefs.toarray().ravel()
            eta = self.predictor(b, alone.intercepts[0])
        J = self.information(eta)
        step = inverse(J) @ (self.data.total * (Z.T @ self.data.loss.at(eta)[1]))
        return eta + Z @ step, np.ldexp(b, power) + step[-q:]

    def predictor(self, b, intercept):
        """Return the linear predictor (n,) of coefficients (q,) of E, with the offset."""
        return predictor(self.data, self.matrix[:, self.support], b, intercept)

    @cached_property
    def curved(self):
        """Columns of E, the intercept among them, times the mean curvature from b to beta, (n, m).
        """
        end, loss, nodes = self.unpenalised[0], self.data.loss, (TIMES, TIME_WEIGHTS)
        if self.path.family == "gaussian":  # whose curvature is the same everywhere
            nodes = ((0.0,), (1.0,))
        return self.data.total * sum(
            w * np.array([loss.curvature_product(self.eta + t * (end - self.eta), column)
                          for column in self.columns[0].T]).T for t, w in zip(*nodes, strict=True)
        )  # fmt: skip

    def between(self):
        """Return the mean information H of E between b and beta: H (beta - b) = u + R b."""
        return without_intercept(self.columns[0].T @ self.curved, len(self.support))

    def event(self):
        """Return (M, k) such that the event is M beta >= k."""
        M, k = self.rows(self.between())
        if self.penalties[1].any():
            more = self._rows_outside()
            M, k = np.concatenate([M, more[0]]), np.concatenate([k, more[1]])
        return M, k

    def _rows_outside(self):
        """Return (M, k) of the features outside, whose slopes move with beta if R > 0.

        Along them the slope of -F is the present one, s, plus H_k K^-1 R times the change of beta.
        """
        J, q, total = self.columns[0].T @ self.curved, len(self.support), self.data.total
        l1, ridge = self.penalties
        outside = np.setdiff1d(np.flatnonzero(l1 < np.inf), self.support)
        R = np.diag(total * np.ldexp(ridge[self.support], -2 * self.columns[1]))
        cross, first = np.asarray(self.matrix[:, outside].T @ self.curved), len(J) - q
        H = cross[:, first:]
        if first:
            H = H - cross[:, :first] @ np.linalg.solve(J[:first, :first], J[:first, first:])
        inner, beta = self.between(), self.unpenalised[1]
        A = H @ (inverse(inner + R) @ R)
        u = total * np.ldexp(l1[self.support], -self.columns[1]) * self.signs
        b = np.ldexp(self.b[self.support], self.columns[1])
        exact = inverse(inner + R) @ (inner @ beta - u)  # to all digits, unlike b
        slope = total * self._outside(outside)[0] + H @ (b - exact)
        up, down = self._sides(outside)
        room = total * l1[outside]
        return (np.concatenate([-A[up], A[down]]),
                np.concatenate([(slope - room - A @ beta)[up], (A @ beta - slope - room)[down]]))

    def _sides(self, which):
        """Return masks of the features that may grow above 0, and below."""
        limits = read_limits(*(options_of(self.path)[side] for side in ("lower", "upper")),
                             len(self.b), self.path.feature_names)  # fmt: skip
        if limits is None:
            return np.full((2, len(which)), True)
        return limits[1][which] > 0.0, limits[0][which] < 0.0

    def rows(self, H):
        """Return (M, k) such that the signs are those of M beta >= k, for information H of E."""
        power, total = self.columns[1], self.data.total
        l1, ridge = (total * part[self.support] for part in self.penalties)
        l1, ridge = np.ldexp(l1, -power), np.ldexp(ridge, -2 * power)
        kept = l1 > 0.0
        inverted = inverse(H + np.diag(ridge))
        M = self.signs[:, None] * (inverted @ H)
        return M[kept], (self.signs * (inverted @ (l1 * self.signs)))[kept]

    def doubts(self):
        """Return {name: slack} of the features whose place or sign is not certain."""
        q, t = self._radius()
        Z, power = self.columns
        room = np.abs(np.ldexp(self.b[self.support], power))
        J = self.information(self.eta) / self.data.total
        spread = np.sqrt(np.diag(inverse(without_intercept(J, len(room)))))
        l1 = self.penalties[0]
        slack = np.where(l1[self.support] > 0.0, (room - q * spread) / spread, np.inf)
        found = {name: s for name, s in zip(self.names, slack.tolist(), strict=True) if s <= 0.0}
        outside = np.setdiff1d(np.flatnonzero(l1 < np.inf), self.support)
        slope, h = self._outside(outside)
        up, down = self._sides(outside)
        size = np.maximum(np.where(up, slope, -np.inf), np.where(down, -slope, -np.inf))
        slack = l1[outside] - size - np.exp(t) * q * np.sqrt(h)
        bad = ~(slack > 0.0)
        return found | dict(zip(names_of(self.path, outside[bad]), slack[bad].tolist(),
                                strict=True))  # fmt: skip

    def _radius(self):
        """Return bounds on q and t, which are inf where no bound is known."""
        Z = self.columns[0]
        J = self.information(self.eta) / self.data.total
        k = np.sqrt(np.einsum("ij,jk,ik->i", Z, inverse(J), Z).max())
        M = _third(self.path.family, self.eta)
        q = np.sqrt(2.0 * self.gap)
        for _ in range(100):
            t = M * k * q
            if t > LARGEST_T:
                return np.inf, np.inf
            half = 1.0 if t < 1e-6 else 2.0 * (np.expm1(-t) + t) / t**2
            last, q = q, np.sqrt(2.0 * self.gap / (np.exp(-t) * half))
            if q <= last * (1.0 + 1e-12):
                break
        return q, M * k * q

    def _outside(self, which):
        """Return the slopes of -F along features, and bounds on their information."""
        u = self.data.loss.at(self.eta)[1]
        if self.path.family == "cox":  # the diagonal of the curvature is at least the curvature
            w = self.data.weights / self.data.total
            curvature = np.maximum(w * self.data.response.values[:, 2] - u, 0.0)
        else:
            curvature = self.data.loss.curvature_product(self.eta, np.ones(self.data.n))
        matrix = self.matrix[:, which]
        h = curvature.sum() * _spread(matrix, curvature / curvature.sum()) ** 2
        centred = has_intercept(self.path) or self.path.family == "cox"
        if not centred:
            h = h + curvature.sum() * (matrix.T @ (curvature / curvature.sum())) ** 2
        return np.asarray(matrix.T @ u).ravel(), h


def certified(path, lam, matrix, y):
    """Return the Selection at a lambda, certified, or raise ValueError with what is in doubt.

    The path's own solution is taken if its gap is small enough, else one of a finer gap.
    """
    place = np.flatnonzero(path.lambdas == lam)
    given = {**options_of(path), **ONE_FIT, "lambdas": [lam]}
    for tol in (given["tol"], FINE):
        if tol == FINE or not len(place):
            path = solve_path(matrix, y, PathOptions(**{**given, "tol": min(tol, given["tol"])}),
                              path.feature_names)  # fmt: skip
            place = [0]
        found = Selection(path, place[0], matrix, y)
        doubts = found.doubts()
        if not doubts:
            return found
    shown = ", ".join(f"{name!r} ({slack:.2g})" for name, slack in list(doubts.items())[:5])
    more = ", ..." * (len(doubts) > 5)
    raise ValueError(
        f"the active set and signs at lambda = {lam:.6g} are not certain, in spite of a gap of "
        f"{found.path.gaps[0]:.1e}: {shown}{more} may be active or not (slack in brackets); "
        "leave out features that are alike, or choose another lambda"
    )


def refuse_other_events(path):
    """Raise ValueError for a path whose active set and signs are not a polyhedron."""
    options = options_of(path)
    family, penalty = path.family.split("(")[0], options["penalty"]
    if family not in FAMILIES:
        raise ValueError(
            f"the event of family {path.family} is not a polyhedron; inference.split may choose "
            "by it (choose=) and test by another, and inference.knockoffs takes every family"
        )
    if penalty is not None:
        raise ValueError(NO_POLYHEDRON.format(type(penalty).__name__))
    if options["alpha"] == 0.0:
        raise ValueError("alpha is 0, a ridge fit, which selects nothing; give alpha above 0")
    if (path.options or {}).get("method") == "lar" or path.fitter is None:
        raise ValueError(NO_POLYHEDRON.format("steps that are not of the lasso"))
    limits = read_limits(options["lower"], options["upper"], path.n_features, path.feature_names)
    if limits is not None and not np.isin(limits, (-np.inf, 0.0, np.inf)).all():
        raise ValueError(NO_POLYHEDRON.format("limits other than 0 on coefficients"))


def canonical(path, X):
    """Return X as a matrix that the solvers take."""
    from sparsesolve.results.prediction import read_rows

    return read_design(read_rows(path, X))[0]


def with_options(path, **changed):
    """Return the path with these options changed."""
    return replace(path, options={**(path.options or {}), **changed})


def predictor(data, matrix, b, intercept):
    """Return the linear predictor (n,) of coefficients of the columns of a matrix, with offset."""
    eta, offset = matrix @ b + intercept, read_offset(data.options.get("offset"), data.n)
    return eta if offset is None else eta + offset


def without_intercept(J, q):
    """Return the information of the last q coefficients, the others estimated."""
    first = len(J) - q
    if not first:
        return J
    return J[first:, first:] - J[first:, :first] @ np.linalg.solve(J[:first, :first],
                                                                   J[:first, first:])  # fmt: skip


def _third(family, eta):
    """Return M with |f'''| <= M f'' at predictors up to 1 from eta."""
    name, reach = family.split("(")[0], np.abs(eta).max() + 1.0
    return {"gaussian": 0.0, "cox": 2.0, "probit": 2.0 + reach,
            "cloglog": 2.0 + np.exp(np.minimum(reach, 700.0))}.get(name, 1.0)  # fmt: skip


def _spread(matrix, w):
    """Return the standard deviations (p,) of columns with weights of sum 1."""
    if not matrix.shape[1]:
        return np.zeros(0)
    design = Design(matrix)
    design.moments(w, 1)
    return np.ldexp(np.asarray(design.spread), np.asarray(design.exponent))
