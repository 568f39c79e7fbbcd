"""Intervals: tests and confidence intervals after a choice, with what they guarantee in words."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparsesolve.data import read_choice
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results import printing
from sparsesolve.results.coefficient_table import Tabled, Text
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import AXES, plot_forest

WIDTH = 92


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Frozen, Tabled):
    """Tests and confidence intervals of features; ``print`` shows the table and its guarantee.

    Made by the functions of `sparsesolve.inference`.

    Attributes
    ----------
    names : list (m,)
        Names of the features.
    features : ndarray (m,)
        Their columns.
    estimates : ndarray (m,)
        Fitted without penalty, or debiased.
    errors : ndarray (m,)
        Standard errors of a model chosen beforehand.
    p_values : ndarray (m,)
        Two-sided.
    lower : ndarray (m,)
        Ends of the intervals; NaN where a method gives none.
    upper : ndarray (m,)
    level : float
        Level of the intervals.
    method : str
        The name of the function.
    words : list of str
        What is guaranteed, first, and what else a reader of the table must know.
    sigma : float
        Standard deviation of a response of weight 1; 1 where the family knows its own variance.
    sigma_rule : str
        Where `sigma` comes from, or "".
    event : str
        "certified" if the active set and signs are those of the lasso, proved by the duality gap;
        "" where nothing rests on them.
    truncation : ndarray (m, 2)
        Limits between which the event holds an estimate (of the selecting rows), the rest being
        given; infinite where there are none.
    lam : float
        The lambda of the selection; NaN if none.
    leakage : ndarray (m,)
        Debiased alone: the largest share of another coefficient's error that is left in the
        estimate; else NaN.
    """

    names: list
    features: np.ndarray
    estimates: np.ndarray
    errors: np.ndarray
    p_values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    level: float
    method: str
    words: list = field(default_factory=list)
    sigma: float = 1.0
    sigma_rule: str = ""
    event: str = ""
    truncation: np.ndarray | None = None
    lam: float = np.nan
    leakage: np.ndarray | None = None

    def __post_init__(self):
        m = len(self.names)
        for name, shape, value in (("truncation", (m, 2), [-np.inf, np.inf]),
                                   ("leakage", (m,), np.nan)):  # fmt: skip
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.broadcast_to(value, shape).copy())
        self._freeze()

    def _columns(self):
        return {
            "feature": np.array(self.names, dtype=object), "estimate": self.estimates,
            "std_error": self.errors, "p_value": self.p_values, "lower": self.lower,
            "upper": self.upper,
        }  # fmt: skip

    def adjusted(self, method: str = "holm") -> np.ndarray:
        """Return p-values adjusted for the number of features of the table.

        Parameters
        ----------
        method : {"holm", "bh", "by"}, default "holm"
            Holm controls the probability of any false rejection; Benjamini and Hochberg the false
            discovery rate of independent p-values, Benjamini and Yekutieli that of any.

        Returns
        -------
        p_values : ndarray (m,)
        """
        method = read_choice("method", method, ["holm", "bh", "by"])
        p, m = self.p_values, len(self.p_values)
        order = np.argsort(p, kind="stable")
        if method == "holm":
            raised = np.maximum.accumulate(p[order] * (m - np.arange(m)))
        else:
            raised = p[order] * m / np.arange(1, m + 1)
            raised *= np.sum(1.0 / np.arange(1, m + 1)) if method == "by" else 1.0
            raised = np.minimum.accumulate(raised[::-1])[::-1]
        found = np.empty(m)
        found[order] = np.minimum(raised, 1.0)
        return found

    def summary(self) -> str:
        """Return the table as text, with what it guarantees."""
        return Text(str(self))

    @described_by(AXES)
    def plot(self, *others: Any, ax: Any = None) -> Any:
        """Draw a forest plot: each feature's interval, with p-values on the right.

        Parameters
        ----------
        *others : Intervals or Refit
            Other tables, drawn below the intervals of the same features.
        """
        return plot_forest([self, *others], ax)

    def __repr__(self):
        shown = ", ".join(self.names[:5]) + ", ..." * (len(self.names) > 5)
        of = "feature" if len(self.names) == 1 else "features"
        return (f"<Intervals by {self.method}: {len(self.names)} {of} ({shown}); print shows the "
                "table>")  # fmt: skip

    def __str__(self):
        cells = [["", "Estimate", "Std. error", "P", f"[{100 * self.level:g}%", "interval]"]]
        columns = (self.estimates, self.errors, self.p_values, self.lower, self.upper)
        bare = bool(np.isnan(self.lower).all()) and len(self.names) > 0
        for name, *row in zip(self.names, *columns, strict=True):
            cells.append([str(name), *(f"{value:.4g}" for value in row)])
        cells = [row[:1] + row[3:4] for row in cells] if bare else cells
        words = [textwrap.fill(sentence, WIDTH) for sentence in self.words]
        return "\n".join([*printing.right_aligned(cells), "", *words])
