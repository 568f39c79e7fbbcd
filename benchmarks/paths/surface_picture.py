"""The heat map of surface.py: a row a problem, a column a way of asking."""

import json
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

MOST = 4.0  # powers of two at which colours end


def draw(cells, file):
    """Draw the cells of a scan; blue: faster than the reference, red: slower."""
    rows = sorted({(c["family"], c["shape"], c["correlation"]) for c in cells})
    ways = sorted({(c["asked"], -c["alpha"], -c["tol"]) for c in cells}, key=_way)
    values = np.full((len(rows), len(ways)), np.nan)
    for c in cells:
        row = rows.index((c["family"], c["shape"], c["correlation"]))
        values[row, ways.index((c["asked"], -c["alpha"], -c["tol"]))] = np.log2(c["ratio"])
    figure = Figure(figsize=(3.0 + 0.42 * len(ways), 1.9 + 0.26 * len(rows)), dpi=100,
                    layout="constrained")  # fmt: skip
    axes = figure.subplots()
    image = axes.imshow(values, cmap="RdBu", vmin=-MOST, vmax=MOST, aspect="auto")
    axes.set_yticks(range(len(rows)), [_row(*row) for row in rows], fontsize=8)
    names = [f"{asked}, α {-alpha:g}, {-tol:.0e}" for asked, alpha, tol in ways]
    axes.set_xticks(range(len(ways)), names, fontsize=7, rotation=60, ha="right")
    for (row, way), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = abs(value) > 0.6 * MOST
            axes.text(way, row, f"{2.0**value:.1f}", ha="center", va="center", fontsize=6,
                      color="white" if dark else "black")  # fmt: skip
    bar = figure.colorbar(image, ax=axes, ticks=range(-int(MOST), int(MOST) + 1, 2))
    bar.ax.set_yticklabels([f"{2.0**tick:g}" for tick in bar.get_ticks()], fontsize=8)
    bar.set_label("times as fast as the reference", fontsize=8)
    figure.savefig(file)


def _way(way):
    return {"path": 0, "far": 1, "cv": 2}[way[0]], way[1], way[2]


def _row(family, shape, correlation):
    return f"{family}, {shape}" + ("" if shape == "sparse" else f", ρ {correlation:g}")


if __name__ == "__main__":  # surface_picture.py NAME.json FILE
    draw(json.loads(Path(sys.argv[1]).read_text())["cells"], sys.argv[2])
