"""Parser: scores of arcs from templates, and the trees that they give new sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from os import PathLike
from typing import Any

import numpy as np

from sparsesolve.results.coefficient_table import Tabled, described
from sparsesolve.results.files.model_file import save_as_before
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import on_axes
from sparsesolve.structured.arc_pass import ArcPass
from sparsesolve.structured.pictures import plot_weights
from sparsesolve.structured.tree import TreeSums, best_tree

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


@dataclass(frozen=True, repr=False)
class Parser(Frozen, Tabled):
    """A parser by arcs, learnt by `parse_trees`. It has no certificate."""

    templates: tuple  #: (T,) templates as text
    weights: np.ndarray  #: (2^bits,) hashed weights of float32; of exact features (m,)
    template_weights: np.ndarray  #: (T,) multipliers of the templates, 0 of those left out
    norms: np.ndarray  #: (T,) norms of the templates' weights
    losses: np.ndarray  #: (epochs,) mean loss of a sentence before each step
    single_root: bool  #: whether one word hangs from the root
    owners: np.ndarray | None = None  #: template of each weight; None: shared
    norms_along: np.ndarray | None = None  #: (epochs, T) norms after each epoch; not saved
    keys: np.ndarray | None = None  #: (m,) codes of exact features; None: hashed
    options: dict = field(default_factory=dict)  #: options of the fit that are not data
    names: list | None = None  #: columns of the files it was learnt from; None: those of CoNLL-U

    def __repr__(self) -> str:
        used = int(np.count_nonzero(self.template_weights))
        return f"<Parser: {used} of {len(self.templates)} templates, no certificate>"

    def _columns(self):
        return {"template": np.array(self.templates, dtype=object), "norm": self.norms,
                "weight": self.template_weights}  # fmt: skip

    def summary(self) -> str:
        """Describe in words what was learnt, and the templates with the largest weights."""
        loss = self.options.get("loss", "hinge")
        words = f"mean {loss} loss of a sentence in the last epoch {self.losses[-1]:.5g}"
        return described([repr(self).strip("<>"), words], self._columns())

    def used(self) -> dict[str, float]:
        """Return the templates in use and the norms of their weights, the largest first."""
        order = np.argsort(-self.norms, kind="stable")
        return {self.templates[t]: float(self.norms[t]) for t in order if self.norms[t] > 0.0}

    def predict(self, sentences: Any) -> np.ndarray:
        """Return the heads (n,) of all words: numbers within their sentence, 0 for the root.

        Parameters
        ----------
        sentences : as `read_sentences` returns them
            With the columns that the templates read.

        Returns
        -------
        ndarray (n,)

        Raises
        ------
        ValueError
            If a column is missing.
        """
        found = [best_tree(A, self.single_root)[0] for A in self._scores(sentences)]
        return np.concatenate(found)

    def marginals(self, sentences: Any) -> list[np.ndarray]:
        """Return the probabilities of all arcs, for each sentence an array (L + 1, L + 1).

        Parameters
        ----------
        sentences : as in `predict`

        Returns
        -------
        list of ndarray (L + 1, L + 1)
            Entry (h, m) is P(the head of word m is h), 0 the root, where trees weigh exp(score):
            calibrated after loss="log", and no more than a softmax of scores after "hinge".

        Raises
        ------
        ValueError
            If a column is missing.
        """
        return [TreeSums(A, self.single_root).marginals for A in self._scores(sentences)]

    def _scores(self, sentences):
        """Return the scores of arcs of one sentence after another."""
        head, word, ptr, templates = coded(self.templates, sentences)
        V, c = self.weights.astype(float), self.template_weights.astype(float)
        owner = np.zeros(0, dtype=np.uintc)
        if self.owners is not None:
            owner = self.owners.astype(np.uintc)
        exact = self.keys is not None
        work = ArcPass(
            head, word, templates.apart, ptr, np.zeros(2) if exact else V, np.zeros(0), c,
            np.zeros(len(c)), np.zeros(2 if len(owner) else 0, dtype=np.uintc) if exact else owner,
            np.zeros(len(c), dtype=np.uintc), np.zeros(2 if exact else 0, dtype=np.uint64),
        )  # fmt: skip
        if exact:
            work.fill(self.keys, V, owner)
        return (work.scores(s) for s in range(len(ptr) - 1))

    def score(self, sentences: Any, punctuation: bool = True) -> float:
        """Return the fraction of words with the right head (UAS).

        Parameters
        ----------
        sentences : as `read_sentences` returns them
            With heads in the column "head".
        punctuation : bool, default True
            Whether words with the tag PUNCT count.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If a column is missing or heads make no tree.
        """
        gold, found = np.concatenate(read_heads(sentences)), self.predict(sentences)
        right = gold == found
        if not punctuation:
            right = right[np.asarray(sentences.columns["upos"]) != "PUNCT"]
        return float(right.mean())

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw the share of each template in the norms along the epochs.

        Raises
        ------
        ValueError
            If the parser was read from a file, which does not hold them.
        """
        if self.norms_along is None:
            raise ValueError("norms along the epochs are not saved; plot the parser as fitted")
        total = self.norms_along.sum(axis=1, keepdims=True)
        return plot_weights(self.norms_along / np.maximum(total, 1e-300), self.templates, ax)

    def save(self, file: str | PathLike, names: Sequence[str] | None = None) -> None:
        """Write the parser into a file; :func:`sparsesolve.save` takes its place."""
        save_as_before(self if names is None else replace(self, names=list(names)), file)



def coded(names, sentences):
    """Return codes of heads and words, starts of sentences, and the templates read."""
    refuse_others(sentences)
    templates = ArcTemplates(list(names))
    head, word, ptr = templates.codes(sentences.columns, sentences.lengths)
    return np.ascontiguousarray(head), np.ascontiguousarray(word), ptr, templates


def refuse_others(sentences):
    """Raise TypeError for anything that is not like Sentences."""
    if not (hasattr(sentences, "columns") and hasattr(sentences, "lengths")):
        raise TypeError(
            f"sentences is a {type(sentences).__name__}; give structured.Sentences, as "
            "read_sentences returns them"
        )


def read_heads(sentences):
    """Return the heads (L,) of each sentence, checked to form trees."""
    refuse_others(sentences)
    if "head" not in sentences.columns:
        raise ValueError("there is no column 'head'; name it when reading the file")
    out, at = [], 0
    for s, size in enumerate(sentences.lengths):
        text = sentences.columns["head"][at : at + size]
        if not all(str(h).isdigit() and int(h) <= size for h in text):
            raise ValueError(
                f"sentence {s} has a head that is not a number from 0 to {size}: {list(text)[:5]}"
            )
        heads = np.array(text, dtype=np.intc)
        if not _is_tree(heads):
            raise ValueError(f"the heads of sentence {s} make no tree: a cycle leads to no root")
        out.append(heads)
        at += size
    return out


def _is_tree(heads):
    """Return True if every word leads to the root."""
    at = np.arange(1, len(heads) + 1)
    above = np.concatenate([[0], heads])
    for _ in range(len(heads).bit_length() + 1):
        at, above = above[at], above[above]
    return not at.any()
