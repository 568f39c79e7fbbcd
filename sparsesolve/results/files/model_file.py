"""Fits in a file: arrays in numpy's .npz, documented and numbered, without pickle.

The file is what ``numpy.load(file, allow_pickle=False)`` reads. Of version 1 it holds ::

    format, version         "sparsesolve model", 1
    kind                    "path", "knots" of a KnotPath, "cv", "kernels" or "design"
    family                  its name and parameter, as "poisson" or "huber(delta=1.5)"
    options                 JSON: alpha, intercept, standardize, grouped, tol, has_offset, and
                            ties of cox
    stop_reason             why the path ended
    lambdas (L,)  df (L,)  dev_ratio (L,)  gaps (L,)  n_iters (L,)  status (L,)  null_deviance ()
    intercepts              (L,), or (K, L) of K responses
    class_names (K,)        where there are classes

of kinds "path", "knots" and "cv" besides ::

    coef_data, coef_indices, coef_indptr, coef_shape
                            coefficients (p, L), columns compressed; with K responses (K p, L), the
                            matrices of the responses below each other
    feature_names (p,), groups (p,)         where there are such
    encoder                 where X was an EncodedDesign: see encoder_file.py

of kind "design" format, version, kind and encoder alone; of kind "cv" besides ::

    cv_options              JSON: measure, larger_is_better, alpha, gamma, index_min, index_1se
    mean (L,)  std (L,)  n_nonzero (L,)  fold_scores (F, L)  fold_weights (F,)
    folds                   where they divide the rows

and of kind "kernels" besides ::

    norm                    its name, as "l1"
    kernel_norms (M, L)  kernel_weights (M, L)
    dual_coefs              (n, L), or (K, n, L) of K responses
    kernel_names (M,)       where the kernels had names
    grams, gram_table (n, p), gram_shares (n,)
                            of ``save(fit, file, rows=True)`` alone: see mkl/grams_file.py

Data are not kept: weights and offsets of the rows are not in the file, nor rows held out, nor,
unless that is asked for, the rows that kernels need. Of a CVPath the candidates that were not
chosen are not kept either.
A later version of this package reads all earlier versions of the file, and a file of a later
version is refused.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data import read_flag
from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.families import FAMILIES, MAKERS, cox, read_family
from sparsesolve.results.cv_path import CVPath
from sparsesolve.results.files.encoder_file import encoder_of, encoder_text
from sparsesolve.results.files.model_arrays import check_arrays
from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.results.kernel_path import MKLPath
from sparsesolve.results.knot_path import KnotPath
from sparsesolve.results.path import Path
from sparsesolve.results.prediction import path_family
from sparsesolve.results.status import Status, warn

FORMAT, VERSION = "sparsesolve model", 1
NO_MODEL = "it does not hold a model of sparsesolve"
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError,
           NotImplementedError, RuntimeError)  # what zipfile and numpy raise
COLUMNS = ("lambdas", "df", "dev_ratio", "gaps", "n_iters")
KEPT = ("alpha", "intercept", "standardize", "grouped", "tol")
NAMES = ("feature_names", "class_names", "groups", "kernel_names")
CURVE = ("mean", "std", "n_nonzero", "fold_scores", "fold_weights")
CHOICE = ("measure", "larger_is_better", "alpha", "gamma", "index_min", "index_1se")


OTHERS: dict[str, tuple] = {}  # what rooms above this one add: kind -> its class, and both ways
GRAMS: list[tuple] = []  # arrays of Grams, and Grams of arrays: from the room of kernels


def add_kind(kind, made, arrays_of, fit_of):
    """Let `save` and `load` take a class of results that this room does not know.

    `arrays_of` makes arrays by name of a fit; `fit_of` makes a fit of these and the Family of the
    name that they have.
    """
    OTHERS[kind] = made, arrays_of, fit_of


def save(
    fit: Path | CVPath | MKLPath | EncodedDesign, file: str | PathLike, *, rows: bool = False
) -> None:
    """Write a fit, or how a table is encoded, into a file that :func:`load` reads.

    The head of this module describes the file.

    Parameters
    ----------
    fit : Path, CVPath, MKLPath or EncodedDesign
        Its family has a name: a loss written in Python cannot be saved. The rows of a design are
        not kept, only how a table is encoded; a fit to it keeps that, too. The kernels of an
        MKLPath are not kept, nor the Grams that made them: the loaded model takes blocks for new
        samples, which ``grams.between(X)`` makes.
    file : str or path
        Its name should end with .npz.
    rows : bool, default False
        Keep the rows of the table that Grams were made of. Kernels compare new rows with them,
        so that the loaded model predicts tables. For gaussian, polynomial and linear kernels.

    Raises
    ------
    ValueError
        If the family was written in Python, before anything is written.

    Warns
    -----
    ConvergenceWarning
        If lambdas of the fit miss its tolerance.

    Examples
    --------
    >>> import sparsesolve as ss
    >>> ss.save(ss.path([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]), "model.npz")
    >>> ss.load("model.npz").predict([[3.0]], s=0.1).round(2)
    array([2.76])
    """
    _refuse_other_files(file)
    for kind, (made, arrays_of, _) in OTHERS.items():
        if isinstance(fit, made):
            _write(file, {"format": FORMAT, "version": VERSION, "kind": kind, **arrays_of(fit)})
            return
    if isinstance(fit, EncodedDesign):
        _write(file, {"format": FORMAT, "version": VERSION, "kind": "design",
                      "encoder": encoder_text(fit)})  # fmt: skip
        return
    if not isinstance(fit, Path | CVPath | MKLPath):
        raise TypeError(
            f"fit is a {type(fit).__name__}; a Path, a CVPath, an MKLPath or an EncodedDesign can "
            "be saved"
        )
    kind = {CVPath: "cv", KnotPath: "knots", MKLPath: "kernels"}.get(type(fit), "path")
    path = fit.path if isinstance(fit, CVPath) else fit
    arrays: dict[str, Any] = {"format": FORMAT, "version": VERSION, "kind": kind}
    arrays |= _arrays_of(path)
    _warn_missed(path)
    arrays |= _kernels_of(path) if isinstance(path, MKLPath) else _coefs_of(path)
    if read_flag("rows", rows):
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
    _write(file, arrays)


def _warn_missed(path):
    """Say that what is being saved missed its tolerance; status and gaps are in the file."""
    missed = np.count_nonzero([status != Status.CONVERGED for status in path.status])
    if missed:
        warn(
            f"{missed} of {len(path.lambdas)} lambdas of the fit that is saved miss its "
            "tolerance; the file holds their gaps and status"
        )


def _write(file, arrays):
    with whole_file(file, "wb") as stream:  # savez would append an ending to a name without one
        np.savez_compressed(stream, **arrays)


def load(file: str | PathLike) -> Path | CVPath | MKLPath | EncodedDesign:
    """Read a fit that :func:`save` wrote.

    Parameters
    ----------
    file : str or path

    Returns
    -------
    Path, CVPath, MKLPath or EncodedDesign
        For predictions, coefficients and pictures; without the options that a new fit needs.

    Raises
    ------
    ValueError
        If the file is no such model, is damaged, or was written by a later version.

    Examples
    --------
    See :func:`save`.
    """
    _refuse_other_files(file)
    try:
        with open(file, "rb") as stream:
            if not zipfile.is_zipfile(stream):
                raise ValueError(NO_MODEL)
        with np.load(file, allow_pickle=False) as found:
            if str(found.get("format", "")) != FORMAT:
                raise ValueError(NO_MODEL)
            version = found["version"]
            if version.ndim or version.dtype.kind not in "iu" or version < 1:
                raise ValueError(f"the file is damaged (version is {version.tolist()!r})")
            if version > VERSION:
                raise ValueError(
                    f"it is of version {version}, and this sparsesolve reads up to "
                    f"{VERSION}; use a later one"
                )
            return _fit_of({name: found[name] for name in found.files})
    except DAMAGED as error:
        raise ValueError(f"{file}: the file is damaged ({error})") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _refuse_other_files(file):
    """Refuse an open file, or its number, of which `open` would take hold."""
    if not isinstance(file, str | PathLike):
        raise TypeError(f"file is {file!r}; give the name of a file, or its path")


def _arrays_of(path):
    """What all kinds of paths have, as arrays by name."""
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
    """The Grams of an MKLPath as arrays by name."""
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


def _fit_of(arrays):
    """The Path, CVPath, MKLPath or EncodedDesign that arrays by name stand for."""
    if str(arrays["kind"]) in OTHERS:
        _, _, fit_of = OTHERS[str(arrays["kind"])]
        return fit_of(arrays, _family_of(str(arrays["family"])))
    try:
        encoder = encoder_of(str(arrays["encoder"])) if "encoder" in arrays else None
        if str(arrays["kind"]) == "design":
            return encoder if encoder is not None else encoder_of("null")
        check_arrays(arrays)
    except ValueError as error:
        raise ValueError(f"the file is damaged ({error})") from None
    options = json.loads(str(arrays["options"]))
    family = str(arrays["family"])
    ties = {"ties": options.pop("ties", "breslow")} if family == "cox" else {}
    kept = {**options, "family": cox(**ties) if ties else _family_of(family)}
    if kept.pop("has_offset"):
        kept["offset"] = True  # that there was one: predictions ask for that of the new rows
    parts = {
        **{name: arrays[name] for name in (*COLUMNS, "status", "intercepts")},
        "null_deviance": float(arrays["null_deviance"]), "family": family, "options": kept,
        "stop_reason": str(arrays["stop_reason"]), "class_names": arrays.get("class_names"),
    }  # fmt: skip
    if str(arrays["kind"]) == "kernels":
        return _mkl_path_of(arrays, parts, encoder)
    names = {name: arrays.get(name) for name in ("feature_names", "groups")}
    of_kind = KnotPath if str(arrays["kind"]) == "knots" else Path
    path = of_kind(**parts, **names, coefs=_coefs(arrays), fitter=_no_fit, encoder=encoder)
    if encoder is not None and len(encoder.names) != path.n_features:
        raise ValueError("the file is damaged (encoder has another number of columns)")
    if str(arrays["kind"]) != "cv":
        return path
    choice = json.loads(str(arrays["cv_options"]))
    mean, std = arrays["mean"], arrays["std"]
    return CVPath(
        lambdas=path.lambdas, path=path, **{name: arrays[name] for name in CURVE}, **choice,
        lower=mean - std, upper=mean + std, folds=arrays.get("folds"),
        lambda_min=float(path.lambdas[choice["index_min"]]),
        lambda_1se=float(path.lambdas[choice["index_1se"]]),
    )  # fmt: skip


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
    """(p, L) compressed columns, or a list of them for K responses."""
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
    """The family of a name such as "cox" or "huber(delta=1.5)"."""
    if name in FAMILIES:
        return read_family(name)
    maker, parameter, value = re.fullmatch(r"(\w*)(?:\((\w+)=(.*)\))?.*", name, re.S).groups()
    if maker not in MAKERS:
        raise ValueError(
            f"your own family ({name!r}) cannot be saved, only families of this package"
        )
    return MAKERS[maker](**({} if parameter is None else {parameter: float(value)}))


def _no_fit(X, y, **options):
    raise ValueError("A model from a file lacks the options of a new fit; fit the data again")
