"""Axes of all pictures, what is drawn on them for several results, and files.

Lines along a path have counts on top and names on the right; tables are curves with names,
intervals, and numbers in cells.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from sparsesolve.data import read_count
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.pictures.line_names import (
    COLOURS,
    NAME_SIZE,
    line_colours,
    line_styles,
    name_lines,
    ranks,
)

AXIS_LABELS = {
    "norm": "L1 norm of the coefficients",
    "lambda": "\N{MINUS SIGN}log(λ)",
    "dev": "Fraction of deviance explained",
}
# A row has at most this many panels.
ABREAST = 4
# Intervals beyond this number have no room for their names.
MOST_INTERVALS = 60
# The axes in the help of a picture.
AXES = """Draw.

Parameters
----------
ax : matplotlib Axes
    Where to draw. Default: the axes of a new figure.

Returns
-------
ax : matplotlib Axes
"""


def on_axes(plot: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Decorate ``plot(self, ax=None)``: it is given axes, and its help says which."""

    @wraps(plot)
    def drawn(self, ax=None):
        return plot(self, axes_or_new(ax))

    return described_by(AXES)(drawn)


def axes_or_new(ax):
    """Return the given axes, or those of a new figure with room for labels outside them."""
    if ax is None:
        return _pyplot().subplots(figsize=(8.0, 5.0), layout="constrained")[1]
    if not hasattr(ax, "plot"):
        raise TypeError(f"ax must be axes of matplotlib or None, not {type(ax).__name__}")
    return ax


def new_panels(count):
    """Return `count` axes in one new figure, as an array."""
    return panels_of(_pyplot().figure(figsize=_panel_size(count), layout="constrained"), count)


