"""Trace: the record of an iterative method, iteration by iteration."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsesolve.data import shown
from sparsesolve.results.coefficient_table import Tabled, columns_of_one, described
from sparsesolve.results.pictures.axes import on_axes, plot_curves


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Tabled):
    """The record of one run: iteration 0 is its start, and T iterations follow.

    ``gaps[t]`` bounds the error after t iterations: the least objective so far minus the largest
    lower bound so far.
    """

    method: str  #: "ls_bmrm", "qp_bmrm", "pragam" or "pegasos"
    objectives: np.ndarray  #: (T + 1,) J at each iterate, which may rise
    bounds: np.ndarray  #: (T + 1,) lower bounds of the least J: J_t of BMRM, D of the others
    passes: np.ndarray  #: (T + 1,) passes over the data so far, a product with X or X' each
    seconds: np.ndarray  #: (T + 1,) processor time so far, without what only the trace needs
    coef: np.ndarray  #: (p,) the iterate of the least objective
    intercept: float  #: its bias; 0 without one
    smoothing: np.ndarray | None = None  #: (T + 1,) mu of Pragam, whose gap is at most mu D2
    lipschitz: float | None = None  #: L of Pragam, the last one with backtracking
    radius: float | None = None  #: D2 of Pragam
    #: (T + 1,) the largest gap that the method's theorem allows: of Pragam mu D2; of BMRM that of
    #: Theorem 5, some 8 G^2 / (lam t), with the longest plane so far, inf at 0; None without one
    theory: np.ndarray | None = None

    @property
    def gaps(self) -> np.ndarray:
        """Return bounds on the excess of the best iterate so far over the optimum, (T + 1,)."""
        return np.minimum.accumulate(self.objectives) - np.maximum.accumulate(self.bounds)

    def _columns(self):
        return {
            "iteration": np.arange(len(self.objectives)), "objective": self.objectives,
            "bound": self.bounds, "gap": self.gaps, "passes": self.passes,
            "seconds": self.seconds,
        }  # fmt: skip

    def summary(self) -> str:
        """Describe in words how the run ended, and its largest coefficients."""
        count = np.count_nonzero(self.coef)
        lines = [repr(self).strip("<>"), f"{count} of {len(self.coef)} features"]
        return described(lines, columns_of_one(self.coef, self.intercept), "coef")

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the bound on the error after each pass over the data, on a logarithmic axis."""

        gaps = np.where(self.gaps > 0.0, self.gaps, np.nan)
        ax = plot_curves(self.passes, {self.method: gaps}, ("Passes over the data", "Gap"), ax)
        ax.set_yscale("log")
        return ax

    def __repr__(self):
        return (
            f"<Trace of {self.method}: {len(self.objectives) - 1} iterations, objective "
            f"{self.objectives.min():.5g}, gap {self.gap:.2g}>"
        )

    @property
    def gap(self) -> float:
        """Return the bound on the excess of `coef` over the optimum."""
        return float(self.gaps[-1])


class Recorder:
    """Collects a trace. Its clock runs while a method works and stops while a point is evaluated.
    """

    def __init__(self, callback=None):
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be a function (k, w, alpha), not {shown(callback)}")
        self.callback = callback
        self.objectives, self.bounds, self.passes, self.seconds = [], [], [], []
        self.spent, self.begun = 0.0, time.process_time()

    def record(self, objective, bound, passes, point=None):
        """Record one iteration, tell the callback, and start the clock again.

        `point()` returns the user's w and the dual point of the iteration.
        """
        now = time.process_time()
        self.spent += now - self.begun
        for values, value in zip(
            (self.objectives, self.bounds, self.passes, self.seconds),
            (objective, bound, passes, self.spent), strict=True,
        ):  # fmt: skip
            values.append(value)
        if self.callback is not None:
            self.callback(len(self.objectives) - 1, *point())
        self.begun = time.process_time()

    def pause(self):
        """Stop the clock until the next record or `go_on`."""
        self.spent += time.process_time() - self.begun

    def go_on(self):
        """Start the clock again."""
        self.begun = time.process_time()

    def trace(self, method, coef, intercept, **more):
        """Return the Trace."""
        columns = (self.objectives, self.bounds, self.passes, self.seconds)
        return Trace(method, *(np.array(column, dtype=float) for column in columns), coef,
                     float(intercept), **more)  # fmt: skip
