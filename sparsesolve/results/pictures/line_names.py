"""Names at the right end of a path's lines, and colours that connect them to the lines."""

import numpy as np

# Okabe and Ito's palette can be distinguished with every common kind of colour blindness. Its
# yellow is left out, because it is too pale for a thin line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# These styles distinguish lines with the same colour.
STYLES = ("solid", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
# Lines without a name, if others have one.
PALE = "#C8C8C8"
# Names are written in this size, in points.
NAME_SIZE = 8.0
# A name may stand this far from the end of its line, as a fraction of the height of the axes.
FARTHEST = 0.1


def ranks(ends):
    """Return numbers (m,) of colours and styles: neighbours differ, large ends are solid."""
    colour = np.argsort(np.argsort(ends, kind="stable"), kind="stable") % len(COLOURS)
    order = np.argsort(-np.abs(ends), kind="stable")
    numbers = np.empty(len(order), dtype=int)
    for c in range(len(COLOURS)):
        own = order[colour[order] == c]
        numbers[own] = c + len(COLOURS) * np.arange(len(own))
    return numbers


def line_colours(numbers):
    """Return a colour for each line: the palette, repeated."""
    return [COLOURS[k % len(COLOURS)] for k in numbers]


def line_styles(numbers):
    """Return a style for each line: those of one colour differ, or all are solid if too many."""
    few = max(numbers, default=0) < len(COLOURS) * len(STYLES)
    return [STYLES[k // len(COLOURS)] if few else STYLES[0] for k in numbers]


def name_lines(ax, collection, end, last, names, limit, numbers=None):
    """Write names to the right of the axes, each near the end of its line; the others become pale.

    The m lines of the `collection` end at `end` across and `last` (m,) up. At most `limit` have a
    name. `numbers` (m,) determine colours and styles; by default neighbours with names differ.
    """
    low, high = ax.get_ylim()
    height = ax.get_window_extent().height * 72.0 / ax.figure.dpi  # points
    chosen, places = choose_names(
        last / (high - low), -low / (high - low), 1.2 * NAME_SIZE / height, limit
    )
    own = ranks(last[chosen]) if numbers is None else numbers[chosen]
    colours = line_colours(own)
    _highlight(collection, chosen, colours, line_styles(own))
    line_to_end = {"arrowstyle": "-", "alpha": 0.5, "linewidth": 0.6, "relpos": (0.0, 0.5)}
    for k, place, colour in zip(chosen, places, colours, strict=True):
        ax.annotate(
            str(names[k]),
            xy=(end, last[k]),
            xytext=(1.03, place),
            textcoords="axes fraction",
            va="center",
            fontsize=NAME_SIZE,
            color=colour,
            annotation_clip=False,
            arrowprops=line_to_end | {"color": colour, "shrinkA": 1.0, "shrinkB": 0.0},
        )


def _highlight(collection, chosen, colours, styles):
    """Draw the chosen lines in their colours and styles, over the others in thin grey."""
    lines = [line.vertices for line in collection.get_paths()]
    rest = np.setdiff1d(np.arange(len(lines)), chosen).tolist()
    collection.set_segments([lines[k] for k in [*rest, *chosen]])
    collection.set_color([PALE] * len(rest) + colours)
    collection.set_linestyle([STYLES[0]] * len(rest) + styles)
    collection.set_linewidth([0.8] * len(rest) + [1.3] * len(colours))


def choose_names(sizes, zero, spacing, limit):
    """Return the lines that get a name, and the heights of the names, both from the lowest up.

    Lines are added by decreasing `sizes` (m,), the last coefficients as fractions of the axes'
    height, as long as all names stand within FARTHEST of the ends of their lines, and two of them
    `spacing` apart; at most `limit`. The coefficient 0 is at the height `zero`.
    """
    chosen, places = [], np.empty(0)
    for k in np.argsort(-np.abs(sizes), kind="stable"):
        # If names cover the whole height, no more can be placed.
        if len(chosen) == limit or sizes[k] == 0.0 or (len(chosen) + 1) * spacing > 1.0:
            break
        tried = sorted([*chosen, k], key=lambda line: sizes[line])
        wanted = zero + sizes[tried]
        moved = spread(wanted, spacing)
        if np.abs(moved - wanted).max() <= FARTHEST:
            chosen, places = tried, moved
    return chosen, places


def spread(wanted, spacing):
    """Return the places in [0, 1], `spacing` apart, nearest to increasing `wanted` ones (m,).

    This is least squares under order constraints. After subtracting k·spacing from the k-th place
    the places must increase, which is isotonic regression. Clipping its solution solves the
    problem with bounds. (m - 1)·spacing must not exceed 1.
    """
    from scipy.optimize import isotonic_regression

    if not len(wanted):
        return wanted
    steps = spacing * np.arange(len(wanted))
    increasing = isotonic_regression(wanted - steps).x
    return np.clip(increasing, 0.0, max(0.0, 1.0 - steps[-1])) + steps
