"""Pictures: norms of features or templates along a path, and weights along epochs."""

import numpy as np

from sparsesolve.data import read_choice
from sparsesolve.results.pictures.axes import AXIS_LABELS, plot_curves

# Most lines with a name in the legend: the largest at the end of the path.
MOST_NAMED = 12


def plot_chain_path(path, by="feature", ax=None):
    """Draw a line for each feature, or group of features, that is ever nonzero."""
    read_choice("by", by, ("feature", "template"))
    norms = []
    for lam in path.lambdas:
        coef = path.coef(lam)
        own = np.sqrt(np.sum(coef**2, axis=1))
        norms.append(own if by == "feature" else path.template_norms(coef))
    names = path.feature_names if by == "feature" else path.group_labels
    return plot_norms(path.lambdas, np.array(norms), names, by, ax)


def plot_norms(lambdas, norms, names, of, ax=None):
    """Draw a line for each norm (L, G) that is ever positive, and name the largest at the end."""
    x = -np.log(np.where(lambdas > 0.0, lambdas, 1.0))  # lambda = 0 has no place
    labels = AXIS_LABELS["lambda"], f"Norm of the {of}'s coefficients"
    return plot_curves(x, _named(norms, names), labels, ax)


def plot_weights(weights, names, ax=None):
    """Draw a line for each group that ever has a weight, (epochs, G), and name the largest."""
    epochs = np.arange(1, len(weights) + 1)
    return plot_curves(epochs, _named(weights, names), ("Epoch", "Weight of the group"), ax)


def _named(values, names):
    """Return the columns (L, G) that are ever positive by name, the largest at the end first.

    A name that is not shown begins with "_".
    """
    used = np.flatnonzero(values.any(axis=0))
    order = used[np.argsort(-values[-1, used], kind="stable")] if len(used) else used
    shown = MOST_NAMED if names is not None else 0
    return {f"{names[g]}" if place < shown and values[-1, g] > 0.0 else f"_{g}": values[:, g]
            for place, g in enumerate(order)}  # fmt: skip
