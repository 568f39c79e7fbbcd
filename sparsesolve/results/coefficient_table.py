"""Coefficients by name: as a table at any lambda, and as a summary in words."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.results import printing
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


class Named:
    """Mixin of results whose coefficients are shown by name."""

    def to_frame(self, s: ArrayLike | None = None, *, zeros: bool = False) -> Any:
        """Return coefficients by name, one per row: a pandas frame, else a dict of columns.

        Parameters
        ----------
        s : float or array_like of float, shape (S,), optional
            Values of lambda, as in :meth:`coef`. Default: every lambda of a path, or lambda_1se
            of a cross-validation, which also accepts "lambda_min".
        zeros : bool, default False
            Also show coefficients of 0.

        Returns
        -------
        frame : pandas.DataFrame or dict of ndarray
            Columns ``lambda`` (if several), ``response`` (with K of them), ``group`` (with a
            group penalty), ``feature``, which is a number if columns have no names, and
            ``coefficient``. The intercept comes first.
        """
        path, s = self._at(s)
        columns = coefficient_columns(path, path.lambdas if s is None else s, zeros)
        if importlib.util.find_spec("pandas") is None:
            return Columns(columns)
        import pandas

        return pandas.DataFrame(columns)

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
        return Text("\n".join([*_first_lines(self, path, at[0]), "", *_largest(path, at[0])]))

    def _at(self, s):
        """Return (the path, s in the form that it reads)."""
        path = getattr(self, "path", self)
        if path is self:
            return path, s
        return path, self.read_s("lambda_1se" if s is None else s)


def coefficient_columns(path, s, zeros):
    """Return the columns of :meth:`Named.to_frame` as arrays by name."""
    s = read_s(s)
    several = isinstance(path.coefs, list)
    coefs, b0 = coefficients(path, s), np.asarray(intercepts(path, s))
    shape = (len(path.coefs) if several else 1, path.n_features, s.size)
    B = np.concatenate([b0.reshape(shape[0], 1, -1), coefs.reshape(shape)], axis=1)
    shown = np.ones(B.shape, dtype=bool) if zeros else B != 0.0
    shown[:, 0] = not str(path.family).startswith("cox")  # whose intercept nothing can tell
    L, K, J = np.nonzero(shown.transpose(2, 0, 1))
    features = [INTERCEPT, *(range(path.n_features) if path.feature_names is None
                             else path.feature_names.tolist())]  # fmt: skip
    columns = {"lambda": np.atleast_1d(s)[L]} if s.ndim else {}
    if several:
        columns["response"] = np.asarray(_responses(path), dtype=object)[K]
    if getattr(path, "groups", None) is not None:
        columns["group"] = np.array(["", *path.groups.of_features()], dtype=object)[J]
    columns["feature"] = np.array(features, dtype=object)[J]
    return {**columns, "coefficient": B.transpose(2, 0, 1)[L, K, J]}


def _responses(path):
    return range(len(path.coefs)) if path.class_names is None else path.class_names.tolist()


def _first_lines(fit, path, s):
    """Return lines on what was fitted, and on the certificate of the lambda if it has one."""
    place = np.flatnonzero(np.isclose(path.lambdas, s, rtol=1e-12, atol=0.0))
    count, noun = path.selectable
    lines = [printing.heading(path) if fit is path else repr(fit).strip("<>")]
    selected = f"lambda = {s:.4g}: {len(path.nonzero(s))} of {count} {noun}s"
    groups = _groups_in_use(path, s)
    if not len(place):
        return [*lines, selected, *groups, _between(path, s)]
    k = place[0]
    lines += [
        f"{selected}, {100 * path.dev_ratio[k]:z.1f}% of the deviance explained",
        *groups,
        f"certified gap {path.gaps[k]:.1e}, relative to the model without features",
    ]
    return lines + [f"missed: {path.status[k].sentence}"] * bool(path.status[k] != 0)


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
    if path.exact_between:
        return f"between two knots, of certified gaps up to {np.max(path.gaps):.1e}"
    return (
        "interpolated between two lambdas, and not certified: a fit with lambdas=[s] is, and so "
        "is coef(s, exact=True, X=X, y=y)"
    )


def _largest(path, s):
    """Return the largest coefficients as lines."""
    columns = coefficient_columns(path, s, False)
    first = columns["feature"] == INTERCEPT
    order = np.argsort(-np.abs(columns["coefficient"]) - np.where(first, np.inf, 0.0),
                       kind="stable")  # fmt: skip
    shown = order[: MOST + int(first.sum())]
    rows = _cells({name: column[shown] for name, column in columns.items()})
    lines = printing.aligned_cells([list(columns), *rows])
    left = len(order) - len(shown)
    return lines + [f"and {left} more: to_frame(s) has all of them"] * bool(left)


def _cells(columns):
    """Return rows of text from columns by name."""
    columns = [[_cell(value) for value in column.tolist()] for column in columns.values()]
    return [list(row) for row in zip(*columns, strict=True)]


def _cell(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)
