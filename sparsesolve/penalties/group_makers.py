"""Functions that make overlapping groups: intervals, rectangles, windows."""

from collections.abc import Sequence

import numpy as np


def interval_groups(n_features: int) -> list[list[int]]:
    """Make the groups for which supports are intervals: all that begin or end a sequence.

    For `OverlapL2` or `OverlapLinf`. A union of such groups is what lies before one place and
    after another, so the other features are an interval.

    Parameters
    ----------
    n_features : int
        At least 1.

    Returns
    -------
    list of 2 (n_features - 1) lists; one list of the one feature where there is no other

    Raises
    ------
    ValueError, TypeError
        If n_features is no positive whole number.

    References
    ----------
    Jenatton, Audibert, Bach (2011), "Structured variable selection with sparsity-inducing norms".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.interval_groups(3)
    [[0], [0, 1], [1, 2], [2]]
    """
    p = _size("n_features", n_features)
    if p == 1:
        return [[0]]
    before = [list(range(k)) for k in range(1, p)]
    return before + [list(range(k, p)) for k in range(1, p)]


def rectangle_groups(shape: Sequence[int]) -> list[list[int]]:
    """Make the groups of rows and columns for which supports are rectangles.

    Parameters
    ----------
    shape : pair of int
        Rows and columns of the image whose coefficients are taken row by row.

    Returns
    -------
    list of lists of features

    Raises
    ------
    ValueError, TypeError
        If shape is not a pair of positive whole numbers.

    References
    ----------
    Jenatton, Audibert, Bach (2011), "Structured variable selection with sparsity-inducing norms".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.rectangle_groups((2, 2))
    [[0, 1], [2, 3], [0, 2], [1, 3]]
    """
    rows, columns = _pair("shape", shape)
    place = np.arange(rows * columns).reshape(rows, columns)
    halves = []
    for one in (place, place.T):
        halves += [one[:k] for k in range(1, len(one))] + [one[k:] for k in range(1, len(one))]
    return [sorted(half.ravel().tolist()) for half in halves] or [place.ravel().tolist()]


def window_groups(shape: int | Sequence[int], size: int | Sequence[int]) -> list[list[int]]:
    """Make all windows of one size in a sequence or an image.

    Parameters
    ----------
    shape : int, or pair of int
        Features of a sequence, or rows and columns of an image taken row by row.
    size : int, or pair of int
        Size of a window, at most the shape; an int means a square.

    Returns
    -------
    list of lists of features

    Raises
    ------
    ValueError, TypeError
        If shape or size are no positive whole numbers, or a window is larger than the shape.

    References
    ----------
    Mairal, Jenatton, Obozinski, Bach (2010), "Network flow algorithms for structured sparsity".

    Examples
    --------
    >>> from sparsesolve import penalties
    >>> penalties.window_groups(4, 3)
    [[0, 1, 2], [1, 2, 3]]
    >>> penalties.window_groups((2, 3), 2)
    [[0, 1, 3, 4], [1, 2, 4, 5]]
    """
    if np.ndim(shape) == 0:
        whole, window = (1, _size("shape", shape)), (1, _size("size", size))
    else:
        whole = _pair("shape", shape)
        window = (_size("size", size),) * 2 if np.ndim(size) == 0 else _pair("size", size)
    if window[0] > whole[0] or window[1] > whole[1]:
        raise ValueError(f"size {size!r} is larger than shape {shape!r}")
    place = np.arange(whole[0] * whole[1]).reshape(whole)
    found = np.lib.stride_tricks.sliding_window_view(place, window)
    return found.reshape(-1, window[0] * window[1]).tolist()


def _size(name, value):
    """Return a positive int, or raise with a sentence that names the argument."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, not {value}")
    return int(value)


def _pair(name, value):
    """Return two positive ints, or raise with a sentence that names the argument."""
    if np.ndim(value) != 1 or len(value) != 2:
        raise ValueError(f"{name} must be a pair (rows, columns), not {value!r}")
    return _size(f"{name}[0]", value[0]), _size(f"{name}[1]", value[1])
