"""The classical set of kernel functions: on all columns and on each column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.mkl.functions.gaussian import gaussian
from sparsesolve.mkl.functions.polynomial import polynomial


def classical(
    X: ArrayLike,
    widths: Sequence[float] = (0.5, 1, 2, 5, 7, 10, 12, 15, 17, 20),
    degrees: Sequence[int] = (1, 2, 3),
) -> list[tuple[Callable[..., Any], int | None]]:
    """Return the classical set: gaussian and polynomial kernels on all columns and each.

    Parameters
    ----------
    X : table (n, p)
        Columns of about unit variance.
    widths : sequence of float, default those of the reference
        Widths of the gaussian kernels.
    degrees : sequence of int, default (1, 2, 3)
        Degrees of the polynomial kernels.

    Returns
    -------
    specifications : list of (p + 1) * (len(widths) + len(degrees)) pairs for :func:`build_grams`

    Raises
    ------
    ValueError, TypeError
        If a width or a degree is not positive.

    References
    ----------
    Rakotomamonjy, Bach, Canu, Grandvalet (2008), "SimpleMKL", section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import mkl
    >>> len(mkl.classical(np.zeros((10, 3))))
    52
    """
    made: list[Callable[..., Any]] = [*map(gaussian, widths), *map(polynomial, degrees)]
    columns: list[int | None] = [None, *range(np.shape(X)[1])]
    return [(function, column) for column in columns for function in made]
