"""The input of spom: numbers; explicit features in groups, or blocks of kernels and features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sparsesolve.data import in_rows_of, read_number, real_array
from sparsesolve.data.labels import read_all_classes
from sparsesolve.data.row_labels import kernels_alike
from sparsesolve.data.structure import verified
from sparsesolve.paths.assembly import labels_of_groups
from sparsesolve.penalties.groups import read_groups
from sparsesolve.structured.sequences import (
    in_positions_of,
    is_ragged,
    joined_tags,
    known_tags,
    read_lengths,
    read_rows,
    read_tags,
)
from sparsesolve.structured.spom_blocks import Features, Kernel

# Values that are tried for eta0, as in the paper.
RATES = (0.01, 0.1, 1.0, 10.0)
# Each trial takes this many epochs.
TRIAL_EPOCHS = 5


def first_rate(eta0, begin, N, epochs, seed, strong):
    """Return eta0; or 1 / strong if that is positive; or the best of RATES after some epochs."""
    if eta0 != "auto":
        return read_positive("eta0", eta0)
    if strong > 0.0:
        return 1.0 / strong
    epochs, found = min(TRIAL_EPOCHS, epochs), []
    for rate in RATES:
        learner, rng = begin(False), np.random.default_rng(seed)
        for _ in range(epochs):
            learner.epoch(rng.permutation(N), rate)
        found.append(learner.objective())
    return RATES[int(np.argmin(found))]


def read_lam(lam, C, N):
    """Return lam, or 1 / (C N); raise ValueError if both are given."""
    if lam is not None and C is not None:
        raise ValueError("lam is 1 / (C N); give one of them")
    if lam is not None:
        return read_positive("lam", lam)
    return 1.0 / (N * read_positive("C", 1.0 if C is None else C))


def read_positive(name, value):
    """Return a finite number above 0, or raise."""
    return read_number(name, value, 0, np.inf, open_low=True, open_high=True)


# A kernel may differ from its transpose by this fraction of its largest entry.
SYMMETRIC = 1e-6


class Blocks(NamedTuple):
    """The data in the form that the learner takes."""

    make: Any  # (state (3, G), averaged) -> list of (block, its first group)
    n_groups: int
    group_labels: list  # the names of the groups
    kinds: tuple  # "features" or "kernel" for each block
    of: np.ndarray | None  # (p,) group number of each feature, if X is one table
    n_features: int  # p, if X is one table
    codes: np.ndarray  # (n,) labels by number
    labels: np.ndarray  # (K,)
    ptr: np.ndarray  # (N + 1,) starts of the sequences
    feature_names: np.ndarray | None = None  # (p,), if X is one table whose columns have names


def read_blocks(X: Any, y: Any, lengths: Any, groups: Any, each: bool = False,
                labels: Any = None) -> Blocks:  # fmt: skip
    """Check the data; raise ValueError or TypeError with one sentence if they do not fit.

    With `each`, every feature of one table is a group; `labels` are all that there may be.
    """
    if isinstance(X, dict):
        return _of_blocks(list(X.keys()), list(X.values()), y, lengths, groups, labels)
    if isinstance(X, list | tuple) and X and all(_is_block(part, X[0]) for part in X):
        if lengths is not None or not is_ragged(y) and _size(X[0]) == len(y):
            return _of_blocks(list(range(len(X))), list(X), y, lengths, groups, labels)
    return _of_table(X, y, lengths, groups, each, labels)


def read_more(model: Any, X: Any, y: Any, lengths: Any) -> Blocks:
    """Check further data of a SPOM of one table."""
    y = in_positions_of(X, y)
    rows = read_rows(X, lengths, both=False, known=model.feature_names)
    if rows.rows.shape[1] != model.n_features:
        raise ValueError(
            f"X has {rows.rows.shape[1]} columns, but the model was fitted to {model.n_features}"
        )
    codes = known_tags(y, rows.ptr, model.labels)
    return _finished([_features(rows.rows, np.asarray(model.groups, dtype=np.intc))],
                     ("features",), model.group_labels, model.groups, model.n_features, codes,
                     model.labels, np.asarray(rows.ptr))  # fmt: skip


def _read_labels(y, ptr, labels):
    """Return labels by number, and all of them: those of y, or `labels`."""
    if labels is None:
        return read_tags(y, ptr)
    labels = read_all_classes(labels)
    strange = np.setdiff1d(read_tags(y, ptr)[1], labels)
    if len(strange):
        raise ValueError(f"y holds the label {strange.tolist()[0]!r}, which labels does not name")
    return known_tags(y, ptr, labels), labels


def read_orders(shuffle, order, N, epochs, rng):
    """Return the orders of the sequences, one for each epoch."""
    if order is None:
        return (rng.permutation(N) if shuffle else np.arange(N) for _ in range(epochs))
    order = np.asarray(order)
    if order.ndim > 2 or order.dtype.kind not in "iu" or order.size == 0:
        raise ValueError(f"order must hold numbers of sequences, one row an epoch, not {order!r}")
    if order.min() < 0 or order.max() >= N:
        raise ValueError(f"order must hold numbers from 0 to {N - 1}, as there are {N} sequences")
    if order.ndim == 2 and len(order) != epochs:
        raise ValueError(f"order has {len(order)} rows for {epochs} epochs")
    return (order if order.ndim == 1 else order[epoch] for epoch in range(epochs))


def _of_table(X, y, lengths, groups, each, labels):
    y = in_positions_of(X, y)
    rows = read_rows(X, lengths, both=False)
    codes, labels = _read_labels(y, rows.ptr, labels)
    p = rows.rows.shape[1]
    if each:
        names = list(range(p)) if rows.names is None else list(rows.names)
        of = np.arange(p, dtype=np.intc)
    elif groups is None:
        names, of = ["all"], np.zeros(p, dtype=np.intc)
    else:
        layout = read_groups(groups, p, rows.names)
        names, of = labels_of_groups(layout, rows.names), np.asarray(layout.of)
    return _finished([_features(rows.rows, of)], ("features",), names, of, p, codes, labels,
                     np.asarray(rows.ptr))._replace(feature_names=rows.names)  # fmt: skip


def _of_blocks(names, parts, y, lengths, groups, labels):
    if groups is not None:
        raise ValueError("groups are for features of one table; each block here is a group")
    if not parts:
        raise ValueError("X holds no block")
    for name, part in zip(names, parts, strict=True):
        if len(getattr(getattr(part, "Z", part), "shape", ())) != 2:
            raise TypeError(
                f"block {name!r} is a {type(part).__name__}; give a kernel matrix (n, n), or "
                "mkl.LowRank(Z) for features Z"
            )
    parts = kernels_alike(parts, [f"block {name!r}" for name in names])
    n = _size(parts[0])
    ptr = np.asarray(read_lengths(lengths, n))
    codes, labels = _read_labels(joined_tags(in_rows_of(parts, {"y": y})["y"], ptr), ptr, labels)
    made, kinds = [], []
    for name, part in zip(names, parts, strict=True):
        if hasattr(part, "Z"):
            x = read_rows(part.Z, lengths, both=False).rows
            if x.shape[0] != n:
                raise ValueError(f"block {name!r} has {x.shape[0]} rows, but others have {n}")
            made.append(_features(x, np.zeros(x.shape[1], dtype=np.intc)))
            kinds.append("features")
        else:
            made.append(_kernel(_read_kernel(name, part, n)))
            kinds.append("kernel")
    return _finished(made, tuple(kinds), names, None, 0, codes, labels, ptr)


def _features(x, of):
    if len(x.data) == 0:  # an array without entries has no address
        x.data, x.indices = np.zeros(1), np.zeros(1, dtype=np.intc)
    count = int(of.max(initial=0)) + 1

    def make(K, state, averaged):
        return Features(x.indptr, x.indices, x.data, of, len(of), K, state, averaged)

    return count, make


def _kernel(matrix):
    return 1, lambda K, state, averaged: Kernel(matrix, K, state, averaged)


def _finished(made, kinds, names, of, p, codes, labels, ptr):
    firsts = np.concatenate([[0], np.cumsum([count for count, _ in made])])

    def make(state, averaged):
        return [(one(len(labels), state[:, a:b], averaged), int(a))
                for (_, one), a, b in zip(made, firsts[:-1], firsts[1:], strict=True)]  # fmt: skip

    return Blocks(make, int(firsts[-1]), names, kinds, of, p, codes, labels, ptr)


def _read_kernel(name, matrix, n):
    """Return a symmetric kernel (n, n): compressed rows, or contiguous float64 or float32."""
    if sparse.issparse(matrix):
        matrix = sparse.csr_array(verified(matrix))
        matrix.sum_duplicates()
        values = matrix.data
    else:
        matrix = real_array(f"kernel {name!r}", matrix)
        kind = np.float32 if matrix.dtype == np.float32 else np.float64
        values = matrix = np.ascontiguousarray(matrix, dtype=kind)
    if matrix.shape != (n, n):
        raise ValueError(f"kernel {name!r} has shape {matrix.shape}; others say ({n}, {n})")
    if not np.isfinite(values).all():
        raise ValueError(f"kernel {name!r} holds nan or infinity; give finite numbers")
    most = float(np.abs(values).max(initial=0.0))
    if abs(matrix - matrix.T).max() > SYMMETRIC * most:
        raise ValueError(f"kernel {name!r} is not symmetric; give one between all positions")
    if (matrix.diagonal() < 0.0).any():
        raise ValueError(f"kernel {name!r} has negative entries on its diagonal: it is no kernel")
    return matrix


def _is_block(part, first):
    if hasattr(part, "Z"):
        return True
    shape = getattr(part, "shape", ())
    return len(shape) == 2 and shape[0] == shape[1] == _size(first)


def _size(part):
    return (part.Z if hasattr(part, "Z") else part).shape[0]
