"""Total variation of an image: neighbours along rows and columns.

    Omega(B) = w_0 sum |B_(i+1,j) - B_ij| + w_1 sum |B_(i,j+1) - B_ij| + l1 sum |B_ij|

(anisotropic). `EdgeNorm` has everything but the edges of the grid.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.linalg.threads import thread_count
from sparsesolve.penalties.graph_tv import EdgeNorm
from sparsesolve.penalties.norm import read_number, read_shape, soft
from sparsesolve.penalties.prox.images import DualSteps
from sparsesolve.penalties.prox.regions import Flows, prox_levels_near

# Dual steps are stopped at this gap, relative to the squared distance of the image from its mean,
# or after so many, and exact flows take over. Between 5e-6 and 1e-4 times differ by 10 % on images
# of 16 x 16 to 512 x 512 (benchmarks/structured/overlap.py prox).
DUAL_STEPS_GAP = 2e-5
# At most this many dual steps precede the exact method, which then corrects what they left.
MOST_DUAL_STEPS = 40


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
        self.shape, self.l1 = read_shape(shape), read_number("l1", l1)
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
        self._join(tail, head, w)

    def prox(self, v: ArrayLike, t: float = 1.0, n_threads: int | None = 1) -> np.ndarray:
        """Return the proximal operator, ``argmin_b |b - v|^2 / 2 + t Omega(b)``, a new array (p,).

        Parameters
        ----------
        v : array-like (p,)
            The image row by row.
        t : float >= 0, default 1.0
        n_threads : int or None, default 1
            Threads that share rows and columns of a large image; -1 and None are all cores.
            Any number gives the same bits.

        Returns
        -------
        ndarray (p,)
            Exact but for rounding.

        Raises
        ------
        ValueError, TypeError
            If v does not fill the shape, t is negative, or n_threads is not a number of threads.
        """
        threads = thread_count(n_threads)
        return self._prox_near_one(v, t, lambda own, x, t: own._prox(x, t, threads))

    def norm_prox(self, v: np.ndarray, t: float) -> np.ndarray:
        """See Norm."""
        return self._prox(v, t, 1)

    def _prox(self, v, t, threads):
        """Compute the prox approximately by dual steps, then exactly from their flows."""
        net, chains = self._network, min(self.weights) == 0.0 or 1 in self.shape
        near = None if chains or not np.isfinite(t) else self._approximate(net, v, t, threads)
        b = prox_levels_near(net, v, t, near)[0]
        return soft(b, t * self.l1) if self.l1 > 0.0 else b

    def _approximate(self, net, v, t, threads):
        """Return flows near those of the prox."""
        V = v.reshape(self.shape)
        image = DualSteps(V, t * self.weights[0], t * self.weights[1], threads)
        spread = float(((V - V.mean()) ** 2).sum())
        image.approximate(DUAL_STEPS_GAP * spread, MOST_DUAL_STEPS)
        flow = np.empty(len(net.head))
        forth = np.concatenate([part.ravel() for part in image.flows()])
        flow[net.place] = np.concatenate([forth, -forth])
        return Flows(flow, image.pieces(), t)

