"""Pragam: accelerated projected gradients on the dual of a support vector machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows, read_count, read_flag, read_number
from sparsesolve.data.paragraphs import described_by
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.bundle.hinge import HingeRisk, hinge_risk
from sparsesolve.paths.bundle.trace import Recorder, Trace
from sparsesolve.solvers.baselines.bundle import ExcessiveGap, squared_norm

# Backtracking starts at this fraction of |X|^2 / lam and doubles L until a step satisfies its
# bound.
FIRST_GUESS = 0.02


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
        constant *= FIRST_GUESS if L == "backtracking" else 1.0
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
