"""The hinge risk of two classes for `bmrm`: its value and subgradient, and how X and y are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, by_rows, read_flag
from sparsesolve.families import hinge
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.assembly import read_problem
from sparsesolve.solvers.baselines.bundle import MarginRisk
from sparsesolve.solvers.margin.ridge_dual import RidgeDual


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
