"""The picture of an MKLPath: the weight of each kernel along lambda."""

import numpy as np

from sparsesolve.results.pictures.axes import AXIS_LABELS, along, axes_or_new, draw_along

KINDS = {"weights": "Kernel weight", "norms": "Norm of the kernel's function"}


def plot_kernels(path, what="weights", xvar="lambda", label=True, ax=None):
    """Draw a line for each kernel that is ever active.

    Parameters
    ----------
    path : MKLPath
    what : {"weights", "norms"}, default "weights"
        Kernel weights, which sum to 1, or the norms of the kernels' functions.
    xvar : {"lambda", "dev"}, default "lambda"
        Minus the logarithm of lambda, or the explained deviance; the empty model is on the left.
    label : bool or int, default True
        Name the kernels at the right end of their lines: True as many as fit near it, an int at
        most that many. The other lines become grey.
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
    x = along(path, xvar, ("lambda", "dev"))
    values = path.kernel_weights if what == "weights" else path.kernel_norms
    drawn, shown = np.flatnonzero(values.any(axis=1)), np.isfinite(x)
    names = drawn if path.kernel_names is None else path.kernel_names[drawn]
    ax = axes_or_new(ax)
    draw_along(ax, x, values[drawn], names, label, (AXIS_LABELS[xvar], KINDS[what]),
               (x[shown], path.df[shown], "Active kernels"))  # fmt: skip
    return ax
