"""Pegasos: subgradient steps with one row or all rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data import (
    answers_keywords,
    by_rows,
    read_choice,
    read_count,
    read_design,
    read_flag,
    read_number,
    read_seed,
    read_sides,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.bundle.excessive_gap import pragam
from sparsesolve.paths.bundle.hinge import HingeRisk
from sparsesolve.paths.bundle.trace import Recorder, Trace
from sparsesolve.solvers.baselines.bundle import CuttingPlanes, Mean
from sparsesolve.solvers.baselines.pegasos_rows import steps


@answers_keywords()
@by_rows("y")
@described_by(pragam)
def pegasos(
    X: Any,
    y: Any,
    lam: float,
    n_iter: int = 100,
    *,
    batch: int | str = "all",
    ball: bool = True,
    seed: int = 0,
    n_threads: int = 1,
    callback: Callable[[int, np.ndarray, np.ndarray | None], Any] | None = None,
) -> Trace:
    """Minimise ``lam |w|^2 / 2`` + the mean hinge loss by subgradient steps of length 1 / (lam t).

    Parameters
    ----------
    n_iter : int, default 100
        Steps with all rows; with batch=1, rounds of n steps.
    batch : {"all", 1}, default "all"
        Rows of a step: Pegasos-n or Pegasos-1.
    ball : bool, default True
        After each step, shrink w into ``|w| <= 1 / sqrt(lam)``, which contains the minimiser.
    seed : int, default 0
        Seed of the rows drawn with replacement for batch=1.
    n_threads : int, default 1
        Threads for products with X, of all rows; -1 for all cores.
    callback : callable, default None
        ``callback(k, w, alpha)`` is called with each iterate, from k = 0, while the clock stands;
        alpha (n,) is the mean dual point, None at 0.

    Returns
    -------
    Trace
        J at every iterate (with batch=1 after every round). The lower bound D is that of the mean
        dual point, which is loose: the gap falls no faster than 1 / t, and J sometimes rises.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro (2007), "Pegasos: primal estimated sub-gradient solver for SVM".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.paths import bundle
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> trace = bundle.pegasos(X, X[:, 0] > 0, 0.1, 100)
    >>> bool(trace.objectives.min() < trace.objectives[0])
    True
    """
    lam = read_number("lam", lam, 0, np.inf, open_low=True)
    n_iter, ball = read_count("n_iter", n_iter, 0), read_flag("ball", ball)
    seed, n_threads = read_seed(seed), thread_count(n_threads)
    if isinstance(batch, str):
        read_choice("batch", batch, ("all",))
    elif batch != 1:
        raise ValueError(f"batch must be 'all' or 1, not {batch!r}")
    with one_blas_thread():
        if batch == 1:
            return _by_rows(X, y, lam, n_iter, ball, seed, Recorder(callback))
        read = HingeRisk(X, y, False, None, n_threads)
        return _by_all(read, lam, n_iter, ball, Recorder(callback))


def _by_all(read, lam, n_iter, ball, record):
    inner = read.level(lam)
    radius = 1.0 / np.sqrt(inner) if ball else np.inf
    p = len(read.unit)
    method = CuttingPlanes(read.inner, inner, np.zeros(p), Mean(p, inner, radius))

    def point():
        return read.coefficients(method.w), None if method.mixed is None else np.abs(method.mixed)

    record.record(method.objective, 0.0, read.passes, point)
    for _ in range(n_iter):
        method.step()
        record.record(method.objective, method.lower, read.passes, point)
    return record.trace("pegasos", read.coefficients(method.best), 0.0)


def _by_rows(X, y, lam, n_iter, ball, seed, record):
    """Run rounds of n steps. The trace's products with all rows are not on its clock."""
    matrix, _ = read_design(X)
    rows = sparse.csr_array(matrix, dtype=float)
    n, p = rows.shape
    sides = np.asarray(read_sides(y, n).values, dtype=float)
    rng, radius = np.random.default_rng(seed), 1.0 / np.sqrt(lam) if ball else np.inf
    start, column = rows.indptr.astype(np.intc), rows.indices.astype(np.intc)
    data = rows.data if len(rows.data) else np.zeros(1)
    column = column if len(column) else np.zeros(1, dtype=np.intc)
    v, scale, t, violations = np.zeros(p), 1.0, 0, np.zeros(n, dtype=np.longlong)
    best, least = np.zeros(p), 1.0  # v changes in place
    record.record(1.0, 0.0, 0, lambda: (np.zeros(p), None))
    for k in range(n_iter):
        order = rng.integers(n, size=n).astype(np.intc)
        scale, t = steps(start, column, data, sides, order, lam, radius, v, scale, t, violations)
        record.pause()
        w, alpha = scale * v, np.minimum(violations / t, 1.0 / n)
        objective = 0.5 * lam * float(w @ w)
        objective += float(np.maximum(1.0 - sides * (rows @ w), 0.0).mean())
        z = rows.T @ (sides * alpha)
        if objective < least:
            best, least = w, objective
        record.go_on()
        record.record(objective, float(alpha.sum() - z @ z / (2.0 * lam)), k + 1,
                      lambda: (w, alpha))  # noqa: B023
    return record.trace("pegasos", best, 0.0)
