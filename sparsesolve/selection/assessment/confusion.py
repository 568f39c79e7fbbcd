"""Confusion: true classes compared with predicted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import by_rows
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.data.paragraphs import described_by
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.pictures.axes import on_axes, plot_cells
from sparsesolve.selection.assessment.assess import assess
from sparsesolve.selection.assessment.known_rows import known_classes, read_known_rows


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Tabled):
    """Weights of rows by their true and predicted class; printed as a table.

    Attributes
    ----------
    counts : ndarray (K, K)
        True class by row, predicted class by column.
    class_names : ndarray (K,)
    """

    counts: np.ndarray
    class_names: np.ndarray

    @property
    def accuracy(self) -> float:
        """The share of weights on the diagonal."""
        return float(self.counts.trace() / self.counts.sum())

    def _columns(self):
        names = self.class_names.tolist()
        return {"true": self.class_names, **dict(zip(names, self.counts.T, strict=True))}

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the table, dark where much of a true class is predicted."""

        return plot_cells(self.counts, self.class_names, self.class_names,
                          ("Predicted class", "True class"), ax)  # fmt: skip

    def __repr__(self):
        return f"<Confusion: {len(self.class_names)} classes, {100 * self.accuracy:.1f}% correct>"

    def __str__(self):
        names = [str(name) for name in self.class_names.tolist()]
        cells = [["true \\ predicted", *names, "total"]]
        for name, row in zip(names, self.counts, strict=True):
            cells.append([name, *(f"{value:.6g}" for value in row), f"{row.sum():.6g}"])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([*lines, f"{100 * self.accuracy:.1f}% correct"])


@answers_keywords()
@described_by(assess)
@by_rows("y", "weights", "offset")
def confusion(
    fit: Any,
    X: Any,
    y: Any,
    s: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
) -> Confusion | list[Confusion]:
    """Count predicted against true classes, or sum their weights.

    Returns
    -------
    Confusion
        A list of them if s is a list or None.

    Raises
    ------
    ValueError
        If the family has no classes; and as :func:`assess`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsesolve as ss
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = np.where(X[:, 0] + rng.logistic(size=100) > 0, "sick", "well")
    >>> print(ss.confusion(ss.path(X, y, family="binomial"), X, y, s=0.05))
    true \\ predicted  sick  well  total
                sick    24    14     38
                well     7    55     62
    79.0% correct
    """
    rows = read_known_rows(fit, X, y, s, weights, offset, lengths=lengths)
    shares, names = known_classes(rows)
    tables = []
    for codes in rows.codes().T:
        predicted = np.eye(shares.shape[1])[codes]
        tables.append(Confusion((rows.weights[:, None] * shares).T @ predicted, names))
    return tables if np.ndim(rows.lambdas) else tables[0]
