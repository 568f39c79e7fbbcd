"""KnownRows: rows with known responses, in the form of the fit's family."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sparsesolve.data import (
    Response,
    label_array,
    read_amounts,
    read_labels,
    read_strata,
    read_survival,
    read_weights,
)
from sparsesolve.families import Family
from sparsesolve.results.fitted_data import refuse_other_responses
from sparsesolve.results.interpolation import read_s
from sparsesolve.results.predictor import predictor_of
from sparsesolve.selection.measures import class_shares


class KnownRows(NamedTuple):
    """The input of measures of a fit, without rows of weight 0."""

    family: Family
    class_names: np.ndarray | None
    y: np.ndarray  #: in the form of the family; rows first
    #: (n, S), or (n, K, S) with K responses: linear predictors, offsets included; None where the
    #: fit chooses classes without probabilities
    eta: np.ndarray | None
    codes: Callable  #: () -> (n, S): the numbers of the chosen classes
    weights: np.ndarray  #: (n,) positive, as often as y counts a row
    lambdas: np.ndarray | None  #: () or (S,); None for one model


def read_known_rows(fit, X, y, s, weights, offset, strata=None, lengths=None, empty=False):
    """Return the KnownRows of a user's arguments; `assess` describes them.

    With `empty`, rows without weight are no error.
    """
    model, s = predictor_of(fit, s)
    s = model.lambdas if s is None else read_s(s)
    family = model._family
    rows = model._new_rows(X, y, weights, s, lengths)
    if family.name == "cox":
        y = Response(_read_survival(model, family, rows.y, rows.n, strata))
    elif strata is not None:
        raise ValueError(f"A {family.name} fit has no strata; family='cox' may have some")
    else:
        y = _as_fitted(model, family, rows.y, rows.n)
    w = read_weights(rows.weights, rows.n, some=not empty)
    w = np.ones(rows.n) if w is None else w
    w = w if y.counts is None else w * y.counts
    used = w > 0.0
    if not (used.any() or empty):
        raise ValueError("no row counts: every row with a count in y has weight 0")
    eta = model._link(rows, s, offset)
    return KnownRows(
        family, model.class_names, y.values[used], None if eta is None else eta[used],
        lambda: np.asarray(model._codes(rows, s, eta))[used].astype(np.intp), w[used], s,
    )  # fmt: skip


def _read_survival(path, family, y, n, strata):
    """Return the survival response of new rows; `strata` are required if the fit had some.

    The family does not read it, because it holds the strata of other rows.
    """
    values = read_survival(y, n, strata)
    fitted = family.read.args[0]  # the argument of cox(strata=)
    if fitted is None:
        # a model from a file does not have its strata
        from_file = "weights" not in (path.options or {})
        _refuse_strata([] if strata is None or from_file else np.ravel(strata).tolist())
    elif strata is None and not values[:, 3].any():  # and y has no column of strata
        count = len(read_strata(fitted, len(fitted))[1])
        if count > 1:
            raise ValueError(
                f"The path was fitted with {count} strata, within which deaths are compared; give "
                "those of the new rows as strata="
            )
    return values


def _refuse_strata(labels):
    """Raise ValueError unless all are 0, the only stratum of a fit without strata."""
    for i, label in enumerate(labels):
        if label != 0:
            raise ValueError(
                f"strata holds {label!r} at position {i}, where the path was fitted without; "
                "leave strata out"
            )


def _as_fitted(path, family, y, n):
    """Return the response of new rows, with labels coded as in the fit; some classes may be
    missing.
    """
    names, labels = path.class_names, None if family.classify is None else label_array(y)
    if names is None and labels is not None:  # a table without names, or shares
        names = np.arange(path._n_responses if family.several else 2)
        labels = labels if family.several or np.isin(labels, names).all() else None
    if labels is None or labels.ndim != 1:
        # among all rows one amount must be positive, not among these: one is added
        one = family.read is read_amounts and np.ndim(y) == 1
        response = family.read(np.append(y, 1.0) if one else y, n + one)
        response = Response(response.values[:n]) if one else response
        refuse_other_responses(path, family, y, response)
        return response
    found = read_labels(y, n)
    code = {name: k for k, name in enumerate(names.tolist())}
    strange = [name for name in found[1].tolist() if name not in code]
    if strange:
        raise ValueError(f"y holds the class {strange[0]!r}, which the fit does not know: {names}")
    codes = np.array([code[name] for name in found[1].tolist()])[found[0]]
    # The reader needs every class: one row of each is added, and dropped again.
    values = family.read(np.append(codes, np.arange(len(names))), n + len(names)).values
    return Response(values[:n])


def known_classes(rows):
    """Return the shares of the classes in each row, (n, K), and their names, (K,)."""
    shares = class_shares(rows.family, rows.y)
    if shares is None:
        raise ValueError(f"A {rows.family.name} fit has no classes")
    names = rows.class_names
    return shares, np.arange(shares.shape[1]) if names is None else names
