"""The picture of an MKLPath: the weight of each kernel along lambda."""

import numpy as np

from sparsesolve.results.pictures.axes import AXIS_LABELS, along, axes_or_new, draw_along

KINDS = {"weights": "Kernel weight", "norms": "Norm of the kernel's function"}


def plot_kernels(path, what="weights", xvar="lambda", label=True, ax=None):
    """Draw a line for each kernel that is ever active.

    `MKLPath.plot` describes the parameters.
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
