"""Predictions of a path for new rows, which read only the columns with a coefficient."""

from functools import partial

import numpy as np
from scipy import sparse

from sparsesolve.data import (
    columns_by_name,
    is_dask,
    is_encoded,
    is_frame,
    nonfinite_error,
    of_blocks,
    read_design,
    read_offset,
    read_offsets,
    refuse_truncated,
)
from sparsesolve.data.genotypes.columns import Genotypes
from sparsesolve.data.genotypes.matching import is_matched, match
from sparsesolve.families import read_family
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.design.genotypes import MixedColumns
from sparsesolve.results.interpolation import at_one, interpolator, read_s

KINDS = ("link", "response", "class", "nonzero", "survival")


def predict(path, X, s, kind, offset):
    """Return the predictions that :meth:`sparsesolve.Path.predict` describes."""
    refuse_kind(path, kind, KINDS)
    if kind == "nonzero":
        return path.nonzero(s)
    if X is None and not is_signal(path):
        raise ValueError(f"X is missing; kind={kind!r} needs the rows to predict")
    if is_dask(X):
        return _predict_later(path, X, s, kind, offset)
    s = path.lambdas if s is None else read_s(s)
    return of_kind(path, linear_predictor(path, read_rows(path, X), s, offset), s, kind)


def _predict_later(path, X, s, kind, offset):
    """Return the predictions as a dask array; nothing is computed yet."""
    frame = is_frame(X) and not is_encoded(X)
    one = np.zeros((1, path.n_features if frame else X.shape[1]))
    offset = None if offset is None else np.asarray(offset)
    like = predict(path, one, s, kind, None if offset is None else offset[:1])
    return of_blocks(X, partial(_predicted, path, s, kind), like, offset)


def _predicted(path, s, kind, block, offset=None):
    return predict(path, block, s, kind, offset)


def refuse_kind(path, kind, kinds):
    """Raise ValueError if `kind` is unknown, or asks for classes that the family does not have."""
    if kind not in kinds:
        raise ValueError(f"kind is {kind!r}; choose one of {', '.join(map(repr, kinds))}")
    if kind == "class" and path_family(path).classify is None:
        raise ValueError(f"A {path.family} path has no classes; ask for kind='response'")


def is_signal(path):
    """Return True for the path of a signal, whose X is the identity and may be left out."""
    return bool((getattr(path, "options", None) or {}).get("signal", False))


def path_family(path):
    """Return the Family of a path: by its name, or the object among its options."""
    asked = (path.options or {}).get("family")
    return read_family(path.family if asked is None or isinstance(asked, str) else asked)


def read_rows(path, X, in_blocks=False):
    """Return X as a dense or sparse matrix with the columns of the fit; in a frame, by name.

    A dense array of numbers is used as it is, in any memory order: only the columns with a
    coefficient are ever copied. (Subclasses of arrays change what a product means, so they are
    converted.)
    """
    if X is None and is_signal(path):
        return sparse.identity(path.n_features, format="csc")
    raw = path.encoder is not None and path.encoder.is_of_raw(X)
    if type(X) in (np.ndarray, np.memmap) and X.ndim == 2 and X.dtype.kind in "fiub" and not raw:
        refuse_truncated("X", X)
        matrix = X
    else:
        X = in_columns_of_fit(path, X)
        matrix, _ = read_design(X, in_blocks, empty=True, genotypes=True)
    if matrix.shape[1] != path.n_features:
        raise ValueError(
            f"X has {matrix.shape[1]} columns; the path was fitted to {path.n_features}"
        )
    return matrix.imputed(path.means) if isinstance(matrix, MixedColumns) else matrix


