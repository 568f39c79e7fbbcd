"""Pictures of tables: curves with names, intervals, and numbers in cells."""

import numpy as np

from sparsesolve.results.pictures.axes import axes_or_new, label_axes
from sparsesolve.results.pictures.line_names import COLOURS, NAME_SIZE

# Intervals beyond this number have no room for their names.
MOST_INTERVALS = 60


def plot_curves(x, curves, labels, ax=None, *, marker=None, diagonal=False, marks=None,
                steps=False):  # fmt: skip
    """Draw curves with a legend of their names.

    Parameters
    ----------
    x : array (n,)
    curves : dict from names to arrays (n,)
        Values that are not finite are not drawn.
    labels : pair of str
        Labels of the axes.
    ax : matplotlib Axes, optional
        Where to draw. Default: the axes of a new figure.
    marker : str, optional
        A marker of matplotlib at each value.
    diagonal : bool
        Also draw the line from (0, 0) to (1, 1).
    marks : dict from names to places, optional
        The place in x at which each curve has a dot.
    steps : bool
        Values hold until the next x.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = axes_or_new(ax)
    if diagonal:
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=1.0, linestyle=":", zorder=0)
    for k, (name, values) in enumerate(curves.items()):
        colour = COLOURS[k % len(COLOURS)]
        shown = np.where(np.isfinite(values), values, np.nan)
        ax.plot(x, shown, color=colour, marker=marker, linewidth=1.3, label=name,
                drawstyle="steps-post" if steps else "default")  # fmt: skip
        if marks is not None:
            ax.plot(x[marks[name]], shown[marks[name]], "o", color=colour)
    label_axes(ax, *labels)
    if any(name and not name.startswith("_") for name in curves):
        ax.legend(fontsize="small", frameon=False)
    return ax


def plot_intervals(names, middle, lower, upper, label, ax=None):
    """Draw intervals one below the other, the first on top, and a line at 0; return the axes."""
    ax = axes_or_new(ax)
    place = -np.arange(len(names))
    ax.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    ax.hlines(place, lower, upper, color="0.5", linewidth=1.2)
    ax.plot(middle, place, "o", color=COLOURS[0], markersize=4.0)
    label_axes(ax, label, "")
    named = len(names) <= MOST_INTERVALS
    ax.set_yticks(place if named else [], [str(name) for name in names] if named else [])
    return ax


def plot_cells(values, rows, columns, labels, ax=None):
    """Draw a table of numbers, dark where they are large within their row; return the axes."""
    ax = axes_or_new(ax)
    totals = values.sum(axis=1, keepdims=True)
    shares = np.divide(values, totals, out=np.zeros_like(values, dtype=float), where=totals > 0.0)
    ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        ax.text(j, i, f"{value:.6g}", ha="center", va="center", fontsize=NAME_SIZE,
                color="white" if shares[i, j] > 0.5 else "black")  # fmt: skip
    ax.set_xticks(range(len(columns)), [str(name) for name in columns])
    ax.set_yticks(range(len(rows)), [str(name) for name in rows])
    ax.set(xlabel=labels[0], ylabel=labels[1])
    return ax
