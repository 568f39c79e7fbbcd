"""Reports of taggers: precision, recall and F1 of each label, and of spans in BIO tags.

Spans are those of conlleval: a span begins at B- (S-, U-), at another type, or at I- after none;
it ends before the next span, before O, after E- (L-), and with its sequence.
Reference: Tjong Kim Sang, Buchholz (2000), "Introduction to the CoNLL-2000 shared task".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsesolve.data import answers_keywords
from sparsesolve.results.coefficient_table import Tabled
from sparsesolve.results.frozen import Frozen
from sparsesolve.results.pictures.axes import on_axes, plot_cells
from sparsesolve.structured.sequences import is_ragged, joined_tags, read_lengths

PREFIXED = re.compile(r"([BIESLU])-(.+)", re.DOTALL)
SINGLE, LAST = "SU", "ESLU"  # a span of one word; the last word of a span


@dataclass(frozen=True, eq=False, repr=False)
class TagReport(Frozen, Tabled):
    """How often each label, or span of a type, was found; printed as a table.

    Attributes
    ----------
    labels : ndarray (K,)
        Labels that occur in the truth or among those found, sorted; types of spans.
    right, found, support : ndarray (K,) of int
        How often it was found rightly, was found, and is true.
    n : int
        Number of positions.
    spans : TagReport or None
        That of spans, where labels are BIO tags (IOB1, IOB2, IOBES, BILOU).
    """

    labels: np.ndarray
    right: np.ndarray
    found: np.ndarray
    support: np.ndarray
    n: int
    spans: TagReport | None = None

    @property
    def precision(self) -> np.ndarray:
        """The share of those found that is right, (K,); NaN where none was found."""
        return _share(self.right, self.found)

    @property
    def recall(self) -> np.ndarray:
        """The share of those that are true that was found, (K,); NaN where none is true."""
        return _share(self.right, self.support)

    @property
    def f1(self) -> np.ndarray:
        """The harmonic mean of both, (K,)."""
        return _share(2 * self.right, self.found + self.support)

    @property
    def overall(self) -> dict[str, float]:
        """Precision, recall and F1 of all labels together; of labels each is the accuracy."""
        right, found, support = (int(part.sum()) for part in
                                 (self.right, self.found, self.support))  # fmt: skip
        both = found + support
        return {"precision": right / found if found else np.nan,
                "recall": right / support if support else np.nan,
                "f1": 2 * right / both if both else np.nan}  # fmt: skip

    def _columns(self):
        return {"label": self.labels, "precision": self.precision, "recall": self.recall,
                "f1": self.f1, "support": self.support}  # fmt: skip

    @on_axes
    def plot(self, ax: Any = None) -> Any:
        """Draw precision, recall and F1 of each label, dark where they are large."""

        names = ("precision", "recall", "f1")
        values = np.nan_to_num(np.column_stack([getattr(self, name) for name in names])).round(3)
        return plot_cells(values, self.labels, names, ("Measure", "Label"), ax)

    def __repr__(self) -> str:
        text = f"<TagReport: {len(self.labels)} labels of {self.n:,} words, "
        text += f"accuracy {self.overall['recall']:.4f}"
        return text + (f", F1 of spans {self.spans.overall['f1']:.4f}>" if self.spans else ">")

    def __str__(self) -> str:
        text = Tabled.__str__(self)
        if self.spans is None:
            return text
        return f"{text}\n\nSpans\n\n" + Tabled.__str__(self.spans).partition("\n\n")[2]


@answers_keywords()
def tag_report(y: Any, found: Any, lengths: ArrayLike | None = None) -> TagReport:
    """Compare true labels of sequences with those found, label by label.

    Parameters
    ----------
    y, found : array-like (n,), or list of label sequences
        True labels, and labels found.
    lengths : array-like (n_sequences,), default None
        Positions of each sequence, beyond which no span goes. None: those of the list y, or one
        sequence.

    Returns
    -------
    TagReport
        ``to_frame()`` has a row for each label; ``spans`` is the report of spans if all labels
        are "O" or begin with B-, I-, E-, S-, L- or U-.

    Raises
    ------
    ValueError
        If y and found differ in length, or lengths do not add up to it.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> y = ["B-PER", "I-PER", "O", "B-LOC"]
    >>> report = structured.tag_report(y, ["B-PER", "O", "O", "B-LOC"])
    >>> report.spans.labels, report.spans.f1
    (array(['LOC', 'PER'], dtype=object), array([1., 0.]))
    """
    ptr = _starts(y, lengths)
    true, seen = (list(np.asarray(part, dtype=object))
                  for part in (joined_tags(y, ptr), joined_tags(found, ptr, "found", "y")))
    if len(true) != len(seen):
        raise ValueError(f"y has {len(true)} labels and found {len(seen)}; give as many")
    tags = {*map(str, true), *map(str, seen)}
    n, spans = len(true), None
    if tags != {"O"} and all(tag == "O" or PREFIXED.fullmatch(tag) for tag in tags):
        inside, seen_inside = (_spans([str(tag) for tag in part], ptr) for part in (true, seen))
        spans = _counted(inside, seen_inside, n)
    each = range(n)
    return _counted(set(zip(each, true, strict=True)), set(zip(each, seen, strict=True)), n,
                    spans)  # fmt: skip


def _starts(y, lengths):
    """Return the starts of the sequences, (n_sequences + 1,)."""
    if not is_ragged(y):
        return read_lengths(lengths, len(y))
    if lengths is not None:
        raise ValueError("y is a list of sequences, which have their lengths; leave lengths out")
    return read_lengths([len(part) for part in y], sum(map(len, y)))


def _counted(true, seen, n, spans=None):
    """Return the report of two sets whose members end with a label."""
    counts = [Counter(item[-1] for item in part) for part in (true & seen, seen, true)]
    labels = sorted({*counts[1], *counts[2]}, key=lambda label: (str(type(label)), label))
    right, found, support = (np.array([count[label] for label in labels], dtype=int)
                             for count in counts)  # fmt: skip
    return TagReport(np.array([*labels, None], dtype=object)[:-1], right, found, support, n, spans)


def _spans(tags, ptr):
    """Return the set of (first, end, type) of all spans."""
    out = set()
    for first, end in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
        begin, kind, closed = first, None, True
        for i in range(first, end + 1):
            tag = PREFIXED.fullmatch(tags[i]) if i < end else None
            mark, of = tag.groups() if tag else ("O", None)
            goes_on = tag and not closed and of == kind and mark not in ("B", *SINGLE)
            if not goes_on:
                if kind is not None:
                    out.add((begin, i, kind))
                begin, kind = i, of
            closed = mark in LAST or mark == "O"
    return out


def _share(part, whole):
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
