"""Total variation of an image: neighbours along rows and columns.

    Omega(B) = w_0 sum |B_(i+1,j) - B_ij| + w_1 sum |B_(i,j+1) - B_ij| + l1 sum |B_ij|

(anisotropic). `edge_variation.py` has everything but the edges of the grid.
"""

from collections.abc import Sequence

import numpy as np

from sparsesolve.penalties.edge_variation import EdgeNorm, EdgeVariation
from sparsesolve.penalties.norm import read_number


class TotalVariation2D(EdgeNorm):
    """Anisotropic total variation of an image of coefficients: they become constant on regions.

    Parameters
    ----------
    shape : pair of int
        Rows and columns of the image; its coefficients are taken row by row.
    weights : pair of float >= 0, default (1, 1)
        Weights of differences between rows, and between columns.
    l1 : float >= 0, default 0.0
        Weight of the l1 norm added to total variation; without it the mean of the image is not
        penalised.

    Raises
    ------
    ValueError, TypeError
        If shape is not a pair of positive whole numbers, weights are not a pair or negative, or
        l1 is not a number of at least 0; when a path is fitted, if the features do not fill the
        shape.

    References
    ----------
    Rudin, Osher, Fatemi (1992), "Nonlinear total variation based noise removal algorithms".
    Chambolle, Darbon (2009), "On total variation minimization and surface evolution using
    parametric maximum flows".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsesolve import penalties
    >>> image = np.array([[0.0, 0.1, 5.0], [0.1, 0.0, 5.2]])
    >>> penalties.TotalVariation2D((2, 3)).prox(image.ravel(), 0.1).reshape(2, 3)
    array([[0.1, 0.1, 5. ],
           [0.1, 0.1, 5. ]])
    """

    def __init__(
        self, shape: Sequence[int], weights: Sequence[float] = (1.0, 1.0), l1: float = 0.0
    ):
        self.shape, self.l1 = _read_shape(shape), read_number("l1", l1)
        if len(np.shape(weights)) != 1 or len(weights) != 2:
            raise ValueError(f"weights must be a pair (rows, columns), not {weights!r}")
        self.weights = (
            read_number("weights[0]", weights[0]), read_number("weights[1]", weights[1])
        )  # fmt: skip

    def _arguments(self):
        return f"{self.shape!r}, weights={self.weights!r}, l1={self.l1!r}"

    def _bind(self, names):
        rows, columns = self.shape
        if rows * columns != self.n_features:
            raise ValueError(
                f"shape {self.shape} has {rows * columns} entries for {self.n_features} features"
            )
        place = np.arange(rows * columns).reshape(rows, columns)
        down, right = place[:-1].ravel(), place[:, :-1].ravel()
        w = np.repeat(self.weights, (len(down), len(right)))
        tail, head = np.r_[down, right], np.r_[down + columns, right + 1]
        self._graph = EdgeVariation(self.n_features, tail, head, w, self.l1)


def _read_shape(shape):
    """Return a pair of positive ints, or raise."""
    sizes = tuple(shape) if np.ndim(shape) == 1 else ()
    if len(sizes) != 2 or not all(hasattr(m, "__index__") and m > 0 for m in sizes):
        raise ValueError(f"shape must be a pair of positive whole numbers, not {shape!r}")
    return int(sizes[0]), int(sizes[1])
