"""Draw the README's picture: python docs/draw_readme.py, which writes docs/_static/readme.png."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import sparsesolve as ss
from sparsesolve.cli.demo import diabetes

FILE = Path(__file__).parent / "_static" / "readme.png"
TOL = 1e-7


def draw(file):
    """The lasso path of the diabetes data, and the gap of each of its solutions."""
    X, y, names = diabetes()
    fit = ss.path(X, y, lambda_min_ratio=0.01, tol=TOL)
    fit = replace(fit, feature_names=np.array(names))
    figure = Figure(figsize=(10.0, 3.9), dpi=100, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    fit.plot(xvar="lambda", label=8, ax=left)
    left.set_title("What enters: coefficients along the path", loc="left", pad=10.0)
    left.set_ylabel("Coefficient")
    x = -np.log(fit.lambdas)
    right.semilogy(x, np.maximum(fit.gaps, 1e-16), "o", markersize=3)
    right.axhline(TOL, color="0.5", linestyle=":")
    right.annotate("asked for", (x[0], TOL), xytext=(0, 4), textcoords="offset points",
                   color="0.4")  # fmt: skip
    right.set_title("How exact it is: duality gap of each λ", loc="left", pad=10.0)
    right.set_ylim(1e-17, 1e-5)
    right.set_xlabel(left.get_xlabel())
    for side in ("top", "right"):
        right.spines[side].set_visible(False)
    figure.savefig(file, metadata={"Software": None})


if __name__ == "__main__":
    draw(FILE)
