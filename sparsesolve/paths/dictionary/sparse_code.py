"""Sparse coding: express each of many signals by few atoms of one dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import (
    answers_keywords,
    read_choice,
    read_count,
    read_flag,
    read_number,
    real_array,
)
from sparsesolve.data.paragraphs import described_by
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.threads import one_blas_thread, thread_count
from sparsesolve.paths.dictionary.coding import Coder
from sparsesolve.paths.dictionary.encoding import (
    METHODS,
    SparseCodes,
    dense_columns,
    encode,
    read_columns,
    warn_missed,
)
from sparsesolve.paths.dictionary.structured_codes import STEPS, code_columns, read_convex
from sparsesolve.paths.path import path
from sparsesolve.paths.progress import progress_bar

# The options that stop each method: the first of them, or one of them.
NEEDS = {
    "lasso": "lam",
    "lars": "lam, n_nonzero or both",
    "omp": "n_nonzero, residual or both",
}


@answers_keywords()
@described_by(path)
def sparse_code(
    Y: Any,
    D: Any,
    *,
    method: str = "lasso",
    lam: ArrayLike | None = None,
    alpha: float = 1.0,
    n_nonzero: int | None = None,
    residual: ArrayLike | None = None,
    penalty: Any = None,
    positive: bool = False,
    tol: float = 1e-7,
    max_iter: int | None = None,
    n_threads: int = 1,
    progress: bool = False,
) -> SparseCodes:
    """Compute a sparse code of every column of Y over the columns of D.

    Signals and atoms are columns: Y is about ``D @ codes``. For each signal y ::

        "lasso"  minimises  1/2 |y - D a|^2 + lam (alpha |a|_1 + (1 - alpha) / 2 |a|^2),
                 with a >= 0 if `positive`, exactly, by its homotopy; or another convex
                 `penalty` in place of |a|_1, by FISTA;
        "lars"   stops least angle regression once all |d_j'r| are at most lam;
        "omp"    takes the atom with the largest |d_j'r|, projects on the atoms taken, and so on.

    The loss is a sum over the entries of y, not a mean, and there is no intercept: a lambda of
    `sparsesolve.path` for m samples is lam / m.

    Parameters
    ----------
    Y : array-like, scipy sparse matrix or frame, (m, N)
        Signals. Column-major float64 or float32 is read in place.
    D : array-like, scipy sparse matrix or frame, (m, p)
        Atoms, used as they are: "omp" and "lars" expect norms of about 1. The Gram matrix (p, p)
        is formed.
    method : {"lasso", "lars", "omp"}, default "lasso"
    lam : float or array-like (N,)
        Strength of the penalty, at least 0: one for all signals, or one for each. "lasso"
        requires it; for "lars" it may be 0 if `n_nonzero` is given.
    alpha : float in (0, 1], default 1
        Share of the l1 norm in the elastic net; only for "lasso".
    n_nonzero : int, default None
        Most atoms in a code; "lasso" and "lars" stop at the end of that piece of their path.
    residual : float or array-like (N,), default None
        For "omp": stop once ``|y - D a|`` is at most this.
    penalty : penalty, default None
        Convex penalty of codes (p,), for "lasso": trees (`penalties.TreeL2`), groups that
        overlap, and any other. FISTA runs on one thread.
    positive : bool, default False
        Only coefficients >= 0; only for "lasso", with a penalty of sizes alone.
    tol : float, default 1e-7
        Certificate to reach; `gaps` below defines it.
    max_iter : int, default None
        Most sweeps for a signal whose homotopy misses `tol`, or most steps of FISTA. None means
        1000 sweeps or 10,000 steps.
    n_threads : int, default 1
        -1 uses all cores. Codes are the same bits for any number.

    Returns
    -------
    SparseCodes
        With `codes` (p, N) and, per signal, `gaps`. For "lasso" this is the duality gap over
        ``|y|^2 / 2``. For "lars" it is the largest deviation of the ``|d_j'r|`` from being equal
        on the code and smaller elsewhere. For "omp" it is the largest ``|d_j'r|`` on the code (0
        for least squares). The last two are relative to ``max_j |d_j'y|``.

    Warns
    -----
    ConvergenceWarning
        Once, with the number of signals that miss `tol`.

    References
    ----------
    Efron, Hastie, Johnstone, Tibshirani (2004); Rubinstein, Zibulevsky, Elad (2008); Mairal,
    Bach, Ponce, Sapiro (2010), "Online learning for matrix factorization and sparse coding".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> D = np.eye(3)[:, [0, 1, 2, 2]]
    >>> ss.sparse_code([[3.0], [-1.0], [0.5]], D[:, :3], lam=1.0).codes.toarray().ravel()
    array([2., 0., 0.])
    >>> ss.sparse_code([[3.0], [-1.0], [0.5]], D, method="omp", n_nonzero=2)
    <SparseCodes: 1 signal over 4 atoms, 2.0 in a code, worst gap 0.0e+00>
    """
    n_threads = thread_count(n_threads)
    tol = read_number("tol", tol, 0, np.inf)
    budget = 1000 if max_iter is None else read_count("max_iter", max_iter, 0)
    read_flag("progress", progress)
    signals, atoms = read_columns("Y", Y), read_columns("D", D)
    if signals.shape[0] != atoms.shape[0]:
        raise ValueError(
            f"Y has {signals.shape[0]} rows and D has {atoms.shape[0]}; signals and atoms are "
            "columns of the same length"
        )
    n = signals.shape[1]
    asked = _read_method(method, lam, alpha, n_nonzero, residual, positive, n)
    if penalty is not None:
        _read_penalty(penalty, method, n_nonzero, positive)
        Y, D = dense_columns(signals), dense_columns(atoms)
        budget = STEPS if max_iter is None else budget
        with one_blas_thread(), progress_bar(n, progress, "signal") as advance:
            result, _ = code_columns(Y, D, penalty, asked["lam"], asked["alpha"],
                                     positive=positive, tol=tol, budget=budget,
                                     advance=advance)  # fmt: skip
        warn_missed(result.gaps, result.status, tol)
        return result
    with one_blas_thread(), progress_bar(n, progress, "signal") as advance:
        coder = Coder(dense_columns(atoms), (1.0 - asked["alpha"]) * asked["lam"][0], n_threads)
        result = encode(coder, Design(signals), **asked, tol=tol, budget=budget, advance=advance)
    warn_missed(result.gaps, result.status, tol)
    return result


def _read_method(method, lam, alpha, n_nonzero, residual, positive, n):
    """Return the options that define the problem, as `encode` takes them."""
    read_choice("method", method, METHODS)
    alpha = read_number("alpha", alpha, 0, 1, open_low=True)
    read_flag("positive", positive)
    if method != "lasso" and (alpha != 1 or positive):
        raise ValueError(f"alpha and positive belong to method='lasso', not {method!r}")
    given = {"lam": lam is not None, "n_nonzero": n_nonzero is not None,
             "residual": residual is not None}  # fmt: skip
    unused = {"lasso": "residual", "lars": "residual", "omp": "lam"}[method]
    if given[unused]:
        raise ValueError(f"{unused} does not stop method={method!r}; give {NEEDS[method]}")
    if not any(given.values()) or (method == "lasso" and lam is None):
        other = ", or method='omp' for a number of atoms" * given["n_nonzero"]
        raise ValueError(
            f"method={method!r} needs to know where to stop; give {NEEDS[method]}{other}"
        )
    if alpha < 1 and n_nonzero is not None:
        raise ValueError("n_nonzero ends a path whose ridge part is fixed; leave out alpha")
    lam, residual = _per_signal("lam", lam, n), _per_signal("residual", residual, n)
    if alpha < 1 and (lam != lam[0]).any():
        raise ValueError("alpha < 1 needs one lam for all signals, which share a Gram matrix")
    most = None if n_nonzero is None else read_count("n_nonzero", n_nonzero, 1)
    return {"method": method, "lam": lam, "alpha": alpha, "residual": residual,
            "most": most, "positive": bool(positive)}  # fmt: skip


def _read_penalty(penalty, method, n_nonzero, positive):
    """Raise if a penalty does not go with the other options."""
    if method != "lasso" or n_nonzero is not None:
        raise ValueError("penalty belongs to method='lasso' without n_nonzero; leave one out")
    read_convex("penalty", penalty, positive)


def _per_signal(name, value, n):
    """Return a number, or one for each signal, as (n,) float64, at least 0; None is 0."""
    if value is None or np.ndim(value) == 0:
        number = 0.0 if value is None else read_number(name, value, 0, np.inf)
        return np.full(n, number)
    values = np.array(real_array(name, value), dtype=np.float64)
    if values.shape != (n,) or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"{name} must be a finite number >= 0, or one for each of {n} signals")
    return values
