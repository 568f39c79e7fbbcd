"""Pictures of a path: lines against their norm, lambda or the explained deviance; and its scores.

The scores are those of a cross-validation: means with their errors, and the two chosen lambdas.
"""

import numpy as np
from scipy import sparse

from sparsesolve.results.explored import feature_rows
from sparsesolve.results.interpolation import interpolator
from sparsesolve.results.pictures.axes import (
    AXIS_LABELS,
    along,
    axes_or_new,
    count_on_top,
    draw_along,
    label_axes,
    new_panels,
    plot_curves,
    save_figure,
)
from sparsesolve.results.pictures.line_names import COLOURS, NAME_SIZE
from sparsesolve.results.prediction import is_signal

# More lines cannot be distinguished, and a ridge path may have half a million.
MAX_LINES = 1000
# Lambdas at which a curve between knots is drawn.
BETWEEN = 300
LINES = ("feature", "group", "class", "profile", "image")
# Lambdas whose coefficients are drawn along the features, and as images.
PROFILES, IMAGES = 5, 4


def plot_path(path, xvar="lambda", label=True, ax=None, *, by=None):
    """Draw the coefficients of a path, one line for each feature that is ever selected.

    `Path.plot` describes the parameters.
    """
    by = refuse_unknown_lines(path, by)
    if by == "profile":
        return _draw_profiles(path, ax)
    if by == "image":
        return _draw_images(path, ax)
    x = along(path, xvar, AXIS_LABELS)
    if by == "class":
        return _draw_classes(path, xvar, x, label, ax)
    ax = axes_or_new(ax)
    if by == "group":
        rows, names = path.groups.norms(path.coefs), path.groups.labels
        counts = np.asarray((rows != 0.0).sum(axis=0)).ravel(), "Nonzero groups"
        words = "Norm of the group's coefficients"
    else:
        rows, names = feature_rows(path), path.feature_names
        several = isinstance(path.coefs, list)
        words = "Norm of the coefficients" if several else "Coefficient"
        counts = (path.df, "Nonzero coefficients")
        if path.counted:
            counts = (path.degrees, path.counted.capitalize())
    _draw(ax, path, xvar, x, rows, names, label, words, *counts)
    return ax


def save_plot(path, file, xvar, title, ylabel=None, by=None, label=True):
    """Draw a path with named lines into a file, without a screen."""
    by = refuse_unknown_lines(path, by)
    save_figure(lambda ax: plot_path(path, xvar=xvar, label=label, ax=ax, by=by), file, title,
                ylabel, _panels(path, by))  # fmt: skip


def _panels(path, by):
    """Return how many panels a picture has, or None for one."""
    if by == "image":
        return min(IMAGES, len(path.lambdas))
    return len(path.coefs) if by == "class" else None


def refuse_unknown_lines(path, by):
    """Return `by`, by default what suits the penalty; raise ValueError if it is not possible."""
    penalty, one = (path.options or {}).get("penalty"), not isinstance(path.coefs, list)
    image = one and hasattr(penalty, "shape")
    if by is None:
        by = "profile" if one and (hasattr(penalty, "along") or is_signal(path)) else "feature"
        by = "image" if image and is_signal(path) else by
    if by == "image" and not image:
        raise ValueError("The path has no image; fit it with penalties.TotalVariation2D(shape)")
    if by not in LINES:
        raise ValueError(f"by is {by!r}; choose one of {', '.join(map(repr, LINES))}")
    if by == "group" and path.groups is None:
        raise ValueError("The path has no groups; fit it with a group penalty, or by='feature'")
    if by == "class" and not isinstance(path.coefs, list):
        raise ValueError("The path has one response; draw it by='feature'")
    if by == "profile" and isinstance(path.coefs, list):
        raise ValueError("The path has several responses; draw it by='class'")
    return by


def _draw_profiles(path, ax):
    """Draw the coefficients at some lambdas along the features, in the order of the penalty."""
    penalty, names = (path.options or {}).get("penalty"), path.feature_names
    order = np.arange(path.n_features)
    if hasattr(penalty, "along"):
        order = penalty.along(path.n_features, None if names is None else list(names))
    count = len(path.lambdas)
    if not count:
        raise ValueError("The path holds no lambda that can be drawn")
    places = np.unique(np.linspace(0, count - 1, min(PROFILES, count)).round().astype(int))
    coefs = path.coefs.tocsc()[:, places].toarray()[order]
    counts = path.degrees if path.counted else path.df
    word = path.counted or "nonzero"
    curves = {f"λ = {path.lambdas[k]:.3g}, {counts[k]} {word}": column
              for k, column in zip(places, coefs.T, strict=True)}  # fmt: skip
    where = "Feature" if penalty is None or getattr(penalty, "order", None) is None else "Place"
    if not is_signal(path):
        return plot_curves(np.arange(len(order)), curves, (where, "Coefficient"), ax)
    at = np.arange(len(order))
    if names is not None and all(str(name).lstrip("-").isdigit() for name in names):  # as years
        at = np.array([int(name) for name in names])[order]
    return plot_curves(at, curves, ("Place", "Value"), ax)


