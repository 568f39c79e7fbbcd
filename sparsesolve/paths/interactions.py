"""Interactions of pairs of features under a hierarchy, by a working set of pairs.

A pair enters with its main effects: the penalty is that of `LatentGroupL2`, with a group
(j, k, jk) for each pair under the strong hierarchy, and groups (j, jk) and (k, jk) under the weak
one. It is the group lasso on copies of columns, one for each group; only pairs of the working set
have some. The inner products of all others with a residual u are the entries of X' diag(u) X, so
that one product of matrices says which violate optimality, and the dual point is scaled to be
feasible for all pairs: the gap is that of the problem with all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from sparsesolve.data import (
    by_rows,
    nonfinite_error,
    read_choice,
    read_design,
    read_feature_names,
    read_lambdas,
    read_offset,
    read_shares,
)
from sparsesolve.data.columns_of_numbers import Source
from sparsesolve.data.encoding import EncodedDesign, columns_of_sources
from sparsesolve.data.formula import Factor, Formula
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import read_family
from sparsesolve.paths.guided import OF_COEFFICIENTS, in_columns_of, inner_options
from sparsesolve.paths.options import takes_formula
from sparsesolve.paths.path import path, solve_path
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.penalties import GroupL2
from sparsesolve.results.path import Path
from sparsesolve.results.status import Status

# Default lambdas, and the last over the first: those of glinternet.
LAMBDAS, RATIO = 50, 1e-2
# At most so many pairs enter the working set at once, and so many lambdas are solved ahead.
MOST_NEW, AHEAD = 20, 5
# The working problem is solved to this fraction of the gap, and to less where that is too much.
SHARPER, SHARPEST = 0.1, 1e-13
# A deviation below this fraction of the size of a column is rounding: the column is constant.
CONSTANT = 1e-10
REFUSED = (*OF_COEFFICIENTS, "penalty_factor", "exclude", "standardize", "dfmax", "pmax")


@takes_formula
@by_rows("y", "weights", "offset", "family")
@described_by(path)
def interaction_path(
    X: Any, y: Any = None, *, data: Any = None, hierarchy: str = "strong", **options: Any
) -> Path:
    r"""Solve a path over features and products of two, which enter with their features.

    On columns of standard deviation 1, z_j for features and z_jk for products of centred ones,

    .. math:: \min\; F\Bigl(b_0 + \sum_j z_j b_j + \sum_{j < k} z_{jk} b_{jk}\Bigr) + \lambda
              \Omega(b)

    with the latent group norm of the groups {j} and, under the strong hierarchy, {j, k, jk}: an
    interaction has both of its features in the model. Under the weak one, with the groups
    {j, jk} and {k, jk}, it has one of them. No products are made but those that enter.

    Parameters
    ----------
    X : array-like or frame (n, p), or the design of numbers and two-level categories
    hierarchy : {"strong", "weak"}, default "strong"
    **options
        Options of :func:`sparsesolve.path`: `family` (of one response, without kinks), `weights`,
        `offset`, `intercept`, `lambdas`, `n_lambdas` (50 by default), `lambda_min_ratio` (0.01),
        `tol`, `max_iter`, `n_threads`, `feature_names`.

    Returns
    -------
    Path
        Its features are those of X and the products that were considered, "a:b" by name, in
        units of X. Its `encoder` makes them of new tables and arrays with the columns of X, which
        `predict` and `assess` take. `gaps` are those of the problem with all products.

    Notes
    -----
    Each look at all pairs costs n p^2 and takes some matrices (p, p). Cross-validate by
    ``cv_path(X, y, fit=paths.interaction_path)``.

    References
    ----------
    Lim, Hastie (2015), "Learning interactions via hierarchical group-lasso regularization".
    Jacob, Obozinski, Vert (2009), "Group lasso with overlap and graph lasso".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 30))
    >>> y = X[:, 0] + X[:, 1] + 2 * X[:, 0] * X[:, 1] + rng.normal(size=200)
    >>> fit = ss.paths.interaction_path(X, y)
    >>> fit.feature_names[fit.nonzero(0.5)].tolist()
    ['x0', 'x1', 'x0:x1']
    """
    read_choice("hierarchy", hierarchy, ["strong", "weak"])
    inner = inner_options("interaction_path", options, own=("hierarchy",), refused=REFUSED)
    family = read_family(inner.family)
    if family.several or not family.smooth:
        raise ValueError(f"interaction_path takes families of one response without kinks, not "
                         f"{family.name!r}")  # fmt: skip
    matrix, names = read_design(X)
    n, p = matrix.shape
    dense = matrix.toarray() if scipy.sparse.issparse(matrix) else np.asarray(matrix, dtype=float)
    if not np.isfinite(dense).all():
        raise nonfinite_error(matrix, names)
    features = _sources(X, read_feature_names(inner.feature_names, names, p), dense)
    response = family.read(y, n)
    w, _ = read_shares(inner.weights, n, response.counts)
    offset = np.zeros(n) if inner.offset is None else read_offset(inner.offset, n)
    intercept = bool(inner.intercept) and family.intercept
    # Only differences of rows matter to cox; without an intercept the origin of others stays.
    centre = w @ dense if intercept or not family.intercept else np.zeros(p)
    centred = dense - centre
    centred[:, np.sqrt(w @ centred**2) <= CONSTANT * np.abs(centre)] = 0.0
    problem = Pairs(centred, w, family.loss(response.values, w), offset, intercept, hierarchy)
    points = _followed(problem, y, inner)
    fit = _in_raw_columns(problem, points, y, centre, features, lambdas=inner.lambdas)
    warn_missed([fit], inner.tol)
    return fit


class Solved(NamedTuple):
    """The solution at one lambda, of the columns of that time."""

    lam: float
    b: np.ndarray  # features, then products of the working set, on centred columns
    intercept: float
    gap: float
    status: int
    n_iter: int
    found: Path


class Pairs:
    """All pairs of the centred columns X (n, p), of which some are columns of a problem."""

    def __init__(self, X, w, loss, offset, intercept, hierarchy):
        self.X, self.w, self.loss, self.offset, self.intercept = X, w, loss, offset, intercept
        self.strong, self.pairs = hierarchy == "strong", np.empty((0, 2), dtype=int)
        self.means = X.T @ (w[:, None] * X)
        squares = (X**2).T @ (w[:, None] * X**2)
        self.sd = np.sqrt(np.maximum(np.diag(self.means) - (w @ X) ** 2, 0.0))
        self.sds = np.sqrt(np.maximum(squares - self.means**2, 0.0))
        self.sds[self.sds <= CONSTANT * np.sqrt(squares)] = 0.0  # the product is constant
        self.null = None

    def copies(self):
        """Return the column of the working set, and the group, of each latent coefficient.

        Columns are the features, and after them the products of the working set.
        """
        p = self.X.shape[1]
        groups = [[j] for j in range(p)]
        for i, (j, k) in enumerate(self.pairs.tolist()):
            groups += [[j, k, p + i]] if self.strong else [[j, p + i], [k, p + i]]
        return np.concatenate(groups), np.repeat(np.arange(len(groups)), list(map(len, groups)))

    def columns(self):
        """Return the features, and the products of the working set."""
        return np.hstack([self.X, self.X[:, self.pairs[:, 0]] * self.X[:, self.pairs[:, 1]]])

    def polar(self, u):
        """Return the least lambda that u is feasible for: of each feature, and of each pair."""
        def scaled(z, by):
            return np.divide(z, by, out=np.zeros_like(z), where=by > 0.0)

        main = scaled(self.X.T @ u, self.sd)
        both = self.X.T @ (u[:, None] * self.X)
        both = scaled(both - self.means * u.sum() if self.intercept else both, self.sds)
        square = both**2 + main**2
        found = np.sqrt((square + main[:, None] ** 2) / 3.0 if self.strong else square / 2.0)
        found = np.where(self.sds > 0.0, found, 0.0)
        return np.abs(main), np.triu(np.maximum(found, found.T), 1)

    def residual(self, eta):
        """Return u = -F'(eta), with sum 0 if there is an intercept."""
        u = self.loss.at(eta)[1]
        return u - self.w * u.sum() if self.intercept else u

    def gap(self, latent, intercept, lam):
        """Return coefficients, their relative gap, and the polar of pairs."""
        which, of = self.copies()
        sd = np.r_[self.sd, self.sds[self.pairs[:, 0], self.pairs[:, 1]]]
        squares = np.bincount(of, (latent * sd[which]) ** 2)
        norm = float(np.sqrt(squares * np.bincount(of)).sum())
        b = np.bincount(which, latent, minlength=len(sd))
        fitted = self.columns() @ b
        eta = self.offset + intercept + fitted
        u = self.residual(eta)
        main, pair = self.polar(u)
        u = u * min(1.0, lam / max(main.max(), pair.max(initial=0.0), 1e-300))
        gap = self.loss.fenchel_young_at(eta, u) + lam * norm - float(fitted @ u)
        return b, max(gap, 0.0) / self.null, pair

    def enter(self, pair, lam):
        """Put the pairs that violate lam most into the working set; return how many."""
        taken = np.zeros_like(pair, dtype=bool)
        taken[self.pairs[:, 0], self.pairs[:, 1]] = True
        score = np.where(taken, 0.0, pair)
        best = np.argsort(-score, axis=None)[:MOST_NEW]
        best = best[score.flat[best] > lam]
        self.pairs = np.vstack([self.pairs, np.column_stack(np.unravel_index(best, pair.shape))])
        return len(best)


