"""Sequences: what a user passes becomes one table of positions, and the starts of the sequences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.data import (
    columns_by_name,
    in_rows_of,
    is_frame,
    nonfinite_error,
    read_design,
    read_labels,
    read_weights,
    refuse_damage,
    shown,
)
from sparsesolve.data.frame import frame_names
from sparsesolve.penalties.columns import index_of, places_by_label
from sparsesolve.structured.sentences import Sentences

# With more labels, numbers of pairs would exceed 32 bits.
MOST_LABELS = 46_340


class Rows(NamedTuple):
    """X of all positions by rows, X' by rows, and the starts of the sequences."""

    rows: sparse.csr_array  # (n, p) float64, pointers of 64 bits and columns of 32
    columns: sparse.csr_array  # (p, n), its transpose
    ptr: np.ndarray  # (n_sequences + 1,) int64
    names: np.ndarray | None  # (p,) names of the columns of a table


def read_rows(X: Any, lengths: Any = None, both: bool = True, known: Any = None) -> Rows:
    """Read a list of sequences (L, p), or one table (n, p) with the lengths of its sequences.

    Parameters
    ----------
    X : list of array-like or sparse (L, p); or array-like, table or sparse (n, p); or dicts of
        features, one for each position, in one list or in a list for each sequence
    lengths : array-like (n_sequences,), default None
        Rows of each sequence, in order; not with a list. None: a table is one sequence.
    both : bool
        Whether the transpose is also needed.
    known : (p,) names of the features of a fit, or None
        Frames have these columns, in any order.

    Raises
    ------
    ValueError, TypeError
        One sentence: what was found, where, what to do.
    """
    if isinstance(X, Sentences):
        raise TypeError(
            "X holds Sentences, which are words; make a matrix of them by "
            "structured.Templates().fit_transform(sentences)"
        )
    dicts = holds_dicts(X)
    if lengths is not None and (is_list_of_sequences(X) or dicts and not _is_position(X[0])):
        raise ValueError(
            "X is a list of sequences, which have their lengths; leave lengths out, or pass one "
            "table"
        )
    if dicts:
        return _rows_of_dicts(X, lengths, both, known)
    if is_list_of_sequences(X):
        lengths = [_rows_of("X", s, part) for s, part in enumerate(X)]
        if known is None and is_frame(X[0]):
            known = frame_names(X[0])
        for part in X:
            refuse_damage(part)
        X = [_in_columns(part, known) for part in X]
        _refuse_widths(X)
        joined = any(sparse.issparse(part) for part in X)
        X = sparse.vstack(list(X), format="csc") if joined else np.concatenate(
            [np.asarray(part) for part in X])  # fmt: skip
    refuse_damage(X)
    X = _in_columns(X, known)
    rows = None if both else _ready(X)
    if rows is not None:
        return Rows(packed(rows), rows, read_lengths(lengths, rows.shape[0]), None)
    matrix, names = read_design(X)
    names = np.array(known, dtype=object) if names is None and known is not None else names
    ptr = read_lengths(lengths, matrix.shape[0])
    columns = sparse.csc_array(matrix) if not sparse.issparse(matrix) else matrix
    if not np.isfinite(columns.data).all():
        raise nonfinite_error(matrix, names)
    rows = sparse.csr_array(columns)
    return Rows(packed(rows), packed(sparse.csr_array(columns.T)) if both else rows, ptr, names)


def holds_dicts(X):
    """Return True if X holds a dict, or a list of texts, of features for each position."""
    if not isinstance(X, list | tuple) or not X:
        return False
    first = X[0][0] if isinstance(X[0], list | tuple) and X[0] else X[0]
    return _is_position(first)


def refuse_dicts(X, names):
    """Raise ValueError for dicts where a fit has no names of features."""
    if names is None and holds_dicts(X):
        raise ValueError(
            "X holds dicts of features, but the model was fitted to a matrix without names; make "
            "such a matrix"
        )


def _is_position(value):
    """Return True for the features of one position, a dict or a list of texts."""
    return isinstance(value, Mapping) or (
        isinstance(value, list | tuple | set) and len(value) > 0
        and all(isinstance(text, str) for text in value)
    )  # fmt: skip


