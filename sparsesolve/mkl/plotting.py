"""Drawing an MKLPath: what each kernel weighs along lambda."""

import numpy as np

from sparsesolve.line_names import name_lines
from sparsesolve.plotting import AXIS_LABELS, count_on_top, draw_lines, new_axes

KINDS = {"weights": "Kernel weight", "norms": "Norm of the kernel's function"}


def plot_kernels(path, what="weights", xvar="lambda", label=False, ax=None):
    """Draw a line for each kernel that is ever active.

    Parameters
    ----------
    path : MKLPath
    what : {"weights", "norms"}, default "weights"
        Kernel weights, which sum to 1, or the norms of the kernels' functions.
    xvar : {"lambda", "dev"}, default "lambda"
        Minus the logarithm of lambda, or the deviance explained; the empty model is on the left.
    label : bool or int, default False
        Name the kernels at the right end of their lines: True as many as find room near it, an
        int at most that many. The other lines turn grey.
    ax : matplotlib Axes, optional
        Where to draw. Default: the axes of a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Raises
    ------
    ValueError
        If `what` or `xvar` is unknown or the path holds nothing to draw.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # no screen
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(50, 5))
    >>> kernels = {f"column {j}": np.outer(x, x) for j, x in enumerate(X.T)}
    >>> ss.mkl_path(kernels, X[:, 0], n_lambdas=10).plot(label=True).get_ylabel()
    'Kernel weight'
    """
    if what not in KINDS:
        raise ValueError(f"what is {what!r}; choose one of {', '.join(map(repr, KINDS))}")
    if xvar not in ("lambda", "dev"):
        raise ValueError(f"xvar is {xvar!r}; choose 'lambda' or 'dev'")
    with np.errstate(divide="ignore"):
        x = -np.log(path.lambdas) if xvar == "lambda" else np.array(path.dev_ratio)
    shown = np.isfinite(x)
    if not shown.any():
        raise ValueError(f"The path holds no lambda that can be drawn against {xvar!r}")
    values = path.kernel_weights if what == "weights" else path.kernel_norms
    drawn = np.flatnonzero(values.any(axis=1))
    drawn = drawn[np.argsort(values[drawn, -1], kind="stable")]
    x, lines = x[shown], values[drawn][:, shown]
    ax = new_axes() if ax is None else ax
    collection = draw_lines(ax, x, lines)
    ax.set_xlabel(AXIS_LABELS[xvar])
    ax.set_ylabel(KINDS[what])
    count_on_top(ax, x, path.df[shown], "Active kernels")
    if label:
        names = drawn if path.kernel_names is None else path.kernel_names[drawn]
        name_lines(ax, collection, x[-1], lines[:, -1], names, len(lines) if label is True else
                   int(label))  # fmt: skip
    return ax
