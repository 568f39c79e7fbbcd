"""Bundle methods for regularised risk minimisation with any convex risk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords, read_count, read_flag, read_number, real_array
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.paths.bundle.hinge import HingeRisk
from sparsesolve.paths.bundle.trace import Recorder, Trace
from sparsesolve.paths.penalty import is_concave, read_penalty
from sparsesolve.penalties.registry import named_penalty
from sparsesolve.penalties.whole import WholePenalty
from sparsesolve.solvers.baselines.bundle import Aggregate, CuttingPlanes, PenalisedPlanes
from sparsesolve.solvers.margin.planes import Planes


@answers_keywords()
def bmrm(
    risk: Callable[[np.ndarray], Any] | ArrayLike,
    lam: float,
    n_iter: int = 100,
    *,
    line_search: bool = False,
    start: ArrayLike | None = None,
    tol: float = 0.0,
    penalty: Any = None,
    callback: Callable[[int, np.ndarray, np.ndarray | None], Any] | None = None,
) -> Trace:
    """Minimise ``lam |w|^2 / 2 + R(w)`` by cutting planes of a convex risk R.

    Each iteration adds the plane that touches R at the last w, and minimises the model: the
    maximum of the planes plus the ridge part, or with ``penalty=`` plus any other.

    Parameters
    ----------
    risk : callable or array-like (p, m)
        ``risk(w)`` returns R(w) and a subgradient (p,), as :func:`hinge_risk` does. An array is
        ``R(w) = max_j a_j'w`` over its columns.
    lam : float > 0
        Regularisation.
    n_iter : int, default 100
        Iterations.
    line_search : bool, default False
        False is qp-BMRM: keep all planes; their weights solve a quadratic programme. True is
        ls-BMRM: keep one aggregate plane, and step towards the new one by an exact line search.
    start : array-like (p,), default None
        The first w; None is 0. A risk function without `n_features` needs it, for its length.
    tol : float, default 0
        Stop when the gap is at most this.
    penalty : object of `sparsesolve.penalties` or its name, default None
        Omega in ``lam Omega(w) + R(w)``; None is ``|w|^2 / 2``. R must then be at least 0, as
        losses are, and Omega convex, of every coefficient; the model is minimised by proximal
        steps.
    callback : callable, default None
        ``callback(k, w, alpha)`` is called with each iterate, from k = 0, while the clock stands;
        alpha are the weights of the planes, None at 0 and with line_search.

    Returns
    -------
    Trace
        J at every iterate, the lower bounds J_t, and the best w. ``theory`` is Theorem 5 of Saha
        et al., for the longest plane so far, from the gap after the first step on.

    Raises
    ------
    ValueError, TypeError
        If lam is not positive, the risk returns anything but a finite number and a finite vector
        of the length of w, or the length of w is not known.

    Notes
    -----
    Planes without weight in 50 iterations are dropped. For some risks the gap falls as 1 / (lam
    t) and no faster, for example the columns of an orthonormal matrix.

    References
    ----------
    Teo, Vishwanathan, Smola, Le (2010), "Bundle methods for regularized risk minimization". Saha,
    Zhang, Vishwanathan (2010), "Lower bounds for BMRM and faster rates for training SVMs".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.paths import bundle
    >>> trace = bundle.bmrm(np.eye(4), 0.5, 3)
    >>> trace.bounds[1:].round(3)
    array([-1.   , -0.5  , -0.333])
    """
    lam = read_number("lam", lam, 0, np.inf, open_low=True)
    n_iter = read_count("n_iter", n_iter, 0)
    tol = read_number("tol", tol, 0, np.inf)
    line_search = read_flag("line_search", line_search)
    asked = _Asked(risk)
    w = _read_start(start, asked.n_features)
    record, own = Recorder(callback), _read_penalty(penalty, len(w), line_search)
    with one_blas_thread():
        model: Any = (Aggregate if line_search else Planes)(len(w), lam)
        if own is not None:
            model = PenalisedPlanes(len(w), lam, own)
        method = CuttingPlanes(asked, lam, w, model, own)

        def point():
            weighed = not line_search and method.lower > -np.inf
            return method.w.copy(), model.weights if weighed else None

        record.record(method.objective, -np.inf, asked.passes, point)
        longest, theory = [], [np.inf]
        while len(record.bounds) <= n_iter:
            longest.append(float(np.linalg.norm(method.plane[0])))
            method.step()
            record.record(method.objective, method.lower, asked.passes, point)
            theory.append(_promised(theory, lam, max(longest), method))
            if method.least - method.lower <= tol:
                break
    bias = risk.lowest(method.best) if isinstance(risk, HingeRisk) else 0.0
    return record.trace("ls_bmrm" if line_search else "qp_bmrm", method.best, bias,
                        theory=np.array(theory) if own is None else None)  # fmt: skip


def _promised(theory, lam, G, method):
    """Return the largest gap after one more step.

    A gap e falls by at least (e / 2) min(1, lam e / (4 G^2)): Teo et al. (2010), section 5.
    """
    e = theory[-1]
    if e == np.inf:
        return method.least - method.lower
    return e - 0.5 * e * min(1.0, lam * e / (4.0 * G * G)) if G > 0.0 else 0.0


def _read_penalty(penalty, p, line_search):
    """Return a penalty as solvers use it, over p features; None for the ridge."""
    if penalty is None:
        return None
    penalty = named_penalty(penalty)
    read_penalty(penalty)
    if line_search:
        raise ValueError("line_search=True is for the ridge alone; leave penalty or it out")
    if is_concave(penalty):
        raise ValueError(f"{type(penalty).__name__} is not convex; bundle methods are for convex "
                         "problems")  # fmt: skip
    own = WholePenalty(penalty.over(p, None) if hasattr(penalty, "over") else penalty, p)
    if own.kernel() is not None or own.nonnegative:
        raise ValueError(f"{own.label} leaves directions without a penalty or has limits; give "
                         "bmrm a penalty of every coefficient")  # fmt: skip
    return own


class _Asked:
    """The risk as an oracle of planes. It checks the answers and counts passes over the data."""

    def __init__(self, risk):
        self.risk, self.columns, self.asked = risk, None, 0
        if not callable(risk):
            self.columns = real_array("risk", risk)
            if self.columns.ndim != 2 or 0 in self.columns.shape:
                raise ValueError(
                    f"risk has shape {self.columns.shape}; give a function, or an array (p, m) of "
                    "columns a_j"
                )
            if not np.isfinite(self.columns).all():
                raise ValueError("risk holds a column that is not finite")

    @property
    def n_features(self):
        """Return the length of w, or None if only the user knows it."""
        if self.columns is not None:
            return self.columns.shape[0]
        return getattr(self.risk, "n_features", None)

    @property
    def passes(self):
        """Return the passes: one per call for columns; two for a function that does not count its
        own.
        """
        return getattr(self.risk, "passes", self.asked * (2 if self.columns is None else 1))

    def __call__(self, w):
        self.asked += 1
        if self.columns is not None:
            values = w @ self.columns
            j = int(values.argmax())
            return float(values[j]), self.columns[:, j].copy(), 0.0, None
        answer = self.risk(w.copy())
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise TypeError(
                "risk must return a value and a subgradient, as a tuple of two; it returned "
                f"{type(answer).__name__}"
            )
        value, a = float(answer[0]), np.array(answer[1], dtype=float)
        if a.shape != w.shape:
            raise ValueError(f"risk returned a subgradient of shape {a.shape}; w has {w.shape}")
        if not (np.isfinite(value) and np.isfinite(a).all()):
            raise ValueError(
                f"risk returned a value or subgradient that is not finite at call {self.asked}; "
                "it must be finite everywhere"
            )
        return value, a, value - float(a @ w), None


def _read_start(start, p):
    if start is None:
        if p is None:
            raise ValueError("start is needed: only you know the length of w of your risk")
        return np.zeros(p)
    w = np.array(start, dtype=float)
    if w.ndim != 1 or (p is not None and len(w) != p):
        raise ValueError(f"start has shape {w.shape}; w has {'one axis' if p is None else p}")
    if not np.isfinite(w).all():
        raise ValueError(f"start is not finite at {int(np.isfinite(w).argmin())}")
    return w
