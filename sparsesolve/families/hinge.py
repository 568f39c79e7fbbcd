"""The family of support vector machines, whose loss is not smooth: for wrapper methods alone."""

from __future__ import annotations

from sparsesolve.data import read_sides
from sparsesolve.families import Family
from sparsesolve.families.links import above_zero, identity
from sparsesolve.losses.hinge import Hinge


def hinge() -> Family:
    """Hinge loss of two classes, that of support vector machines, for kernels alone.

    ``max(0, 1 - y eta)`` for y = -1 and 1, whatever labels you give. Solved by
    solver="alternation", which "auto" takes, or "simple_mkl"; use it to compare with what others
    publish. `sparsesolve.families.squared_hinge` is smooth, and solved much faster.

    Returns
    -------
    Family
        For ``family=`` of :func:`sparsesolve.mkl_path`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> kernels = [np.outer(x, x) for x in X.T]
    >>> options = {"family": ss.mkl.hinge(), "norm": "l1_squared", "tol": 1e-4}
    >>> fit = ss.mkl_path(kernels, X[:, 0] > 0, lambdas=[0.01], **options)
    >>> fit.kernel_weights[:, 0].argmax()
    np.int64(0)
    """
    return Family("hinge", Hinge, read_sides, identity, classify=above_zero, smooth=False)
