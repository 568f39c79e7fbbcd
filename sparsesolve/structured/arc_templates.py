"""Templates of arcs: which parts of a head, a word and their distance make one feature."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

import numpy as np

PIECE = re.compile(r"([hm])\.([A-Za-z0-9_]+)(?:\[([+-]?\d+)\])?$")
APART = {"direction": 1, "distance": 2}
# A template joins the tags at these offsets from a head or word.
AROUND = ((0,), (-1, 0), (0, 1), (-1, 0, 1), (-2, -1, 0), (0, 1, 2))
DEFAULT = [
    *(f"{pieces}+distance" for pieces in (
        "h.form", "h.upos", "h.form+h.upos", "m.form", "m.upos", "m.form+m.upos",
        "h.upos+m.upos", "h.form+m.form", "h.lemma+m.lemma", "h.xpos+m.xpos",
        "h.form+m.upos", "h.upos+m.form", "h.form+h.upos+m.upos", "h.upos+m.form+m.upos",
        "h.form+m.form+m.upos", "h.form+h.upos+m.form", "h.form+h.upos+m.form+m.upos",
        "h.upos+h.upos[+1]+m.upos[-1]+m.upos", "h.upos[-1]+h.upos+m.upos[-1]+m.upos",
        "h.upos+h.upos[+1]+m.upos+m.upos[+1]", "h.upos[-1]+h.upos+m.upos+m.upos[+1]",
        "h.upos[-1]+h.upos+h.upos[+1]+m.upos", "h.upos+m.upos[-1]+m.upos+m.upos[+1]",
        "h.xpos+h.xpos[+1]+m.xpos[-1]+m.xpos", "h.xpos[-1]+h.xpos+m.xpos+m.xpos[+1]",
        "h.lemma+m.upos+m.upos[-1]", "h.upos+h.upos[+1]+m.lemma",
    )),
    "h.upos+m.upos+direction", "h.lemma+m.lemma", "h.lemma+m.upos+direction",
    "h.upos+m.lemma+direction", "h.upos+h.upos[+1]+m.upos[-1]+m.upos",
    "h.upos[-1]+h.upos+m.upos[-1]+m.upos", "h.upos+h.upos[+1]+m.upos+m.upos[+1]",
    "h.upos[-1]+h.upos+m.upos+m.upos[+1]", "h.xpos+m.xpos+direction",
    "h.upos+m.lemma+m.upos[-1]", "h.lemma+h.upos[+1]+m.upos+direction",
    "h.xpos+m.upos[-1]+m.xpos+m.upos[+1]+direction", "h.lemma+m.form[-1]+m.upos+direction",
    "h.upos[-1]+h.upos+h.upos[+1]+m.upos[-1]+m.upos+m.upos[+1]+direction",
    "h.upos+m.upos+m.upos[+1]+m.upos[+2]+direction",
    "h.upos+m.upos[-2]+m.upos[-1]+m.upos+direction",
    "h.upos+h.upos[+1]+h.upos[+2]+m.upos+direction",
]  # fmt: skip


def many_templates() -> list[str]:
    """Return 304 templates for CoNLL-U, from which a norm over templates can choose."""
    words = ("form", "lemma", "upos", "xpos", "form+{0}.upos", "lemma+{0}.upos")
    pieces = {side: [f"{side}.{word.format(side)}" for word in words] for side in "hm"}
    pairs = [*pieces["h"], *pieces["m"],
             *(f"{h}+{m}" for h in pieces["h"] for m in pieces["m"])]  # fmt: skip
    out = [pair + apart for pair in pairs for apart in ("", "+direction", "+distance")]
    for tag in ("upos", "xpos"):
        around = {side: [_around(side, tag, offsets) for offsets in AROUND] for side in "hm"}
        out += [f"{h}+{m}{apart}" for h in around["h"] for m in around["m"]
                for apart in ("+direction", "+distance")]  # fmt: skip
    out += [f"h.lemma+{_around('m', 'upos', offsets)}+{apart}" for offsets in AROUND
            for apart in ("direction", "distance")]  # fmt: skip
    out += [f"{_around('h', 'upos', offsets)}+m.lemma+{apart}" for offsets in AROUND
            for apart in ("direction", "distance")]  # fmt: skip
    return list(dict.fromkeys(out))


def _around(side, tag, offsets):
    """Return the pieces with the tag at these offsets from a head or a word."""
    return "+".join(f"{side}.{tag}[{k:+d}]" if k else f"{side}.{tag}" for k in offsets)


class ArcTemplates:
    """Templates, read once, and the codes that they give to positions.

    Parameters
    ----------
    templates : list of str
        Pieces joined by "+": ``h.column`` of the head, ``m.column`` of the word, each with an
        offset such as ``h.upos[-1]``; and at most one of ``direction`` and ``distance``.
    """

    def __init__(self, templates: list[str]) -> None:
        self.names = list(templates)
        if not self.names:
            raise ValueError("templates holds none; give a list such as ['h.upos+m.upos']")
        twice = sorted({name for name in self.names if self.names.count(name) > 1})
        if twice:
            raise ValueError(f"template {twice[0]!r} occurs twice; give each once")
        self.read = [_read(name) for name in self.names]
        self.apart = np.array([apart for _, apart in self.read], dtype=np.intc)

    @property
    def columns(self) -> list[str]:
        """Return the columns that the templates read."""
        return sorted({piece[1] for pieces, _ in self.read for piece in pieces})

    def codes(self, columns: dict[str, Any], lengths: Any) -> tuple[np.ndarray, ...]:
        """Return codes of heads and words (positions, T), and the starts of sentences (N + 1,).

        Every sentence has a position for its root before its words.
        """
        missing = [name for name in self.columns if name not in columns]
        if missing:
            raise ValueError(f"the templates read column {missing[0]!r}, which is not there")
        lengths = np.asarray(lengths, dtype=np.int64)
        ptr = np.concatenate([[0], np.cumsum(lengths + 1)])
        size, T = int(ptr[-1]), len(self.names)
        sentence = np.repeat(np.arange(len(lengths)), lengths + 1)
        words = np.ones(size, dtype=bool)
        words[ptr[:-1]] = False
        values = {}
        for name in self.columns:
            values[name] = np.full(size, _hash("\x00root"), dtype=np.uint64)
            values[name][words] = _hashes(columns[name])
        out = np.empty((2, size, T), dtype=np.uint64)
        with np.errstate(over="ignore"):
            for t, (pieces, _) in enumerate(self.read):
                out[:, :, t] = 0
                out[1, :, t] = _hash(self.names[t])
                for side, name, offset in pieces:
                    piece = _hash(f"{side}.{name}[{offset}]") | np.uint64(1)
                    out[0 if side == "h" else 1, :, t] += piece * _moved(
                        values[name], offset, sentence)  # fmt: skip
        return out[0], out[1], ptr


def _read(name):
    pieces, apart = [], 0
    for part in name.split("+distance")[0].split("+direction")[0].replace("[+", "[").split("+"):
        found = PIECE.match(part)
        if found is None:
            raise ValueError(
                f"template {name!r}: {part!r} is not a piece; pieces are h.column, m.column, each "
                "with an offset like [-1], and at the end direction or distance"
            )
        pieces.append((found[1], found[2], int(found[3] or 0)))
    for word, code in APART.items():
        if name.endswith(f"+{word}"):
            apart = code
    return pieces, apart


def _moved(values, offset, sentence):
    """Return the values `offset` positions later; beyond a sentence they are a code of their own.
    """
    at = np.arange(len(values)) + offset
    inside = (at >= 0) & (at < len(values))
    at = np.clip(at, 0, len(values) - 1)
    inside &= sentence[at] == sentence
    return np.where(inside, values[at], _hash("\x00beyond"))


def _hash(text):
    """Return 64 bits of a text, the same in every process."""
    return np.uint64(int.from_bytes(blake2b(str(text).encode(), digest_size=8).digest(), "little"))


def _hashes(column):
    known: dict[Any, Any] = {}
    return [known[value] if value in known else known.setdefault(value, _hash(value))
            for value in column]  # fmt: skip
