"""Codes as users get them: reads signals, codes them, and judges the certificates.

Orthogonal matching pursuit of one signal from the atoms themselves,

    approximately  minimise over a   1/2 |y - D a|^2   with k nonzero coefficients,

is for atoms that differ by less than inner products can resolve, a millionth of their length,
because that difference may explain much of the signal.
Invariant: that of `solvers.greedy.project`, an orthonormal basis of the support.
Reference: Pati, Rezaiifar, Krishnaprasad (1993).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from sparsesolve.data import nonfinite_error, read_design
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.pictures.axes import on_axes
from sparsesolve.results.status import Status, warn
from sparsesolve.solvers.greedy import project
from sparsesolve.solvers.state import CONVERGED, STALLED
from sparsesolve.solvers.tolerances import CENTRED

# The machine epsilon, of which bounds on rounding errors are multiples.
EPSILON = np.finfo(np.float64).eps


class Atoms:
    """The columns of a dictionary, with the methods that `project` uses."""

    def __init__(self, D):
        self.D, self.squares = D, np.einsum("ij,ij->j", D, D)
        self.rounding = CENTRED * np.sqrt(self.squares)

    def columns(self, which):
        """Return the atoms `which` (k,) as (m, k)."""
        return self.D[:, which]

    def correlations(self, r):
        """Return D'r."""
        return self.D.T @ r

    def gram(self, most):
        """Return None: inner products do not resolve these atoms."""


def pursue_columns(atoms, y, most, enough, tol):
    """Code y until the support has `most` atoms or |y - D a|^2 <= enough.

    Returns (atoms in order of entry, coefficients, gap, |y - D a|^2, largest |d_j'r|, outcome).
    """
    which, values, r = [], np.empty(0), y
    for taken, b, _ in project(atoms, y, "omp", most):
        which, values = list(taken), b
        r = y - atoms.D[:, which] @ values
        if len(which) >= most or r @ r <= enough:
            break
    c, largest = np.abs(atoms.correlations(r)), np.abs(atoms.correlations(y)).max(initial=1e-300)
    size = np.sqrt(atoms.squares[which])
    rounding = EPSILON * float(np.abs(values) @ size) * size.max(initial=0.0)
    gap = (c[which].max(initial=0.0) + rounding) / largest
    rest = np.delete(c, which).max(initial=0.0)
    return which, values, gap, float(r @ r), rest, CONVERGED if gap <= tol else STALLED


METHODS = ("lasso", "lars", "omp")
# Atoms in a code for which memory is allocated at first. Codes with more atoms are computed again
# with more memory.
ROOM = 64
# The outcome of a pursuit that needs the atoms themselves (see homotopy.pxd).
UNRESOLVED = -2

# Fourth powers of numbers beyond EXTREME overflow; those of numbers below 1 / EXTREME underflow.
EXTREME = 1e75


