"""Parser: scores of arcs from templates, and the trees that they give new sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from sparsesolve.results.coefficient_table import Tabled, described
from sparsesolve.results.files.model_file import save_as_before
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import on_axes
from sparsesolve.structured.arc_pass import ArcPass
from sparsesolve.structured.arc_templates import ArcTemplates
from sparsesolve.structured.pictures import plot_weights
from sparsesolve.structured.tree import TreeSums, best_tree


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
