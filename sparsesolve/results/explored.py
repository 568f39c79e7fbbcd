"""Results that can be explored: what the lines along their path are, for every kind of path."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

from scipy import sparse


class View(NamedTuple):
    """One choice of lines along a path: a name, and a value at each lambda."""

    title: str  # what a value is, such as "Coefficient"
    names: Sequence | None  # (m,); None: their numbers
    rows: sparse.csr_array  # (m, L)
    groups: Sequence | None = None  # (m,) the groups of each line, by name


class Explored:
    """Mixin of results with a path: `_views` returns their choices of lines."""

    def explore(self, file: str | PathLike | None = None) -> Any:
        """Show the path with a slider of lambda: a figure for a notebook, or a page in a file.

        The slider moves a mark through the path, the curve of a cross-validation, the certified
        gaps and a table of what is not 0. A point of a line shows its name, value and rank. The
        page also searches names and groups; it holds all that it needs, opens in any browser
        without network, and follows the browser's choice of light or dark. At most 1,000 lines
        and 200 lambdas are shown.

        Parameters
        ----------
        file : str or path, optional
            Write the page there; its name should end with .html. Default: nothing is written.

        Returns
        -------
        figure : plotly Figure, or None if the page was written

        Raises
        ------
        ValueError
            If the path holds no lambda.
        ImportError
            If plotly is not installed.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsesolve as ss
        >>> X = np.random.default_rng(0).normal(size=(50, 5))
        >>> cv = ss.cv_path(X, X[:, 0] + X[:, 1] ** 2, seed=0)
        >>> cv.explore("path.html")
        >>> [axis.title.text for axis in cv.explore().select_yaxes()]
        ['Coefficient', 'Mean squared error', 'Gap']
        """
        from sparsesolve.results.pictures import explorer, page  # plotly is optional

        if file is None:
            return explorer.figure_of(explorer.story_of(self))
        page.save_page(self, file)
        return None

    def _views(self) -> list[View]:
        """Return the choices of lines, the default first."""
        return coefficient_views(self)


def coefficient_views(path: Any) -> list[View]:
    """Return the lines of coefficients, of each response and of groups."""
    names, groups = path.feature_names, getattr(path, "groups", None)
    of = None if groups is None else groups.of_features()
    if isinstance(path.coefs, list):
        views = [View("Norm of the coefficients", names, feature_rows(path), of)]
        labels = range(len(path.coefs)) if path.class_names is None else path.class_names
        views += [View(f"Coefficient of {label}", names, sparse.csr_array(matrix), of)
                  for label, matrix in zip(labels, path.coefs, strict=True)]  # fmt: skip
    else:
        views = [View("Coefficient", names, feature_rows(path), of)]
    if groups is not None:
        views.append(View("Norm of the group", groups.labels, groups.norms(path.coefs)))
    return views


def feature_rows(path: Any) -> sparse.csr_array:
    """Return a row (L,) for each feature: its coefficients, or their norm over the responses."""
    if isinstance(path.coefs, list):
        return sparse.csr_array(sum(matrix.power(2) for matrix in path.coefs).sqrt())
    return sparse.csr_array(path.coefs)
