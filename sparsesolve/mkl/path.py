"""mkl_path: checks its arguments, assembles a problem, chooses a solver and wraps the result."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows
from sparsesolve.data.paragraphs import described_by
from sparsesolve.data.row_labels import labels_of_rows
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.losses.kinked import Hinge
from sparsesolve.mkl.assembly import read_problem
from sparsesolve.mkl.grams import Grams
from sparsesolve.mkl.newton import Newton
from sparsesolve.mkl.norms import read_norm
from sparsesolve.mkl.proximal import BlockDescent, Proximal
from sparsesolve.mkl.reading import read_kernels
from sparsesolve.mkl.single_kernel import Alternation, Reweighted, SimpleMKL
from sparsesolve.paths.options import Options, read_path_options
from sparsesolve.paths.path import path
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.penalties.columns import by_label
from sparsesolve.results.doubts import doubts
from sparsesolve.results.kernel_path import MKLPath
from sparsesolve.solvers.follow import follow

log = logging.getLogger(__name__)


class Algorithm(NamedTuple):
    """An algorithm's constructor and its requirements, in words and as a test of a problem."""

    state: Callable  # (problem)
    needs: str
    suits: Callable  # (problem) -> bool


def _smooth(problem):
    return not isinstance(problem.loss, Hinge)


def _in_parts(problem):
    return _smooth(problem) and not problem.norm.whole


def _has_prox(problem):
    return _smooth(problem) and problem.norm.name != "lp"


def _adds_up(problem):
    return _in_parts(problem) and not problem.norm.squared


def _on_a_simplex(problem):
    return problem.norm.name == "l1_squared"


def _squared(problem):
    return problem.norm.squared


SMOOTH = "a smooth loss"
PARTS = SMOOTH + ", norm other than nested groups"
ALGORITHMS = {
    "newton": Algorithm(Newton, PARTS, _in_parts),
    "reweighted": Algorithm(Reweighted, PARTS, _in_parts),
    "proximal": Algorithm(Proximal, SMOOTH + ", norm other than 'lp'", _has_prox),
    "block_descent": Algorithm(BlockDescent, SMOOTH + " and norm 'l1' or 'elastic'", _adds_up),
    "alternation": Algorithm(Alternation, "norm 'l1_squared' or 'lp'", _squared),
    "simple_mkl": Algorithm(SimpleMKL, "norm 'l1_squared'", _on_a_simplex),
}


def choose(name, problem):
    """Return the state of the algorithm of that name; "auto" chooses one that suits."""
    why = "chosen by name"
    if name == "auto":
        why = f"loss and norm {problem.norm.name!r} suit it"
        whole = "proximal" if problem.norm.whole else "newton"
        name = whole if _smooth(problem) else "alternation"
        if not ALGORITHMS[name].suits(problem):  # the hinge loss, which no other algorithm solves
            raise ValueError(
                f"family 'hinge' needs {ALGORITHMS[name].needs}, not {problem.norm.name!r}; "
                "pass norm='l1_squared'"
            )
    algorithm = ALGORITHMS[name]
    if not algorithm.suits(problem):
        raise ValueError(f"solver={name!r} needs {algorithm.needs}; choose solver='auto'")
    log.debug("algorithm %r of kernels: %s", name, why)
    return algorithm.state(problem)


