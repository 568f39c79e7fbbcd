"""Knockoffs: features selected with control of the false discovery rate."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from sparsesolve.results.coefficient_table import Tabled, Text, text_of
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.intervals import WIDTH
from sparsesolve.results.pictures.axes import label_axes, on_axes
from sparsesolve.results.pictures.line_names import COLOURS


@dataclass(frozen=True, eq=False, repr=False)
class Knockoffs(Frozen, Tabled):
    """Features selected by knockoffs; ``print`` shows them and what is guaranteed.

    Made by :func:`sparsesolve.inference.knockoffs`.

    Attributes
    ----------
    names : list (p,)
        Names of the features.
    W : ndarray (p,)
        Statistics: large where a feature beats its knockoff; their mean over several draws. NaN
        for covariates, which are not tested.
    threshold : float
        Least W that is selected; inf if none is. NaN with several draws.
    selected : ndarray (m,)
        Features selected, ascending.
    q_values : ndarray (p,)
        The least fdr at which a feature is selected; 1 where none selects it.
    fdr : float
        The false discovery rate that is controlled.
    covariance_rule : str
        The law that was taken for the features.
    statistic : str
        What W compares.
    draws : int
        Number of draws of knockoffs.
    """

    names: list
    W: np.ndarray
    threshold: float
    selected: np.ndarray
    q_values: np.ndarray
    fdr: float
    covariance_rule: str
    statistic: str
    draws: int = 1

    def _columns(self):
        order = np.argsort(-self.W, kind="stable")
        return {
            "feature": np.array(self.names, dtype=object)[order], "W": self.W[order],
            "q_value": self.q_values[order],
            "selected": np.isin(np.arange(len(self.W)), self.selected)[order],
        }  # fmt: skip

    @property
    def _tested(self):
        return int(np.isfinite(self.W).sum())

    def summary(self) -> str:
        """Return the features selected as text, with what is guaranteed."""
        return Text(str(self))

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw \\|W\\| in order, positive ones coloured, with the threshold."""
        W = self.W[np.isfinite(self.W)]
        W = W[np.argsort(-np.abs(W), kind="stable")]
        place = np.arange(1, len(W) + 1)
        for shown, colour, label in ((W > 0.0, COLOURS[0], "feature beats its knockoff"),
                                     (W < 0.0, "0.65", "knockoff beats the feature")):  # fmt: skip
            ax.vlines(place[shown], 0.0, np.abs(W[shown]), color=colour, linewidth=1.5)
            ax.plot(place[shown], np.abs(W[shown]), "o", color=colour, markersize=3.0, label=label)
        if np.isfinite(self.threshold):
            ax.axhline(self.threshold, color="0.4", linewidth=1.0, linestyle=":",
                       label=f"threshold at fdr {self.fdr:g}")  # fmt: skip
        label_axes(ax, "Features by |W|", "|W|")
        ax.legend(fontsize="small", frameon=False)
        return ax

    def __repr__(self):
        m = len(self.selected)
        return f"<Knockoffs: {m or 'none'} of {self._tested} features at fdr {self.fdr:g}>"

    def __str__(self):
        m, several = len(self.selected), self.draws > 1  # each draw has half of the rate
        least = ceil((2.0 if several else 1.0) / self.fdr - 1e-9)
        columns = self._columns()
        kept = columns.pop("selected")
        columns = {name: values[kept] for name, values in columns.items()}
        if m:
            words = [
                f"{m} of {self._tested} features: the expected share of false ones among them is "
                f"at most {self.fdr:g}, if {self.covariance_rule}."
            ]
        else:
            words = [f"None of {self._tested} features."]
        words.append(f"At fdr {self.fdr:g} at least {least} features must pass together"
                     f"{' in a draw' * several}; with fewer true ones the method has no power."
                     )  # fmt: skip
        text = [textwrap.fill(word, WIDTH) for word in words]
        return "\n".join([*([text_of(columns), ""] if m else []), *text])
