"""Fits as arrays by name: what a model file holds of a path, a curve or kernels, and back.

`model_file` describes the arrays. Rooms above this one add their own classes of results by
`add_kind`, and the arrays of Grams by GRAMS.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.families import cox, read_family
from sparsesolve.families.registry import WORDS
from sparsesolve.results.cv_path import CVPath
from sparsesolve.results.feature_groups import FeatureGroups
from sparsesolve.results.files.encoder_file import encoder_of, encoder_text
from sparsesolve.results.files.model_arrays import check_arrays
from sparsesolve.results.kernel_path import MKLPath
from sparsesolve.results.knot_path import KnotPath
from sparsesolve.results.path import Path
from sparsesolve.results.prediction import path_family

COLUMNS = ("lambdas", "df", "dev_ratio", "gaps", "n_iters")
KEPT = ("alpha", "intercept", "standardize", "grouped", "tol")
NAMES = ("feature_names", "class_names", "kernel_names")
CURVE = ("mean", "std", "n_nonzero", "fold_scores", "fold_weights")
CHOICE = ("measure", "larger_is_better", "alpha", "gamma", "index_min", "index_1se")

# Kinds of results from rooms above this one: kind -> (class, arrays of a fit, fit of arrays).
OTHERS: dict[str, tuple] = {}
# (arrays of Grams, Grams of arrays), from the room of kernels.
GRAMS: list[tuple] = []


def add_kind(kind, made, arrays_of, fit_of):
    """Add a class of results that this room does not know.

    `arrays_of` returns a fit as arrays by name; `fit_of` returns the fit of these and of the
    Family that they name.
    """
    OTHERS[kind] = made, arrays_of, fit_of


def arrays_of_fit(fit, rows):
    """Return a Path, CVPath or MKLPath as arrays by name; `rows` adds the table of kernels."""
    path = fit.path if isinstance(fit, CVPath) else fit
    kind = {CVPath: "cv", KnotPath: "knots", MKLPath: "kernels"}.get(type(fit), "path")
    arrays: dict[str, Any] = {"kind": kind, **_arrays_of(path)}
    arrays |= _kernels_of(path) if isinstance(path, MKLPath) else _coefs_of(path)
    groups = getattr(path, "groups", None)
    if groups is not None and not hasattr(groups.penalty, "latent"):  # shares need the penalty
        arrays["feature_groups"] = groups_text(groups)
    if rows:
        arrays |= _rows_of(path)
    if isinstance(fit, CVPath):
        choice = {name: getattr(fit, name) for name in CHOICE}
        arrays["cv_options"] = json.dumps(choice)
        arrays |= {name: getattr(fit, name) for name in CURVE}
        if fit.folds is not None:
            arrays["folds"] = fit.folds
    source: Any = path.grams if "grams" in arrays and isinstance(path, MKLPath) else path
    encoder = getattr(source, "encoder", None)
    if encoder is not None:
        arrays["encoder"] = encoder_text(encoder)
    return arrays


def _arrays_of(path):
    """Return the arrays of all kinds of paths, by name."""
    _family_of(path.family)  # refused before anything is written
    options = path.options or {}
    kept = {name: options[name] for name in KEPT if name in options}
    kept["has_offset"] = options.get("offset") is not None
    if path.family == "cox":
        kept["ties"] = path_family(path).loss.keywords["ties"]
    arrays = {name: getattr(path, name) for name in COLUMNS}
    arrays |= {
        "family": path.family, "options": json.dumps(kept), "stop_reason": path.stop_reason,
        "null_deviance": path.null_deviance, "intercepts": path.intercepts,
        "status": path.status.astype(np.int8),
    }  # fmt: skip
    for name in NAMES:
        values = getattr(path, name, None)
        if values is not None:
            arrays[name] = values.astype(str) if name == "feature_names" else values
            if arrays[name].dtype == object:
                raise ValueError(
                    "classes of mixed types, or beyond 64 bits, cannot be saved; fit with labels "
                    "that are all text or all whole numbers"
                )
    return arrays


def _coefs_of(path):
    several = isinstance(path.coefs, list)
    coefs = sparse.csc_array(sparse.vstack(path.coefs, format="csc") if several else path.coefs)
    return {"coef_data": coefs.data, "coef_indices": coefs.indices, "coef_indptr": coefs.indptr,
            "coef_shape": coefs.shape}  # fmt: skip


def _rows_of(path):
    """Return the Grams of an MKLPath as arrays by name."""
    if not isinstance(path, MKLPath) or getattr(path.grams, "table", None) is None:
        raise ValueError(
            "rows=True keeps the table that kernels were made of, and this fit was not made of "
            "one by mkl.build_grams; leave rows out"
        )
    arrays_of, _ = GRAMS[-1]
    return arrays_of(path.grams)


def _kernels_of(path):
    names = ("norm", "kernel_norms", "kernel_weights", "dual_coefs")
    return {name: np.array(getattr(path, name)) for name in names}


def fit_of_arrays(arrays):
    """Return the Path, CVPath, MKLPath or EncodedDesign of arrays by name."""
    kind = str(arrays["kind"])
    if kind in OTHERS:
        _, _, fit_of = OTHERS[kind]
        return fit_of(arrays, _family_of(str(arrays["family"])))
    try:
        encoder = encoder_of(str(arrays["encoder"])) if "encoder" in arrays else None
        if kind == "design":
            return encoder if encoder is not None else encoder_of("null")
        check_arrays(arrays)
    except ValueError as error:
        raise ValueError(f"the file is damaged ({error})") from None
    parts = _parts_of(arrays)
    if kind == "kernels":
        return _mkl_path_of(arrays, parts, encoder)
    of_kind, coefs = KnotPath if kind == "knots" else Path, _coefs(arrays)
    p = (coefs[0] if isinstance(coefs, list) else coefs).shape[0]
    path = of_kind(**parts, feature_names=arrays.get("feature_names"), coefs=coefs,
                   groups=_groups_of(arrays, p), fitter=_no_fit, encoder=encoder)  # fmt: skip
    if encoder is not None and len(encoder.names) != path.n_features:
        raise ValueError("the file is damaged (encoder has another number of columns)")
    return _cv_path_of(arrays, path) if kind == "cv" else path


def _parts_of(arrays):
    """Return the arguments of all kinds of paths."""
    options = json.loads(str(arrays["options"]))
    family = str(arrays["family"])
    ties = {"ties": options.pop("ties", "breslow")} if family == "cox" else {}
    kept = {**options, "family": cox(**ties) if ties else _family_of(family)}
    if kept.pop("has_offset"):
        kept["offset"] = True  # predictions require the offset of the new rows
    return {
        **{name: arrays[name] for name in (*COLUMNS, "status", "intercepts")},
        "null_deviance": float(arrays["null_deviance"]), "family": family, "options": kept,
        "stop_reason": str(arrays["stop_reason"]), "class_names": arrays.get("class_names"),
    }  # fmt: skip


def _cv_path_of(arrays, path):
    choice = json.loads(str(arrays["cv_options"]))
    mean, std = arrays["mean"], arrays["std"]
    return CVPath(
        lambdas=path.lambdas, path=path, **{name: arrays[name] for name in CURVE}, **choice,
        lower=mean - std, upper=mean + std, folds=arrays.get("folds"),
        lambda_min=float(path.lambdas[choice["index_min"]]),
        lambda_1se=float(path.lambdas[choice["index_1se"]]),
    )  # fmt: skip


def groups_text(groups):
    """Return the JSON text of groups: pairs of a name, as text or a number, and features."""
    return json.dumps([[name if isinstance(name, str | int) else str(name), which.tolist()]
                       for name, which in groups.items()])  # fmt: skip


def _groups_of(arrays, p):
    """Return the groups of a path, or None; files of version 0.1 number that of each feature."""
    if "feature_groups" in arrays:
        pairs = json.loads(str(arrays["feature_groups"]))
        members = {name: np.array(which, dtype=np.intp) for name, which in pairs}
    elif "groups" in arrays:
        of = arrays["groups"]
        members = {g: np.flatnonzero(of == g) for g in np.unique(of).tolist()}
    else:
        return None
    return FeatureGroups(None, p, arrays.get("feature_names"), members)


def _mkl_path_of(arrays, parts, encoder):
    duals = arrays["dual_coefs"]
    try:
        grams = GRAMS[-1][1](arrays, encoder) if "grams" in arrays else None
    except (TypeError, AttributeError, IndexError, ValueError) as error:
        raise ValueError(f"the file is damaged (grams: {error})") from None
    return MKLPath(
        **parts, norm=str(arrays["norm"]), kernel_norms=arrays["kernel_norms"],
        kernel_weights=arrays["kernel_weights"], kernel_names=arrays.get("kernel_names"),
        dual_coefs=list(duals) if duals.ndim == 3 else duals, grams=grams,
    )  # fmt: skip


def _coefs(arrays):
    """Return compressed columns (p, L), or a list of them for K responses."""
    parts = (arrays["coef_data"], arrays["coef_indices"], arrays["coef_indptr"])
    coefs = sparse.csc_array(parts, shape=tuple(arrays["coef_shape"].tolist()))
    if arrays["intercepts"].ndim == 1:
        return coefs
    return [sparse.csc_array(part) for part in _split(coefs, len(arrays["intercepts"]))]


def _split(coefs, K):
    rows = sparse.csr_array(coefs)
    p = rows.shape[0] // K
    return [rows[k * p : (k + 1) * p] for k in range(K)]


def _family_of(name):
    """Return the family of a name such as "cox" or "huber(delta=1.5)"."""
    if name.partition("(")[0] not in WORDS:
        raise ValueError(
            f"your own family ({name!r}) cannot be saved, only families of this package"
        )
    return read_family(name)


def _no_fit(X, y, **options):
    raise ValueError("A model from a file lacks the options of a new fit; fit the data again")
