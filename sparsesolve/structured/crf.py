"""crf_path: conditional random fields along a path of lambdas, each with a certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import (
    answers_keywords,
    read_choice,
    read_count,
    read_flag,
    read_lambdas,
    read_number,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.path import path
from sparsesolve.paths.progress import progress_bar
from sparsesolve.paths.wrapping import warn_missed
from sparsesolve.results.status import Status
from sparsesolve.solvers.follow import follow
from sparsesolve.structured.problem import (
    KINDS,
    marked,
    read_chain_problem,
    tells_all,
    warn_unbounded,
)
from sparsesolve.structured.result import CRFPath
from sparsesolve.structured.state import chain_state


def columns_of(points, p):
    """Return what a path holds of its points, by name, with coefs (p, L)."""
    columns = {
        name: np.array([getattr(point, short) for point in points])
        for name, short in (("lambdas", "lam"), ("dev_ratio", "dev_ratio"), ("gaps", "gap"),
                            ("n_iters", "n_iter"), ("status", "status"))
    }  # fmt: skip
    which, values = (np.concatenate([getattr(point, name) for point in points])
                     for name in ("which", "values"))  # fmt: skip
    starts = np.cumsum([0] + [point.df for point in points])
    coefs = sparse.csc_array((values, which, starts), shape=(p, len(points)))
    return {**columns, "coefs": coefs}


def wrapped(points, reason, problem, labels, allowed, bound, options):
    """Return the path through these points; `bound` is the penalty as read, or None."""
    cut, K, unbounded = problem.p * problem.K, problem.K, None
    df = [len(np.unique(point.which[point.which < cut] // K)) for point in points]
    columns = columns_of(points, problem.n_coefficients)
    if options["transitions"] == "free":
        columns["status"], unbounded = marked(points, problem, labels)
    columns["status"] = np.array([
        Status.UNBOUNDED if tells_all(problem, point) else status
        for point, status in zip(points, columns["status"], strict=True)
    ])  # fmt: skip
    return CRFPath(
        **columns, unbounded=unbounded, df=np.array(df, dtype=np.int64),
        stop_reason=reason, labels=labels, n_features=problem.p, null_value=problem.null_value,
        allowed=allowed, feature_names=problem.rows.names,
        groups=None if bound is None else np.array(bound.of, dtype=np.int64),
        group_labels=None if bound is None else _group_labels(bound.layout), options=options,
    )  # fmt: skip


def _group_labels(layout):
    """Return the labels of the groups; a single feature has its number."""
    first = np.asarray(layout.member)[np.asarray(layout.start)[:-1]]
    return [int(j) if label is None else label
            for label, j in zip(layout.labels, first, strict=True)]  # fmt: skip


# Default of `max_iter`. It is only a guard: the gap ends a solve long before.
MAX_ITER = 10_000
# The first lambda and the transitions fitted at it alternate for this many rounds; both then no
# longer change.
LEVELS = 5
# Gap, relative to the objective, to which transitions are fitted in these rounds.
NULL_GAP = 1e-3
# The first lambda of a pure ridge path is this multiple of the largest gradient entry.
RIDGE_START = 10.0


@answers_keywords()
@described_by(path)
def crf_path(
    X: Any,
    y: Any,
    *,
    lengths: ArrayLike | None = None,
    groups: Any = None,
    penalty: Any = None,
    alpha: float = 1.0,
    transitions: str = "ridge",
    intercept: bool = True,
    allowed: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    lambdas: ArrayLike | None = None,
    n_lambdas: int = 20,
    lambda_min_ratio: float = 1e-2,
    tol: float = 1e-4,
    max_iter: int | None = None,
    n_threads: int = 1,
    progress: bool = False,
) -> CRFPath:
    r"""Fit conditional random fields on chains along a path, each point with a certified gap.

    .. math::

        \min_{B,\, t} \; \sum_s w_s \Bigl[ \log \sum_y e^{\mathrm{score}_s(y)}
        - \mathrm{score}_s(y_s) \Bigr] + \lambda (\Omega(B) + \Omega_T(t))

        \mathrm{score}(y) = \sum_i (B^\top x_i + t_0)_{y_i} + \sum_i T_{y_i, y_{i+1}}
        + \mathrm{start}_{y_1} + \mathrm{stop}_{y_L}

    Parameters
    ----------
    X : list of (L, p) arrays or sparse matrices; or (n, p) array, table or sparse matrix
        One array per sequence; or one table of all sequences, one after the other, with
        `lengths`. Or a list for each sequence with a dict of features for each position, as for
        crfsuite: text makes an indicator "name=text", numbers count as they are, and features
        that training did not have are left out.
    y : list of label sequences, or array-like (n,)
        A label of any type for each position.
    lengths : array-like (n_sequences,), default None
        Number of rows of each sequence, if X is one table. None means one sequence.
    groups : sequence or mapping, default None
        Groups of features, such as templates, as in `penalties.GroupL2`. This is short for
        ``penalty=penalties.GroupL2(groups)``. All K coefficients of all features of a group enter
        together.
    penalty : object of sparsesolve.penalties, default None
        Penalty on groups of features. None, without `groups`, is the elastic net on single
        coefficients.
    alpha : float in [0, 1], default 1.0
        Mixes the penalty with a ridge part, ``alpha Omega + (1 - alpha) |B|^2 / 2``: 1 is the
        lasso (or groups alone), 0 ridge. The ridge of a group has the group's weight.
    transitions : {"ridge", "l1", "group", "free"}, default "ridge"
        Penalty on t, which are the labels' intercepts, transitions, start and stop scores:
        ``|t|^2 / 2``; the l1 norm; one group, in or out as a whole, ``d |t|`` with d^2 = K + 3 (K
        + 2 without intercepts); or none within a box of -20 to 20. The best free score of a
        transition that never occurs is minus infinity. The status is then UNBOUNDED, a warning
        names the transition, and the solution is the best within the box.
    intercept : bool, default True
        Whether each label has an intercept, which is part of t.
    allowed : array-like (K, K) of bool, default None
        Transitions that are possible, from row to column in the sorted order of the labels; those
        of a frame are found by its labels.
        Training labels must obey it.
    weights : array-like (n_sequences,), default None
        One for each sequence, scaled to sum 1. Sequences of weight 0 are ignored.
    lambdas : array-like (L,), default None
        In any order; solved from the largest down. With equal weights over N
        sequences, lambda is crfsuite's ``c1 / N``, or with ``alpha=0`` its ``2 c2 / N``.
    lambda_min_ratio : float in (0, 1), default 1e-2
        Last lambda over the first.
    tol : float, default 1e-4
        Duality gap to reach, relative to the objective at zero.
    max_iter : int, default None
        Most steps per lambda; None means 10,000.
    n_threads : int, default 1
        Threads over sequences; -1 for all cores. The result does not depend on it.

    Returns
    -------
    CRFPath

    Warns
    -----
    ConvergenceWarning
        Once, with the lambdas whose certificate misses `tol`; and once, with the free scores that
        have no finite optimum.

    Notes
    -----
    The dual point is -F' scaled until it is feasible, a mixture of the labels and of marginals.
    Its value is bounded by the entropy of the marginals, which is computed with the gradient.
    Memory: X twice, some 50 vectors of all coefficients (20 if there are more than a million) and
    10 of n K. If p^2 K is at most 8 million, the curvature of each label takes p^2 K numbers
    twice.

    References
    ----------
    Lafferty, McCallum, Pereira (2001), "Conditional random fields". Martins, Smith, Xing, Aguiar,
    Figueiredo (2011), "Online learning of structured predictors with multiple kernels", on groups
    of templates. Stella, Themelis, Sopasakis, Patrinos (2017), the solver (PANOC).

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> y = np.where(X[:, 0] + np.roll(X[:, 0], 1) > 0, "up", "down")
    >>> fit = ss.crf_path(X, y, lengths=[50] * 4, n_lambdas=5)
    >>> bool(fit.gaps.max() <= 1e-4), fit.nonzero(fit.lambdas[1])
    (True, array([0]))
    """
    alpha = read_number("alpha", alpha, 0, 1)
    read_choice("transitions", transitions, KINDS)
    read_flag("intercept", intercept)
    read_flag("progress", progress)
    tol = read_number("tol", tol, 0, np.inf)
    grid = read_lambdas(lambdas)
    n_lambdas = read_count("n_lambdas", n_lambdas, 1)
    ratio = read_number("lambda_min_ratio", lambda_min_ratio, 0, 1, open_low=True, open_high=True)
    max_iter = MAX_ITER if max_iter is None else read_count("max_iter", max_iter, 0)
    threads = thread_count(n_threads)
    with one_blas_thread():
        problem, labels, allowed, bound = read_chain_problem(
            X, y, lengths, groups, penalty, alpha, transitions, intercept, allowed, weights,
            threads,
        )  # fmt: skip
        state = chain_state(problem, threads)
        if grid is None:
            grid = _grid(state, problem, alpha, n_lambdas, ratio, max_iter)
        with progress_bar(len(grid), progress) as advance:
            points, reason = follow(state, problem, grid, tol=tol, max_iter=max_iter, stop=None,
                                    dfmax=None, pmax=None, advance=advance)  # fmt: skip
    options = {"alpha": alpha, "transitions": transitions, "intercept": bool(intercept),
               "tol": tol}  # fmt: skip
    path = wrapped(points, reason, problem, labels, allowed, bound, options)
    warn_unbounded(path)
    warn_missed([replace(path, unbounded=None)], tol)
    return path


def _grid(state, problem, alpha, n_lambdas, ratio, max_iter):
    """Return log-spaced lambdas from about the least at which no feature enters.

    That lambda depends on the transitions, which depend on lambda, so both are computed in a few
    rounds.
    """
    z = problem.products(state.point.u)
    levels = problem.penalty.entry_lambdas(z)
    largest = float(levels.max(initial=0.0))
    if alpha == 0.0:
        largest = RIDGE_START * float(np.abs(z).max(initial=0.0))
    elif not problem.penalty.normed:
        for _ in range(LEVELS):
            if largest == 0.0:
                break
            state.solve(largest, NULL_GAP * problem.null_value, max_iter)
            z = problem.products(state.point.u) + 0.0
            if np.any(state.point.b[: problem.p * problem.K]):
                break
            level = float(problem.penalty.entry_lambdas(z).max())
            if level >= (1.0 - NULL_GAP) * largest:
                break
            largest = level
    if largest == 0.0:
        return np.zeros(1)
    return largest * np.geomspace(1.0, ratio, n_lambdas)
