"""Drawing a path: coefficients against their norm, lambda, or the deviance explained."""

import numpy as np
from scipy import sparse

# Okabe and Ito's palette, told apart with every common kind of colour blindness; its yellow is
# left out, too pale for a thin line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MAX_LINES = 1000  # more cannot be told apart, and a ridge path may have half a million
LABEL_SIZE = 8.0  # points
AXIS_LABELS = {
    "norm": "L1 norm of the coefficients",
    "lambda": "\N{MINUS SIGN}log(λ)",
    "dev": "Fraction of deviance explained",
}


def plot_path(path, xvar="norm", label=False, ax=None):
    """Draw the coefficients of a path, one line for each feature that is ever selected.

    All three horizontal axes run from the empty model on the left to the fullest on the right;
    lambda is therefore shown as minus its natural logarithm, as R's glmnet 4.1-10 does. The
    count of nonzero coefficients stands along the top.

    Parameters
    ----------
    path : Path
        With K responses the Euclidean norm of each feature's K coefficients is drawn.
    xvar : {"norm", "lambda", "dev"}, default "norm"
        The L1 norm of the coefficients (original scale), lambda, or the deviance explained.
    label : bool or int, default False
        Name the features at the right end of their lines: True as many as find room, largest
        coefficients first; an int at most that many.
    ax : matplotlib Axes, optional
        Where to draw. Default: the axes of a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        If xvar is unknown or the path holds nothing to draw.
    ImportError
        If matplotlib is not installed.
    """
    if xvar not in AXIS_LABELS:
        raise ValueError(f"xvar is {xvar!r}; choose one of {', '.join(map(repr, AXIS_LABELS))}")
    x = horizontal(path, xvar)
    shown = np.isfinite(x)
    if not shown.any():
        raise ValueError(f"The path holds no lambda that can be drawn against {xvar!r}")
    features, lines = drawn_lines(path)
    x, lines = x[shown], lines[:, shown]
    if ax is None:
        ax = _new_axes()
    _draw_lines(ax, x, lines)
    ax.set_xlabel(AXIS_LABELS[xvar])
    several = isinstance(path.coefs, list)
    ax.set_ylabel("Norm of the coefficients" if several else "Coefficient")
    if len(lines) == MAX_LINES:
        _say_how_many(ax, path)
    _count_on_top(ax, x, path.df[shown])
    if label:
        limit = len(lines) if label is True else int(label)
        _label_ends(ax, x[-1], lines, features, path.feature_names, limit)
    return ax


def horizontal(path, xvar):
    """Where each lambda of the path stands on the horizontal axis, shape (L,)."""
    if xvar == "dev":
        return np.array(path.dev_ratio, dtype=np.float64)
    if xvar == "norm":
        matrices = path.coefs if isinstance(path.coefs, list) else [path.coefs]
        return sum(np.asarray(abs(m).sum(axis=0)).ravel() for m in matrices)
    with np.errstate(divide="ignore"):  # lambda = 0 has no place on this axis
        return -np.log(path.lambdas)


def drawn_lines(path):
    """The features ever selected and their coefficients, shapes (m,) and (m, L).

    Only these rows are made dense, and of more than MAX_LINES those with the largest
    coefficients anywhere on the path.
    """
    if isinstance(path.coefs, list):
        rows = sum(matrix.power(2) for matrix in path.coefs).sqrt().tocsr()
    else:
        rows = sparse.csr_array(path.coefs)
    peak = abs(rows).max(axis=1).toarray().ravel()
    features = np.flatnonzero(peak)
    if len(features) > MAX_LINES:
        features = np.sort(features[np.argpartition(-peak[features], MAX_LINES)[:MAX_LINES]])
    return features, rows[features].toarray()


