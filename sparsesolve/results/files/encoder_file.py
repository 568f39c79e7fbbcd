"""An encoder as text: how a table becomes a design, without its rows.

The text is JSON with the entries ``names`` and ``groups`` of the p columns, ``unknown``,
``sparse`` and ``sources``: a list with the fields of a Source (data/columns_of_numbers.py) for
each column of the table.
"""

import json

import numpy as np
from scipy import sparse

from sparsesolve.data.columns_of_numbers import Source
from sparsesolve.data.encoding import EncodedDesign

PLAIN = (str, bool, int, float)


def encoder_text(design):
    """Return the JSON text of an EncodedDesign, without its rows."""
    return json.dumps({
        "names": [str(name) for name in design.names],
        "groups": [str(group) for group in design.groups],
        "unknown": design.unknown,
        "sparse": sparse.issparse(design.matrix),
        "sources": [{name: _plain(value) for name, value in source._asdict().items()}
                    for source in design.sources],
    }, allow_nan=False)  # fmt: skip


def encoder_of(text):
    """Return the EncodedDesign without rows that :func:`encoder_text` wrote, or raise ValueError.
    """
    try:
        found = json.loads(text)
        sources = [_source(fields) for fields in found["sources"]]
        names = np.array(found["names"], dtype=object)
        groups, unknown = list(found["groups"]), found["unknown"]
        known = {source.name for source in sources}
        fits = (unknown in ("error", "zero") and names.ndim == 1 and len(groups) == len(names)
                and len(names) > 0 and set(groups) == known and len(known) == len(sources)
                and all(isinstance(name, str) for name in names)
                and sum(len(source.fill) for source in sources) == len(names))  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"encoder is not what was written ({error})") from None
    if not fits:
        raise ValueError("the parts of encoder do not fit together")
    empty = np.zeros((0, len(names)), order="F")
    matrix = sparse.csc_array(empty) if found["sparse"] else empty
    return EncodedDesign(matrix, names, groups, sources, unknown)


def _source(fields):
    fill = np.array(fields["fill"], dtype=float)
    levels = fields["levels"]
    if fill.ndim != 1 or not np.isfinite(fill).all() or not isinstance(fields["name"], str):
        raise ValueError("a source is damaged")
    if levels is not None and not all(isinstance(level, PLAIN) for level in list(levels)):
        raise ValueError("levels of a source are damaged")
    return Source(**{**fields, "fill": fill})


def _plain(value):
    """Return a field of a source in the form of JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