def _followed(problem, y, inner):
    """Return a Solved for each lambda."""
    empty = solve_path(np.zeros((len(problem.w), 1)), y, inner.plain(
        lambdas=[1.0], stop=None, feature_names=None))  # fmt: skip
    eta = problem.offset + empty.intercepts[0]
    problem.null = max(problem.loss.at(eta)[0] - problem.loss.saturated, 1e-300)
    main, pair = problem.polar(problem.residual(eta))
    lambdas = read_lambdas(inner.lambdas)
    if lambdas is None:
        first = max(main.max(), pair.max(initial=0.0))
        count = LAMBDAS if inner.n_lambdas == path.__kwdefaults__["n_lambdas"] else inner.n_lambdas
        ratio = inner.lambda_min_ratio or RATIO
        lambdas = np.geomspace(first, first * ratio, count) if first > 0.0 else np.zeros(1)
    points, sharp = [], SHARPER * inner.tol
    while len(points) < len(lambdas):
        ahead = lambdas[len(points) :][:AHEAD]
        which, of = problem.copies()
        found = solve_path(problem.columns()[:, which], y, inner.plain(
            lambdas=ahead, stop=None, standardize=True, tol=sharp, penalty=GroupL2(of),
            feature_names=None))  # fmt: skip
        for k, lam in enumerate(ahead):
            latent, intercept = found.coefs[:, [k]].toarray()[:, 0], found.intercepts[k]
            b, gap, pair = problem.gap(latent, intercept, lam)
            reached = gap <= inner.tol
            if not reached and problem.enter(pair, lam):
                break
            if not reached and sharp > SHARPEST:
                sharp = max(0.01 * sharp, SHARPEST)
                break
            status = Status.CONVERGED if reached else Status.STALLED
            points.append(Solved(lam, b, intercept, gap, status, found.n_iters[k], found))
            sharp = SHARPER * inner.tol
    return points


