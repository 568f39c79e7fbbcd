"""Drawing a path: coefficients against their norm, lambda, or the deviance explained."""

import numpy as np
from scipy import sparse

from sparsesolve.line_names import NAME_SIZE, line_colours, name_lines

MAX_LINES = 1000  # more cannot be told apart, and a ridge path may have half a million
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
        Name the features at the right end of their lines: True as many as find room near it,
        the largest coefficients first; an int at most that many. The other lines turn grey.
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

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # no screen
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 5))
    >>> ax = ss.path(X, X[:, 0] + X[:, 1] ** 2).plot("lambda", label=True)
    >>> ax.figure.savefig("path.png")
    """
    if xvar not in AXIS_LABELS:
        raise ValueError(f"xvar is {xvar!r}; choose one of {', '.join(map(repr, AXIS_LABELS))}")
    x = horizontal(path, xvar)
    shown = np.isfinite(x)
    if not shown.any():
        raise ValueError(f"The path holds no lambda that can be drawn against {xvar!r}")
    features, lines, n_selected = drawn_lines(path)
    x, lines = x[shown], lines[:, shown]
    if ax is None:
        ax = new_axes()
    collection = draw_lines(ax, x, lines)
    ax.set_xlabel(AXIS_LABELS[xvar])
    several = isinstance(path.coefs, list)
    ax.set_ylabel("Norm of the coefficients" if several else "Coefficient")
    if len(lines) < n_selected:
        _say_how_many(ax, len(lines), n_selected)
    count_on_top(ax, x, path.df[shown])
    if label:
        names = features if path.feature_names is None else path.feature_names[features]
        limit = len(lines) if label is True else int(label)
        name_lines(ax, collection, x[-1], lines[:, -1], names, limit)
    return ax


def save_plot(path, file, xvar, title, ylabel=None):
    """Draw a path into a file, without a screen."""
    save_figure(lambda ax: plot_path(path, xvar=xvar, label=True, ax=ax), file, title, ylabel)


def save_figure(draw, file, title, ylabel=None):
    """Draw into a file, without a screen, what draw(ax=) puts on axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.0), dpi=150, layout="constrained")
    ax = draw(ax=figure.add_subplot())
    ax.set_title(title, loc="left", pad=12.0)
    if ylabel:
        ax.set_ylabel(ylabel)
    figure.savefig(file)


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
    """Features ever selected, their coefficients, and their number: shapes (m,), (m, L), int.

    Only these rows are made dense, and of more than MAX_LINES those with the largest
    coefficients anywhere on the path. They come in increasing size of their last coefficient,
    the order in which they are drawn over each other.
    """
    if isinstance(path.coefs, list):
        rows = sum(matrix.power(2) for matrix in path.coefs).sqrt().tocsr()
    else:
        rows = sparse.csr_array(path.coefs)
    peak = abs(rows).max(axis=1).toarray().ravel()
    features = np.flatnonzero(peak)
    n_selected = len(features)
    if len(features) > MAX_LINES:
        features = np.sort(features[np.argpartition(-peak[features], MAX_LINES)[:MAX_LINES]])
    lines = rows[features].toarray()
    order = np.argsort(np.abs(lines[:, -1]), kind="stable")
    return features[order], lines[order], n_selected


def new_axes():
    """Axes of a figure of its own, which makes room for the labels outside them."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install 'sparsesolve[plot]'") from None
    return pyplot.subplots(layout="constrained")[1]


def draw_lines(ax, x, lines):
    """All lines as one collection: a thousand separate ones would take seconds."""
    from matplotlib.collections import LineCollection

    segments = np.empty((len(lines), len(x), 2))
    segments[:, :, 0] = x
    segments[:, :, 1] = _without_rests_at_zero(lines)
    ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    ax.update_datalim([(x.min(), 0.0), (x.max(), 0.0)])
    collection = LineCollection(
        segments, colors=line_colours(lines[:, -1]), linewidths=1.2, capstyle="round"
    )
    ax.add_collection(collection)
    ax.margins(x=0.0, y=0.04)
    ax.autoscale_view()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return collection


def _without_rests_at_zero(lines):
    """The lines with NaN where both neighbours are 0 too, so that none is drawn along the axis."""
    zero = np.pad(lines == 0.0, ((0, 0), (1, 1)), constant_values=True)
    return np.where(zero[:, :-2] & zero[:, 1:-1] & zero[:, 2:], np.nan, lines)


def _say_how_many(ax, n_drawn, n_selected):
    """Tell the reader that not every feature is on the picture."""
    text = f"{n_drawn:,} of {n_selected:,} selected features, those with the largest coefficients"
    ax.text(0.01, 0.01, text, transform=ax.transAxes, fontsize=NAME_SIZE, color="0.3")


def count_on_top(ax, x, df, title="Nonzero coefficients"):
    """The count of what is not 0 along the top, right also after zooming in."""

    def count(position, _=None):
        reach = 1e-9 * (x.max() - x.min())
        if not x.min() - reach <= position <= x.max() + reach:
            return ""
        return str(df[np.flatnonzero(x <= position + reach)[-1]])

    top = ax.secondary_xaxis("top")
    top.xaxis.set_major_formatter(count)
    top.set_xlabel(title, fontsize=NAME_SIZE + 1)
    top.tick_params(length=0, labelsize=NAME_SIZE + 1)
    top.spines["top"].set_visible(False)
