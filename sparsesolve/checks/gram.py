"""X'X, X'y and y'y in place of the data: values kept, faults named."""

import numpy as np

from .array import place, real_array, refuse_overflow
from .number import read_number
from .vector import read_finite

ASYMMETRY = 1e-8  # of the sizes of two columns: more is no rounding of their product
ROUNDING = 1e-10


def read_gram(gram, xty, yty):
    """Return (X'X, X'y, y'y or None), fresh float64 arrays (p, p) and (p,) that fit together."""
    array = real_array("gram", gram)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"gram has shape {array.shape}; give X'X, columns by columns")
    with np.errstate(over="ignore"):
        G = np.array(array, dtype=np.float64, order="C", subok=False)
    refuse_overflow("gram", array, G)
    if not np.isfinite(G).all():
        i, j = np.unravel_index(int(np.isfinite(G).argmin()), G.shape)
        raise ValueError(f"gram holds {G[i, j]} {place((i, j))}; every product must be finite")
    cross = read_finite("xty", xty, len(G), "column")
    squares = np.diagonal(G)
    if (squares < 0.0).any():
        j = int((squares < 0.0).argmax())
        raise ValueError(f"gram has {squares[j]:g} {place((j, j))}; a square is at least 0")
    size = np.sqrt(squares)
    _refuse_impossible(G, size)
    if (np.abs(cross) > 0.0)[size == 0.0].any():
        j = int(np.flatnonzero((size == 0.0) & (cross != 0.0))[0])
        raise ValueError(f"xty is {cross[j]:g} for column {j}, which gram says is 0")
    if yty is not None:
        yty = read_number("yty", yty, 0, np.inf)
        most = np.max(np.abs(cross) / np.where(size > 0.0, size, 1.0))
        if most > np.sqrt(yty) * (1 + ROUNDING):
            raise ValueError(
                f"yty is {yty:g}, but one column alone explains {most**2:g} of y'y; pass y'y of "
                f"the same y"
            )
    return G, cross, yty


def _refuse_impossible(G, size):
    """Refuse a matrix that is not symmetric, or whose products exceed what its squares allow."""
    most = size[:, None] * size
    for bad, what in (
        (np.abs(G - G.T) > ASYMMETRY * most, "is not symmetric"),
        (np.abs(G) > most * (1 + ASYMMETRY), "is no X'X: a product exceeds its columns' sizes"),
    ):
        if bad.any():
            i, j = (int(k) for k in np.unravel_index(int(bad.argmax()), G.shape))
            raise ValueError(f"gram {what} ({G[i, j]:g} {place((i, j))}, {G[j, i]:g} across)")
