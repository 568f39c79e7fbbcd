"""Draw what benchopt measured, a panel for each run.

python draw.py RUN.parquet ... --out PICTURE.png. A curve is the solver's objective less the best
one known in the run, relative to the objective at the start, against seconds. Needs pandas,
pyarrow and matplotlib.
"""

import argparse

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

SOONEST = 1e-3  # seconds: earlier points are the answer b = 0, which takes no time
FLOOR = 1e-16  # relative suboptimality below which nothing is told apart


def curves(file):
    """The name of a run, and a table (seconds, suboptimality) for each of its solvers."""
    run = pd.read_parquet(file)
    value = run["objective_value"]
    start = value[run["stop_val"].isin([0, run["stop_val"].max()])].max()
    lowest = value.min()
    found = {}
    for name, part in run.groupby("solver_name"):
        part = part[part["time"] > SOONEST].sort_values("time")
        excess = (part["objective_value"].cummin() - lowest) / (start - lowest)
        found[name.split("[")[0]] = (part["time"], np.maximum(excess, FLOOR))
    return run["objective_name"].iloc[0].split("[")[0], found


def draw(files, out):
    """Draw all runs side by side."""
    figure = Figure(figsize=(4.2 * len(files), 3.6), dpi=100, layout="constrained")
    panels = figure.subplots(1, len(files), squeeze=False)[0]
    for ax, file in zip(panels, files, strict=True):
        title, found = curves(file)
        for name, (seconds, excess) in found.items():
            bold = 2.4 if name == "sparsesolve" else 1.2
            ax.loglog(seconds, excess, "o-", markersize=3, linewidth=bold, label=name)
        ax.set_title(title, loc="left")
        ax.set_xlabel("Seconds")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.legend(frameon=False, fontsize=8)
    panels[0].set_ylabel("Relative suboptimality")
    figure.savefig(out, metadata={"Software": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--out", required=True)
    given = parser.parse_args()
    draw(given.runs, given.out)
