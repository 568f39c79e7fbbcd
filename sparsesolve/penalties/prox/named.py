"""Proximal operators under the names that the literature gives them, by the prox of a penalty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def l1(v: ArrayLike, t: float) -> np.ndarray:
    r"""Return the prox of the l1 norm: soft thresholding.

    It is :math:`\arg\min_b \lVert b - v \rVert^2 / 2 + t \lVert b \rVert_1`.

    Raises
    ------
    ValueError
        If v holds NaN or infinity, or t is negative.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.l1([3.0, -0.5, 1.0], 1.0)
    array([ 2., -0.,  0.])
    """
    return _prox(_penalties().L1(), v, t)


def group_l2(v: ArrayLike, groups: Any, t: float, weights: ArrayLike | None = None) -> np.ndarray:
    """Return the prox of a sum of Euclidean norms over disjoint groups.

    Parameters
    ----------
    groups : sequence or mapping
        As in ``penalties.GroupL2``: a label for each entry of v, or lists of entries.
    weights : array-like (G,), default None
        Weights of the norms; None means the square roots of sizes.

    Raises
    ------
    ValueError
        If v holds NaN or infinity, t is negative, or groups or weights do not fit v.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.group_l2([3.0, 4.0, 0.1], [0, 0, 1], 1.0, weights=[1.0, 1.0])
    array([2.4, 3.2, 0. ])
    """
    return _prox(_penalties().GroupL2(groups, weights=weights), v, t)


def tv1d(v: ArrayLike, t: float, weights: ArrayLike | None = None) -> np.ndarray:
    """Return the prox of total variation along a line: the fused lasso of a signal, exactly.

    Parameters
    ----------
    weights : array-like (n - 1,), default None
        Weights of the differences of neighbours; None means 1.

    Raises
    ------
    ValueError
        If v holds NaN or infinity, t is negative, or weights do not fit v.

    References
    ----------
    Condat (2013), "A direct algorithm for 1D total variation denoising".

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.tv1d([0.0, 0.2, 5.0, 5.2], 0.5)
    array([0.35, 0.35, 4.85, 4.85])
    """
    return _prox(_penalties().TotalVariation(weights), v, t)


def tv2d(image: ArrayLike, t: float, weights: Sequence[float] = (1.0, 1.0),
         n_threads: int | None = 1) -> np.ndarray:  # fmt: skip
    """Return the prox of anisotropic total variation of an image, exactly.

    Parameters
    ----------
    image : array-like (rows, columns)
    weights : pair of float >= 0, default (1, 1)
        Weights of differences between rows, and between columns.
    n_threads : int or None, default 1
        As in ``TotalVariation2D.prox``.

    Returns
    -------
    ndarray (rows, columns)

    Raises
    ------
    ValueError
        If image has no rows and columns, holds NaN or infinity, or t is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve.penalties import prox
    >>> prox.tv2d([[0.0, 0.1, 5.0], [0.1, 0.0, 5.2]], 0.1)
    array([[0.1, 0.1, 5. ],
           [0.1, 0.1, 5. ]])
    """
    values = np.asarray(image, dtype=float)
    if values.ndim != 2:
        raise ValueError(f"image has shape {values.shape}; give rows and columns")
    own = _penalties().TotalVariation2D(values.shape, weights)
    return _prox(own, values.ravel(), t, n_threads).reshape(values.shape)


def tv_graph(v: ArrayLike, edges: Any, t: float, weights: ArrayLike | None = None) -> np.ndarray:
    """Return the prox of total variation over the edges of a graph, exactly.

    Parameters
    ----------
    edges : sequence of pairs of int
    weights : array-like (E,), default None
        Weights of the edges; None means 1.

    Raises
    ------
    ValueError
        If v holds NaN or infinity, t is negative, or edges or weights do not fit v.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.tv_graph([0.0, 3.0, 3.0], [(0, 1), (1, 2), (0, 2)], 0.25).round(12)
    array([0.5 , 2.75, 2.75])
    """
    return _prox(_penalties().GraphTV(edges, weights), v, t)


def trend_filter(v: ArrayLike, t: float, degree: int = 1) -> np.ndarray:
    """Return the prox of trend filtering: pieces of polynomials of this degree.

    Parameters
    ----------
    degree : int from 0 to 3, default 1

    Raises
    ------
    ValueError
        If v holds NaN or infinity, t is negative, or degree is not from 0 to 3.

    Examples
    --------
    >>> from sparsesolve.penalties import prox
    >>> prox.trend_filter([0.0, 1.0, 2.1, 2.9, 2.0, 1.0], 0.1).round(2)
    array([0.03, 1.03, 2.03, 2.87, 1.97, 1.07])
    """
    return _prox(_penalties().TrendFilter(degree), v, t)


def _prox(penalty, v, t, *options):
    """Return the prox of a penalty, after checks of v and t."""
    values = np.asarray(v, dtype=float)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(f"v must be finite numbers (n,), not an array of shape {values.shape}"
                         if values.ndim != 1 else "v holds NaN or infinity; fill gaps")
    if not 0.0 <= t < np.inf:
        raise ValueError(f"t must be a finite number of at least 0, not {t}")
    return penalty.prox(values, t, *options)


def _penalties():
    from sparsesolve import penalties  # which are made of the proxes in this folder

    return penalties
