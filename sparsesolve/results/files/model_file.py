"""Models in a file: arrays in numpy's .npz, documented and numbered, without pickle.

``numpy.load(file, allow_pickle=False)`` reads the file. Version 1 holds ::

    format, version         "sparsesolve model", 1
    kind                    "path", "knots" of a KnotPath, "cv", "kernels", "cv_kernels",
                            "intervals", "knockoffs" or "design"
    family                  its name and parameter, such as "poisson" or "huber(delta=1.5)"
    options                 JSON: alpha, intercept, standardize, grouped, tol, has_offset,
                            has_limits, counted (what degrees are), penalty_name, concave,
                            signal (X is the identity), ties of cox; of a command also the command
                            itself, with names of files and columns, and the versions that
                            computed
    stop_reason             why the path ended
    lambdas (L,)  df (L,)  dev_ratio (L,)  gaps (L,)  n_iters (L,)  status (L,)  null_deviance ()
    intercepts              (L,), or (K, L) of K responses
    class_names (K,)        if there are classes

Kinds "path", "knots" and "cv" also hold ::

    coef_data, coef_indices, coef_indptr, coef_shape
                            coefficients (p, L), columns compressed; with K responses (K p, L), the
                            matrices of the responses below each other
    n_features              p, which coef_shape must agree with; not in files of version 0.1
    feature_names (p,)      if there are any
    feature_groups          JSON: pairs of a group's name and its features, if there are groups;
                            in files of version 0.1 groups (p,), the number of each feature's group
    encoder                 if X was an EncodedDesign: see fit_arrays.py

Kind "design" holds format, version, kind and encoder alone. Kinds "cv" and "cv_kernels" also
hold ::

    cv_options              JSON: measure, larger_is_better, index_min, index_1se; of "cv"
                            also alpha, gamma
    mean (L,)  std (L,)  n_nonzero (L,)  fold_scores (F, L)  fold_weights (F,)
    folds                   if they divide the rows

Kinds "intervals" and "knockoffs" hold format, version, kind, and the attributes of
`results.Intervals` (`words` as JSON) and `results.Knockoffs`. Kinds "kernels" and "cv_kernels"
also hold ::

    norm                    its name, such as "l1"
    kernel_norms (M, L)  kernel_weights (M, L)
    dual_coefs              (n, L), or (K, n, L) of K responses
    kernel_names (M,)       if the kernels had names
    grams, gram_table (n, p), gram_shares (n,)
                            only from ``save(fit, file, rows=True)``: see mkl/grams_file.py

Online fits (online/model_file.py), and chains, parsers and SPOM (structured/model_file.py)
describe their members where they are declared.

Data are not saved: the file has neither weights and offsets of the rows, nor held-out rows, nor,
without rows=True, the rows that kernels need. It does not have the other candidates of a CVPath.
A later version of this package reads all earlier versions of the file. A file of a later version
is refused. Every member is checked against every other before a model is made of them; see
`model_arrays`.
"""

from __future__ import annotations

import warnings
import zipfile
from os import PathLike
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from sparsesolve.data import read_flag
from sparsesolve.results.cv_path import CrossValidated
from sparsesolve.results.files import fit_arrays  # noqa: F401  (its kinds)
from sparsesolve.results.files.model_arrays import (
    KINDS,
    Damaged,
    Form,
    checked,
    kind_of,
    read_members,
    written,
)
from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.results.kernel_path import MKLPath
from sparsesolve.results.path import Path
from sparsesolve.results.status import Status, warn

NO_MODEL = "it does not hold a model of sparsesolve"


