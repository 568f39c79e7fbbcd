"""A checkpoint: the solved points of a path in a file, from which a killed run goes on.

The file knows its problem by numbers that any change of data or options would move: sums over
blocks of columns of their moments and of their correlations with the response, the grid, and the
penalty at one vector.
"""

import os
from zipfile import BadZipFile

import numpy as np

from sparsesolve.data import shown
from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.solvers.certificate.unbounded import UNBOUNDED
from sparsesolve.solvers.follow import Point

FORMAT = "sparsesolve checkpoint 1"
NUMBERS = ("lam", "df", "dev_ratio", "gap", "status", "n_iter", "intercept")


class Checkpoint:
    """The file of one path."""

    def __init__(self, file):
        if not isinstance(file, str | os.PathLike):
            raise TypeError(f"checkpoint is {shown(file)}; give the name of a file")
        self.file = os.fspath(file)
        folder = os.path.dirname(self.file) or "."
        if not self.file or os.path.isdir(self.file) or not os.path.isdir(folder):
            raise ValueError(f"checkpoint {self.file!r} cannot be written: its folder is missing, "
                             "it is one, or it has no name")  # fmt: skip

    def begin(self, problem, family, correlations, lambdas, tol):
        """Return the points that the file holds for this problem, [] if there is no file."""
        p = problem.design.p
        limits = [_sums(np.nan_to_num(side, posinf=9e9, neginf=-9e9))
                  for side in (problem.low, problem.high) if side is not None]  # fmt: skip
        unit = (problem.unit,) if problem.concave else ()
        # Pieces of a curve, as SCAD has, differ at some of these lengths.
        b = np.cos(np.arange(p)) * problem.open_columns
        with np.errstate(invalid="ignore"):
            sizes = [problem.penalty.value(scale * b, 1.0, *unit) for scale in (0.1, 1.0, 30.0)]
            if not np.isfinite(sizes[-1]):  # a ball, whose conjugate is its radius times a norm
                sizes.append(problem.penalty.conjugate(b, 1.0))
        self.signs = {
            "family": family, "lambdas": lambdas, "means": _sums(problem.design.mean),
            "factors": _sums(np.ldexp(problem.factor, problem.shift)),
            "correlations": _sums(correlations), "limits": np.concatenate([[], *limits]),
            "sizes": np.array([problem.design.n, p, problem.null_value, tol, problem.exponent,
                               *sizes]),
        }  # fmt: skip
        if not os.path.exists(self.file):
            return []
        try:
            found = np.load(self.file, allow_pickle=False)
            stored = {name: found[name] for name in found.files}
            found.close()
        except (OSError, ValueError, EOFError, AttributeError, BadZipFile):
            stored = {}
        needed = {*self.signs, *NUMBERS, "which", "values"}
        if str(stored.get("format")) != FORMAT or not needed <= set(stored):
            raise ValueError(f"{self.file} is not a checkpoint of a path, or is damaged; give "
                             "another name, or remove it")  # fmt: skip
        self._refuse_other(stored)
        return _points(stored)

    def _refuse_other(self, stored):
        for name, own in self.signs.items():
            other = stored[name]
            # other machines round in other ways
            same = str(other) == own if name == "family" else other.shape == own.shape and (
                np.allclose(other, own, rtol=1e-6, atol=1e-12, equal_nan=True))  # fmt: skip
            if not same:
                raise ValueError(
                    f"{self.file} is the checkpoint of other data or options (other {name}); give "
                    "another name, or remove it"
                )

    def save(self, points):
        """Write all points so far, whole or not at all."""
        numbers = {name: np.array([getattr(point, name) for point in points]) for name in NUMBERS}
        with whole_file(self.file, "wb") as stream:
            np.savez(
                stream, format=FORMAT, **self.signs, **numbers,
                which=np.concatenate([point.which for point in points]),
                values=np.concatenate([point.values for point in points], axis=-1),
            )  # fmt: skip


def _sums(values):
    """Return weighted sums of blocks of the values; a change of any one moves a sum."""
    values = np.ravel(values)
    starts = np.unique(np.linspace(0, len(values) - 1, 1000).astype(int))
    return np.add.reduceat(values * (1.5 + np.cos(np.arange(len(values)))), starts)


def _points(stored):
    """Return the points of a checkpoint, up to the first without a finite optimum."""
    ends, points = np.cumsum(np.append(0, stored["df"])), []
    for k in range(len(stored["df"])):
        if stored["status"][k] == UNBOUNDED:
            break
        part = slice(ends[k], ends[k + 1])
        one = {name: stored[name][k] for name in NUMBERS}
        points.append(Point(k, float(one["lam"]), int(one["df"]), float(one["dev_ratio"]),
                            float(one["gap"]), int(one["status"]), int(one["n_iter"]),
                            stored["which"][part], stored["values"][..., part],
                            one["intercept"]))  # fmt: skip
    return points