def _sources(X, names, dense):
    """Return the EncodedDesign of the features alone, one column for each Source."""
    if not isinstance(X, EncodedDesign):
        names = [f"x{j}" for j in range(dense.shape[1])] if names is None else list(names)
        sources = [Source(name, None, np.array([mean]))
                   for name, mean in zip(names, dense.mean(axis=0), strict=True)]  # fmt: skip
        return EncodedDesign(dense, np.array(names, dtype=object), names, sources, "error",
                             index=getattr(X, "index", None), missing="error")  # fmt: skip
    terms = [[Factor(source.name, True)] for source in X.sources]
    terms = terms if X.formula is None else [factors for _, factors in X.formula.terms]
    if len(X.names) != len(terms) or not all(len(f) == 1 and f[0].is_column for f in terms):
        raise ValueError("interaction_path takes columns of numbers and categories of two levels, "
                         "and makes the products itself")  # fmt: skip
    named = {source.name: source for source in X.sources}
    return replace(X, sources=[named[factor.text] for (factor,) in terms], formula=None)


def _in_raw_columns(problem, points, y, means, features, **given):
    """Return the path in columns of X and products of them, of which those that stay 0 are left
    out.
    """
    p, total = len(means), len(means) + len(problem.pairs)
    b = np.column_stack([np.r_[point.b, np.zeros(total - len(point.b))] for point in points])
    used = b[p:].any(axis=1)
    (j, k), both = problem.pairs[used].T, b[p:][used]
    main, intercepts = b[:p].copy(), np.array([point.intercept for point in points])
    if problem.intercept:
        intercepts += (means[j] * means[k]) @ both - means @ main
    np.subtract.at(main, j, means[k][:, None] * both)
    np.subtract.at(main, k, means[j][:, None] * both)
    alone = [[Factor(source.name, True)] for source in features.sources]
    terms = [*alone, *([alone[a][0], alone[b][0]] for a, b in zip(j, k, strict=True))]
    formula = Formula([(":".join(f.text for f in term), term) for term in terms], [], {})
    matrix, names, groups = formula.expanded(
        np.asarray(features.matrix, dtype=float), *columns_of_sources(features.sources)
    )
    design = replace(features, matrix=matrix, names=np.array(names, dtype=object), groups=groups,
                     formula=formula, response=None)  # fmt: skip
    last = points[-1].found
    found = replace(
        last, lambdas=np.array([point.lam for point in points]),
        gaps=np.array([point.gap for point in points]),
        status=np.array([point.status for point in points], dtype=np.int8),
        n_iters=np.array([point.n_iter for point in points]), feature_names=design.names,
        stop_reason="every lambda was solved", unbounded=None, fitter=_not_again,
    )  # fmt: skip
    return in_columns_of(design, y, found, matrix, np.vstack([main, both]), intercepts, _not_again,
                         **given)  # fmt: skip


def _not_again(X, y, **options):
    raise ValueError("an interaction path chooses its products by its lambdas; fit another by "
                     "interaction_path(X, y, lambdas=...)")  # fmt: skip