def save(fit: Any, file: str | PathLike, *, rows: bool = False) -> None:
    """Write a model, or the encoding of a table, into a file that :func:`load` reads.

    The head of this module describes the file.

    Parameters
    ----------
    fit : Path, CVPath, MKLPath, OnlineFit, CRFPath, Parser, SPOM, Intervals or EncodedDesign
        Or Knockoffs, or the cross-validation of an MKLPath. Its family must have a name: a loss
        written in Python cannot be saved. The encoding of an EncodedDesign is saved, without its
        rows; a fit to it saves the encoding as well. The kernels of an MKLPath and the Grams that
        made them are not saved: the loaded model takes blocks for new samples, which
        ``grams.between(X)`` makes. A SPOM of kernels likewise needs kernels between new positions
        and those of training.
    file : str or path
        Its name should end with .npz.
    rows : bool, default False
        Save the rows of the table from which Grams were made. Kernels compare new rows with them,
        so that the loaded model predicts tables. For gaussian, polynomial and linear kernels.

    Raises
    ------
    TypeError
        If the result is of a kind that has no file.
    ValueError
        If it cannot be written, as a family written in Python, before anything is.

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
    name, rows = kind_of(fit), read_flag("rows", rows)
    if name is None:
        raise TypeError(
            f"fit is a {type(fit).__name__}; a Path, a CVPath, an MKLPath, an OnlineFit, a "
            "CRFPath, a Parser, a SPOM, an Intervals, a Knockoffs or an EncodedDesign can be saved"
        )
    if rows and name not in ("kernels", "cv_kernels"):
        raise ValueError(
            "rows=True keeps the table that kernels were made of, and this fit was not made of "
            "one by mkl.build_grams; leave rows out"
        )
    kind = KINDS[name]
    values = kind.values_of(fit, True) if rows else kind.values_of(fit)
    arrays = {"format": kind.format, "version": kind.version, "kind": name}
    arrays |= written(values, kind.members)
    _warn_missed(fit.path if isinstance(fit, CrossValidated) else fit)
    with whole_file(file, "wb") as stream:  # savez adds an ending to a name without one
        np.savez_compressed(stream, **arrays)


def _warn_missed(path):
    """Warn that the saved fit missed its tolerance; status and gaps are in the file."""
    if not isinstance(path, Path | MKLPath):
        return
    missed = np.count_nonzero([status != Status.CONVERGED for status in path.status])
    if missed:
        warn(
            f"{missed} of {len(path.lambdas)} lambdas of the fit that is saved miss its "
            "tolerance; the file holds their gaps and status"
        )


def load(file: str | PathLike) -> Any:
    """Read a model that :func:`save` wrote, of this version or an earlier one.

    Parameters
    ----------
    file : str or path

    Returns
    -------
    Path, CVPath, MKLPath, OnlineFit, CRFPath, Parser, SPOM, Intervals or EncodedDesign
        Or Knockoffs, or the cross-validation of an MKLPath. For predictions, coefficients and
        pictures; without the options that a new fit needs.

    Raises
    ------
    ValueError
        If the file is no such model, is damaged, or was written by a later version.

    Examples
    --------
    See :func:`save`.
    """
    _refuse_other_files(file)
    with open(file, "rb") as stream:
        if not zipfile.is_zipfile(stream):
            raise ValueError(f"{file}: {NO_MODEL}")
    try:
        arrays = read_members(FilePath(file).read_bytes())
        kind = _kind(arrays)
        return kind.fit_of(checked(arrays, kind.members))
    except _Refused as error:
        raise ValueError(f"{file}: {error}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # What the options of a fit, its kernels or its templates refuse.
        words = " ".join(str(error).split())
        raise ValueError(f"{file}: the file is damaged: {words}") from None


def save_as_before(fit, file):
    """Save by a method that is on its way out, and say so."""
    old = f"{type(fit).__name__}.save(file)"
    warnings.warn(f"{old} will go; sparsesolve.save(fit, file) takes its place", FutureWarning,
                  stacklevel=3)  # fmt: skip
    save(fit, file)


class _Refused(ValueError):
    """A whole file that this version does not read."""


def _kind(arrays):
    """Return the Kind of a file by its format, version and kind."""
    written_as = str(arrays.get("format", ""))
    names = [name for name, kind in KINDS.items() if kind.format == written_as]
    if not names:
        raise _Refused(NO_MODEL)
    head = checked(arrays, {"version": Form("i", low=1), "kind?": Form("U")})
    latest = KINDS[names[0]].version
    if head["version"] > latest:
        raise _Refused(
            f"it is of version {head['version']}, and this sparsesolve reads up to {latest}; "
            "use a later one"
        )
    name = head.get("kind", names[0] if len(names) == 1 else "")
    if name not in names:
        raise Damaged(f"kind is {name!r}, which is not a model")
    return KINDS[name]


def _refuse_other_files(file):
    """Raise for an open file, or its number, which `open` would accept."""
    if not isinstance(file, str | PathLike):
        raise TypeError(f"file is {file!r}; give the name of a file, or its path")
