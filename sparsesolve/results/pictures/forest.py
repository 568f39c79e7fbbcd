"""Forest plots: intervals of one or several tables, feature by feature."""

import numpy as np

from sparsesolve.results.pictures.axes import MOST_INTERVALS, axes_or_new, label_axes
from sparsesolve.results.pictures.line_names import COLOURS, NAME_SIZE


def plot_forest(tables, ax=None):
    """Draw the intervals of tables below each other; return the axes.

    Tables have names, estimates, lower, upper, p_values and level. Features are those of the
    first; a table without a `method` is grey, since it does not know of the choice.
    """
    ax, first = axes_or_new(ax), tables[0]
    places = -np.arange(len(first.names), dtype=float)
    apart = 0.7 / max(len(tables), 1)
    ax.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    for k, table in enumerate(tables):
        at = {name: i for i, name in enumerate(table.names)}
        which = np.array([at.get(name, -1) for name in first.names])
        shown, which = places[which >= 0] - k * apart, which[which >= 0]
        method = getattr(table, "method", "refit, too narrow")
        colour = COLOURS[k % len(COLOURS)] if hasattr(table, "method") else "0.65"
        lower, upper = table.lower[which], table.upper[which]
        ends = np.isfinite(lower) & np.isfinite(upper)
        ax.hlines(shown[ends], lower[ends], upper[ends], color=colour, linewidth=1.6,
                  label=method)  # fmt: skip
        ax.plot(table.estimates[which], shown, "o", color=colour, markersize=3.5)
        if k == 0 and len(first.names) <= MOST_INTERVALS:
            for y, p in zip(shown, table.p_values[which], strict=True):
                ax.annotate(f"p = {p:.2g}", (1.01, y), xycoords=("axes fraction", "data"),
                            fontsize=NAME_SIZE, va="center")  # fmt: skip
    label_axes(ax, f"Estimate and {100 * first.level:g}% interval", "")
    named = len(first.names) <= MOST_INTERVALS
    ax.set_yticks(places - apart * (len(tables) - 1) / 2 if named else [],
                  [str(name) for name in first.names] if named else [])  # fmt: skip
    if len(tables) > 1:
        ax.legend(fontsize="small", frameon=False)
    return ax
