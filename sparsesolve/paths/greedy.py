"""Greedy paths: pursuits, which add one feature at a time, and hard thresholding, size by size."""

from __future__ import annotations

import logging
from typing import Any

from numpy.typing import ArrayLike

from sparsesolve.data import (
    answers_keywords,
    by_rows,
    read_choice,
    read_count,
    read_flag,
    read_number,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.families import gaussian
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.assembly import read_problem
from sparsesolve.paths.options import Options
from sparsesolve.paths.path import path
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.wrapping import warn_missed, with_encoder, wrap
from sparsesolve.results.doubts import doubts
from sparsesolve.results.path import Path
from sparsesolve.solvers import greedy
from sparsesolve.solvers.greedy import pursue, threshold_path

log = logging.getLogger(__name__)

PURSUITS = ("omp", "forward", "mp")
THRESHOLDING = ("niht", "iht", "cosamp")


@answers_keywords()
@by_rows("y", "weights", "offset")
@described_by(path)
def omp_path(
    X: Any,
    y: Any,
    *,
    method: str = "omp",
    n_nonzero: int | None = None,
    tol: float | None = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    intercept: bool = True,
    standardize: bool = True,
    max_iter: int | None = None,
    n_threads: int = 1,
    progress: bool = False,
    feature_names: ArrayLike | None = None,
) -> Path:
    """Select features by least squares, one at a time: orthogonal matching pursuit and variants.

    Each step takes one column and moves the coefficients::

        "omp"      the column with the largest |x_j'r|; least squares on all columns taken;
        "forward"  the column that lowers the least-squares objective most (forward selection);
        "mp"       the largest |x_j'r|; only its own coefficient moves (matching pursuit), and a
                   column may be taken again.

    Parameters
    ----------
    method : {"omp", "forward", "mp"}, default "omp"
    n_nonzero : int, default None
        Stop at this many features.
    tol : float in [0, 1], default None
        Stop once at most this fraction of the null deviance is left. Without `n_nonzero` and
        `tol` the path continues until nothing is left to explain.
    standardize : bool, default True
        Compare columns divided by their standard deviation; False compares them as they are.
    max_iter : int, default None
        Most steps of "mp"; None means 1000.

    Returns
    -------
    Path
        One point per step, starting with the empty model. `lambdas` holds the root mean square
        residual, which decreases strictly. Between two steps ``coef(s)`` interpolates; as the
        residual is convex in the coefficients, that of ``coef(s)`` is at most s. `gaps` certifies
        each step from the data: the amount by which least squares on its features would lower the
        objective, over the null objective. For "mp" it is the difference between the objective
        and the sum of what the steps gained. No greedy method can decide whether another set of
        features would be better.

    References
    ----------
    Mallat, Zhang (1993), "Matching pursuits with time-frequency dictionaries"; Pati, Rezaiifar,
    Krishnaprasad (1993); Bach, Jenatton, Mairal, Obozinski (2012), section 17.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 200))
    >>> fit = ss.omp_path(X, 3 * X[:, 4] - 2 * X[:, 7] + 1, n_nonzero=5)
    >>> fit.df, fit.stop_reason
    (array([0, 1, 2]), 'nothing is left to explain')
    >>> fit.nonzero()[-1], fit.intercepts.round(6)[-1]
    (array([4, 7]), np.float64(1.0))
    """
    given = locals()
    read_choice("method", method, PURSUITS)
    return _fit(pursue, X, y, Options.of(given, "X", "y"))


@answers_keywords()
@by_rows("y", "weights", "offset")
@described_by(path)
def hard_threshold_path(
    X: Any,
    y: Any,
    *,
    method: str = "niht",
    n_nonzero: int | None = None,
    tol: float | None = None,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    intercept: bool = True,
    standardize: bool = True,
    max_iter: int | None = None,
    n_threads: int = 1,
    progress: bool = False,
    feature_names: ArrayLike | None = None,
) -> Path:
    """Fit squared error with at most k features, for k = 1, 2, ..., by hard thresholding.

    ::

        "iht"     gradient steps, all but the k largest coefficients set to 0 after each;
        "niht"    gradient steps with step sizes for the columns in use, which takes fewer;
        "cosamp"  least squares on the columns in use and the 2k most correlated, cut back to k.

    Each size starts from the one before. A size that does not lower the residual is left out.

    Parameters
    ----------
    method : {"niht", "iht", "cosamp"}, default "niht"
    n_nonzero : int, default None
        The largest size. None means the number of columns, or of rows (less one with an
        intercept), but at most 100.
    tol : float in [0, 1], default None
        Stop once at most this fraction of the null deviance is left.
    standardize : bool, default True
        Compare coefficients of columns divided by their standard deviation, or (False) as they
        are.
    max_iter : int, default None
        Most iterations for each size; None means 1000.

    Returns
    -------
    Path
        As in `omp_path`: `lambdas` holds the root mean square residual, and `gaps` the amount by
        which least squares on the same features would lower the objective, at most 1e-7.

    Warns
    -----
    ConvergenceWarning
        Once, with the points that `max_iter` left above 1e-7.

    References
    ----------
    Blumensath, Davies (2009, 2010); Needell, Tropp (2009), "CoSaMP: iterative signal recovery
    from incomplete and inaccurate samples".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 200))
    >>> fit = ss.paths.hard_threshold_path(X, 3 * X[:, 4] - 2 * X[:, 7] + 1, tol=1e-6)
    >>> fit.nonzero()[-1]
    array([4, 7])
    """
    given = locals()
    read_choice("method", method, THRESHOLDING)
    return _fit(threshold_path, X, y, Options.of(given, "X", "y"))


def _fit(solve, X, y, options):
    """Check and assemble the data, solve, and wrap the result."""
    read_flag("progress", options.progress)
    intercept = read_flag("intercept", options.intercept)
    standardize = read_flag("standardize", options.standardize)
    least = 0.0 if options.tol is None else read_number("tol", options.tol, 0, 1)
    steps = 1000
    if options.max_iter is not None:
        steps = read_count("max_iter", options.max_iter, 1)
    most = options.n_nonzero
    most = None if most is None else read_count("n_nonzero", most, 1)
    kept = options.kept()
    n_threads = thread_count(options.n_threads)
    doubts(X, y)
    problem, names, _, scale, _ = read_problem(
        X, y, gaussian, weights=options.weights, offset=options.offset, penalty_factor=None,
        lower=None, upper=None, alpha=1.0, intercept=intercept, standardize=standardize,
        n_threads=n_threads, names=options.feature_names,
    )  # fmt: skip
    room = problem.design.p
    # Columns of "mp" may be more than explain all, and may be taken again.
    if options.method != "mp":
        room = min(room, problem.design.n - intercept)
    room = max(1, room)
    most = min(room, most or (100 if solve is threshold_path else room))
    if options.method in ("omp", "forward"):
        steps = max(steps, most)
    with one_blas_thread(), progress_bar(most, options.progress, "feature") as advance:
        points, reason = solve(problem, options.method, most=most, least=least, max_iter=steps,
                               n_threads=n_threads, advance=advance)  # fmt: skip
    log.debug("greedy path ended after %d points: %s", len(points), reason)
    fit = wrap(problem, points, reason, scale, gaussian, {"feature_names": names}, kept)
    certain = greedy.CERTAIN if solve is pursue else greedy.CERTIFICATE
    warn_missed([fit], certain)
    return with_encoder(fit, X)