def _new_axes():
    """Axes of a figure of its own, which makes room for the labels outside them."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install 'sparsesolve[plot]'") from None
    return pyplot.subplots(layout="constrained")[1]


def _draw_lines(ax, x, lines):
    """All lines as one collection: a thousand separate ones would take seconds."""
    from matplotlib.collections import LineCollection

    segments = np.empty((len(lines), len(x), 2))
    segments[:, :, 0] = x
    segments[:, :, 1] = lines
    ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    ax.add_collection(
        LineCollection(segments, colors=_colours(lines), linewidths=1.2, capstyle="round")
    )
    ax.margins(x=0.0, y=0.04)
    ax.autoscale_view()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _colours(lines):
    """A colour for each line: the palette over and over, so that neighbours at the end differ."""
    rank = np.argsort(np.argsort(lines[:, -1], kind="stable"), kind="stable")
    return [COLOURS[k % len(COLOURS)] for k in rank]


def _say_how_many(ax, path):
    """Tell the reader that not every feature is on the picture."""
    text = f"the {MAX_LINES:,} largest of {np.max(path.df):,} or more selected features"
    ax.text(0.01, 0.01, text, transform=ax.transAxes, fontsize=LABEL_SIZE, color="0.4")


def _count_on_top(ax, x, df):
    """The count of nonzero coefficients along the top, right also after zooming in."""

    def count(position, _=None):
        reach = 1e-9 * (x.max() - x.min())
        if not x.min() - reach <= position <= x.max() + reach:
            return ""
        return str(df[np.flatnonzero(x <= position + reach)[-1]])

    top = ax.secondary_xaxis("top")
    top.xaxis.set_major_formatter(count)
    top.set_xlabel("Nonzero coefficients", fontsize=LABEL_SIZE + 1)
    top.tick_params(length=0, labelsize=LABEL_SIZE + 1)
    top.spines["top"].set_visible(False)


def _label_ends(ax, end, lines, features, names, limit):
    """Names to the right of the axes, each beside the end of its line."""
    height = ax.get_window_extent().height * 72.0 / ax.figure.dpi  # points
    spacing = 1.2 * LABEL_SIZE / height  # of the axes' height
    room = int(1.0 / spacing)
    last = lines[:, -1]
    largest = np.argsort(-np.abs(last), kind="stable")[: min(limit, room)]
    chosen = largest[last[largest] != 0.0]
    chosen = chosen[np.argsort(last[chosen], kind="stable")]
    low, high = ax.get_ylim()
    wanted = (last[chosen] - low) / (high - low)
    places = spread(wanted, spacing)
    colours = _colours(lines)
    line_to_end = {"arrowstyle": "-", "alpha": 0.5, "linewidth": 0.6, "relpos": (0.0, 0.5)}
    for k, height_at in zip(chosen, places, strict=True):
        ax.annotate(
            str(features[k]) if names is None else str(names[features[k]]),
            xy=(end, last[k]),
            xytext=(1.03, height_at),
            textcoords="axes fraction",
            va="center",
            fontsize=LABEL_SIZE,
            color=colours[k],
            annotation_clip=False,
            arrowprops=line_to_end | {"color": colours[k], "shrinkA": 1.0, "shrinkB": 0.0},
        )


def spread(wanted, spacing):
    """Places in [0, 1], at least `spacing` apart, that are nearest to the wanted ones.

    Least squares under order constraints: after subtracting k·spacing from the k-th place the
    constraints say that the places increase, which is isotonic regression; clipping its solution
    solves the problem with bounds.

    Parameters
    ----------
    wanted : ndarray, shape (m,)
        Increasing. (m - 1)·spacing must not exceed 1.
    spacing : float

    Returns
    -------
    places : ndarray, shape (m,)
    """
    from scipy.optimize import isotonic_regression

    if not len(wanted):
        return wanted
    steps = spacing * np.arange(len(wanted))
    increasing = isotonic_regression(wanted - steps).x
    return np.clip(increasing, 0.0, max(0.0, 1.0 - steps[-1])) + steps