def in_columns_of_fit(path, X, made="the path was fitted to"):
    """Return a table or frame with the columns of the fit: encoded in the same way, or found by
    name.

    `path` has the encoder and the feature_names; `made` is the start of the message on a missing
    column.
    """
    if path.encoder is not None and path.encoder.is_of_raw(X):
        return path.encoder.encode(X)
    if isinstance(X, Genotypes):
        return X if is_matched(X, path) else match(X, path)
    if is_frame(X) and path.feature_names is not None:
        return columns_by_name(X, path.feature_names.tolist(), made)
    return X


def linear_predictor(path, matrix, s, offset, rows=None):
    """Return offset, intercept and X b at each s, shape (n, S), or (n, K, S) with K responses.

    With `rows`, indices (m,), only these rows: (m, S) or (m, K, S).
    """
    if np.size(s) == 1:
        coefs, intercepts = at_one(path.lambdas, path.coefs, path.intercepts, s)
        coefs, intercepts = coefs[..., None], np.expand_dims(intercepts, -1)
    else:
        W = interpolator(path.lambdas, s)
        several = isinstance(path.coefs, list)
        coefs = [each @ W for each in path.coefs] if several else path.coefs @ W
        intercepts = path.intercepts @ W
    if isinstance(coefs, list) or coefs.ndim == 3:
        if isinstance(matrix, DistributedDesign):  # all in one pass
            stack = sparse.hstack if isinstance(coefs, list) else np.hstack
            eta = _product(matrix, sparse.csc_array(stack(coefs)), path, rows)
            eta = eta.reshape(len(eta), len(coefs), -1)
        else:
            eta = np.stack([_product(matrix, each, path, rows) for each in coefs], axis=1)
    else:
        eta = _product(matrix, coefs, path, rows)
    return with_offset(path, eta + intercepts, offset)


def _product(matrix, coefs, path, rows):
    """Return X b as a dense array, shape (n, S), without reading columns without a coefficient.

    `coefs` are (p, S) csc, or (p, 1) dense.
    """
    if sparse.issparse(coefs):
        seen = np.zeros(coefs.shape[0], dtype=bool)
        seen[coefs.indices[coefs.data != 0.0]] = True
        used = np.flatnonzero(seen)
        many = 2 * len(used) > len(seen)  # as with ridge
        values = coefs.toarray()[used] if many else coefs.tocsr()[used].toarray()
    else:
        used = np.flatnonzero(coefs)
        values = coefs[used]
    if isinstance(matrix, MixedColumns):
        return matrix.imputed(path.means).product(used, values, rows)
    if isinstance(matrix, DistributedDesign):
        return matrix.raw_product(used, values, rows)
    if rows is not None and not sparse.issparse(matrix):
        part = matrix[rows[:, None], used]
    else:
        # Taking every column would copy the whole of X without need.
        part = matrix if len(used) == matrix.shape[1] else matrix[:, used]
        part = part if rows is None else part[rows]
    with np.errstate(invalid="ignore", over="ignore"):  # checked next
        eta = part @ values
    if not np.isfinite(eta).all():
        stored = part.data if sparse.issparse(part) else part
        if not np.isfinite(stored).all():
            names = path.feature_names
            raise nonfinite_error(matrix, None if names is None else list(names))
    return eta


def with_offset(path, eta, offset):
    """Add the offset, which is required if the path was fitted with one."""
    if offset is None:
        if (path.options or {}).get("offset") is not None:
            raise ValueError("The path was fitted with an offset; give that of the new rows")
        return eta
    if eta.ndim == 2:
        return eta + read_offset(offset, len(eta))[:, None]
    return eta + read_offsets(offset, *eta.shape[:2], path.class_names).T[:, :, None]


def of_kind(path, eta, s, kind):
    """Convert linear predictors (n, S) or (n, K, S) to `kind`; a single s has no axis."""
    if s.ndim == 0:
        eta = eta[..., 0]
    if kind == "link":
        return eta
    family = path_family(path)
    if kind == "response":
        return family.mean(eta)
    codes = family.classify(eta)
    return codes if path.class_names is None else np.asarray(path.class_names)[codes]