def panels_of(figure, count):
    """Return `count` axes of a figure, in rows; each has its own scales."""
    rows = -(-count // ABREAST)
    axes = figure.subplots(rows, -(-count // rows), squeeze=False).ravel()
    for spare in axes[count:]:
        spare.remove()
    return axes[:count]


def _panel_size(count):
    rows = -(-count // ABREAST)
    return 4.4 * -(-count // rows), 4.2 * rows  # inches


def save_figure(draw, file, title, ylabel=None, panels=None):
    """Draw into a file, without a screen, what draw(ax=) draws on axes or panels."""
    from matplotlib.figure import Figure

    size = (9.0, 6.0) if panels is None else _panel_size(panels)
    figure = Figure(figsize=size, dpi=150, layout="constrained")
    if panels is None:
        ax = draw(ax=figure.add_subplot())
        ax.set_title(title, loc="left", pad=12.0)
        if ylabel:
            ax.set_ylabel(ylabel)
    else:
        draw(ax=panels_of(figure, panels))
        figure.suptitle(title, x=0.01, ha="left")
    figure.savefig(file)


def along(path, xvar, allowed):
    """Return the place of each lambda on the horizontal axis (L,), the empty model on the left."""
    if xvar not in allowed:
        raise ValueError(f"xvar is {xvar!r}; choose one of {', '.join(map(repr, allowed))}")
    with np.errstate(divide="ignore"):  # lambda = 0 has no place on its axis
        x = -np.log(path.lambdas) if xvar == "lambda" else np.array(path.dev_ratio, dtype=float)
    if xvar == "norm":
        matrices = path.coefs if isinstance(path.coefs, list) else [path.coefs]
        x = sum(np.asarray(abs(m).sum(axis=0)).ravel() for m in matrices)
    if not np.isfinite(x).any():
        raise ValueError(f"The path holds no lambda that can be drawn against {xvar!r}")
    return x


def draw_along(ax, x, lines, names, label, labels, counts, numbers=None):
    """Draw lines (m, L) against x (L,), those with the largest last value on top.

    Nothing is drawn where x is not finite. `label` names the lines: True as many as fit, an int at
    most that many. `labels` are those of the axes; `counts` (places, counts, title) stand along
    the top. Lines with equal `numbers` (m,) look alike in all pictures; by default neighbours at
    the end differ.
    """
    named = label * len(lines) if isinstance(label, bool) else read_count("label", label, 0)
    shown = np.isfinite(x)
    order = np.argsort(np.abs(lines[:, -1]), kind="stable")
    x, lines = x[shown], lines[order][:, shown]
    numbers = None if numbers is None else numbers[order]
    collection = draw_lines(ax, x, lines, numbers)
    label_axes(ax, *labels)
    count_on_top(ax, *counts)
    if named:
        ordered = [names[k] for k in order]
        name_lines(ax, collection, x[-1], lines[:, -1], ordered, named, numbers)


def draw_lines(ax, x, lines, numbers=None):
    """Draw all lines as one collection: a thousand separate ones would take seconds."""
    from matplotlib.collections import LineCollection

    segments = np.empty((len(lines), len(x), 2))
    segments[:, :, 0] = x
    segments[:, :, 1] = without_rests_at_zero(lines)
    ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    ax.update_datalim([(x.min(), 0.0), (x.max(), 0.0)])
    numbers = ranks(lines[:, -1]) if numbers is None else numbers
    collection = LineCollection(
        segments, colors=line_colours(numbers), linestyles=line_styles(numbers), linewidths=1.2,
        capstyle="round",
    )
    ax.add_collection(collection)
    ax.margins(x=0.0, y=0.04)
    ax.autoscale_view()
    return collection


def plot_curves(x, curves, labels, ax=None, *, marker=None, diagonal=False, marks=None,
                steps=False):  # fmt: skip
    """Draw curves (n,) against x by name, with a legend, and return the axes.

    Values that are not finite are not drawn. `labels` are those of the axes, and `marker` is one
    of matplotlib's at each value. `diagonal` adds the line from (0, 0) to (1, 1), `marks` a dot at
    a place in x of each curve by name. With `steps` values hold until the next x.
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
    ax, places = axes_or_new(ax), -np.arange(len(names))
    _draw_bars(ax, places, middle, lower, upper, ("0.5", COLOURS[0]))
    return _name_rows(ax, places, names, label)


def plot_forest(tables, ax=None):
    """Draw the intervals of tables below each other; return the axes.

    Tables have names, estimates, lower, upper, p_values and level. Features are those of the
    first; a table without a `method` is grey, since it does not know of the choice.
    """
    ax, first = axes_or_new(ax), tables[0]
    places, apart = -np.arange(len(first.names), dtype=float), 0.7 / len(tables)
    for k, table in enumerate(tables):
        at = {name: i for i, name in enumerate(table.names)}
        which = np.array([at.get(name, -1) for name in first.names], dtype=int)
        shown, which = places[which >= 0] - k * apart, which[which >= 0]
        method = getattr(table, "method", "refit, too narrow")
        colour = COLOURS[k % len(COLOURS)] if hasattr(table, "method") else "0.65"
        _draw_bars(ax, shown, *(part[which] for part in (table.estimates, table.lower,
                   table.upper)), (colour, colour), method)  # fmt: skip
        if k == 0 and len(first.names) <= MOST_INTERVALS:
            for y, p in zip(shown, table.p_values[which], strict=True):
                ax.annotate(f"p = {p:.2g}", (1.01, y), xycoords=("axes fraction", "data"),
                            fontsize=NAME_SIZE, va="center")  # fmt: skip
    if len(tables) > 1:
        ax.legend(fontsize="small", frameon=False)
    return _name_rows(ax, places - apart * (len(tables) - 1) / 2, first.names,
                      f"Estimate and {100 * first.level:g}% interval")  # fmt: skip


def _draw_bars(ax, places, middle, lower, upper, colours, name=None):
    """Draw intervals, where they are finite, with a dot each, and a line at 0."""
    ends = np.isfinite(lower) & np.isfinite(upper)
    ax.axvline(0.0, color="0.8", linewidth=0.8, zorder=0)
    ax.hlines(places[ends], lower[ends], upper[ends], color=colours[0], linewidth=1.4, label=name)
    ax.plot(middle, places, "o", color=colours[1], markersize=4.0)


def _name_rows(ax, places, names, label):
    """Name what is drawn at places, if there is room, and return the axes."""
    label_axes(ax, label, "")
    named = len(names) <= MOST_INTERVALS
    ax.set_yticks(places if named else [], [str(name) for name in names] if named else [])
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


def label_axes(ax, horizontal, vertical):
    """Label the axes; leave out the frame where counts and names stand."""
    ax.set_xlabel(horizontal)
    ax.set_ylabel(vertical)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def count_on_top(ax, x, counts, title="Nonzero coefficients"):
    """Show the count of nonzero values along the top, also after zooming."""

    def count(position, _=None):
        reach = 1e-9 * (x.max() - x.min())
        if not x.min() - reach <= position <= x.max() + reach:
            return ""
        return str(counts[np.flatnonzero(x <= position + reach)[-1]])

    top = ax.secondary_xaxis("top")
    top.xaxis.set_major_formatter(count)
    top.set_xlabel(title, fontsize=NAME_SIZE + 1)
    top.tick_params(length=0, labelsize=NAME_SIZE + 1)
    top.spines["top"].set_visible(False)


def without_rests_at_zero(lines):
    """Return the lines with NaN where both neighbours are 0 too: none runs along the axis."""
    zero = np.pad(lines == 0.0, ((0, 0), (1, 1)), constant_values=True)
    return np.where(zero[:, :-2] & zero[:, 1:-1] & zero[:, 2:], np.nan, lines)


def _pyplot():
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install 'sparsesolve[plot]'") from None
    return pyplot
