"""The hinge risk of two classes for `bmrm`, and two methods of that risk: Pragam and Pegasos."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
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
from sparsesolve.families import hinge
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.assembly import read_problem
from sparsesolve.paths.bundle.trace import Recorder, Trace
from sparsesolve.solvers.baselines.bundle import (
    CuttingPlanes,
    ExcessiveGap,
    MarginRisk,
    Mean,
    squared_norm,
)
from sparsesolve.solvers.margin.ridge_dual import RidgeDual
from sparsesolve.solvers.margin.row_sweeps import pegasos_steps


class HingeRisk:
    """The mean hinge loss as a function of w: ``risk(w)`` is (value, subgradient).

    Made by :func:`hinge_risk`.
    """

    def __init__(self, X, y, bias, weights, n_threads):
        self.problem = read_problem(
            X, y, hinge(), weights=weights, offset=None, penalty_factor=None, lower=None,
            upper=None, alpha=0.0, intercept=bias, standardize=False, n_threads=n_threads,
        )[0]  # fmt: skip
        dual = RidgeDual(self.problem, n_threads)
        self.inner, self.which, self.root_v = MarginRisk(dual), dual.which, dual.root_v
        own = np.ldexp(self.problem.factor, self.problem.shift)  # the user's b per inner b
        self.unit = self.root_v / own[self.which]

    @property
    def n_features(self) -> int:
        """Return the length of w."""
        return len(self.problem.factor)

    @property
    def passes(self) -> int:
        """Return the number of passes over X so far; a product with X or X' is one."""
        return self.inner.products

    def __call__(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value at w (p,) and a subgradient (p,)."""
        with one_blas_thread():
            value, a, *_ = self.inner(self.unit * w[self.which])
        return value, self._of_all(self.unit * a)

    def coefficients(self, g: np.ndarray) -> np.ndarray:
        """Return the user's w (p,) of inner coefficients g (k,)."""
        return self._of_all(g / self.unit)

    def _of_all(self, part):
        out = np.zeros(self.n_features)
        out[self.which] = part
        return out

    def lowest(self, w: np.ndarray) -> float:
        """Return the best bias for w, or 0 without one."""
        inner = self.unit * w[self.which]
        shift = self.inner.value(self.inner.forward(inner))[1]
        return self.problem.to_user(self.which, inner / self.root_v, shift)[2]

    def level(self, lam: float) -> float:
        """Convert lam to the units of the problem's own coordinates."""
        return self.problem.inner_lambda(lam)


@answers_keywords()
@by_rows("y", "weights")
def hinge_risk(
    X: Any,
    y: Any,
    *,
    bias: bool = False,
    weights: ArrayLike | None = None,
    n_threads: int = 1,
) -> HingeRisk:
    """Return the mean hinge loss of two classes as a function of w, for :func:`bmrm`.

    ::

        R(w) = sum_i w_i max(0, 1 - y_i (x_i'w + b)),      with a bias the least over b

    Parameters
    ----------
    X : array-like or scipy sparse matrix, (n, p)
        Never changed.
    y : array-like (n,)
        Labels of two classes.
    bias : bool, default False
        Minimise over a bias inside the risk.
    weights : array-like (n,), default None
        Weights of the rows; only their ratios matter.
    n_threads : int, default 1
        Threads for products with X; -1 for all cores.

    Returns
    -------
    HingeRisk
        ``risk(w)`` returns the value and a subgradient (p,).

    Raises
    ------
    ValueError, TypeError
        Before any work starts, saying what was found, where, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.paths import bundle
    >>> risk = bundle.hinge_risk([[1.0, 0.0], [0.0, 2.0]], [1, -1])
    >>> risk(np.array([0.5, 0.0]))
    (0.75, array([-0.5,  1. ]))
    """
    bias = read_flag("bias", bias)
    return HingeRisk(X, y, bias, weights, thread_count(n_threads))



@answers_keywords()
@by_rows("y", "weights")
@described_by(hinge_risk)
def pragam(
    X: Any,
    y: Any,
    lam: float,
    n_iter: int = 100,
    *,
    bias: bool = False,
    L: float | str = "true",
    weights: ArrayLike | None = None,
    tol: float = 0.0,
    n_threads: int = 1,
    callback: Callable[[int, np.ndarray, np.ndarray], Any] | None = None,
) -> Trace:
    """Minimise ``lam |w|^2 / 2`` + the mean hinge loss by Nesterov's excessive gap technique.

    Parameters
    ----------
    lam : float > 0
        Regularisation: 1 / (C n) of scikit-learn.
    n_iter : int, default 100
        Iterations, of three products with X each.
    bias : bool, default False
        Fit an unpenalised bias (Pragam-b). Dual points then also sum to 0 over the signed rows,
        and columns count as centred in L.
    L : float > 0, "true" or "backtracking", default "true"
        Lipschitz constant of the dual's gradient: "true" is ``|X|^2 / lam`` by Lanczos' method, a
        number is used as it is, and "backtracking" searches from below.
    tol : float, default 0
        Stop when the gap is at most this.
    callback : callable, default None
        ``callback(k, w, alpha)`` is called with each iterate, from k = 0, while the clock stands;
        alpha (n,) is the dual point, between 0 and the weights of the rows.

    Returns
    -------
    Trace
        J(w_k), D(alpha_k) and mu_k of every iteration. With the true L the gap after k iterations
        is at most ``4 L D2 / ((k + 1) (k + 2))``, with backtracking at most ``mu_k D2``.
        ``radius`` is D2, ``sum u_i^2 / 2`` with u the weights of the rows.

    References
    ----------
    Saha, Zhang, Vishwanathan (2010), "Lower bounds for BMRM and faster rates for training SVMs",
    with ``mu_0 = 2 L`` and ``alpha_-1 = 0``, which the proof needs. Nesterov (2005), "Excessive
    gap technique in nonsmooth convex minimization".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.paths import bundle
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 5))
    >>> trace = bundle.pragam(X, X[:, 0] > 0, 0.1, 200)
    >>> f"{trace.gap:.0e}"
    '1e-05'
    """
    lam = read_number("lam", lam, 0, np.inf, open_low=True)
    n_iter, tol = read_count("n_iter", n_iter, 0), read_number("tol", tol, 0, np.inf)
    if isinstance(L, str):
        if L not in ("true", "backtracking"):
            raise ValueError(f"L must be a number, 'true' or 'backtracking', not {L!r}")
    else:
        L = read_number("L", L, 0, np.inf, open_low=True)
    bias, n_threads = read_flag("bias", bias), thread_count(n_threads)
    with one_blas_thread():
        read = HingeRisk(X, y, bias, weights, n_threads)
        return _solve(read, lam, n_iter, L, tol, bias, Recorder(callback))


def _solve(read, lam, n_iter, L, tol, bias, record):
    risk, inner = read.inner, read.level(lam)
    if isinstance(L, str):
        square = squared_norm(risk.forward, risk.back, len(risk.h), len(read.unit))
        constant = (square if square > 0.0 else 1.0) / inner
        constant *= 0.02 if L == "backtracking" else 1.0  # and doubled until a step has its bound
    else:
        constant = L
    method = ExcessiveGap(risk, inner, constant, L == "backtracking", np.zeros(len(risk.h)))
    least, best, highest, smoothing = np.inf, None, -np.inf, []
    while True:
        objective = risk.value(method.eta)[0] + 0.5 * inner * float(method.w @ method.w)
        if objective < least:
            least, best = objective, method.w
        highest = max(highest, method.dual_value)
        smoothing.append(method.mu)
        record.record(objective, method.dual_value, risk.products,
                      lambda: (read.coefficients(method.w), np.abs(method.u)))
        if len(smoothing) > n_iter or least - highest <= tol:
            break
        method.step()
    coef = read.coefficients(best)
    return record.trace("pragam", coef, read.lowest(coef) if bias else 0.0,
                        smoothing=np.array(smoothing), lipschitz=method.L, radius=method.radius,
                        theory=method.radius * np.array(smoothing))  # fmt: skip


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
        scale, t = pegasos_steps(start, column, data, sides, order, lam, radius, v, scale, t,
                                 violations)  # fmt: skip
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
