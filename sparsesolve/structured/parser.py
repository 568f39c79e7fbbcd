"""Parser: scores of arcs from templates, and what they say of new sentences."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from sparsesolve.results.files.whole_file import whole_file
from sparsesolve.results.frozen import Frozen
from sparsesolve.structured.arc_pass import ArcPass, placed
from sparsesolve.structured.arc_templates import ArcTemplates
from sparsesolve.structured.tree import best_tree

FORMAT, VERSION = "sparsesolve parser", 2  # 1 where features are hashed


@dataclass(frozen=True, repr=False)
class Parser(Frozen):
    """A parser by arcs, as `parse_trees` learns it. It has no certificate."""

    templates: tuple  #: (T,) templates as text
    weights: np.ndarray  #: (2^bits,) hashed weights of float32; of exact features (m,)
    template_weights: np.ndarray  #: (T,) multipliers of the templates, 0 of those left out
    norms: np.ndarray  #: (T,) norms of the templates' weights
    losses: np.ndarray  #: (epochs,) mean hinge loss of a sentence before each step
    single_root: bool  #: whether one word hangs from the root
    owners: np.ndarray | None = None  #: template of each weight; None: shared
    keys: np.ndarray | None = None  #: (m,) codes of exact features; None: hashed
    options: dict = field(default_factory=dict)  #: options of the fit that are not data

    def __repr__(self) -> str:
        used = int(np.count_nonzero(self.template_weights))
        return f"<Parser: {used} of {len(self.templates)} templates, no certificate>"

    def used(self) -> dict[str, float]:
        """Return the templates in use and the norms of their weights, the largest first."""
        order = np.argsort(-self.norms, kind="stable")
        return {self.templates[t]: float(self.norms[t]) for t in order if self.norms[t] > 0.0}

    def predict(self, sentences: Any) -> np.ndarray:
        """Return heads (n,) of all words, numbers within their sentence, 0 the root.

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
        head, word, ptr, templates = coded(self.templates, sentences)
        V, c = self.weights.astype(float), self.template_weights.astype(float)
        owner, keys = np.zeros(0, dtype=np.uintc), np.zeros(0, dtype=np.uint64)
        if self.owners is not None:
            owner = self.owners.astype(np.uintc)
        if self.keys is not None:
            keys, V, owner = placed(self.keys, V, owner)
        work = ArcPass(head, word, templates.apart, ptr, V, V[:0], c, np.zeros(len(c)), owner,
                       np.zeros(len(c), dtype=np.uintc), keys)  # fmt: skip
        found = [best_tree(work.scores(s), self.single_root)[0] for s in range(len(ptr) - 1)]
        return np.concatenate(found)

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

    def save(self, file: str | PathLike, names: Sequence[str] | None = None) -> None:
        """Write the parser into an .npz file that `load_parser` reads.

        Parameters
        ----------
        file : str or path
        names : sequence of str, default None
            Names of the columns of its files, for the command line; None: CoNLL-U.
        """
        version = 1 if self.keys is None else 2
        with whole_file(file, "wb") as stream:
            np.savez_compressed(
                stream, format=FORMAT, version=version, templates=np.array(self.templates),
                weights=self.weights, template_weights=self.template_weights, norms=self.norms,
                losses=self.losses, single_root=self.single_root,
                owners=np.zeros(0, dtype=np.int16) if self.owners is None else self.owners,
                keys=np.zeros(0, dtype=np.uint64) if self.keys is None else self.keys,
                names=np.array(list(names or ()), dtype=str),
            )  # fmt: skip


def load_parser(file: str | PathLike) -> Parser:
    """Read a parser that `Parser.save` wrote.

    Parameters
    ----------
    file : str or path

    Returns
    -------
    Parser

    Raises
    ------
    ValueError
        If the file holds something else.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> with open("trees.txt", "w") as stream:
    ...     _ = stream.write("dogs N 2\\nbark V 0\\n")
    >>> trees = structured.read_sentences("trees.txt", ["form", "tag", "head"])
    >>> structured.parse_trees(trees, templates=["h.tag+m.tag"]).save("parser.npz")
    >>> structured.load_parser("parser.npz").predict(trees)
    array([2, 0], dtype=int32)
    """
    with np.load(file, allow_pickle=False) as found:
        if str(found.get("format", "")) != FORMAT or int(found["version"]) > VERSION:
            raise ValueError(f"{file} does not hold a parser that this version reads")
        return Parser(
            templates=tuple(found["templates"].tolist()), weights=found["weights"],
            template_weights=found["template_weights"], norms=found["norms"],
            losses=found["losses"], single_root=bool(found["single_root"]),
            owners=found["owners"] if len(found["owners"]) else None,
            keys=found["keys"] if int(found["version"]) > 1 else None,
        )  # fmt: skip


def holds_parser(file: str | PathLike) -> bool:
    """Return True if a file is one that `Parser.save` wrote."""
    if not zipfile.is_zipfile(file):
        return False
    with np.load(file, allow_pickle=False) as found:
        return str(found.get("format", "")) == FORMAT


def column_names(file: str | PathLike) -> list[str] | None:
    """Return the names of the columns that were saved with a parser; None: those of CoNLL-U."""
    with np.load(file, allow_pickle=False) as found:
        return found["names"].tolist() or None


def coded(names, sentences):
    """Codes of heads and words, where sentences begin, and the templates read."""
    templates = ArcTemplates(list(names))
    head, word, ptr = templates.codes(sentences.columns, sentences.lengths)
    return np.ascontiguousarray(head), np.ascontiguousarray(word), ptr, templates


def read_heads(sentences):
    """Heads (L,) of each sentence, checked to make trees."""
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
    """Whether every word leads to the root."""
    at = np.arange(1, len(heads) + 1)
    above = np.concatenate([[0], heads])
    for _ in range(len(heads).bit_length() + 1):
        at, above = above[at], above[above]
    return not at.any()