def _draw_images(path, axes):
    """Draw the image at some lambdas, from the first that has more than one piece to the last."""
    shape, count = path.options["penalty"].shape, len(path.lambdas)
    if not count:
        raise ValueError("The path holds no lambda that can be drawn")
    places = np.unique(np.linspace(min(1, count - 1), count - 1, IMAGES).round().astype(int))
    axes = new_panels(len(places)) if axes is None else np.asarray(axes, dtype=object).ravel()
    places = places[-len(axes) :]
    axes = np.array([axes_or_new(ax) for ax in axes[: len(places)]], dtype=object)
    B = path.coefs.tocsc()[:, places].toarray()
    low, high = B.min(), B.max()
    for ax, k, b in zip(axes, places, B.T, strict=True):
        ax.imshow(b.reshape(shape), vmin=low, vmax=high, cmap="gray", interpolation="nearest")
        ax.set(xticks=[], yticks=[], xlabel="Column", ylabel="Row",
               title=f"λ = {path.lambdas[k]:.3g}, {path.degrees[k]} {path.counted}")  # fmt: skip
    return axes


def _draw_classes(path, xvar, x, label, axes):
    """Draw a panel for each class or response."""
    K = len(path.coefs)
    axes = new_panels(K) if axes is None else np.asarray(axes, dtype=object).ravel()
    if len(axes) != K:
        raise ValueError(f"ax holds {len(axes)} axes; the path has {K} classes or responses")
    axes = np.array([axes_or_new(ax) for ax in axes], dtype=object)
    names = [f"response {k}" for k in range(K)] if path.class_names is None else path.class_names
    numbers = np.cumsum(np.isin(np.arange(path.n_features), np.concatenate(path.nonzero()))) - 1
    for ax, coefs, name in zip(axes, path.coefs, names, strict=True):
        rows = sparse.csr_array(coefs)
        counts = np.asarray((coefs != 0.0).sum(axis=0)).ravel()
        _draw(ax, path, xvar, x, rows, path.feature_names, label, "Coefficient", counts,
              "Nonzero coefficients", numbers)  # fmt: skip
        ax.set_title(str(name))
    return axes


def _draw(ax, path, xvar, x, rows, names, label, words, counts, counted, numbers=None):
    """Draw the largest rows of a sparse matrix (m, L) as lines along a path."""
    which, n_selected = largest(rows)
    lines, at = rows[which].toarray(), x
    if path.exact_between and xvar == "lambda":
        at, lines = _between(path.lambdas, lines)
    shown = np.isfinite(x)
    names = which if names is None else [names[k] for k in which]
    draw_along(ax, at, lines, names, label, (AXIS_LABELS[xvar], words),
               (x[shown], counts[shown], counted),
               None if numbers is None else numbers[which])  # fmt: skip
    if len(which) < n_selected:
        text = f"the largest {len(which):,} of {n_selected:,} lines"
        ax.text(0.01, 0.01, text, transform=ax.transAxes, fontsize=NAME_SIZE, color="0.3")


def _between(lambdas, lines):
    """Return lines that are straight in lambda as curves along its logarithm.

    A path that ends at 0 is drawn to a tenth of the knot before it.
    """
    knots = lambdas[lambdas > 0.0]
    last = knots[-1] if len(knots) == len(lambdas) else 0.1 * knots[-1]
    s = np.union1d(knots, np.geomspace(knots[0], last, BETWEEN))[::-1]
    return -np.log(s), lines @ interpolator(lambdas, s).toarray()


def largest(rows):
    """Return the nonzero rows, at most the MAX_LINES largest, and how many there are in all.

    Only these are made dense.
    """
    peak = abs(rows).max(axis=1).toarray().ravel()
    which = np.flatnonzero(peak)
    n_selected = len(which)
    if n_selected > MAX_LINES:
        which = np.sort(which[np.argpartition(-peak[which], MAX_LINES)[:MAX_LINES]])
    return which, n_selected


# What plot_kernels draws, and the label of its axis.
OF_KERNELS = {"weights": "Kernel weight", "norms": "Norm of the kernel's function"}


def plot_kernels(path, what="weights", xvar="lambda", label=True, ax=None):
    """Draw a line for each kernel that is ever active.

    `MKLPath.plot` describes the parameters.
    """
    if what not in OF_KERNELS:
        raise ValueError(f"what is {what!r}; choose one of {', '.join(map(repr, OF_KERNELS))}")
    x = along(path, xvar, ("lambda", "dev"))
    values = path.kernel_weights if what == "weights" else path.kernel_norms
    drawn, shown = np.flatnonzero(values.any(axis=1)), np.isfinite(x)
    names = drawn if path.kernel_names is None else path.kernel_names[drawn]
    ax = axes_or_new(ax)
    draw_along(ax, x, values[drawn], names, label, (AXIS_LABELS[xvar], OF_KERNELS[what]),
               (x[shown], path.df[shown], "Active kernels"))  # fmt: skip
    return ax


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
