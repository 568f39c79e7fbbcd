"""The picture of a cross-validation curve: means with their errors, and the two chosen lambdas."""

import numpy as np

from sparsesolve.results.pictures.axes import AXIS_LABELS, axes_or_new, count_on_top, label_axes
from sparsesolve.results.pictures.line_names import COLOURS, NAME_SIZE


def plot_cv(cv, ax=None):
    """Draw mean scores and their standard errors against lambda, as glmnet does.

    `CVPath.plot` describes the parameters.
    """
    shown = (cv.lambdas > 0.0) & np.isfinite(cv.mean)
    if not shown.any():
        raise ValueError("The path holds no lambda that can be drawn against 'lambda'")
    ax = axes_or_new(ax)
    x = -np.log(cv.lambdas[shown])
    ax.errorbar(
        x, cv.mean[shown], yerr=np.nan_to_num(cv.std[shown]), fmt="o", markersize=3.5,
        color=COLOURS[0], ecolor="0.7", elinewidth=1.0, capsize=2.0,
    )  # fmt: skip
    for name, word in (("lambda_1se", "1se"), ("lambda_min", "min")):
        lam = getattr(cv, name)
        if lam > 0.0:
            _mark(ax, -np.log(lam), word, foot=cv.larger_is_better)
    label_axes(ax, AXIS_LABELS["lambda"], cv.measure)
    count_on_top(ax, x, cv.n_nonzero[shown])
    return ax


def _mark(ax, place, word, foot):
    """Draw a dotted line with a word at its foot or head, where the curve is not."""
    ax.axvline(place, color="0.3", linewidth=1.0, linestyle=":")
    ax.annotate(
        word, (place, 0.0 if foot else 1.0), xycoords=("data", "axes fraction"),
        xytext=(-3.0, 3.0 if foot else -3.0), textcoords="offset points", rotation=90, ha="right",
        va="bottom" if foot else "top", fontsize=NAME_SIZE, color="0.3",
    )  # fmt: skip
