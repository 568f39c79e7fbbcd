"""Arrays saved by numpy: a dense X, or the parts of a compressed sparse matrix, and y."""

import zipfile
import zlib
from dataclasses import replace

import numpy as np
from scipy import sparse

from sparsesolve.data import read_design

from .columns import Table, listed, place_of, response_array

SPARSE_PARTS = {"data", "indices", "indptr", "shape"}


def read(path, response, weights=None, offset=None, drop=(), labels=False, features=None,
         marks=None):
    """Read the arrays X and y, or data, indices, indptr, shape and y; feature_names are optional.

    The sparse parts are those of ``scipy.sparse.save_npz``. Without its ``format`` the length of
    indptr decides (rows if both are possible). Parameters are those of `read_table`.
    """
    if not zipfile.is_zipfile(path):
        raise ValueError("not an .npz file of numpy; write it with numpy.savez")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = _Arrays(file)
            X = _design(arrays)
            fitted = response or (["y"] if features is None else [])
            y = response_array([arrays.get(name) for name in fitted])
            w = None if weights is None else arrays.get(weights)
            o = None if offset is None else arrays.get(offset)
            found = {what: arrays.get(name) for what, name in (marks or {}).items()}
            names = arrays.get("feature_names") if "feature_names" in arrays else None
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"the file is damaged ({error}); write it again") from None
    if names is not None:
        names = _checked_names(names, X.shape)
    # names of the file have no meaning for a model without names
    if names is not None and features:
        return _ordered(Table(X, y, w, o, names, found), list(features))
    return _without(Table(X, y, w, o, names, found), drop)


class _Arrays:
    """The arrays of the file by name, with a sentence for a missing one."""

    def __init__(self, file):
        self.file = file

    def __contains__(self, name):
        return name in self.file.files

    def get(self, name):
        if name not in self:
            raise ValueError(f"no array is named {name!r}; there are {listed(self.file.files)}")
        return self.file[name]


def _design(arrays):
    """Return X, dense or sparse."""
    if "X" in arrays:
        return arrays.get("X")
    if not all(part in arrays for part in SPARSE_PARTS):
        raise ValueError(
            f"neither X nor the parts data, indices, indptr, shape of a sparse matrix are among "
            f"its arrays {listed(arrays.file.files)}"
        )
    shape = tuple(int(size) for size in arrays.get("shape").ravel())
    indptr = arrays.get("indptr")
    layout = "csr" if len(indptr) == shape[0] + 1 else "csc"
    if "format" in arrays:
        layout = str(arrays.get("format").astype(str))
    if layout not in ("csr", "csc") or len(shape) != 2:
        raise ValueError(f"a sparse matrix of format {layout!r} and shape {shape}; save it as CSR")
    kind = sparse.csr_array if layout == "csr" else sparse.csc_array
    return kind((arrays.get("data"), arrays.get("indices"), indptr), shape=shape)


def _checked_names(names, shape):
    """Return feature_names as strings, one for each column."""
    if len(shape) != 2 or names.shape != shape[1:]:
        raise ValueError(f"feature_names has shape {names.shape}, X has shape {shape}")
    return names.astype(str)


def _ordered(table, features):
    """Return the table with these features, in this order."""
    place = {name: j for j, name in enumerate(table.feature_names.tolist())}
    X = read_design(table.X)[0][:, [place_of(place, name) for name in features]]
    return replace(table, X=X, feature_names=np.array(features))


def _without(table, drop):
    """Return the table without the dropped columns."""
    if not drop:
        return table
    names = [] if table.feature_names is None else list(table.feature_names)
    for name in drop:
        if name not in names:
            raise ValueError(f"no column is named {name!r}, so it cannot be dropped")
    kept = [j for j, name in enumerate(names) if name not in drop]
    X = read_design(table.X)[0][:, kept]  # checked first: scipy crashes on corrupt indices
    return replace(table, X=X, feature_names=table.feature_names[kept])
