"""An encoder as JSON values: how a table becomes a design, without its rows.

The entries are ``names`` and ``groups`` of the p columns, ``unknown``, ``missing``, ``sparse`` and
``sources``: a list with the fields of a Source (data/columns_of_numbers.py) for each column of the
table.
"""

import numpy as np
from scipy import sparse

from sparsesolve.data.columns_of_numbers import Source, with_column
from sparsesolve.data.encoding import EncodedDesign
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
                and groups == [source.name for source in sources for _ in source.fill]
                and len({source.name for source in sources}) == len(sources))  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damaged(f"encoder is not what was written ({error})") from None
    if not fits or len(groups) != len(names) or not isinstance(found["sparse"], bool):
        raise Damaged("the parts of encoder do not fit together")
    empty = np.zeros((0, len(names)), order="F")
    matrix = sparse.csc_array(empty) if found["sparse"] else empty
    return EncodedDesign(matrix, names, groups, sources, unknown, missing=missing)


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
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
