"""Fits in a file: arrays in numpy's .npz, documented and numbered, without pickle.

``numpy.load(file, allow_pickle=False)`` reads the file. Version 1 holds ::

    format, version         "sparsesolve model", 1
    kind                    "path", "knots" of a KnotPath, "cv", "kernels" or "design"
    family                  its name and parameter, such as "poisson" or "huber(delta=1.5)"
    options                 JSON: alpha, intercept, standardize, grouped, tol, has_offset, and
                            ties of cox
    stop_reason             why the path ended
    lambdas (L,)  df (L,)  dev_ratio (L,)  gaps (L,)  n_iters (L,)  status (L,)  null_deviance ()
    intercepts              (L,), or (K, L) of K responses
    class_names (K,)        if there are classes

Kinds "path", "knots" and "cv" also hold ::

    coef_data, coef_indices, coef_indptr, coef_shape
                            coefficients (p, L), columns compressed; with K responses (K p, L), the
                            matrices of the responses below each other
    feature_names (p,)      if there are any
    feature_groups          JSON: pairs of a group's name and its features, if there are groups;
                            in files of version 0.1 groups (p,), the number of each feature's group
    encoder                 if X was an EncodedDesign: see encoder_file.py

Kind "design" holds format, version, kind and encoder alone. Kind "cv" also holds ::

    cv_options              JSON: measure, larger_is_better, alpha, gamma, index_min, index_1se
    mean (L,)  std (L,)  n_nonzero (L,)  fold_scores (F, L)  fold_weights (F,)
    folds                   if they divide the rows

Kind "kernels" also holds ::

    norm                    its name, such as "l1"
    kernel_norms (M, L)  kernel_weights (M, L)
    dual_coefs              (n, L), or (K, n, L) of K responses
    kernel_names (M,)       if the kernels had names
    grams, gram_table (n, p), gram_shares (n,)
                            only from ``save(fit, file, rows=True)``: see mkl/grams_file.py

Data are not saved: the file has neither weights and offsets of the rows, nor held-out rows, nor,
without rows=True, the rows that kernels need. It does not have the other candidates of a CVPath.
A later version of this package reads all earlier versions of the file. A file of a later version
is refused. `fit_arrays` converts fits to arrays and back.
"""

from __future__ import annotations

import zipfile
import zlib
from os import PathLike

import numpy as np

from sparsesolve.data import read_flag
from sparsesolve.data.encoding import EncodedDesign
from sparsesolve.results.cv_path import CVPath
from sparsesolve.results.files.encoder_file import encoder_text
from sparsesolve.results.files.fit_arrays import OTHERS, arrays_of_fit, fit_of_arrays
from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.results.kernel_path import MKLPath
from sparsesolve.results.path import Path
from sparsesolve.results.status import Status, warn

FORMAT, VERSION = "sparsesolve model", 1
NO_MODEL = "it does not hold a model of sparsesolve"
# Models of structured prediction have files, and readers, of their own.
ELSEWHERE = {
    "sparsesolve chain model": "sparsesolve.structured.load",
    "sparsesolve parser": "sparsesolve.structured.load_parser",
    "sparsesolve spom model": "sparsesolve.structured.load_spom",
}
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError,
           NotImplementedError, RuntimeError)  # what zipfile and numpy raise


def save(
    fit: Path | CVPath | MKLPath | EncodedDesign, file: str | PathLike, *, rows: bool = False
) -> None:
    """Write a fit, or the encoding of a table, into a file that :func:`load` reads.

    The head of this module describes the file.

    Parameters
    ----------
    fit : Path, CVPath, MKLPath or EncodedDesign
        Its family must have a name: a loss written in Python cannot be saved. The encoding of an
        EncodedDesign is saved, without its rows; a fit to it saves the encoding as well. The
        kernels of an MKLPath and the Grams that made them are not saved: the loaded model takes
        blocks for new samples, which ``grams.between(X)`` makes.
    file : str or path
        Its name should end with .npz.
    rows : bool, default False
        Save the rows of the table from which Grams were made. Kernels compare new rows with them,
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
    arrays = arrays_of_fit(fit, read_flag("rows", rows))
    _warn_missed(fit.path if isinstance(fit, CVPath) else fit)
    _write(file, {"format": FORMAT, "version": VERSION, **arrays})


def _warn_missed(path):
    """Warn that the saved fit missed its tolerance; status and gaps are in the file."""
    missed = np.count_nonzero([status != Status.CONVERGED for status in path.status])
    if missed:
        warn(
            f"{missed} of {len(path.lambdas)} lambdas of the fit that is saved miss its "
            "tolerance; the file holds their gaps and status"
        )


def _write(file, arrays):
    with whole_file(file, "wb") as stream:  # savez adds an ending to a name without one
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
            kind = str(found.get("format", ""))
            if kind in ELSEWHERE:
                raise ValueError(f"it holds a {kind}; {ELSEWHERE[kind]} reads it")
            if kind != FORMAT:
                raise ValueError(NO_MODEL)
            version = found["version"]
            if version.ndim or version.dtype.kind not in "iu" or version < 1:
                raise ValueError(f"the file is damaged (version is {version.tolist()!r})")
            if version > VERSION:
                raise ValueError(
                    f"it is of version {version}, and this sparsesolve reads up to "
                    f"{VERSION}; use a later one"
                )
            return fit_of_arrays({name: found[name] for name in found.files})
    except DAMAGED as error:
        raise ValueError(f"{file}: the file is damaged ({error})") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _refuse_other_files(file):
    """Raise for an open file, or its number, which `open` would accept."""
    if not isinstance(file, str | PathLike):
        raise TypeError(f"file is {file!r}; give the name of a file, or its path")