@dataclass(frozen=True, eq=False, repr=False)
class SparseCodes(Tabled):
    """The codes of N signals over p atoms, with a certificate for each.

    Attributes
    ----------
    codes : csc_array (p, N)
        Y is approximately D @ codes.
    gaps : ndarray (N,)
        Certificates; `sparsesolve.sparse_code` defines them.
    status : ndarray (N,)
        Values of Status: 0 where the certificate is at most tol.
    lambdas : ndarray (N,)
        Lambda of each code; for "omp" the largest ``|d_j'r|`` that is left.
    residuals : ndarray (N,)
        Norms ``|y - D a|``.
    n_iters : ndarray (N,)
        Number of atoms that joined or left, plus sweeps.
    """

    codes: sparse.csc_array
    gaps: np.ndarray
    status: np.ndarray
    lambdas: np.ndarray
    residuals: np.ndarray
    n_iters: np.ndarray

    def _columns(self):
        """Return the coefficients that are not 0, signal by signal."""
        signals = np.repeat(np.arange(self.codes.shape[1]), np.diff(self.codes.indptr))
        return {"signal": signals, "atom": self.codes.indices, "coefficient": self.codes.data}

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the codes as an image: a row for each atom, a column for each signal."""
        from sparsesolve.results.pictures.image import plot_image  # matplotlib is optional

        return plot_image(self.codes.toarray(), self.codes.shape, ax, "Signal", "Atom")

    def __repr__(self):
        p, n = self.codes.shape
        return (
            f"<SparseCodes: {n} signal{'s' * (n != 1)} over {p} atom{'s' * (p != 1)}, "
            f"{self.codes.nnz / n:.1f} in a code, worst gap {self.gaps.max():.1e}>"
        )


def encode(coder, signals, *, method, lam, alpha, most, residual, positive, tol, budget, advance):
    """Code the columns of a Design; `sparse_code` explains the options.

    Here lam and residual are (N,), `most` is an int or None, and `coder` is a Coder with the ridge
    lam (1 - alpha).
    """
    p, m = coder.n_atoms, signals.n
    most = p if most is None else min(most, p)
    room = min(most, p, ROOM) if method != "omp" else min(most, p, max(m, ROOM))
    with np.errstate(over="ignore", under="ignore"):
        enough = np.square(residual)
    found = coder.code(
        signals, method, lam * alpha, enough, most, tol=tol, budget=budget,
        positive=positive, capacity=room, advance=advance,
    )  # fmt: skip
    if (found[-1] == UNRESOLVED).any():
        found = _with_columns(found, coder, signals, enough, most, tol)
    counts, atoms, values, gaps, squares, levels, steps, outcomes = found
    starts = np.append(0, np.cumsum(counts))
    codes = sparse.csc_array((values, atoms, starts), shape=(p, len(counts)))
    codes.sort_indices()
    codes.eliminate_zeros()
    if alpha < 1:
        squares = squares - lam * (1.0 - alpha) * np.asarray(codes.power(2).sum(axis=0)).ravel()
    return SparseCodes(codes, gaps, outcomes, levels / alpha, np.sqrt(np.maximum(squares, 0.0)),
                       steps)  # fmt: skip


def _with_columns(found, coder, signals, enough, most, tol):
    """Return what `Coder.code` found, with UNRESOLVED signals coded from the atoms themselves."""
    counts, support, values, *rest = found
    starts = np.append(0, np.cumsum(counts))
    pieces = [(support[i:j], values[i:j]) for i, j in pairwise(starts)]
    atoms, (gaps, squares, levels, steps, outcomes) = Atoms(np.asarray(coder.dictionary)), rest
    for i in np.flatnonzero(outcomes == UNRESOLVED):
        y = signals.unpacked(np.array([i], dtype=np.intc))[:, 0]
        which, b, *answer = pursue_columns(atoms, y, most, enough[i], tol)
        pieces[i], counts[i], steps[i] = (which, b), len(which), len(which)
        gaps[i], squares[i], levels[i], outcomes[i] = answer
    support, values = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return counts, support.astype(np.intc), values, gaps, squares, levels, steps, outcomes


def read_columns(name, matrix):
    """Read a matrix by `read_design`; its entries are finite and of a size that can be squared."""
    try:
        matrix, _ = read_design(matrix)
    except (ValueError, TypeError) as error:
        raise type(error)(re.sub(r"\bX\b", name, str(error))) from None
    values = matrix.data if sparse.issparse(matrix) else matrix
    largest = float(max(values.max(initial=0), -values.min(initial=0)))
    if not np.isfinite(largest):
        message = str(nonfinite_error(matrix))
        raise ValueError(re.sub(r"\bX\b", name, message))
    if largest and not 1 / EXTREME < largest < EXTREME:
        raise ValueError(f"the largest entry of {name} is {largest:.3g}; rescale {name}")
    return matrix


def dense_columns(matrix):
    """Return a matrix as float64, column-major."""
    dense = matrix.toarray() if sparse.issparse(matrix) else matrix
    return np.asfortranarray(dense, dtype=np.float64)


def warn_missed(gaps, status, tol):
    """Warn once about the signals whose certificate misses tol."""
    missed = np.flatnonzero(status)
    if len(missed):
        worst = missed[gaps[missed].argmax()]
        warn(
            f"{len(missed)} of {len(gaps)} signals miss tol = {tol:g}; the worst gap is "
            f"{gaps[worst]:.2g} of signal {worst} ({Status(status[worst]).sentence})"
        )
