"""Files of paths of chains: arrays in numpy's .npz, without pickle.

Version 1 holds format, version, the columns of the path (L,), coefs as compressed columns, labels
(K,), n_features, null_value, and options as JSON. If present it also holds allowed,
feature_names, groups, and group_labels and unbounded as JSON.
"""

from __future__ import annotations

import json
import zipfile
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.structured.result import CRFPath

FORMAT, VERSION = "sparsesolve chain model", 1
COLUMNS = ("lambdas", "df", "dev_ratio", "gaps", "n_iters", "status")
SOMETIMES = ("allowed", "feature_names", "groups")


def save(fit: CRFPath, file: str | PathLike, **more: Any) -> None:
    """Write a path; `more` are JSON values that `load_with` returns."""
    if fit.labels.dtype.kind == "O":
        raise ValueError(
            "labels of mixed types cannot be saved; fit with labels that are all text or all "
            "whole numbers"
        )
    arrays: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    arrays |= {name: getattr(fit, name) for name in COLUMNS}
    arrays["status"] = fit.status.astype(np.int8)
    arrays |= {"coef_data": fit.coefs.data, "coef_indices": fit.coefs.indices,
               "coef_indptr": fit.coefs.indptr, "coef_shape": fit.coefs.shape}  # fmt: skip
    arrays |= {"labels": fit.labels, "n_features": fit.n_features, "null_value": fit.null_value,
               "stop_reason": fit.stop_reason, "options": json.dumps(fit.options),
               "more": json.dumps(more)}  # fmt: skip
    for name in SOMETIMES:
        value = getattr(fit, name)
        if value is not None:
            arrays[name] = value.astype(str) if name == "feature_names" else value
    if fit.group_labels is not None:
        arrays["group_labels"] = json.dumps([_plain(label) for label in fit.group_labels])
    if fit.unbounded is not None:
        arrays["unbounded"] = json.dumps(fit.unbounded)
    with whole_file(file, "wb") as stream:
        np.savez_compressed(stream, **arrays)


def _plain(label):
    return label.item() if hasattr(label, "item") else label


def load(file: str | PathLike) -> CRFPath:
    """Read a path that `CRFPath.save` wrote.

    Parameters
    ----------
    file : str or path

    Returns
    -------
    CRFPath

    Raises
    ------
    ValueError
        If the file is no such model, is damaged, or was written by a later version.

    Examples
    --------
    >>> import sparsesolve as ss
    >>> fit = ss.crf_path([[1.0], [0.0], [1.0]], ["a", "b", "a"], n_lambdas=3)
    >>> fit.save("chain.npz")
    >>> ss.structured.load("chain.npz").predict([[1.0], [0.0]])
    array(['a', 'b'], dtype='<U1')
    """
    return load_with(file)[0]


def holds_chains(file: str | PathLike) -> bool:
    """Return True if a file is one that `save` wrote."""
    if not zipfile.is_zipfile(file):
        return False
    with np.load(file, allow_pickle=False) as found:
        return str(found.get("format", "")) == FORMAT


def load_with(file: str | PathLike) -> tuple[CRFPath, dict[str, Any]]:
    """Read a path and the values saved with it."""
    try:
        with np.load(file, allow_pickle=False) as found:
            if str(found.get("format", "")) != FORMAT:
                raise ValueError("it does not hold a path of chains")
            if int(found["version"]) > VERSION:
                raise ValueError(f"it is of version {found['version']}; use a later sparsesolve")
            arrays = {name: found[name] for name in found.files}
        coefs = sparse.csc_array(
            (arrays["coef_data"], arrays["coef_indices"], arrays["coef_indptr"]),
            shape=tuple(arrays["coef_shape"].tolist()),
        )
        coefs.check_format()
        groups, endless = arrays.get("group_labels"), arrays.get("unbounded")
        kept: dict[str, Any] = {name: arrays.get(name) for name in SOMETIMES}
        fit = CRFPath(
            **{name: arrays[name] for name in COLUMNS}, coefs=coefs, labels=arrays["labels"],
            stop_reason=str(arrays["stop_reason"]), n_features=int(arrays["n_features"]),
            null_value=float(arrays["null_value"]), options=json.loads(str(arrays["options"])),
            group_labels=None if groups is None else json.loads(str(groups)),
            unbounded=None if endless is None else json.loads(str(endless)), **kept,
        )  # fmt: skip
        return fit, json.loads(str(arrays["more"]))
    except (zipfile.BadZipFile, EOFError, KeyError, TypeError) as error:
        raise ValueError(f"{file}: the file is damaged ({error})") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
