"""Pictures of coefficients at their places: pixels, nodes of a graph, leaves of a tree."""

import numpy as np

from sparsesolve.data.paragraphs import described_by
from sparsesolve.penalties.prox.trees import sizes
from sparsesolve.penalties.trees import read_tree
from sparsesolve.results.pictures.axes import AXES, MOST_INTERVALS, axes_or_new
from sparsesolve.results.pictures.line_names import NAME_SIZE

# These colours are white at 0.
COLOURS = "RdBu_r"
CHOSEN, LEFT = "0.25", "0.85"  # greys of the branches above chosen features, and of the others


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


@described_by(AXES)
def plot_tree(b, groups, names=None, ax=None):
    """Draw coefficients as the leaves of their tree of groups.

    Features stand along the bottom so that each group is an interval. A group is a node above its
    features, as high as there are levels below it; the area of its dot is the Euclidean norm of
    its coefficients. Branches to groups and features with a nonzero coefficient are dark. Leaves
    are red above 0 and blue below; several responses show their norm.

    Parameters
    ----------
    b : array-like (p,), or (K, p) of several responses
        As ``fit.coef(lam)`` returns them.
    groups : sequence of sequences, or mapping from labels to them
        Nested or disjoint groups, as for `TreeL2`: feature numbers or, with `names`, names.
    names : sequence of str, length p, optional
        Names of the features. Those with a nonzero coefficient stand below, 60 at most.

    Raises
    ------
    ValueError, TypeError
        If two groups cross, a group names no feature, there is not one name for each feature, or
        ax is not axes.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # no screen
    >>> from sparsesolve.results import plot_tree
    >>> ax = plot_tree([1.0, 0.5, 0.0, 0.0], [[0, 1], [2, 3], [0, 1, 2, 3]])
    """
    b = np.asarray(b.toarray() if hasattr(b, "toarray") else b, dtype=float)
    if b.ndim not in (1, 2) or not np.isfinite(b).all():
        raise ValueError(
            f"b has shape {b.shape}; give finite coefficients (p,) or (K, p), as fit.coef(lam)"
        )
    leaves = np.linalg.norm(b, axis=0) if b.ndim == 2 else b
    names = None if names is None else list(names)
    if names is not None and len(names) != len(leaves):
        raise ValueError(
            f"names has {len(names)} names; give one for each of {len(leaves)} features"
        )
    tree = read_tree(groups, None, len(leaves), names)
    place, across, height = layout(tree)
    ax = axes_or_new(ax)
    norms = sizes(tree, np.ascontiguousarray(leaves), False)
    _draw_branches(ax, tree, place, across, height, leaves != 0.0, norms > 0.0)
    most = largest_size(leaves)
    ax.scatter(across, height, s=40.0 * norms / (norms.max(initial=0.0) or 1.0), color=CHOSEN,
               zorder=2)  # fmt: skip
    ax.scatter(place, np.zeros(len(place)), c=leaves, cmap=COLOURS, vmin=-most, vmax=most, s=14.0,
               edgecolors="0.5", linewidths=0.4, zorder=3)  # fmt: skip
    ax.set(xticks=[], yticks=[])
    ax.set_frame_on(False)
    if names is not None:
        shown = np.argsort(-np.abs(leaves), kind="stable")[:MOST_INTERVALS]
        shown = shown[leaves[shown] != 0.0]
        ax.set_xticks(place[shown], [names[j] for j in shown], rotation=90, fontsize=NAME_SIZE)
        ax.tick_params(length=0)
    return ax


def layout(tree):
    """Return where a tree is drawn: places of the features, and of the groups across and up.

    Returns
    -------
    place : (p,) a permutation of 0 to p - 1, in which each group is an interval
    across : (G,) the middle of each group's interval
    height : (G,) 1 above groups of features alone, else 1 above the highest group inside
    """
    p, count = len(tree.node_of), len(tree.parent)
    size, first, height = np.zeros(count, dtype=int), np.full(count, p), np.ones(count)
    np.add.at(size, tree.node_of[tree.node_of >= 0], 1)
    np.minimum.at(first, tree.node_of[tree.node_of >= 0], np.flatnonzero(tree.node_of >= 0))
    inside = [[] for _ in range(count + 1)]  # of each group (number, size, first); -1: the roots
    for g, up in enumerate(tree.parent):  # groups stand before those that hold them
        inside[up].append((first[g], size[g], g))
        if up >= 0:
            size[up] += size[g]
            first[up] = min(first[up], first[g])
            height[up] = max(height[up], height[g] + 1.0)
    for j, up in enumerate(tree.node_of):
        inside[up].append((j, 1, -1 - j))
    start, place = np.zeros(count), np.zeros(p)
    for g in [-1, *range(count - 1, -1, -1)]:
        at = 0 if g < 0 else start[g]
        for _, width, number in sorted(inside[g]):
            if number < 0:
                place[-1 - number] = at
            else:
                start[number] = at
            at += width
    return place, start + 0.5 * (size - 1.0), height


def _draw_branches(ax, tree, place, across, height, leaf_chosen, group_chosen):
    """Draw lines from features and groups to the groups that hold them."""
    from matplotlib.collections import LineCollection

    low = np.flatnonzero(tree.node_of >= 0)
    inner = np.flatnonzero(tree.parent >= 0)
    above = np.concatenate([tree.node_of[low], tree.parent[inner]])
    ends = np.empty((len(above), 2, 2))
    ends[:, 0, 0] = np.concatenate([place[low], across[inner]])
    ends[:, 0, 1] = np.concatenate([np.zeros(len(low)), height[inner]])
    ends[:, 1, 0], ends[:, 1, 1] = across[above], height[above]
    chosen = np.concatenate([leaf_chosen[low], group_chosen[inner]])
    order = np.argsort(chosen, kind="stable")  # dark ones on top
    lines = LineCollection(
        ends[order], colors=[CHOSEN if dark else LEFT for dark in chosen[order]],
        linewidths=np.where(chosen[order], 1.2, 0.6), zorder=1,
    )  # fmt: skip
    ax.add_collection(lines)
    ax.autoscale_view()
