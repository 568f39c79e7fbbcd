"""Pictures of coefficients at their places: the pixels of an image, or the nodes of a graph."""

import numpy as np

from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.pictures.axes import AXES, axes_or_new

# These colours are white at 0.
COLOURS = "RdBu_r"


@described_by(AXES)
def plot_image(b, shape, ax=None, xlabel="", ylabel=""):
    """Draw coefficients as an image, red above 0 and blue below.

    Parameters
    ----------
    b : array-like (p,)
        As ``fit.coef(lam)`` returns them, row by row.
    shape : pair of int
        Rows and columns, p in all.
    xlabel, ylabel : str, default ""
        Labels of the axes.

    Raises
    ------
    ValueError, TypeError
        If b does not fill the shape, or ax is not axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # no screen
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> from sparsesolve.results import plot_image
    >>> X = np.random.default_rng(0).normal(size=(60, 12))
    >>> y = X @ np.tile([0.0, 0.0, 2.0, 2.0], 3)
    >>> fit = ss.path(X, y, penalty=ss.penalties.TotalVariation2D((3, 4)), lambdas=[0.1])
    >>> ax = plot_image(fit.coef(0.1), (3, 4))
    """
    b = np.asarray(b, dtype=float)
    if b.size != np.prod(shape):
        raise ValueError(f"shape {tuple(shape)} does not have {b.size} entries")
    ax = axes_or_new(ax)
    most = largest_size(b)
    aspect = "auto" if xlabel else "equal"  # pixels are square, tables are not
    ax.imshow(b.reshape(shape), cmap=COLOURS, vmin=-most, vmax=most, interpolation="nearest",
              aspect=aspect)  # fmt: skip
    ax.set(xticks=[], yticks=[], xlabel=xlabel, ylabel=ylabel)
    return ax


@described_by(AXES)
def plot_graph(b, edges, positions, ax=None):
    """Draw coefficients on the nodes of a graph; edges between equal ones are thick.

    Parameters
    ----------
    b : array-like (p,)
    edges : sequence of pairs
        Two features each, by number.
    positions : array-like (p, 2)
        Where each node is drawn.

    Raises
    ------
    ValueError, TypeError
        If there is not one position for each coefficient, or ax is not axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # no screen
    >>> from sparsesolve.results import plot_graph
    >>> ax = plot_graph([0, 2, 2], [(0, 1), (1, 2)], [(0, 0), (1, 0), (2, 0)])
    """
    b, places = np.asarray(b, dtype=float), np.asarray(positions, dtype=float)
    if places.shape != (len(b), 2):
        raise ValueError(
            f"positions has shape {places.shape}; give two numbers for each of {len(b)} features"
        )
    ax = axes_or_new(ax)
    most = largest_size(b)
    for i, j in edges:
        equal = abs(b[i] - b[j]) <= 1e-9 * most
        ends = places[[i, j]]
        ax.plot(*ends.T, color="0.6", linewidth=3.0 if equal else 0.7, zorder=1)
    ax.scatter(*places.T, c=b, cmap=COLOURS, vmin=-most, vmax=most, edgecolors="0.3", zorder=2)
    ax.set(xticks=[], yticks=[])
    return ax


def largest_size(b):
    """Return the largest size, at which colours end."""
    return float(np.abs(b).max(initial=0.0)) or 1.0
