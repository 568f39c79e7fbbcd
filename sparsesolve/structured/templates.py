"""Templates: columns of a table, offsets and conjunctions, as sparse indicators in groups.

An atom is one column of a table, read at an offset, through a function:

    column[offset].function

The functions turn one entry into another: lower case, the first or last letters, the shape of a
word. `first` has no column of its own: it says whether a sequence begins at a position.
Reference: Ratnaparkhi (1996), "A maximum entropy model for part-of-speech tagging", for the
default templates.

A template such as ``form[-1].lower & form.suffix3`` gives one value at each position: here the
previous word in lower case together with the last three letters of this one. Every value that
occurs in training is a feature, and the features of one template are a group.

Everything is vectorised: a column becomes numbers once, derived columns (suffixes, shapes) are
computed once for each different entry, and conjunctions are numbers of pairs. Memory: 12 bytes
for each position and template in X, 17 more during its construction, and the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sparsesolve.data import read_count
from sparsesolve.structured.sentences import Sentences
from sparsesolve.structured.sequences import read_lengths

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


class Templates:
    """Turn columns of text or numbers into sparse indicators, one group for each template.

    Parameters
    ----------
    templates : sequence of str, default None
        Each a conjunction ``a & b & ...`` of ``column[offset].function``, where offset (0) counts
        positions and function is ``lower``, ``suffixN``, ``prefixN``, ``shape``, or ``first``
        (whether the sequence begins there). None: twenty templates for tagging the column "form".
    min_count : int, default 1
        Values that occur less often in training are left out.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> words = structured.Templates(["form", "form[-1]"])
    >>> X = words.fit_transform({"form": ["a", "b", "a", "a"]}, lengths=[2, 2])
    >>> X.toarray()
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.],
           [1., 0., 1., 0.],
           [1., 0., 0., 1.]])
    """

    def __init__(self, templates: Sequence[str] | None = None, min_count: int = 1):
        self.templates = list(TAGGING if templates is None else templates)
        self.min_count = read_count("min_count", min_count, 1)
        if not self.templates:
            raise ValueError("templates is empty; give at least one, such as 'form[-1]'")
        self._atoms = [[read_atom(part, text) for part in text.split("&")]
                       for text in self.templates]  # fmt: skip
        self._names: dict[str, dict] = {}  # the number of each value, for each derived column
        self._codes: list[np.ndarray] = []  # the sorted codes that are features, for each template

    def fit_transform(self, columns: Any, lengths: ArrayLike | None = None) -> Any:
        """Learn the values that occur, and return their indicators (n, p), csr_array.

        Parameters
        ----------
        columns : Sentences, or mapping from names to sequences (n,)
        lengths : array-like (n_sequences,), default None
            Rows of each sequence; None: those of the Sentences, or one sequence.

        Returns
        -------
        csr_array (n, p)

        Raises
        ------
        ValueError
            If a template names a column that is not there, or columns differ in length.
        """
        columns, lengths = _columns(columns, lengths)
        self._names, self._codes = {}, []
        seen = self._numbers(columns, lengths, learn=True)
        for codes in seen:
            values, counts = np.unique(codes[codes >= 0], return_counts=True)
            self._codes.append(values[counts >= self.min_count])
        return self._indicators(seen)

    def transform(self, columns: Any, lengths: ArrayLike | None = None) -> Any:
        """Return indicators (n, p) of the values that occurred in training; see `fit_transform`.
        """
        if not self._codes:
            raise ValueError("these templates saw no table yet; call fit_transform first")
        columns, lengths = _columns(columns, lengths)
        return self._indicators(self._numbers(columns, lengths, learn=False))

    @property
    def groups(self) -> np.ndarray:
        """Return the template of each column of X, (p,) of str: the groups for `crf_path`."""
        return np.repeat(np.array(self.templates), [len(codes) for codes in self._codes])

    def state(self) -> dict[str, Any]:
        """Return JSON values from which `from_state` makes the same templates."""
        return {"templates": self.templates, "min_count": self.min_count, "names": {
            key: list(found) for key, found in self._names.items()},
            "codes": [codes.tolist() for codes in self._codes]}  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Templates:
        """Make templates from a `state`; raise ValueError if it is none."""
        try:
            made = cls(state["templates"], state["min_count"])
            names, codes = state["names"], [np.array(one) for one in state["codes"]]
            keys = {_key(atom) for atoms in made._atoms for atom in atoms} - {None}
            whole = len(codes) == len(made.templates) and set(names) == keys and all(
                one.ndim == 1 and (not one.size or one.dtype.kind == "i" and one[0] >= 0
                                   and (np.diff(one) > 0).all()) for one in codes
            ) and all(type(name) is str for found in names.values() for name in found)
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"templates are not what was written ({error})") from None
        if not whole:
            raise ValueError("the parts of templates do not fit together")
        made._names = {key: {name: i for i, name in enumerate(found)}
                       for key, found in names.items()}  # fmt: skip
        made._codes = [one.astype(np.int64) for one in codes]
        return made

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return sum(map(len, self._codes))

    def _numbers(self, columns, lengths, learn):
        """Return the codes (n,) of each template, -1 for a value that did not occur in training.
        """
        n = _size(columns)
        ptr, numbered, derived, found = read_lengths(lengths, n), {}, {}, []
        for atoms, text in zip(self._atoms, self.templates, strict=True):
            codes, known = np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool)
            room = 1
            for atom in atoms:
                own, size = self._seen(atom, columns, ptr, numbered, derived, learn, text)
                room *= size
                if room > 2**62:
                    raise ValueError(f"the template {text!r} has too many values; split it")
                known &= own >= 0
                codes = codes * size + own
            found.append(np.where(known, codes, -1))
        return found

    def _seen(self, atom, columns, ptr, numbered, derived, learn, text):
        """Return the codes of an atom at every position, 0 beyond the ends, and their upper
        bound.
        """
        n = int(ptr[-1])
        if atom.function == "first":
            first = np.zeros(n, dtype=np.int64)
            first[ptr[:-1]] = 1
            return _shifted(first + 1, atom.offset, ptr), 3
        if atom.column not in columns:
            raise ValueError(
                f"the template {text!r} names the column {atom.column!r}; there are "
                f"{', '.join(map(repr, columns))}"
            )
        key = _key(atom)
        if key not in derived:
            if atom.column not in numbered:
                numbered[atom.column] = _factorised(columns[atom.column])
            codes, values = numbered[atom.column]
            function = FUNCTIONS[atom.function]
            names = self._names.setdefault(key, {}) if learn else self._names[key]
            if learn:
                place = [names.setdefault(function(v, atom.size), len(names)) for v in values]
            else:
                place = [names.get(function(v, atom.size), -2) for v in values]
            derived[key] = np.array(place, dtype=np.int64)[codes] + 1
        return _shifted(derived[key], atom.offset, ptr), len(self._names[key]) + 1

    def _indicators(self, seen):
        """Return one entry for each position and template whose value is a feature."""
        n, first, at, kept = len(seen[0]), 0, [], []
        for codes, features in zip(seen, self._codes, strict=True):
            place = np.searchsorted(features, codes)
            place = np.minimum(place, max(len(features) - 1, 0))
            kept.append((features[place] == codes) if len(features) else np.zeros(n, dtype=bool))
            at.append(place + first)
            first += len(features)
        mask, columns = np.stack(kept, axis=1), np.stack(at, axis=1).astype(np.int32)
        indptr = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
        data = np.ones(int(indptr[-1]))
        return sparse.csr_array((data, columns[mask], indptr), shape=(n, first))


def _columns(columns, lengths):
    """Return a mapping of columns, and the lengths of its sequences."""
    if isinstance(columns, Sentences):
        return columns.columns, columns.lengths if lengths is None else lengths
    if not isinstance(columns, Mapping) and not hasattr(columns, "columns"):
        raise TypeError(
            f"columns is a {type(columns).__name__}; give Sentences, or a dict of columns by name"
        )
    return columns if isinstance(columns, Mapping) else dict(columns.items()), lengths


def _key(atom):
    """Return the name of a derived column; None of the first positions, which have none."""
    size = atom.size or ""
    return None if atom.function == "first" else f"{atom.column}.{atom.function}{size}"


def _size(columns):
    sizes = {name: len(column) for name, column in columns.items()}
    for name, size in sizes.items():
        if size != next(iter(sizes.values())):
            raise ValueError(f"column {name!r} has {size} entries, others have another number")
    return next(iter(sizes.values()), 0)


def _factorised(column):
    """Return the numbers (n,) of the entries as text, and the different entries."""
    names: dict[str, int] = {}
    codes = [names.setdefault(str(value), len(names)) for value in column]
    return np.array(codes, dtype=np.int64), list(names)


def _shifted(codes, offset, ptr):
    """Return codes[i + offset] within the sequence of i, 0 beyond its ends."""
    if offset == 0:
        return codes
    n = len(codes)
    at = np.arange(n) + offset
    lengths = np.diff(ptr)
    inside = (at >= np.repeat(ptr[:-1], lengths)) & (at < np.repeat(ptr[1:], lengths))
    return np.where(inside, codes[np.clip(at, 0, n - 1)], 0)
