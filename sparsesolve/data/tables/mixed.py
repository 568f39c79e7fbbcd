"""Tables of numbers, text and gaps from files: whole, or block by block.

Columns of text become categories, and gaps the means of their columns, as
:func:`sparsesolve.make_design` makes them. Whole files are read once; again from the start if a
later row shows that a column holds text, or that numbers are written with other marks.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Mapping

import numpy as np

from sparsesolve.data.columns_of_numbers import most_levels
from sparsesolve.data.encoding import design_of
from sparsesolve.data.formula import read_formula, response_names, response_of

from .cells import DelimitedFile, Marks, Style, all_numbers, joined, numbers_of
from .columns import Table, labels_of, parts, response_array
from .parquet import ParquetFile

# If more than this share of the cells are numbers, the others are errors.
MOSTLY = 0.5
# A column that is full grows by this factor; from LARGE bytes on it has pages of its own.
GROWTH, LARGE = 1.2, 1 << 20
# Texts that are numbers for people; the last is for programs as well.
KINDS = {
    "percentages": re.compile(r"[-+]?[\d.,]+\s*%"),
    "amounts of money": re.compile(r"[-+]?\s*([$€£¥]|[A-Z]{3})\s*[-+]?\d[\d.,]*|"
                                   r"[-+]?\d[\d.,]*\s*([$€£¥]|[A-Z]{3})"),
    "dates": re.compile(r"\d{4}[-/.]\d\d?([-/.]\d\d?)?([T ][\d:.+-]+Z?)?|"
                        r"\d\d?[-/. ](\d\d?|[A-Za-z]{3,9})[-/. ]\d{2,4}( [\d:]+)?"),
}  # fmt: skip
FEATURE = "fill it, drop the row, or leave the column out with --drop"
RESPONSE = "fill it or drop the row; a column of labels needs --family binomial or multinomial"
LABEL = "fill it or drop the row"
UNNAMED = (
    "the first column has no name and is left out, like names of rows; give it a name if it is a "
    "feature"
)


def opened_table(path, layout, style=None):
    """Return the file, to be read in Chunks."""
    return DelimitedFile(path, style) if layout == "csv" else ParquetFile(path, style)


def read_mixed(path, layout, style=None, missing="mean", **asked):
    """Return the Table of a CSV or Parquet file; what is asked for is as in `read_table`.

    X is an array if all columns are numbers without gaps, else an EncodedDesign.
    """
    style = style or Style()
    source, roles = opened_table(path, layout, style), Roles(**asked)
    columns = _whole(source, roles, style)
    y, others = columns.others(roles)
    part, of_model = roles.part, roles.encoder is not None or roles.features is not None
    if of_model:
        X, names, notes = columns.like(roles)
    else:
        X, names, notes = columns.learnt(part.features, missing, roles.terms)
        if layout == "parquet" and isinstance(X, np.ndarray) and source.is_small(part.features):
            X = X.astype(np.float32)
    unused = not (source.names[0] or of_model or roles.formula)
    notes = notes + [UNNAMED] * unused
    return Table(X=X, y=y, feature_names=names, notes=notes, **others)


def read_mixed_blocks(path, layout, style=None, **asked):
    """Yield Tables of some rows each, with the columns of a model; see `read_mixed`.

    The first block shows how numbers are written.
    """
    style = style or Style()
    source, roles = opened_table(path, layout, style), Roles(**asked)
    source.marks, told = (style.decimal or ".", style.thousands), ()
    for chunk in source.chunks(roles.used, roles.text):
        columns = Columns(source, roles)
        columns.add(chunk if chunk.above else settled(source, chunk, roles, style))
        y, others = columns.others(roles)
        X, names, notes = columns.like(roles)
        yield Table(X=X, y=y, feature_names=names, notes=[n for n in notes if n not in told],
                    **others)  # fmt: skip
        told = (*told, *notes)


def no_value(source, row, j, advice=LABEL, labels=False):
    """Return what was found in a gap, what to do, and that a mark of gaps is no label."""
    mark = source.cell(row, j)
    if not mark:
        return f"the cell holds no value; {advice}"
    word = f"; if {mark!r} is a label, write another word for it" if labels else ""
    return f"the cell holds no value ({mark!r}); {advice}{word}"


def settled(source, chunk, roles, style):
    """Find how numbers are written by the first Chunk of a file, and read it so."""
    seen = Marks(style, source.separator)
    for words in chunk.words.values():
        seen.see(words.texts)
    source.marks = seen.decided()
    for j in set(chunk.words) - roles.text:
        numbers = all_numbers(chunk.words[j], *source.marks)
        if numbers is not None:
            chunk.values[:, roles.place[j]] = numbers
            del chunk.words[j]
    return chunk


class Roles:
    """Which columns are asked for, and as what; `part` once names are known."""

    def __init__(self, response=(), weights=None, offset=None, drop=(), labels=False,
                 features=None, marks=None, encoder=None, formula=None):  # fmt: skip
        sources = None if encoder is None else [source.name for source in encoder.sources]
        self.asked = list(response), weights, offset, tuple(drop), sources or features, marks or {}
        self.labels, self.features, self.encoder = labels, features, encoder
        self.part, self.place, self.text = None, None, set()
        self.formula, self.terms, self.left = formula, None, None

    def used(self, names):
        """Return the places of the columns to read, and set those that are text in any case."""
        self.part = part = parts(names, *(self.asked if self.formula is None else
                                          self._of_formula(names)))  # fmt: skip
        self.text.update([*part.marks.values(), *(part.response if self.labels else [])])
        single = [j for j in (part.weights, part.offset) if j is not None]
        found = {*part.features, *part.response, *single, *part.marks.values(), *part.unnamed}
        self.place = {j: k for k, j in enumerate(sorted(found))}
        return list(self.place)

    def _of_formula(self, names):
        """Return what is asked for where a formula says it, whose terms are set."""
        _, *others, _, _, marks = self.asked
        named = [name for name in names if name]
        apart = [name for name in (*others, *marks.values()) if name is not None]
        self.terms, used, self.left = read_formula(self.formula, named, apart)
        if not self.left:
            raise ValueError(f"formula {self.formula!r} has no response to the left of ~")
        return response_names(self.left, named), *others, (), used, marks


def _whole(source, roles, style):
    """Return the Columns of a file, read as often as needed."""
    seen, text = Marks(style), roles.text
    source.marks = style.decimal or ".", style.thousands
    while True:
        found, again, later = Columns(source, roles), False, set()
        for chunk in source.chunks(roles.used, text):
            seen.separator = source.separator
            for words in chunk.words.values():
                seen.see(words.texts)
            if not chunk.above:
                again = seen.found() not in (None, source.marks)
                if again:
                    break
                text |= set(chunk.words)
            later |= set(chunk.words) - text
            if not later:
                found.add(chunk)
        now = seen.found() if again else seen.decided()
        if now == source.marks and not later:
            return found
        if now != source.marks:  # columns that seemed text may be numbers
            text.clear()
        text |= later if now == source.marks else set()
        source.marks = now


class Columns:
    """Columns of a DelimitedFile or ParquetFile, read for their use by Roles."""

    def __init__(self, source, roles):
        self.source, self.roles = source, roles
        self.n, self.above, self.values, self.words = 0, None, {}, {}

    def add(self, chunk):
        """Add the rows of a Chunk."""
        self.above = chunk.above if self.above is None else self.above
        for j, words in chunk.words.items():
            self.words.setdefault(j, []).append(words)
        end = self.n + len(chunk.values)
        for j, k in self.roles.place.items():
            if j not in self.words:
                column = self.values.get(j, ())
                if end > len(column):
                    self.values[j] = _room(max(end, int(GROWTH * len(column))))
                    self.values[j][: self.n] = column[: self.n]
                self.values[j][self.n : end] = chunk.values[:, k]
        self.n = end
        for j in self.roles.part.unnamed:
            if j in chunk.words or not np.isnan(chunk.values[:, self.roles.place[j]]).all():
                raise ValueError(f"column {j + 1} has no name; give it one")

    def numbers(self, j):
        """Return numbers (n,), NaN in gaps, and where there are none: None or a mask (n,)."""
        if j not in self.words:
            return self.values[j][: self.n], None
        codes, texts = self.text(j)
        values, bad = numbers_of(texts, *self.source.marks)
        bad = np.append(bad, False)[codes]
        return np.append(values, np.nan)[codes], bad if bad.any() else None

    def text(self, j):
        """Return the Words of a column of text, of all blocks."""
        if isinstance(self.words[j], list):
            self.words[j] = joined(self.words[j])
        return self.words[j]

    def feature(self, j):
        """Return numbers, NaN in gaps; or text, None in gaps, with few different words."""
        values, bad = self.numbers(j)
        if bad is None:
            return self._finite(j, values)
        levels = self.text(j)
        codes = levels.codes
        given = codes >= 0
        name, first = self.source.names[j], int(bad.argmax())
        cell = levels.texts[codes[first]]
        if (given & ~bad).sum() > MOSTLY * given.sum():
            raise ValueError(
                f"{self._where(first)}, column {name!r}: {cell!r} is not a number, as most of "
                "that column are; correct it, or leave the column out with --drop"
            )
        count = len(levels.texts)
        many = count > most_levels(len(codes))
        kind = _kind(levels.texts)
        if kind is not None and (many or kind != "dates"):
            raise ValueError(
                f"column {name!r} holds {kind} ({cell!r} in {self._where(first)}); make numbers "
                "of them, or leave the column out with --drop"
            )
        if many:
            raise ValueError(
                f"column {name!r} holds {count} different texts in {len(codes)} rows ({cell!r} "
                "first), too many for a category; leave it out with --drop"
            )
        return levels.cells()

    def given(self, j, advice):
        """Return numbers without gaps."""
        values, bad = self.numbers(j)
        wrong = np.isnan(values) if bad is None else bad | np.isnan(values)
        if wrong.any():
            i = int(wrong.argmax())
            if j not in self.words or self.text(j).codes[i] < 0:
                self._refuse_gap(i, j, advice)
            self._refuse(i, j, f"{self.text(j).cell(i)!r} is not a number; {advice}")
        return self._finite(j, values)

    def labels(self, j):
        """Return labels of the rows: whole numbers if all are numbers, else text."""
        codes, texts = self.text(j) if j in self.words else (np.full(self.n, -1), [])
        if (codes < 0).any():
            self._refuse_gap(int((codes < 0).argmax()), j, labels=True)
        return labels_of(texts, codes)

    def others(self, roles):
        """Return y, and the other columns by name."""
        part = roles.part
        advice = RESPONSE if part.droppable else LABEL
        y = [self.labels(j) if roles.labels else self.given(j, advice) for j in part.response]
        named = {"weights": part.weights, "offset": part.offset}
        columns = {what: None if j is None else self.given(j, LABEL) for what, j in named.items()}
        columns["marks"] = {what: self.labels(j) for what, j in part.marks.items()}
        if roles.left is not None:
            names = [self.source.names[j] for j in part.response]
            y = response_of(roles.left, dict(zip(names, y, strict=True)))
            y = list(y) if isinstance(y, tuple) else [y]
        return response_array(y), columns

    def learnt(self, features, missing, formula):
        """Return X, the names of its columns, and notes, for a file that is fitted."""
        names = [self.source.names[j] for j in features]
        plain = formula is None and not any(j in self.words for j in features)
        if plain and all(np.isfinite(self.values[j][: self.n]).all() for j in features):
            X = np.empty((self.n, len(features)), order="F")
            for k, j in enumerate(features):
                X[:, k] = self.values.pop(j)[: self.n]
            return X, np.array(names), []
        place = dict(zip(names, features, strict=True))
        columns = ByName(place, lambda j: self._present(j, self.feature(j), missing), self.values)
        design = design_of(columns, missing, formula=formula)
        numbers = all(source.levels is None for source in design.sources)
        if formula is None and numbers and not columns.gaps:
            return design.matrix, np.array(names), []  # numbers with other marks
        return design, np.array(design.names), columns.notes()

    def like(self, roles):
        """Return X, the names of its columns, and notes, for a model."""
        names = self.source.names
        if roles.encoder is None:
            advice = "fill it or drop the row"
            X = np.column_stack([self.given(j, advice) for j in roles.part.features])
            return X, np.array(roles.features), []
        sources = {source.name: source for source in roles.encoder.sources}
        place = {names[j]: j for j in roles.part.features}
        gaps = roles.encoder.missing
        columns = ByName(place, lambda j: self._present(j, self._like(j, sources[names[j]]), gaps))
        X = roles.encoder.encode({name: columns.plain(name) for name in columns})
        features = X.names if roles.features is None else roles.features
        return X, np.array(features), columns.notes(text=False)

    def _like(self, j, source):
        """Return a column in the form of an encoder: numbers, or its levels."""
        if source.levels is None:
            values, bad = self.numbers(j)
            if bad is not None:
                i = int(bad.argmax())
                self._refuse(i, j, f"{self.text(j).cell(i)!r} is not a number, which the model "
                             "was fitted to; correct it or empty the cell")  # fmt: skip
            return self._finite(j, values)
        level = {str(level): level for level in source.levels}
        if j in self.words:
            codes, texts = self.text(j)
        else:
            values, codes = np.unique(self.numbers(j)[0], return_inverse=True)
            texts = [f"{x:.15g}" for x in values[~np.isnan(values)].tolist()]
            codes = np.where(codes < len(texts), codes, -1)
        strange = [k for k, text in enumerate(texts) if text not in level]
        if strange and self.roles.encoder.unknown == "error":
            i = int(np.isin(codes, strange).argmax())
            self._refuse(i, j, f"{texts[codes[i]]!r} is none of the {len(level)} levels that the "
                         "model was fitted to; correct it, or say --unknown zero")  # fmt: skip
        return np.array([*(level.get(text, text) for text in texts), None], dtype=object)[codes]

    def _present(self, j, column, missing):
        """Return the column; raise for a gap if `missing` is "error"."""
        if missing == "error":
            gone = [x is None for x in column] if column.dtype == object else np.isnan(column)
            if np.any(gone):
                self._refuse_gap(int(np.argmax(gone)), j)
        return column

    def _finite(self, j, values):
        if np.isinf(values).any():
            i = int(np.isinf(values).argmax())
            self._refuse(i, j, f"{values[i]} is not finite; {FEATURE}")
        return values

    def _refuse_gap(self, i, j, advice=LABEL, labels=False):
        self._refuse(i, j, no_value(self.source, self.above + i, j, advice, labels))

    def _where(self, i):
        return self.source.where(self.above + i)

    def _refuse(self, i, j, what):
        raise ValueError(f"{self._where(i)}, column {self.source.names[j]!r}: {what}")


class ByName(Mapping):
    """Columns in the form of `read_mixed_columns`, each made when it is asked for.

    After the second time, which is the last, a column is dropped from `values`.
    """

    def __init__(self, place, read, values=None):
        self.place, self.read, self.gaps, self.text = place, read, {}, []
        self.values, self.asked = values, set()

    def __len__(self):
        return len(self.place)

    def __iter__(self):
        return iter(self.place)

    def plain(self, name):
        """Return numbers, or text."""
        column = self.read(self.place[name])
        if name in self.asked and self.values is not None:
            self.values.pop(self.place[name], None)
        self.asked.add(name)
        if column.dtype == object:
            self.text += [name] * (name not in self.text)
            gaps = sum(cell is None for cell in column.tolist())
        else:
            gaps = int(np.isnan(column).sum())
        if gaps:
            self.gaps[name] = gaps
        return column

    def __getitem__(self, name):
        column = self.plain(name)
        return (column, None) if column.dtype == object else column

    def notes(self, text=True):
        """Return sentences on the treatment of text and gaps."""
        notes = []
        if text and self.text:
            notes.append(f"columns of text, encoded by their levels: {', '.join(self.text)}")
        if self.gaps:
            shown = ", ".join(f"{count} in {name}" for name, count in self.gaps.items())
            notes.append(f"gaps filled with the mean of their column: {shown}")
        return notes


def _room(n):
    """Return n doubles whose memory goes back to the system as soon as they are dropped."""
    return np.empty(n) if n * 8 < LARGE else np.frombuffer(mmap.mmap(-1, n * 8))


def _kind(texts):
    """Return what most texts are: percentages, amounts of money or dates; None for others."""
    for kind, form in KINDS.items():
        if sum(form.fullmatch(text) is not None for text in texts) > MOSTLY * len(texts):
            return kind
    return None
