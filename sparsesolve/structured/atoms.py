"""Atoms of templates: one column of a table, read at an offset, through a function.

    column[offset].function

The functions turn one entry into another: lower case, the first or last letters, the shape of a
word. `first` has no column of its own: it says whether a sequence begins at a position.
Reference: Ratnaparkhi (1996), "A maximum entropy model for part-of-speech tagging", for the
default templates.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ATOM = re.compile(r"(\w+)(?:\[([+-]?\d+)\])?(?:\.([a-z]+?)(\d+)?)?")
TAGGING = (
    "form", "form.lower", "form[-1].lower", "form[1].lower", "form[-2].lower", "form[2].lower",
    "form[-1].lower & form.lower", "form.lower & form[1].lower", "form.suffix1", "form.suffix2",
    "form.suffix3", "form.suffix4", "form.prefix1", "form.prefix2", "form.prefix3", "form.shape",
    "form[-1].suffix3", "form[1].suffix3", "form[-1].shape & form.shape",
    "form.shape & form.first",
)  # fmt: skip


class Atom(NamedTuple):
    """One column, read at an offset, through a function of its entries."""

    column: str
    offset: int
    function: str  # "" means the entries themselves
    size: int


def shape(word):
    """Return the shape of a word, such as Xx9-: one character per kind, runs of a kind once."""
    kinds = ("X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c
             for c in word)  # fmt: skip
    out = ""
    for kind in kinds:
        out += "" if out.endswith(kind) else kind
    return out


FUNCTIONS = {
    "": lambda word, size: word,
    "lower": lambda word, size: word.lower(),
    "suffix": lambda word, size: word[-size:].lower(),
    "prefix": lambda word, size: word[:size].lower(),
    "shape": lambda word, size: shape(word),
}


def read_atom(part, text):
    """Return the Atom that `part` of the template `text` names; raise ValueError if it names
    none.
    """
    found = ATOM.fullmatch(part.strip())
    function = (found[3] or "") if found else None
    if found is None or not (function in FUNCTIONS or function == "first"):
        raise ValueError(
            f"the template {text!r} holds {part.strip()!r}; write column[offset].function with "
            "lower, suffixN, prefixN, shape or first as function"
        )
    sized = function in ("suffix", "prefix")
    if sized != (found[4] is not None):
        raise ValueError(f"the template {text!r} needs a number after suffix or prefix only")
    return Atom(found[1], int(found[2] or 0), function, int(found[4] or 0))
