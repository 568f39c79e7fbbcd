"""The heat map of surface.py: a row a problem, a column a way of asking."""

import numpy as np
from matplotlib.figure import Figure

MOST = 4.0  # powers of two at which colours end


def draw(cells, file):
    """Draw the cells of a scan; blue: faster than the reference, red: slower."""
    rows = list(dict.fromkeys(map(_row, cells)))
    ways = list(dict.fromkeys(_way(cell) for cell in sorted(cells, key=_place)))
    values = np.full((len(rows), len(ways)), np.nan)
    for cell in cells:
        values[rows.index(_row(cell)), ways.index(_way(cell))] = np.log2(cell["ratio"])
    figure = Figure(figsize=(3.0 + 0.42 * len(ways), 1.9 + 0.26 * len(rows)), dpi=100,
                    layout="constrained")  # fmt: skip
    axes = figure.subplots()
    image = axes.imshow(values, cmap="RdBu", vmin=-MOST, vmax=MOST, aspect="auto")
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.set_xticks(range(len(ways)), ways, fontsize=7, rotation=60, ha="right")
    for (row, way), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = abs(value) > 0.6 * MOST
            axes.text(way, row, f"{2.0**value:.1f}", ha="center", va="center", fontsize=6,
                      color="white" if dark else "black")  # fmt: skip
    bar = figure.colorbar(image, ax=axes, ticks=range(-int(MOST), int(MOST) + 1, 2))
    bar.ax.set_yticklabels([f"{2.0**tick:g}" for tick in bar.get_ticks()], fontsize=8)
    bar.set_label("times as fast as the reference", fontsize=8)
    figure.savefig(file)


def _place(cell):
    """The order of columns: what is asked, then alpha and tol from loose to tight."""
    asked = ("path", "far", "cv", "fit").index(cell["asked"])
    return asked, -(cell["alpha"] or 0.0), -(cell["tol"] or np.inf)


def _way(cell):
    alpha = "" if cell["alpha"] is None else f", α {cell['alpha']:g}"
    tol = "defaults" if cell["tol"] is None else f"{cell['tol']:.0e}"
    return f"{cell['asked']}{alpha}, {tol}"


def _row(cell):
    rho = "" if cell["shape"] == "sparse" or cell["correlation"] is None else (
        f", ρ {cell['correlation']:g}")  # fmt: skip
    return f"{cell['family']}, {cell['shape']}{rho}"
