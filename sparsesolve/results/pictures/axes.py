"""Axes of all pictures: lines along a path, counts on top, names on the right, files."""

import numpy as np

from sparsesolve.data import read_count
from sparsesolve.results.pictures.line_names import (
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
# A new figure has this size in inches, with room for the names of lines.
FIGURE = (8.0, 5.0)
# One panel among several has this size in inches.
PANEL = (4.4, 4.2)
# A row has at most this many panels.
ABREAST = 4


def axes_or_new(ax):
    """Return the given axes, or those of a new figure with room for labels outside them."""
    if ax is None:
        return _pyplot().subplots(figsize=FIGURE, layout="constrained")[1]
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
    return PANEL[0] * -(-count // rows), PANEL[1] * rows


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
    """Draw lines (m, L) against x, those with the largest last value on top.

    Parameters
    ----------
    ax : matplotlib Axes
    x : ndarray (L,)
        Nothing is drawn where it is not finite.
    lines : ndarray (m, L)
    names : sequence of length m
    label : bool or int
        Name the lines: True as many as fit, an int at most that many.
    labels : pair of str
        Labels of the axes.
    counts : triple (places (K,), counts (K,), title)
        Counts to show along the top.
    numbers : ndarray (m,) of int, optional
        Lines with equal numbers look alike in all pictures. Default: neighbours at the end
        differ.
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
    segments[:, :, 1] = _without_rests_at_zero(lines)
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


def _without_rests_at_zero(lines):
    """Return the lines with NaN where both neighbours are 0 too, so that none runs along the
    axis.
    """
    zero = np.pad(lines == 0.0, ((0, 0), (1, 1)), constant_values=True)
    return np.where(zero[:, :-2] & zero[:, 1:-1] & zero[:, 2:], np.nan, lines)


def _pyplot():
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install 'sparsesolve[plot]'") from None
    return pyplot
