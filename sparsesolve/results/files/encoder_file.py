"""An encoder as JSON values: how a table becomes a design, without its rows.

The entries are ``names`` and ``groups`` of the p columns, ``unknown``, ``missing``, ``sparse``,
``sources``, a list with the fields of a Source (data/columns_of_numbers.py) for each column of the
table, and ``formula``, the fields of a Formula (data/formula.py) or null.
"""

import numpy as np
from scipy import sparse

from sparsesolve.data.columns_of_numbers import Source, with_column
from sparsesolve.data.encoding import EncodedDesign, columns_of_sources
from sparsesolve.data.formula import Factor, Formula, variables
from sparsesolve.results.files.model_arrays import Damaged

PLAIN = (str, bool, int, float)


def encoder_values(fit):
    """Return the JSON values of an EncodedDesign, or of that of a fit, without rows; None
    without one.
    """
    design = fit if isinstance(fit, EncodedDesign) else getattr(fit, "encoder", None)
    if design is None:
        return None
    return {
        "names": [str(name) for name in design.names],
        "groups": [str(group) for group in design.groups],
        "unknown": design.unknown,
        "missing": design.missing,
        "sparse": sparse.issparse(design.matrix),
        "sources": [{name: _plain(value) for name, value in source._asdict().items()}
                    for source in design.sources],
        "formula": None if design.formula is None else _plain(design.formula._asdict()),
    }  # fmt: skip


def encoder_of(found):
    """Return the EncodedDesign without rows of values of :func:`encoder_values`, or raise Damaged.
    """
    try:
        sources = [_source(fields) for fields in found["sources"]]
        names = np.array(found["names"], dtype=object)
        groups, unknown = list(found["groups"]), found["unknown"]
        missing = found.get("missing", "mean")  # Files before 0.2 do not say it.
        fits = (unknown in ("error", "zero") and missing in ("mean", "error")
                and names.ndim == 1 and len(names) > 0
                and all(isinstance(name, str) for name in names)
                and len({source.name for source in sources}) == len(sources))  # fmt: skip
        formula = _formula(found.get("formula"), sources)
        made = groups == _terms(formula, sources, names)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damaged(f"encoder is not what was written ({error})") from None
    if not (fits and made) or len(groups) != len(names) or not isinstance(found["sparse"], bool):
        raise Damaged("the parts of encoder do not fit together")
    empty = np.zeros((0, len(names)), order="F")
    matrix = sparse.csc_array(empty) if found["sparse"] else empty
    return EncodedDesign(matrix, names, groups, sources, unknown, missing=missing,
                         formula=formula)  # fmt: skip


def _formula(fields, sources):
    """Return the Formula of its fields; ValueError if it would run anything but FUNCTIONS."""
    if fields is None:
        return None
    terms = [(str(label), [Factor(str(text), bool(is_column)) for text, is_column in factors])
             for label, factors in fields["terms"]]  # fmt: skip
    names = [source.name for source in sources]
    for factor in (factor for _, factors in terms for factor in factors):
        if not factor.is_column:
            variables(factor.text, names)
    state = {text: _state(kept) for text, kept in fields["state"].items()}
    return Formula(terms, [str(name) for name in fields["categories"]], state)


def _state(value):
    """Return what a function has learned: numbers are keys of it, and lists are arrays."""
    if isinstance(value, dict):
        return {int(key) if key.isdigit() else key: _state(part) for key, part in value.items()}
    if value is None or isinstance(value, PLAIN):
        return value
    array = np.array(value, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError("what a formula has learned is damaged")
    return array


def _terms(formula, sources, names):
    """Return the groups of the columns as the sources, or the terms of a formula, make them."""
    made, groups = columns_of_sources(sources)
    if formula is None:
        return groups
    row = np.concatenate([source.fill for source in sources])[None, :]
    learned = bool(formula.state)
    _, made, groups = formula.expanded(row, made, groups)
    if bool(formula.state) != learned or made != names.tolist():
        raise ValueError("the formula makes other columns")
    return groups


def _source(fields):
    fill = np.array(fields["fill"], dtype=float)
    levels = fields["levels"]
    if fill.ndim != 1 or not np.isfinite(fill).all() or not isinstance(fields["name"], str):
        raise ValueError("a source is damaged")
    if levels is not None and (
        type(levels) is not list or not all(isinstance(level, PLAIN) for level in levels)
        or len(set(levels)) < len(levels)
    ):  # fmt: skip
        raise ValueError("levels of a source are damaged")
    if len(fill) != (1 if levels is None else len(with_column(levels))):
        raise ValueError("a source has another number of columns")
    return Source(**{**fields, "fill": fill})


def _plain(value):
    """Return a field of a source in the form of JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value.item() if isinstance(value, np.generic) else value
