"""Columns of a table as features of a stream.

A column of numbers is a feature. A column of text has a feature for each level, named
"column=level", which is added when the level is first seen. With `bits` all names are hashed, as
those of vw are: ``age`` in no namespace, the level in the namespace of its column. A gap in
numbers is filled with the mean of the rows before it (0 before the first); a gap in text has no
feature.
The rows of the first block decide which columns are text.
"""

import numpy as np

from sparsesolve.data import is_frame, read_mixed_columns
from sparsesolve.data.tables.cells import Chunk, numbers_of, words_of
from sparsesolve.data.tables.sparse_text import canonical
from sparsesolve.data.tables.text import place_of

MISSING = ("mean", "error")


class StreamColumns:
    """The features of the columns of a table; `encode` adds levels as they are seen.

    Parameters
    ----------
    numbers, texts : list of str, optional
        Columns of numbers, the first features, and of text; None: not known yet.
    bits : int, optional
        Hash names into 2^bits places.
    missing : {"mean", "error"}
    """

    def __init__(self, numbers=None, texts=(), bits=None, missing="mean"):
        self.numbers, self.texts = None if numbers is None else list(numbers), list(texts)
        self.bits, self.missing = bits, missing
        self.sums = self.counts = np.zeros(len(numbers or ()))
        self.levels = {}  # name of a feature -> its place
        if numbers is not None:
            self._place_numbers()

    @property
    def names(self):
        """Names of the features in the order of their places; None if they are hashed."""
        return None if self.bits else [*self.levels]

    @property
    def known(self):
        """Names of the columns of a table; None if they are not known yet."""
        return None if self.numbers is None else [*self.numbers, *self.texts]

    def state(self):
        """Return what a model file keeps, apart from the names of features."""
        return {"number_columns": np.array(self.numbers, dtype=str), "column_sums": self.sums,
                "column_counts": np.asarray(self.counts, dtype=float),
                "text_columns": np.array(self.texts, dtype=str),
                "missing": self.missing}  # fmt: skip

    @classmethod
    def of_state(cls, values, settings, names):
        """Return the columns of a model file: its arrays, its settings, the names of features."""
        parts = [values.get(name) for name in ("number_columns", "text_columns", "column_sums",
                                               "column_counts")]  # fmt: skip
        if any(part is None for part in parts) or settings.get("missing") not in MISSING:
            raise ValueError("the columns of its table are not whole")
        made = cls(parts[0].tolist(), parts[1].tolist(), settings.get("hash_bits"),
                   settings["missing"])  # fmt: skip
        made.sums, made.counts = parts[2:]
        if made.bits is None:
            for name in [] if names is None else names:
                made._place(str(name))
            if names is None or made.names != list(map(str, names)):
                raise ValueError("the names of its features are not those of its columns")
        return made

    def decide(self, names, chunk):
        """Learn from the first rows which of the columns, {name: place in the file}, are text."""
        if self.numbers is not None:
            return
        self.texts = [name for name, j in names.items() if j in chunk.words]
        self.numbers = [name for name, j in names.items() if j not in chunk.words]
        self.sums = self.counts = np.zeros(len(self.numbers))
        self._place_numbers()

    def encode(self, chunk, names, order, refuse, learn=True, marks=(".", None)):
        """Return start, columns and values of the rows of a Chunk, in the form of CSR.

        Parameters
        ----------
        chunk : Chunk
        names : dict of str to int
            Places of the columns in the file.
        order : dict of int to int
            Places in the file -> columns of chunk.values.
        refuse : callable (row, name, what=None)
            Raises for a cell; without `what` for a gap.
        learn : bool
            Whether new levels and means are learned.
        marks : (decimal, thousands)
        """
        for name in self.numbers:
            if names[name] in chunk.words:
                column = chunk.words[names[name]]
                bad = np.append(numbers_of(column.texts, *marks)[1], False)[column.codes]
                text = column.texts[column.codes[int(bad.argmax())]]
                refuse(int(bad.argmax()), name, f"{text!r} is not a number, as the rows before "
                       "are; correct it, or leave the column out with --drop")  # fmt: skip
        X = chunk.values[:, [order[names[name]] for name in self.numbers]]
        X = self._filled(X, refuse, learn)
        places = np.empty((len(X), len(self.numbers) + len(self.texts)), dtype=np.int64)
        places[:, : X.shape[1]] = self._number_places
        values = np.ones(places.shape)
        values[:, : X.shape[1]] = X
        for k, name in enumerate(self.texts, X.shape[1]):
            places[:, k] = self._of_levels(name, chunk.column(order, names[name]), learn)
        kept = (places >= 0) & (values != 0.0)
        start = np.append(0, np.cumsum(kept.sum(axis=1)))
        entries = start, places[kept].astype(np.intc), values[kept]
        return canonical(*entries, chunk.above, hashed=True)

    def matrix(self, frame):
        """Return the rows of a frame as entries; unknown levels have no feature."""
        table = read_mixed_columns(frame)
        missing = [name for name in self.known if name not in table]
        if missing:
            raise ValueError(f"X has no column {missing[0]!r}, which the fit has learned")
        columns = [table[name] for name in self.known]
        words, n = {}, len(frame)
        values = np.full((n, len(columns)), np.nan)
        for j, column in enumerate(columns):
            if isinstance(column, tuple):
                words[j] = words_of([None if x is None else str(x) for x in column[0].tolist()])
            else:
                values[:, j] = column
        names = {name: j for j, name in enumerate(self.known)}

        def refuse(row, name, what="the cell holds no value; fill it or drop the row"):
            raise ValueError(f"row {row} (counted from 0), column {name!r}: {what}")

        return self.encode(Chunk(0, values, words), names, dict(enumerate(range(len(names)))),
                           refuse, learn=False)  # fmt: skip

    def _place(self, name):
        return self.levels.setdefault(name, len(self.levels))

    def _place_numbers(self):
        if self.bits:
            self._number_places = [place_of("", name, self.bits) for name in self.numbers]
        else:
            self._number_places = [self._place(name) for name in self.numbers]

    def _of_levels(self, name, column, learn):
        """Return the place of each row's level, -1 for none."""
        if isinstance(column, np.ndarray):
            column = words_of([None if np.isnan(x) else f"{x:.15g}" for x in column.tolist()])
        if self.bits:
            found = [place_of(name, text, self.bits) for text in column.texts]
        else:
            full = [f"{name}={text}" for text in column.texts]
            found = [self._place(one) if learn else self.levels.get(one, -1) for one in full]
        return np.array([*found, -1])[column.codes]

    def _filled(self, X, refuse, learn):
        """Return the numbers, gaps filled."""
        gaps = np.isnan(X)
        known = np.where(gaps, 0.0, X)
        if learn or not gaps.any():
            sums = np.cumsum(np.vstack([self.sums, known]), axis=0)
            counts = np.cumsum(np.vstack([self.counts, ~gaps]), axis=0)
        else:
            sums, counts = np.atleast_2d(self.sums), np.atleast_2d(self.counts)
        if gaps.any():
            none = gaps & (counts[-1] == 0.0) & ~np.bool_(learn)
            wrong = gaps if self.missing == "error" else none
            if wrong.any():
                i, j = np.argwhere(wrong)[0]
                refuse(int(i), self.numbers[j])
            below = slice(None, -1) if learn else slice(None)
            known = np.where(gaps, sums[below] / np.maximum(counts[below], 1.0), X)
        if learn:
            self.sums, self.counts = sums[-1], counts[-1]
        return known


def has_text(fit, X):
    """Return True if X is a frame and the fit knows columns of text."""
    columns = getattr(fit, "columns", None)
    return columns is not None and bool(columns.texts or columns.bits) and is_frame(X)