@answers_keywords()
@by_rows("y", "weights", "offset", of="kernels")
@described_by(path)
def mkl_path(
    kernels: Any,
    y: Any,
    *,
    family: Any = "gaussian",
    norm: Any = "l1",
    kernel_weights: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    intercept: bool = True,
    lambdas: ArrayLike | None = None,
    n_lambdas: int = 100,
    lambda_min_ratio: float | None = None,
    dfmax: int | None = None,
    stop: str | Callable[..., Any] | None = "deviance",
    tol: float = 1e-7,
    max_iter: int | None = None,
    solver: str = "auto",
    n_threads: int = 1,
    progress: bool = False,
) -> MKLPath:
    """Multiple kernel learning along a decreasing grid of lambdas, each with a certificate.

    Minimises, for every lambda, over functions f_m in the RKHS of each kernel,

        sum_i w_i loss(y_i, offset_i + b0 + sum_m f_m(i)) + lambda * phi(||f_1||, .., ||f_M||)

    with weights w scaled to sum 1 and phi one of

        "l1"          sum_m d_m ||f_m||: sparse in kernels, the group lasso over their RKHSs
        "l1_squared"  (sum_m d_m ||f_m||)^2 / 2, the classical form: as sparse, other lambdas
        "lp"          kernel weights in the l2 ball; ``mkl.lp(p)`` for others, p >= 1
        "elastic"     half l1, half squared l2; ``mkl.elastic(alpha)`` for other shares
        mkl.nested    sum_g w_g ||norms of group g||_2: groups disjoint or one inside another

    Parameters
    ----------
    kernels : (M, n, n) array or memory map, sequence or dict of kernels, or Grams
        Symmetric positive semidefinite. Each an (n, n) array, float64 or float32 (half the
        memory; arithmetic is float64 all the same), used in place where its rows are contiguous;
        a scipy sparse matrix; or ``mkl.LowRank(Z)`` for Z Z'. ``mkl.build_grams`` makes Grams of
        a table X and remembers how, so that predictions take new rows of X.
    y : array-like, frame, or tuple of columns
        Responses as the family takes them: see ``help(sparsesolve.families)``.
    family : str or family, default "gaussian"
        Any whose loss is a smooth sum over samples, all but cox, quantile and
        epsilon_insensitive; and hinge, for the squared norms: by name "gaussian", "binomial",
        "poisson", "multinomial" and "multigaussian" (whose classes or responses share the kernel
        weights), others made by `sparsesolve.families`.
    norm : str or norm, default "l1"
    kernel_weights : array-like (M,), default None
        d_m > 0; inf leaves a kernel out. None: all 1.
    lambdas : array-like (L,), default None
        The grid, positive, in any order; solved from the largest down, and to the end.
    n_lambdas : int, default 100
        Length of the grid made when `lambdas` is None. It starts at the least lambda with all
        norms 0 (for "l1" the largest sqrt(u'K_m u) / d_m at the null residual u). Squared norms
        have no such lambda: their grid starts where the objective is at most a hundredth below
        that of the null model.
    lambda_min_ratio : float in (0, 1), default None
        Last lambda over the first; None means 1e-2, for squared norms 1e-4.
    dfmax : int, default None
        End once more than `dfmax` kernels are active.
    stop : {"deviance"}, None or callable (point) -> bool, default "deviance"
        When to end the default grid, as in :func:`sparsesolve.path`.
    tol : float, default 1e-7
        Duality gap to reach at every lambda, relative to the objective of the null model.
    max_iter : int, default None
        Iterations allowed per lambda; None means 100,000.
    solver : str, default "auto"
        "newton", which "auto" takes except for nested groups; "proximal", "block_descent",
        "reweighted"; and as baselines "alternation" and "simple_mkl". All converge to the same
        solution; "reweighted" and the baselines may end above `tol`, with a warning.
    n_threads : int, default 1
        Threads; -1 for all cores. The result does not depend on it.

    Returns
    -------
    MKLPath

    Raises
    ------
    ValueError, TypeError
        Before any work starts, saying what was found, in which kernel, and what to do.

    Warns
    -----
    ConvergenceWarning
        Once, naming the lambdas whose certificate misses `tol`.

    References
    ----------
    Bach, Lanckriet, Jordan (2004), "Multiple kernel learning, conic duality, and the SMO
    algorithm". Bach, Jenatton, Mairal, Obozinski (2012), sections 1.5 and 9. Kloft, Brefeld,
    Sonnenburg, Zien (2011), "lp-norm multiple kernel learning".

    Examples
    --------
    >>> import numpy as np, sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = np.sin(2 * X[:, 0]) + X[:, 1]
    >>> kernels = [np.exp(-np.subtract.outer(x, x) ** 2) for x in X.T]  # one for each column
    >>> fit = ss.mkl_path(kernels, y, n_lambdas=20)
    >>> fit.active(s=0.5 * fit.lambdas[0])
    array([0, 1])
    >>> bool(fit.gaps.max() <= 1e-7)
    True
    """
    options = Options.of(locals(), "kernels", "y").plain()
    settings = read_path_options(options, ALGORITHMS)
    doubts(None, y, family)
    norm = read_norm(norm)
    _refuse_zero(settings["lambdas"])
    grams = kernels if isinstance(kernels, Grams) else None
    with one_blas_thread():
        stored = read_kernels(
            kernels if grams is None else grams.items, settings["n_threads"],
            None if grams is None else grams.trusted,
        )
        names = stored.names if grams is None else grams.names
        kernel_weights = by_label(
            "kernel_weights", kernel_weights, names, stored.size, 1.0, "kernel"
        )
        problem, class_names, null_deviance = read_problem(
            stored, y, settings["family"], norm, kernel_weights=kernel_weights, weights=weights,
            offset=offset, intercept=bool(intercept) and settings["family"].intercept,
        )  # fmt: skip
        state = choose(settings["solver"], problem)
        grid = _grid(problem, state, settings)
        with progress_bar(len(grid), progress) as advance:
            keep = ("tol", "max_iter", "stop", "dfmax", "pmax")
            points, reason = follow(
                state, problem, grid, **{key: settings[key] for key in keep}, advance=advance
            )
    named = family if isinstance(family, str) else settings["family"]
    kept = options.kept(family=named, norm=norm, kernel_weights=kernel_weights)
    fit = _wrap(problem, points, reason, null_deviance, settings["family"], norm, {
        "kernel_names": None if names is None else np.array(names),
        "class_names": class_names, "options": kept,
        "grams": None if grams is None else grams.without_kernels(),
        "rows": labels_of_rows(kernels),
    })  # fmt: skip
    warn_missed([fit], fit.options["tol"])
    return fit


