"""The response in the form of a family: real numbers, amounts, two classes, or several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .array import real_array, refuse
from .labels import NUMBERS, array_of_labels, label_array, read_labels
from .number import some_of
from .vector import read_response


class Response(NamedTuple):
    """The result of a family's reading of y."""

    values: np.ndarray  # (n,) or (n, K), in the form of the loss
    counts: np.ndarray | None = None  # (n,) multipliers of the weights: trials, if y has counts
    class_names: np.ndarray | None = None  # (K,) labels, sorted
    strata: np.ndarray | None = None  # labels of the strata of survival responses, by code


def read_real(y, n):
    """Return a real number for each row."""
    return Response(read_response(y, n))


def read_several(y, n):
    """Return K real numbers for each row of X, (n, K)."""
    table = np.asarray(real_array("y", y))
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            f"y has shape {table.shape}; family='multigaussian' needs a column per response, "
            f"({n}, K)"
        )
    if len(table) != n:
        raise ValueError(f"y has {len(table)} rows but X has {n}; give one row per row of X")
    values = np.array(table, dtype=np.float64)
    refuse("y", values, ~np.isfinite(values), "drop that row or replace the value")
    return Response(values, class_names=_column_names(y))


def read_amounts(y, n):
    """Return a nonnegative number for each row, at least one positive: counts, rates, costs."""
    values = read_response(y, n)
    refuse("y", values, values < 0, "every value must be at least 0 for this family")
    if n and not values.any():
        raise ValueError(
            f"y is 0 in all {n} rows, which no mean exp(eta) reaches; at least one row needs a "
            "positive value"
        )
    return Response(values)


def read_positive(y, n):
    """Return a positive number for each row."""
    values = read_response(y, n)
    refuse("y", values, values <= 0, "every value must be positive for this family")
    return Response(values)


def read_binary(y, n):
    """Return the share of successes in each row.

    y (n,) are 0 and 1, booleans, two labels of any type, of which the last in sorted order is the
    success, or proportions in [0, 1]; (n, 2) are counts, failures first.
    """
    table = label_array(y)
    if table.ndim == 2:
        return _two_columns(y, table, n)
    if table.ndim == 1 and table.dtype.kind in NUMBERS:
        values = read_response(table, n)
        if ((values >= 0) & (values <= 1)).all():
            if np.isin(values, (0.0, 1.0)).all():
                _, names = _two_labels(table, n)
                return Response(values, class_names=names)
            return Response(values)
        if (values != np.round(values)).any():
            outside = (values < 0) | (values > 1)
            advice = "values that are not all whole must be shares in [0, 1]"
            refuse("y", values, outside, advice)
    codes, names = _two_labels(y, n)
    return Response(codes.astype(np.float64), class_names=names)


def read_sides(y, n):
    """Return -1 or 1 for each row, from two labels of any type; the last in sorted order is 1."""
    advice = "estimators.LinearSVC, which fits each against the others, or family='multinomial'"
    codes, names = _two_labels(y, n, advice)
    return Response(2.0 * codes - 1.0, class_names=names)


def read_classes(y, n):
    """Return the shares of K classes in each row, (n, K) with rows of sum 1.

    y (n,) are labels of any type; (n, K) counts, shares, or 0 and 1, a column per class.
    """
    table = label_array(y)
    if table.ndim == 2:
        return _class_columns(y, table, n)
    codes, names = read_labels(y, n)
    _refuse_one_class(names, n)
    # the transpose, in the order in which losses of K responses read it
    values = np.zeros((len(names), n))
    values[codes, np.arange(n)] = 1.0
    return Response(values.T, class_names=names)


def _two_labels(y, n, advice="family='multinomial'"):
    codes, names = read_labels(y, n)
    _refuse_one_class(names, n)
    if len(names) > 2:
        raise ValueError(
            f"y holds {len(names)} different labels ({some_of(names.tolist())}) where two are "
            f"needed; use {advice} for more"
        )
    return codes, names


def _refuse_one_class(names, n):
    if len(names) == 1:
        raise ValueError(
            f"y holds one class only ({names.tolist()[0]!r} in all {n} rows); rows of another "
            "class are needed"
        )


def _two_columns(y, table, n):
    if table.shape[1] != 2:
        raise ValueError(
            f"y has shape {table.shape}; give one column, or two of counts (failures, "
            "successes), or use family='multinomial'"
        )
    shares, counts = _tallies(table, n, ["failure", "success"])
    return Response(shares[:, 1].copy(), counts, _column_names(y))


def _class_columns(y, table, n):
    if table.shape[1] == 0:
        raise ValueError("y has no column; give one for each class")
    names = _column_names(y)
    labels = range(table.shape[1]) if names is None else names.tolist()
    shown = [f"member of class {label!r}" for label in labels]
    shares, counts = _tallies(table, n, shown)
    return Response(np.asfortranarray(shares), counts, names)


def _tallies(table, n, outcomes):
    """Return shares (n, K) and totals (n,), None if all are 1; an empty row has total 0."""
    if len(table) != n:
        raise ValueError(f"y has {len(table)} rows but X has {n}; give one row per row of X")
    values = np.array(real_array("y", table), dtype=np.float64)
    refuse("y", values, ~np.isfinite(values), "drop that row or replace the value")
    refuse("y", values, values < 0, "counts must be at least 0")
    for k, outcome in enumerate(outcomes):
        if n and not values[:, k].any():
            raise ValueError(
                f"y counts no {outcome} in any row (column {k} is all 0); every column needs "
                "a positive count"
            )
    with np.errstate(over="ignore"):
        totals = values.sum(axis=1)
    if np.isinf(totals).any():
        raise ValueError(f"the counts of row {int(totals.argmax())} of y overflow; rescale them")
    values /= np.where(totals > 0, totals, 1.0)[:, None]
    values[totals == 0] = 1.0 / len(outcomes)
    return values, None if (totals == 1.0).all() else totals


def _column_names(y):
    """Return the labels of a data frame's columns; None for a plain table."""
    names = getattr(y, "column_names", None)  # an arrow table, whose columns are arrays
    names = getattr(y, "columns", None) if names is None else names
    return None if names is None else array_of_labels(list(names))
