"""X'X, X'y and y'y in place of the data: checks that name the fault."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from sparsesolve.penalties.columns import by_label, index_of, places_by_label

from .array import place, real_array, refuse_overflow
from .frame import is_frame, read_frame
from .number import read_number
from .vector import read_finite

# Largest asymmetry, relative to the sizes of two columns, that rounding of their product can
# cause.
ASYMMETRY = 1e-8
# An eigenvalue within this fraction of the squares from 0 may be rounding, even of single
# precision.
SHIFT = 1e-6
# Where the columns explain more than |y| by at most this fraction, it is rounding.
ROUNDING = 1e-6


def read_gram(gram, xty, yty):
    """Return X'X, X'y, y'y or None, and names or None, as new float64 arrays that fit together.

    Shapes are (p, p) and (p,); the columns of a frame have names.
    """
    array, names = read_frame(gram) if is_frame(gram) else (real_array("gram", gram), None)
    if names is not None and array.ndim == 2 and len(array) == len(names):
        places = places_by_label("the index of gram", index_of(gram), names, "column of gram")
        array = array[places]
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"gram has shape {array.shape}; give X'X, columns by columns")
    with np.errstate(over="ignore"):
        G = np.array(array, dtype=np.float64, order="C", subok=False)
    refuse_overflow("gram", array, G)
    if not np.isfinite(G).all():
        i, j = np.unravel_index(int(np.isfinite(G).argmin()), G.shape)
        raise ValueError(f"gram holds {G[i, j]} {place((i, j))}; every product must be finite")
    xty = by_label("xty", xty, names, len(G), 0.0, "column of gram")
    if np.shape(xty) != (len(G),):
        raise ValueError(
            f"xty has shape {np.shape(xty)} but gram has {len(G)} columns; give one product each"
        )
    cross = read_finite("xty", xty, len(G), "column")
    squares = np.diagonal(G)
    if (squares < 0.0).any():
        j = int((squares < 0.0).argmax())
        raise ValueError(f"gram has {squares[j]:g} {place((j, j))}; a square is at least 0")
    size = np.sqrt(squares)
    _refuse_impossible(G, size)
    unit = np.where(size > 0.0, size, 1.0)
    factor = _factor(G / unit / unit[:, None])
    if (np.abs(cross) > 0.0)[size == 0.0].any():
        j = int(np.flatnonzero((size == 0.0) & (cross != 0.0))[0])
        raise ValueError(f"xty is {cross[j]:g} for column {j}, which gram says is 0")
    if yty is not None:
        yty = read_number("yty", yty, 0, np.inf)
        root = solve_triangular(factor, cross / unit, lower=True)
        most = np.linalg.norm(root)
        if most > np.sqrt(yty) * (1 + ROUNDING):
            raise ValueError(
                f"yty is {yty:g}, but gram and xty say that the columns explain {most**2:g} of "
                f"y'y; pass y'y of the same y"
            )
    return G, cross, yty, names


def _factor(C):
    """Return a new Cholesky factor of correlations, with SHIFT on the diagonal.

    A matrix that is not positive semidefinite is refused: no columns have such products.
    """
    C.flat[:: len(C) + 1] = 1.0 + SHIFT
    try:
        return cholesky(C, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        raise ValueError(
            "gram is no X'X: it has a negative eigenvalue, as inner products taken over different "
            "rows may have; fill the gaps of X first"
        ) from None


def _refuse_impossible(G, size):
    """Refuse a matrix that is not symmetric, or whose products exceed the bound of its squares."""
    most = size[:, None] * size
    for bad, what in (
        (np.abs(G - G.T) > ASYMMETRY * most, "is not symmetric"),
        (np.abs(G) > most * (1 + ASYMMETRY), "is no X'X: a product exceeds its columns' sizes"),
    ):
        if bad.any():
            i, j = (int(k) for k in np.unravel_index(int(bad.argmax()), G.shape))
            raise ValueError(f"gram {what} ({G[i, j]:g} {place((i, j))}, {G[j, i]:g} across)")
