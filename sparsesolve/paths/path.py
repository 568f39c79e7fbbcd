"""path: checks its arguments, assembles a problem, chooses a solver and wraps the result.

If the solver misses its tolerance, others are tried, and the best answer is kept. Columns that
nearly depend on one another stop different solvers at different places: those that use inner
products lose digits first, coordinate descent becomes slow. With solver="auto" the user cannot
know this. If the user has named a solver, or allows few iterations, that choice is respected.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows, read_flag, read_number
from sparsesolve.families import FAMILIES
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.paths.assembly import read_problem
from sparsesolve.paths.checkpoint import Checkpoint
from sparsesolve.paths.options import (
    LITTLE,
    MOST_VALUES,
    PathOptions,
    kept_options,
    read_path_options,
    read_start,
    takes_formula,
)
from sparsesolve.paths.penalty import is_concave, read_penalty
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.signal import signal_path
from sparsesolve.paths.wrapping import warn_missed, with_encoder, wrap
from sparsesolve.penalties.penalty import is_scale_free
from sparsesolve.results.continuation import DualPoints
from sparsesolve.results.doubts import doubts
from sparsesolve.results.path import Path
from sparsesolve.results.status import Status
from sparsesolve.solvers import SOLVERS, kinked
from sparsesolve.solvers.certificate.gap import blocks_gap, least_gap, scales
from sparsesolve.solvers.choice import choose, step_ratio
from sparsesolve.solvers.first_order.first_order import FirstOrder
from sparsesolve.solvers.follow import Start, StopRule, begin_at, entry_lambda, follow, grid
from sparsesolve.solvers.state import NULL_LAMBDA

log = logging.getLogger(__name__)

OTHERS = ("working_set", "proximal_newton", "reweighted", "pass_newton", "response_newton",
          "response_blocks")  # fmt: skip
# Other solvers are tried if the user allows at least this many iterations; each may have as many.
ENOUGH = 10_000
MISSED = (Status.MAX_ITER, Status.STALLED)


def tried_again(problem, points, settings):
    """Return the points; one that missed the tolerance is replaced if another solver came nearer.
    """
    missed = [k for k, point in enumerate(points) if _far(point)]
    small = problem.design.n * problem.design.p <= MOST_VALUES
    small = small and not isinstance(problem.design, DistributedDesign)
    small = small and not kinked(problem, None)  # the other solvers need smooth losses
    if not (missed and small) or settings["solver"] != "auto" or settings["max_iter"] < ENOUGH:
        return points
    points = list(points)
    for name in OTHERS:
        lambdas = np.array([points[k].lam for k in missed])
        if not SOLVERS[name].suits(problem, lambdas):
            continue
        log.debug("%d lambdas missed tol: solver %r tries them again", len(missed), name)
        state = choose(problem, name, lambdas, settings["n_threads"])
        again, _ = follow(state, problem, lambdas, tol=settings["tol"],
                          max_iter=settings["max_iter"], stop=None, dfmax=None, pmax=None,
                          advance=lambda *words: None)  # fmt: skip
        for k, new in zip(missed, again, strict=True):
            if new.gap < points[k].gap:
                points[k] = replace(new, index=points[k].index,
                                    n_iter=points[k].n_iter + new.n_iter)  # fmt: skip
        missed = [k for k in missed if _far(points[k])]
        if not missed:
            break
    return points


def _far(point):
    """Return True if a point missed its tolerance by more than rounding."""
    return point.status in MISSED and not point.gap <= LITTLE


# Gaps at which the solution is polished whose dual point is asked for, relative to the null
# objective: rounding's, and that of a loss with kinks, whose certificate gives the dual point.
POLISHED, POLISHED_WITH_KINKS = 1e-12, 1e-10


@answers_keywords()
@takes_formula
@by_rows("y", "weights", "offset", "family")
def path(
    X: Any,
    y: Any = None,
    *,
    data: Any = None,
    family: Any = "gaussian",
    alpha: float = 1.0,
    penalty: Any = None,
    grouped: bool = False,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    intercept: bool = True,
    standardize: bool | str | None = None,
    penalty_factor: ArrayLike | None = None,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    exclude: ArrayLike | None = None,
    lambdas: ArrayLike | None = None,
    n_lambdas: int = 100,
    lambda_min_ratio: float | None = None,
    dfmax: int | None = None,
    pmax: int | None = None,
    stop: str | Callable[..., Any] | None = "deviance",
    tol: float = 1e-7,
    max_iter: int | None = None,
    solver: str = "auto",
    n_threads: int = 1,
    progress: bool = False,
    feature_names: ArrayLike | None = None,
    start: Any = None,
    checkpoint: Any = None,
) -> Path:
    r"""Solve the elastic net along a decreasing grid of lambdas, each with a certificate.

    Minimises, for every lambda,

    .. math:: \sum_i w_i f(y_i, o_i + b_0 + x_i^\top b)
              + \lambda \sum_j v_j (\alpha |b_j| + (1 - \alpha) b_j^2 / 2)

    with the loss f of the family, offsets o, weights w scaled to sum 1, penalty factors v scaled
    to sum p, and b measured on columns of standard deviation 1 when `standardize`. Coefficients
    come back on the scale of X.

    Parameters
    ----------
    X : array-like, scipy sparse, memmap, pandas or polars frame, dask array or frame, (n, p)
        Never changed. Column-major float64 or float32 and CSC are read in place; so are large
        row-major arrays with many more rows than columns. A dask array is never in memory as a
        whole: see Notes. Or a formula of columns of `data`, as ``"y ~ a * b + bs(age, 4)"``,
        without y: :func:`sparsesolve.make_design` describes it. Or None for a signal y, see Notes.
    y : array-like or frame; for cox also a tuple of columns
        Responses as the family takes them: numbers (n,); labels of two or more classes, of any
        type; columns of counts; (time, status). ``help(sparsesolve.families)`` lists them.
    data : pandas or polars frame, pyarrow table or dict of columns, default None
        The table of a formula, whose columns may hold text and gaps.
    family : str or family, default "gaussian"
        Loss: "gaussian", "binomial", "poisson", "cox", ...; one made by a function of
        `sparsesolve.families`, as ``families.huber(1.5)`` or its words "huber(1.5)"; or your own
        object. With K classes ("multinomial") or responses ("multigaussian") there are K vectors b
        and K intercepts, the penalty is summed over them, and the path's `coefs` is a list of K
        matrices.
    alpha : float in [0, 1], default 1
        Mixing: 1 is the lasso, 0 is ridge.
    penalty : object of `sparsesolve.penalties` or str, default None
        None is the elastic net. ``penalties.GroupL2(groups)``, ``SparseGroup(groups, tau)`` and
        ``GroupLinf(groups)`` choose groups of features together:
        :math:`\sum_g v_g (\alpha N_g(b_g) + (1 - \alpha) d_g \lVert b_g \rVert^2 / 2)` in the
        formula above (for SparseGroup d_g is tau + (1 - tau) d_g in the ridge part). With K
        classes or responses b_g are the coefficients of the features of g in all of them. Any
        other object with the methods value, prox and polar is a penalty, too: Omega(b) takes the
        place of the sum, and first-order solvers minimise it. ``docs/extending.rst`` has the
        contract. Words of the command line are penalties, too: "mcp", "mcp(2.5)", "slope", ...
        Those with groups, as "group" and "sparse-group(0.5)", take the terms of a formula, or the
        columns of the table of ``make_design``.
    grouped : bool, default False
        For family="multinomial": tie each feature across the classes, whose coefficients are
        penalised by their l2 norm in place of one by one. "multigaussian" always does that. Not
        with `penalty`, which ties its groups of features across the classes by itself.
    weights : array-like (n,), default None
        Nonnegative observation weights; only their ratios matter, except in `null_deviance`.
    offset : array-like (n,) or (n, K), default None
        Known part of the linear predictor.
    intercept : bool, default True
        Fit an unpenalised intercept.
    standardize : bool or "group", default None
        Penalise coefficients of columns divided by their weighted standard deviation (1/n form).
        A constant column has none; its coefficient is 0, as with any intercept. None means True,
        but False for penalties that compare coefficients with one another (total variation,
        say). "group", with ``penalties.GroupL2``: the columns of each group are replaced by an
        orthonormal basis Q of their span, centred and weighted (Q'WQ = I), and the coefficients
        of Q penalised, so that nothing but the span of a group matters. See Notes.
    penalty_factor : array-like (p,) or (G,), or mapping, default None
        Multiplies lambda per feature: 0 never penalised, inf never enters. With groups (G,), per
        group: those named, in the order in which they first appear, then one for each feature in
        none; v then sums to G. In the sums an infinite factor counts as 1. A mapping has names or
        numbers as keys, as ``{"age": 0}``; the others keep 1. A series is aligned by its labels.
    lower, upper : float, array-like (p,) or mapping, default None
        Bounds on coefficients, lower <= 0 <= upper, on the scale of X. Not with `grouped` or
        "multigaussian", which tie the coefficients of several responses; but TreeL2, TreeLinf,
        OverlapL2 and OverlapLinf take lower=0 there, too, and no other bounds.
    exclude : list of names or column numbers, default None
        Features that stay out, as with an infinite penalty factor; in a group, its other features
        may still enter.
    lambdas : array-like (L,), default None
        The grid, in any order; solved from the largest down, and to the end.
    n_lambdas : int, default 100
        Length of the grid made when `lambdas` is None.
    lambda_min_ratio : float in (0, 1), default None
        Last lambda over the first; None means 1e-2 when n < p, else 1e-4.
    dfmax, pmax : int, default None
        End once more than `dfmax` features are active; before more than `pmax` have ever entered.
    stop : {"deviance"}, None or callable (point) -> bool, default "deviance"
        "deviance" is glmnet's rule for the family, on the default grid. With a concave penalty
        the path ends only when nearly all deviance is explained: coefficients that are no longer
        shrunk leave the deviance unchanged until the next feature enters. A callable sees each
        solved `Point` (index, lam, df, dev_ratio, gap, ...).
    tol : float, default 1e-7
        Duality gap to reach at every lambda, relative to the objective at b = 0. The default
        certifies the objective. For accurate coefficients ask for 1e-9, or with alpha < 1, where
        gaps are of second order in the coefficients, for 1e-13.
    max_iter : int, default None
        Newton steps and sweeps allowed per lambda; None means 100,000.
    solver : str, default "auto"
        Algorithm, chosen by family, penalty and the shape of X; all suitable ones reach the same
        solution. For squared error "working_set", "ridge" (alpha = 0), and for one response or
        several "sufficient"; for any loss "proximal_newton", and "pass_newton", which copies no
        columns and reads X in passes, as for a dask array; for several responses
        "response_blocks", "response_newton" where few coefficients become active, and with
        groups "response_groups", which goes over to SpaRSA steps where many are. First-order
        solvers, for any loss and any penalty, need the memory of a few vectors: "panoc", with
        L-BFGS, "fista", "sparsa", "ista"; for groups of one response Tseng and Yun's "bcd", with
        Wright's search "bcd_wright", without working sets "bcd_plain"; for squared error
        "reweighted", also of the trace norm. "tangent_newton" adds Newton steps on the pieces,
        clusters or factors that TotalVariation, Slope, TraceNorm, trees and overlapping groups
        make. "admm" (squared error)
        and "linearized_admm" split norms on whole vectors into simple ones. "subgradient" is a
        baseline whose gaps stay large.
        Losses with kinks (hinge, quantile, epsilon_insensitive) have "multipliers", and with
        alpha = 0 "dual_descent", for text and wide X, "rows_newton", for tall X, and the methods
        of `sparsesolve.paths.bundle`: "qp_bmrm", "ls_bmrm", "pragam" (hinge and
        quantile) and "pegasos", whose bound is loose: ask for a `tol` of 1e-2.
    n_threads : int, default 1
        Threads for products with X; -1 for all cores. The result does not depend on it.
    progress : bool, default False
        Show a progress bar on stderr.
    feature_names : array-like of str (p,), default None
        Names of the columns of an array or a sparse X. A frame has its own.
    start : Path, CVPath, OnlineFit or pair (coefficients, intercept), default None
        A warm start at the first of `lambdas`, which must be given: the solution of another path
        at that lambda, or numbers of shapes (p,) and (), with K responses (K, p) and (K,). It
        shortens the way to the same certified solution. It is ignored if the objective is lower
        at b = 0, or if the problem is solved in columns other than those of X.
    checkpoint : str or path, default None
        File that is written after each lambda. If it is there, the path goes on from its last
        one: a run that was killed loses only the lambda that it was solving. The file of other
        data or options is refused. It stays where it is. ``cv_path`` has a numbered file for
        each of its paths, and needs ``seed`` or ``folds``.

    Returns
    -------
    Path
        Solutions at the lambdas that were solved.

    Raises
    ------
    ValueError, TypeError
        Before any work starts, saying what was found, where, and what to do.

    Warns
    -----
    ConvergenceWarning
        Once, naming the lambdas whose certificate misses `tol`.
    UserWarning
        If y is boolean and the loss squared error; if columns hold a repeated far number such as
        -999, which may be a code for missing values. Among genotypes such a code is an error.

    Notes
    -----
    With ``standardize="group"`` weights of groups are by default the square roots of their ranks
    (as in R's grpreg), which are their sizes unless columns depend on one another: with columns
    of standard deviation 1, singular values below 1e-8 of the largest (1e-5 in single precision)
    count as 0. Coefficients are those of the columns of X; if several give the same fit, those
    of least l2 norm on columns of standard deviation 1. Without an intercept columns are still
    orthonormal about their means, as standard deviations are: combinations of a group that are
    constant, such as the sum of all indicators of a factor, are ignored. Bounds on coefficients
    would have no meaning and are refused. The bases are kept with X, (n, p) in double precision:
    a sparse X is filled in, and refused where that takes more than 8 GiB.

    Rows with the same features and offset (with poisson: whatever their offsets, for exposures
    add up) are merged if that pays and the loss is linear in y (binomial, multinomial, poisson,
    gamma, negative binomial, tweedie, probit and cloglog): objective and solutions are those of
    all rows.

    Without X, y is a signal (n,), or an image (rows, columns) for ``TotalVariation2D(y.shape)``:
    X is the identity, coefficients are the profile of y at each lambda, there is no intercept,
    and what the penalty does not see (constants, polynomials) is the null model, which gaps and
    explained deviances are relative to. ``coef(s, exact=True, y=y)``, ``criteria(fit, None, y)``,
    ``relax(fit, None, y)`` and ``refit(fit, None, y, s)`` take None in place of X, too; the last
    two fit the pieces that were found.

    For a dask array (n, p), dense or of scipy sparse blocks, one pass over the blocks of rows
    computes the inner products (p, p), which are all that squared error needs, of several
    responses too, if p <= 4,000. Otherwise, and for other families, Newton steps for a dozen
    lambdas share a pass, which returns sums alone: 100 lambdas take some 15 to 30 passes, counted
    by `n_iters`. Memory: a block of all columns for each of dask's workers, y, weights and
    offset, and some matrices with a row and a column for each working column, of each class (up to
    600 features, 1,500 coefficients of all classes, or for groups: all). For Cox, whose loss is
    not a sum over rows, two passes take the place of one, and linear predictors come into memory,
    at most 1 GB at a time. Losses with kinks take hundreds of passes for each lambda. Multinomial
    with more coefficients in groups, or with limits on unpenalised features, takes
    ``solver="fista"``, which makes hundreds of passes. Solutions and certificates are those of the
    data in memory, whatever scheduler dask is set to.

    References
    ----------
    Bach, Jenatton, Mairal, Obozinski (2012), sections 1 and 6. Friedman, Hastie, Tibshirani
    (2010), "Regularization paths for generalized linear models via coordinate descent". Breheny,
    Huang (2015), "Group descent algorithms for nonconvex penalized linear and logistic regression
    models with grouped predictors" (orthonormal groups).

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> fit = ss.path(X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=100))
    >>> fit.coef(s=0.5)[:3].round(2)
    array([ 1.46, -0.65,  0.  ])
    >>> bool(fit.gaps.max() <= 1e-7)
    True
    """
    options = PathOptions.of(locals(), "X", "y", "data")
    if X is None:
        fit = signal_path(y, options, solve_path)
    else:
        doubts(X, y, family)
        fit = solve_path(X, y, options)
    warn_missed([fit], fit.options["tol"])
    return fit


def solve_path(X, y, options, names=None, report=None):
    """Do what :func:`path` does with these PathOptions, without the warning.

    `names` are those of the columns, if X does not carry them. `report` is called after each
    lambda, in place of a progress bar.
    """
    names = options.feature_names if names is None else names
    standardize = options.standardize
    if standardize is None:
        standardize = is_scale_free(options.penalty)
    options = options.plain(feature_names=names, standardize=standardize)
    settings = _read_settings(options)
    family = settings["family"]
    saved = None if options.checkpoint is None else Checkpoint(options.checkpoint)
    named = family.name if FAMILIES.get(family.name) is family else family
    with one_blas_thread():
        problem, names, class_names, scale, given = read_problem(
            X, y, family, weights=options.weights, offset=options.offset,
            penalty_factor=options.penalty_factor, lower=options.lower, upper=options.upper,
            exclude=options.exclude,
            alpha=options.alpha, penalty=options.penalty, grouped=options.grouped,
            intercept=bool(options.intercept), standardize=settings["standardize"],
            n_threads=settings["n_threads"], names=names, in_blocks=True,
            by_rows=settings["solver"] == "auto",
        )  # fmt: skip
        # another fit with these options has its own family and start
        kept = options.kept(family=named, start=None, checkpoint=None, **kept_options(given))
        warm = read_start(options.start, settings["lambdas"], problem, names)
        with progress_bar(settings["n_lambdas"], options.progress) as advance:
            points, reason = _solve(problem, settings, report or advance, warm, saved)
    names = {"feature_names": names, "class_names": class_names}
    fit = wrap(problem, points, reason, scale, family, names, kept, path)
    return with_encoder(fit, X)


def _read_settings(options):
    """Check the options that are not data, and return those that steer the path."""
    settings = read_path_options(options, SOLVERS)
    read_penalty(options.penalty)
    read_flag("grouped", options.grouped)
    family = settings["family"]
    if options.grouped and not family.several:
        raise ValueError(
            "grouped=True ties the classes of family='multinomial'; leave it out for "
            f"{family.name!r}"
        )
    read_number("alpha", options.alpha, 0, 1)
    if is_concave(options.penalty) and isinstance(settings["stop"], StopRule):
        # a plateau is no end here; see `stop`
        settings["stop"] = settings["stop"]._replace(gain=None)
    standardize = read_flag("standardize", options.standardize, "group")
    return {**settings, "standardize": standardize}


def _solve(problem, settings, advance, warm, saved=None):
    """Choose a solver and follow the path; return (points, why it ended)."""
    state = choose(problem, settings["solver"], settings["lambdas"], settings["n_threads"])
    lambdas, start = settings["lambdas"], 0.0
    if lambdas is None or problem.has_blocks:  # the null model has unpenalised features alone
        state.solve(NULL_LAMBDA, 1e-14 * problem.null_value, settings["max_iter"])
    steps = step_ratio(problem, settings["solver"], lambdas)
    if warm is not None:
        level = problem.inner_lambda(lambdas[0])
        warm = begin_at(state, problem, warm, level) and level
        steps = 0.0 if warm else steps
    asked = state.grid_problem or problem
    if lambdas is None:
        ratio = settings["ratio"] or (1e-2 if problem.design.n < problem.n_features else 1e-4)
        lambdas = grid(asked, state.correlations(), settings["n_lambdas"], ratio,
                       state.first_lambda())
        start = lambdas[0] if steps else 0.0
    elif steps:
        start = entry_lambda(asked, state.correlations_here())
    points = []
    if saved is not None:
        points = saved.begin(problem, settings["family"].name, state.correlations(), lambdas,
                             settings["tol"])  # fmt: skip
    if points:
        last = points[-1]
        coefs = np.zeros((*np.shape(last.intercept), problem.n_features))
        coefs[..., last.which] = last.values
        here = Start(coefs, np.asarray(last.intercept))
        if begin_at(state, problem, here, problem.inner_lambda(last.lam)):
            start = last.lam if steps else 0.0
    keep = ("tol", "max_iter", "stop", "dfmax", "pmax")
    dual = None
    if isinstance(settings["stop"], DualPoints):
        dual = partial(_dual_point, problem, max_iter=settings["max_iter"])
    points, reason = follow(state, problem, lambdas, **{name: settings[name] for name in keep},
                            advance=advance, start=start, steps=steps,
                            warm=bool(warm), points=points,
                            save=None if saved is None else saved.save, dual=dual)  # fmt: skip
    return tried_again(problem, points, settings), reason


def _dual_point(problem, state, lam, max_iter):
    """Return the dual point of the solution at the inner lam, (n,), or (n, K) with K responses.

    The solution is polished first: the gap at this point is then of the coefficients that the
    path returned, and not of what the residual lacks in accuracy. ValueError where no dual point
    is known.
    """
    with_kinks = kinked(problem, None)
    target = POLISHED_WITH_KINKS if with_kinks else POLISHED
    state.solve(lam, target * problem.null_value, max_iter)
    own = FirstOrder(problem, 1)
    own.start_at(*state.coefficients(), state.intercept)
    if with_kinks:
        dual, free, missing = state.dual_point(), own.unpenalised, 0.0
    else:
        dual, free, missing = own.dual_at(lam)
    if missing == np.inf:
        raise ValueError("No dual point is known here: what is not penalised tells responses with "
                         "certainty; choose a larger lambda, or penalise it")  # fmt: skip
    z = own.unpenalised_basis.orthogonal_part(own.products(dual), free)
    dual = _of_least_gap(own, dual, z, lam)
    degree = 2 if problem.loss is None else problem.loss.degree
    return np.ldexp(dual, (degree - 1) * problem.exponent if degree else 0).T


def _of_least_gap(own, dual, z, lam):
    """Return the multiple of the dual point, of products z, whose gap is the least."""
    penalty, point = own.penalty, own.point
    charge = penalty.value(point.b, lam)

    def gap(s):
        return least_gap(own.loss, point.eta, dual, [s],
                         lambda s: blocks_gap(penalty, lam, charge, point.b, s * z))

    return min(scales(penalty, z, lam), key=gap) * dual