# Default of lambda_min_ratio, by whether the norm is squared.
RATIO = {False: 1e-2, True: 1e-4}


def _refuse_zero(lambdas):
    if lambdas is not None and lambdas[-1] <= 0.0:
        raise ValueError(
            "lambdas holds 0, where kernels leave nothing to choose from; every lambda of a "
            "kernel path must be positive"
        )


def _grid(problem, state, settings):
    """Return the user's lambdas, or log-spaced ones from the first with an active kernel."""
    if settings["lambdas"] is not None:
        return settings["lambdas"]
    if problem.null_value == 0.0:
        return np.zeros(1)
    first = problem.norm.first(state.first_sizes, problem.null_value)
    if first <= 0.0:  # the null model is the whole path
        first = problem.norm.first(state.largest_sizes, problem.null_value)
        # the conjugate of all other norms divides by lambda
        if first == 0.0 and problem.norm.name != "l1":
            first = problem.null_value
        return problem.user_lambdas(np.array([first]))
    ratio = settings["ratio"] or RATIO[problem.norm.squared]
    return problem.user_lambdas(first * np.geomspace(1.0, ratio, settings["n_lambdas"]))


def _wrap(problem, points, reason, null_deviance, family, norm, rest):
    """Return the points of a path as an MKLPath."""
    M, L, (q, n) = problem.kernels.size, len(points), problem.shape
    norms, weights, duals = np.zeros((M, L)), np.zeros((M, L)), np.zeros((q, n, L))
    for k, point in enumerate(points):
        fit = point.values
        norms[point.which, k] = fit.norms
        total = fit.shares.sum()
        if len(point.which):
            weights[point.which, k] = fit.shares / total
            duals[:, :, k] = fit.dual * total
    intercepts = np.array([point.intercept for point in points]).reshape(L, q).T
    return MKLPath(
        lambdas=np.array([point.lam for point in points]),
        kernel_norms=norms,
        kernel_weights=weights,
        dual_coefs=list(duals) if family.several else duals[0],
        intercepts=intercepts if family.several else intercepts[0],
        df=np.array([point.df for point in points], dtype=np.int64),
        dev_ratio=np.array([point.dev_ratio for point in points]),
        null_deviance=null_deviance,
        gaps=np.array([point.gap for point in points]),
        n_iters=np.array([point.n_iter for point in points]),
        status=np.array([point.status for point in points], dtype=np.int8),
        stop_reason=reason,
        family=family.name,
        norm=norm.name,
        **rest,
    )
