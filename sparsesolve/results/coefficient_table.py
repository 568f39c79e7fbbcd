"""Results as tables: coefficients by name at any lambda, summaries in words, and other tables."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.results import printing
from sparsesolve.results.explored import Explored
from sparsesolve.results.interpolation import coefficients, intercepts, read_s

INTERCEPT = "(intercept)"
# A summary shows at most this many coefficients.
MOST = 20


class Columns(dict):
    """A table as columns by name, for users without pandas."""

    def __str__(self):
        return "\n".join(printing.aligned_cells([list(self), *_cells(self)]))

    __repr__ = __str__


class Text(str):
    """A text that an interactive session shows line by line."""

    __slots__ = ()
    __repr__ = str.__str__


def frame_of(columns: dict) -> Any:
    """Return arrays by name as a pandas frame, or as Columns without pandas."""
    if importlib.util.find_spec("pandas") is None:
        return Columns(columns)
    import pandas

    return pandas.DataFrame(columns)


class Tabled:
    """Mixin of results that are one table: `_columns` gives it as arrays by name."""

    def to_frame(self) -> Any:
        """Return the table as a pandas frame, or as a dict of arrays without pandas."""
        return frame_of(self._columns())

    def _columns(self) -> dict:
        """Return the table as arrays by name."""
        raise NotImplementedError

    def __str__(self):
        return f"{repr(self).strip('<>')}\n\n{text_of(self._columns())}"


def text_of(columns: dict) -> str:
    """Return arrays by name as lines of text, the middle left out of many."""
    lines = printing.aligned_cells([list(columns), *_cells(columns)])
    return "\n".join(printing.shortened(lines))


class Named(Explored):
    """Mixin of results with coefficients at each lambda, which are shown by name.

    A class may show something other than coefficients: `_columns_at(s, zeros)` gives arrays by
    name, of which the last is ranked in a summary, and `_selected(s)` what is not 0.
    """

    def to_frame(self, s: ArrayLike | None = None, *, zeros: bool = False) -> Any:
        """Return coefficients by name, one per row: a pandas frame, else a dict of columns.

        Parameters
        ----------
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in ``coef``. Default: every lambda of a path, or lambda_1se
            of a cross-validation, which also accepts "lambda_min".
        zeros : bool, default False
            Also show coefficients of 0.

        Returns
        -------
        frame : pandas.DataFrame or dict of ndarray
            Columns ``lambda`` (if several), ``response`` (with K of them; ``label`` of chains),
            ``group`` (with a group penalty), ``feature``, which is a number if columns have no
            names, and ``coefficient``. The intercept comes first. Paths of kernels have
            ``kernel``, ``norm`` and ``weight``.
        """
        path, s = self._at(s)
        return frame_of(path._columns_at(path.lambdas if s is None else s, zeros))

    def summary(self, s: float | None = None) -> str:
        """Describe in words what was fitted, its accuracy, and its largest coefficients.

        Parameters
        ----------
        s : float, optional
            A lambda. Default: the last of a path, or lambda_1se of a cross-validation, which also
            accepts "lambda_min".

        Returns
        -------
        summary : str
            Coefficients are on the scale of X, the largest first.
        """
        path, at = self._at(s)
        if at is None:
            at = path.lambdas[-1:]
        at = np.atleast_1d(read_s(at))
        if len(at) != 1 or not len(path.lambdas):
            raise ValueError("summary is of one lambda; give s as a number")
        return described(_first_lines(self, path, at[0]), path._columns_at(at[0], False),
                         "to_frame(s)")  # fmt: skip

    def _columns_at(self, s, zeros):
        """Return the columns of `to_frame` as arrays by name."""
        return coefficient_columns(self, s, zeros)

    def _selected(self, s):
        """Return what is not 0 at one lambda."""
        return self.nonzero(s)

    def _at(self, s):
        """Return (the path, s in the form that it reads)."""
        path = getattr(self, "path", self)
        if path is self:
            return path, s
        return path, self.read_s("lambda_1se" if s is None else s)


def described(lines: list, columns: dict, frame: str = "to_frame()") -> str:
    """Return lines of text, and below them the rows of the largest values in the last column."""
    return Text("\n".join([*lines, "", *_largest(columns, frame)]))


def coefficient_columns(path, s, zeros):
    """Return the columns of :meth:`Named.to_frame` as arrays by name."""
    s = read_s(s)
    several = isinstance(path.coefs, list)
    coefs, b0 = coefficients(path, s), np.asarray(intercepts(path, s))
    shape = (len(path.coefs) if several else 1, path.n_features, s.size)
    B = np.concatenate([b0.reshape(shape[0], 1, -1), coefs.reshape(shape)], axis=1)
    has_intercept = not str(path.family).startswith("cox")  # nothing can tell that of cox
    names, labels = (given if given is None else given.tolist()
                     for given in (path.feature_names, path.class_names))  # fmt: skip
    return _columns_of(B.transpose(2, 0, 1), zeros, names, labels, several, s if s.ndim else None,
                       getattr(path, "groups", None), has_intercept)  # fmt: skip


def columns_of_one(coef, intercept, feature_names=None, responses=None, zeros=False) -> dict:
    """Return intercepts and coefficients of one fit as arrays by name.

    `coef` is (p,), or (K, p) of K responses with their labels; `zeros` also shows coefficients of
    0.
    """
    B = np.column_stack([np.atleast_1d(intercept), np.atleast_2d(coef)])
    return _columns_of(B[None], zeros, feature_names, responses, np.ndim(coef) == 2)


def _columns_of(B, zeros, names, responses, several, s=None, groups=None, has_intercept=True):
    """Return the entries of B (S, K, 1 + p), the intercepts first, as arrays by name."""
    shown = np.full(B.shape, zeros) | (B != 0.0)
    shown[:, :, 0] = has_intercept
    L, K, J = np.nonzero(shown)
    columns = {} if s is None else {"lambda": s[L]}
    if several:
        labels = range(B.shape[1]) if responses is None else responses
        columns["response"] = np.array([*labels, None], dtype=object)[K]
    if groups is not None:
        columns["group"] = np.array(["", *groups.of_features()], dtype=object)[J]
    names = range(B.shape[2] - 1) if names is None else names
    columns["feature"] = np.array([INTERCEPT, *names], dtype=object)[J]
    return {**columns, "coefficient": B[L, K, J]}


def _first_lines(fit, path, s):
    """Return lines on what was fitted, and on the certificate of the lambda if it has one."""
    place = np.flatnonzero(np.isclose(path.lambdas, s, rtol=1e-12, atol=0.0))
    count, noun = path.selectable
    lines = [printing.heading(path) if fit is path else repr(fit).strip("<>")]
    selected = f"lambda = {s:.4g}: {len(path._selected(s))} of {count} {noun}s"
    groups = _groups_in_use(path, s)
    if not len(place):
        return [*lines, selected, *groups, _between(path, s)]
    k = place[0]
    if printing.known(path.dev_ratio[k]):
        selected += f", {printing.explained(path, k)} of the deviance explained"
    gap = path.gaps[k]
    lines += [
        selected,
        *([printing.counted(path, k)] if getattr(path, "counted", "") else []),
        *groups,
    ]
    certified = printing.known(gap)
    if certified:
        lines.append(f"certified gap {gap:.1e}, relative to the model without features")
    if path.status[k] != 0:
        lines.append("missed: " * certified + path.status[k].sentence)
    return lines


def _groups_in_use(path, s):
    """Return a line on the groups in the model, if the path has groups."""
    if getattr(path, "groups", None) is None:
        return []
    used = path.nonzero_groups(s)
    shown = ", ".join(map(str, used[:MOST])) + ", ..." * (len(used) > MOST)
    return [f"{len(used)} of {len(path.groups)} groups" + f": {shown}" * bool(used)]


def _between(path, s):
    """Return lines on a lambda that was not solved."""
    if not path.lambdas[-1] <= s <= path.lambdas[0]:
        return "beyond the path: these are the coefficients of its nearest lambda"
    if getattr(path, "exact_between", False):
        return f"between two knots, of certified gaps up to {np.max(path.gaps):.1e}"
    exact = ", and so is coef(s, exact=True, X=X, y=y)" * hasattr(path, "fitter")
    return f"interpolated between two lambdas, and not certified: a fit with lambdas=[s] is{exact}"


def _largest(columns, frame):
    """Return the rows with the largest values in the last column as lines, intercepts first."""
    *_, value = columns.values()
    first = columns["feature"] == INTERCEPT if "feature" in columns else np.zeros(len(value), bool)
    order = np.argsort(-np.abs(value) - np.where(first, np.inf, 0.0), kind="stable")
    shown = order[: MOST + int(first.sum())]
    rows = _cells({name: column[shown] for name, column in columns.items()})
    lines = printing.aligned_cells([list(columns), *rows])
    left = len(order) - len(shown)
    return lines + [f"and {left} more: {frame} has all of them"] * bool(left)


def _cells(columns):
    """Return rows of text from columns by name."""
    columns = [[_cell(value) for value in np.asarray(column).tolist()]
               for column in columns.values()]  # fmt: skip
    return [list(row) for row in zip(*columns, strict=True)]


def _cell(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)