def _rows_of_dicts(X, lengths, both, known):
    """Return Rows of a list of dicts, or of a list of sequences of them; `known` are the names.

    Features that are not known are left out, as those of a word that training never saw.
    """
    if not _is_position(X[0]):
        lengths = [_rows_of("X", s, part) for s, part in enumerate(X)]
        X = [position for part in X for position in part]
    names = {} if known is None else {str(name): j for j, name in enumerate(known)}
    ends, columns, values = [0], [], []
    for i, position in enumerate(X):
        for name, value in _features(i, position):
            j = names.get(name) if known is not None else names.setdefault(name, len(names))
            if j is not None:
                columns.append(j)
                values.append(value)
        ends.append(len(columns))
    rows = sparse.csr_array((np.array(values, dtype=float), np.array(columns, dtype=np.intc),
                             np.array(ends)), shape=(len(X), len(names)))  # fmt: skip
    rows.sum_duplicates()
    if not rows.shape[1]:
        raise ValueError("X holds no feature: every dict is empty")
    if not np.isfinite(rows.data).all():
        raise nonfinite_error(sparse.csc_array(rows), list(names))
    ptr, turned = read_lengths(lengths, len(X)), rows
    if both:
        turned = packed(sparse.csr_array(rows.T))
    return Rows(packed(rows), turned, ptr, np.array([*names, None], dtype=object)[:-1])


def _features(i, position):
    """Yield name and value of the features of position i: text makes "name=text" of value 1."""
    if not isinstance(position, Mapping):
        if not _is_position(position) and position not in ([], ()):
            raise TypeError(f"X holds {shown(position)} at position {i}; give a dict of features")
        yield from ((text, 1.0) for text in position)
        return
    for name, value in position.items():
        if isinstance(value, str):
            yield f"{name}={value}", 1.0
        elif isinstance(value, list | tuple | set) and all(isinstance(x, str) for x in value):
            yield from ((f"{name}={text}", 1.0) for text in value)
        elif isinstance(value, bool | int | float | np.number | np.bool_):
            yield str(name), float(value)
        else:
            raise TypeError(
                f"feature {name!r} of position {i} is {shown(value)}; give text, a number or "
                "True, or a list of texts"
            )


def _in_columns(X, known):
    """Return a frame with its columns in the order of `known` names; anything else as it is."""
    if known is None or not is_frame(X):
        return X
    return columns_by_name(X, list(known), "the first sequence or the fit has")


def _ready(X):
    """Return X by rows without a copy, if it is finite and in that form already; else None."""
    if not (sparse.issparse(X) and X.format == "csr" and X.dtype == np.float64 and X.shape[0]):
        return None
    rows = sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    whole = rows.has_canonical_format and np.isfinite(rows.data).all()
    return rows if whole else None


def is_list_of_sequences(X):
    """Return True if X is a list or tuple of arrays of two dimensions."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(
        np.ndim(part) == 2 or sparse.issparse(part) for part in X)  # fmt: skip


def _rows_of(name, s, part):
    rows = part.shape[0] if sparse.issparse(part) else len(part)
    if rows == 0:
        raise ValueError(f"{name} holds an empty sequence at position {s}; leave it out")
    return rows


def _refuse_widths(X):
    widths = [part.shape[1] if sparse.issparse(part) else np.shape(part)[1] for part in X]
    for s, width in enumerate(widths):
        if width != widths[0]:
            raise ValueError(
                f"X has {width} columns in sequence {s} and {widths[0]} in sequence 0; all "
                "sequences need the same columns"
            )


def packed(rows):
    """Return the same matrix by rows with sorted columns, in the form that the kernels read."""
    rows.sort_indices()
    rows.data = np.ascontiguousarray(rows.data, dtype=float)
    rows.indices = np.ascontiguousarray(rows.indices, dtype=np.intc)
    rows.indptr = np.ascontiguousarray(rows.indptr, dtype=np.longlong)
    return rows


def read_lengths(lengths: Any, n: int) -> np.ndarray:
    """Return the starts of the sequences, (n_sequences + 1,), from their lengths; None: one."""
    if lengths is None:
        lengths = [n]
    try:
        values = np.asarray(lengths)
    except ValueError:
        values = np.empty(0, dtype=object)
    if values.ndim != 1 or values.dtype.kind not in "iuf" or (values != np.floor(values)).any():
        raise ValueError("lengths must be whole numbers, the rows of each sequence in order")
    values = values.astype(np.int64)
    if (values <= 0).any():
        s = int((values <= 0).argmax())
        raise ValueError(
            f"lengths holds {values[s]} at position {s}; a sequence has at least one row, so "
            "leave it out"
        )
    if values.sum() != n:
        raise ValueError(f"lengths add up to {values.sum()}, but there are {n} rows")
    return np.concatenate([[0], np.cumsum(values)])


def read_tags(y: Any, ptr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return labels by number (n,) and their names (K,), from one vector or a list of vectors."""
    y = joined_tags(y, ptr)
    codes, names = read_labels(y, int(ptr[-1]))
    if len(names) > MOST_LABELS:
        raise ValueError(f"y has {len(names)} labels; at most {MOST_LABELS} are possible")
    return codes.astype(np.intc), names


