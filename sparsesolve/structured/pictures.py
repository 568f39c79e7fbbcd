"""Pictures: norms of features or templates along a path, and weights along epochs."""

import numpy as np

from sparsesolve.data import read_choice
from sparsesolve.results.pictures.axes import AXIS_LABELS, axes_or_new

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
    used = np.flatnonzero(norms.any(axis=0))
    order = used[np.argsort(-norms[len(norms) - 1, used], kind="stable")]
    named = set(order[:MOST_NAMED].tolist()) if names is not None else set()
    ax = axes_or_new(ax)
    x = -np.log(np.where(lambdas > 0.0, lambdas, 1.0))  # lambda = 0 has no place
    for g in order:
        label = str(names[g]) if names is not None and int(g) in named else None
        ax.plot(x, norms[:, g], linewidth=1.5 if label else 0.6, label=label)
    ax.set_xlabel(AXIS_LABELS["lambda"])
    ax.set_ylabel(f"Norm of the {of}'s coefficients")
    if named:
        ax.legend(fontsize="small")
    return ax


def plot_weights(weights, names, ax=None):
    """Draw a line for each group that ever has a weight, (epochs, G), and name the largest."""
    ax = axes_or_new(ax)
    order = np.argsort(-weights[-1], kind="stable")
    epochs = np.arange(1, len(weights) + 1)
    for place, g in enumerate(order):
        if weights[:, g].any():
            label = str(names[g]) if place < MOST_NAMED and weights[-1, g] > 0.0 else None
            ax.plot(epochs, weights[:, g], linewidth=1.5 if label else 0.6, label=label)
    ax.set_xlabel("Epoch")
    ax.set_ylabel("Weight of the group")
    if weights[-1].any():
        ax.legend(fontsize="small")
    return ax
