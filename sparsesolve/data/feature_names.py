"""Names of the columns of X: given by the user or carried by a frame; and columns found by name.
"""

import difflib

import numpy as np

from .array import unmasked
from .frame import frame_names, select_columns

# A message names at most this many features.
SHOWN = 6


def read_feature_names(given, carried, p):
    """Return the names (p,) of the columns of X as strings, or None.

    Parameters
    ----------
    given : array-like (p,) or None
        The user's `feature_names`.
    carried : ndarray (p,) or None
        The names that X has itself.
    p : int
        Number of columns of X.
    """
    if given is None or given is carried:
        return carried
    if carried is not None:
        raise ValueError(
            "X is a frame, which names its columns; leave feature_names out, or rename them there"
        )
    if isinstance(given, str | bytes):
        raise TypeError(f"feature_names is {given!r}; give a name for each column of X")
    names = np.asarray(unmasked("feature_names", given), dtype=object)
    if names.ndim != 1:
        raise ValueError(f"feature_names has shape {names.shape}; give a flat list of {p} names")
    if len(names) != p:
        raise ValueError(f"feature_names has {len(names)} names but X has {p} columns")
    return np.array([str(name) for name in names.tolist()], dtype=object)


def columns_by_name(X, known, fitted):
    """Return a frame with the columns named `known`, in that order, and no others.

    Parameters
    ----------
    X : frame
        A frame by :func:`sparsesolve.data.is_frame`.
    known : ndarray (p,) of str
        Names of the fit.
    fitted : str
        Words for messages, such as "the path was fitted to".

    Returns
    -------
    frame : X itself if it has exactly these columns, else a selection of the same kind

    Raises
    ------
    ValueError
        If a column is missing, or a name that is needed stands twice, naming it.
    """
    names = frame_names(X)
    if names == list(known):
        return X
    places = {name: j for j, name in enumerate(names)}
    missing = [name for name in known if name not in places]
    if missing:
        raise ValueError(_missing_sentence(missing, names, fitted))
    doubled = [*_twice(names).intersection(known), *_twice(known)]
    if doubled:
        raise ValueError(
            f"column {doubled[0]!r} occurs twice, so that columns cannot be found by name; rename "
            "one, or pass X with the columns of the fit in their order"
        )
    return select_columns(X, [places[name] for name in known])


def _twice(names):
    """Return the names that occur more than once."""
    seen = set()
    return {name for name in names if name in seen or seen.add(name)}


def _missing_sentence(missing, names, fitted):
    """Return the sentence on the missing names, and on what may have been meant."""
    first = missing[0]
    near = difflib.get_close_matches(first, names, n=1)
    shown = ", ".join(map(repr, names[:SHOWN])) + (", ..." if len(names) > SHOWN else "")
    hint = f"is it {near[0]!r}?" if near else f"X has {shown}"
    more = f" ({len(missing)} of its columns are missing)" if len(missing) > 1 else ""
    return f"X has no column {first!r}, which {fitted}{more}; {hint}"