def in_positions_of(X, y):
    """Return y with labels in the order of the rows of X, for each sequence if X is a list."""
    if is_list_of_sequences(X) and isinstance(y, list | tuple) and len(y) == len(X):
        return [
            in_rows_of(part, {f"sequence {s} of y": tags}, f"sequence {s} of X").popitem()[1]
            for s, (part, tags) in enumerate(zip(X, y, strict=True))
        ]
    return in_rows_of(X, {"y": y})["y"]


def is_ragged(y):
    """Return True if y holds a vector of labels for each sequence."""
    if isinstance(y, np.ndarray) and y.dtype.kind == "O":
        y = list(y)
    return isinstance(y, list | tuple) and len(y) > 0 and all(
        isinstance(part, list | tuple | np.ndarray) or hasattr(part, "to_numpy") for part in y
    )


def joined_tags(y, ptr, name="y", of="X"):
    """Return one vector of labels, from a vector for each sequence; of the lengths of `of`."""
    if not is_ragged(y):
        return y
    if len(y) != len(ptr) - 1:
        raise ValueError(
            f"{name} has {len(y)} sequences and {of} {len(ptr) - 1}; give one for each"
        )
    for s, part in enumerate(y):
        if len(part) != ptr[s + 1] - ptr[s]:
            raise ValueError(
                f"{name} has {len(part)} labels for sequence {s}, which has "
                f"{ptr[s + 1] - ptr[s]} rows"
            )
    return [label for part in y for label in part]


def share_right(y, ptr, found, weights=None):
    """Return the fraction of labels y that are those found (n,), by the weight of each."""
    codes, names = read_tags(y, ptr)
    return float(np.average(names[codes] == found, weights=weights))


def sequence_weights(weights, N):
    """Return one weight for each sequence, (N,); None: all 1."""
    return np.ones(N) if weights is None else read_weights(weights, N, per="sequence")


def known_tags(y: Any, ptr: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Return the numbers of labels among the known ones; raise ValueError for an unknown label."""
    codes, found = read_tags(y, ptr)
    place = {label: k for k, label in enumerate(names.tolist())}
    strange = [label for label in found.tolist() if label not in place]
    if strange:
        raise ValueError(
            f"y holds the label {strange[0]!r}, which the model never saw in training"
        )
    return np.array([place[label] for label in found.tolist()], dtype=np.intc)[codes]


def read_allowed(allowed: Any, K: int, names: np.ndarray | None = None) -> np.ndarray | None:
    """Return the mask of allowed transitions (K, K), from row to column; None for all.

    Rows and columns of a frame are found by the labels `names` (K,).
    """
    if allowed is None:
        return None
    mask = np.asarray(allowed)
    if names is not None and hasattr(allowed, "columns") and mask.shape == (K, K):
        rows = places_by_label("the index of allowed", index_of(allowed), names, "label")
        across = index_of(allowed.T)
        columns = places_by_label("the columns of allowed", across, names, "label")
        mask = mask[np.ix_(rows, columns)]
    if mask.shape != (K, K) or mask.dtype != bool:
        raise ValueError(
            f"allowed must be a boolean array of shape {(K, K)}, from row label to column label, "
            f"not {mask.dtype} of shape {mask.shape}"
        )
    return np.ascontiguousarray(mask)


def refuse_forbidden(y: np.ndarray, ptr: np.ndarray, allowed: np.ndarray | None,
                     names: np.ndarray) -> None:
    """Raise ValueError if the mask forbids a pair of labels that follow each other in y."""
    if allowed is None:
        return
    inside = np.ones(len(y), dtype=bool)
    inside[ptr[1:] - 1] = False
    at = np.flatnonzero(inside)
    broken = at[~allowed[y[at], y[at + 1]]]
    if len(broken):
        i, names = int(broken[0]), names.tolist()
        raise ValueError(
            f"allowed forbids {names[y[i + 1]]!r} after {names[y[i]]!r}, which y has at row "
            f"{i + 1} of sequence {int(np.searchsorted(ptr, i, side='right')) - 1}"
        )


def refuse_impossible(lengths: np.ndarray, allowed: np.ndarray) -> None:
    """Raise ValueError if a sequence is longer than any that the mask of transitions allows."""
    K = len(allowed)
    ends, longest = np.ones(K, dtype=bool), 1
    while longest <= K:  # a longer one has a cycle, and then there is no end of them
        ends = np.asarray(allowed[ends].any(axis=0))
        if not ends.any():
            break
        longest += 1
    if longest <= K and (lengths > longest).any():
        s = int((lengths > longest).argmax())
        raise ValueError(
            f"sequence {s} has {lengths[s]} rows, but allowed lets no sequence of labels be "
            f"longer than {longest}; allow more transitions"
        )
