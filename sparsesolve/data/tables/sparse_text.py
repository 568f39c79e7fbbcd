"""SVMlight and vw: rows of text with a label and the features that are not 0.

A file is read in blocks of whole lines. Whole tables are blocks below each other.
"""

from codecs import BOM_UTF8
from io import TextIOWrapper
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .columns import Table
from .files import encoding_of, opened
from .text import HASHING, TextParser

# Bytes of text read at once, which bound the memory of a block.
BYTES = 1 << 20
# Names of vw are hashed into 2^BITS places if nothing else is said. With more than MOST_BITS the
# weights of the features alone would take more than 8 GB.
BITS, MOST_BITS = 18, 30
# A larger feature number is an error: the names alone would take 4 GB.
MOST_FEATURES = 10**8


class Entries(NamedTuple):
    """Some rows; the entries are in the form of CSR, with one per feature and row."""

    labels: np.ndarray  # (n,); NaN without a label
    weights: np.ndarray  # (n,)
    start: np.ndarray  # (n + 1,) intp
    columns: np.ndarray  # (nnz,) intc, ascending within a row
    values: np.ndarray  # (nnz,) without zeros
    offset: np.ndarray | None = None  # (n,) known parts of the linear predictor
    tags: list | None = None  # names of the rows


class SparseText:
    """Rows of an "svmlight" or "vw" file, or of standard input; each call reads from the start.

    Features are hashed into 2^hash_bits places: names of vw (18 if None), and numbers of SVMlight,
    whose first feature is `first`. With `labels` each row must have one. How names of vw are
    hashed is `hashing`; 1 is that of version 0.1.
    """

    def __init__(self, file, layout, hash_bits=None, first=1, labels=True, hashing=HASHING):
        self.file, self.layout, self.bits = file, layout, hash_bits
        self.hashed = layout == "vw" or hash_bits is not None
        self.parser = layout, first, hash_bits or BITS, labels, hashing

    def __call__(self):
        """Yield Entries of some rows at a time."""
        rows, parser = 0, TextParser(*self.parser)
        with opened(self.file) as stream:
            for text in _whole_lines(stream):
                labels, weights, start, columns, values, bases, tags = parser.parse(text)
                if len(labels):
                    entries = canonical(start, self._hashed(columns), values, rows, self.hashed,
                                        self.parser[1])
                    yield Entries(labels, weights, *entries, bases if bases.any() else None,
                                  tags or None)  # fmt: skip
                    rows += len(labels)
        if not rows:
            raise ValueError("the file has no rows")

    def _hashed(self, columns):
        """Return places of SVMlight's features among 2^bits, by Knuth's multiplicative hash."""
        if self.layout != "svmlight" or self.bits is None:
            return columns
        mixed = columns.astype(np.uint32) * np.uint32(2654435769)
        return (mixed >> np.uint32(32 - self.bits)).astype(np.intc)


def canonical(start, columns, values, above=0, hashed=False, first=0):
    """Return start, columns and values without zeros, ascending in a row; hashed ones are added.

    Two entries of one feature raise ValueError unless they are hashed.
    """
    rising = np.diff(columns) > 0
    inner = start[1:-1]
    rising[inner[(inner > 0) & (inner < len(columns))] - 1] = True
    if not rising.all():
        X = sparse.csr_array((values, columns, start), shape=(len(start) - 1, 2**31 - 1),
                             copy=True)  # fmt: skip

        X.sum_duplicates()
        if X.nnz < len(values) and not hashed:
            row = int(np.flatnonzero(np.diff(X.indptr) < np.diff(start))[0])
            known = np.sort(columns[start[row] : start[row + 1]])
            twice = known[1:][np.diff(known) == 0][0] + first
            raise ValueError(f"row {above + row + 1} has two entries of feature {twice}")
        start, columns, values = X.indptr, X.indices, X.data
    if not values.all():
        kept = values != 0.0
        start = np.append(0, np.cumsum(kept))[start]
        columns, values = columns[kept], values[kept]
    return (np.asarray(start, dtype=np.intp), np.ascontiguousarray(columns, dtype=np.intc),
            values)  # fmt: skip


def read_sparse(path, layout, response=(), weights=None, offset=None, drop=(), labels=False,
                features=None, marks=None, hash_bits=None, zero_based=False):
    """Read a whole file; see :func:`sparsesolve.data.tables.read_table`.

    The features are named by their numbers in the file, which start at 1, or at 0 if a 0 occurs;
    hashed ones by their places, and those that do not occur are left out.
    """
    _refuse_names(layout, response, weights, offset, marks)
    source = SparseText(path, layout, hash_bits, first=0)
    parts = list(source())
    y, w = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    known = [np.zeros(len(part.labels)) if part.offset is None else part.offset for part in parts]
    start = np.append(0, np.cumsum(np.concatenate([np.diff(part.start) for part in parts])))
    columns, values = (np.concatenate([part[k] for part in parts]) for k in (3, 4))
    if not len(columns):
        raise ValueError("no row has an entry, so X has no columns")
    if source.hashed:
        numbers, columns = np.unique(columns, return_inverse=True)
    else:
        first = 0 if zero_based or columns.min() == 0 else 1
        numbers, columns = _numbers(columns, start, first), columns - first
    X = sparse.csr_array((values, columns, start), shape=(len(y), len(numbers)))
    names = numbers.astype(f"U{len(str(numbers[-1]))}")
    given = {"weights": w if (w != 1.0).any() else None,
             "offset": np.concatenate(known) if any(o.any() for o in known) else None}  # fmt: skip
    if features is not None:
        _refuse_other_numbers(features, names, source.hashed)
        X, names = _spread(X, names, list(features)), np.array(features)
    elif drop:
        kept = _kept(names, drop)
        X, names = X[:, kept], names[kept]
    return Table(X=X, y=y, feature_names=names, **given)


def sparse_blocks(file, layout, response=(), weights=None, offset=None, labels=False,
                  features=None, marks=None, hash_bits=None, zero_based=False):
    """Yield Tables of some rows each, whose X has the `features` of a model."""
    tag = (marks or {}).get("tag")
    _refuse_names(layout, response, weights, offset,
                  {k: v for k, v in (marks or {}).items() if k != "tag" or layout != "vw"})
    known = [] if features is None else list(features)
    _refuse_other_numbers(known, np.array([]), layout == "vw" or hash_bits is not None)
    place = np.array([int(name) for name in known], dtype=np.int64)
    order = np.argsort(place)
    zero_based = zero_based or "0" in known
    for part in SparseText(file, layout, hash_bits, first=0, labels=False)():
        if not zero_based and layout == "svmlight" and (part.columns == 0).any():
            raise ValueError(ZERO)
        at = np.searchsorted(place[order], part.columns).clip(0, max(len(place) - 1, 0))
        kept = place[order][at] == part.columns if len(place) else np.zeros(len(at), bool)
        start = np.append(0, np.cumsum(kept))[part.start]
        X = sparse.csr_array((part.values[kept], order[at[kept]], start),
                             shape=(len(part.labels), len(known)))  # fmt: skip
        named = {"tag": np.array([tag or "" for tag in part.tags])} if tag else {}
        yield Table(X=X, y=part.labels, weights=part.weights if (part.weights != 1.0).any() else
                    None, offset=part.offset, feature_names=np.array(known), marks=named)


ZERO = (
    "the file has a feature 0, and the model's are numbered from 1; the numbers must be those of "
    "the file that was fitted"
)


def _refuse_names(layout, response, weights, offset, marks):
    named = {"response": response, "weights": weights, "offset": offset, **(marks or {})}
    for option, value in named.items():
        if value:
            kind = "a vw" if layout == "vw" else "an SVMlight"
            raise ValueError(f"{kind} file has no columns by name; leave out "
                             f"--{option.replace('_', '-')}")  # fmt: skip


def _refuse_other_numbers(features, names, hashed):
    """Raise unless all requested features are numbers, like those of the file."""
    named = next((name for name in map(str, features) if not name.isdecimal()), None)
    if named is not None:
        raise ValueError(
            f"an SVMlight file numbers its features, so none is named {named!r}; give a file "
            "whose columns have names"
        )
    if not hashed and len(names) and names[0] == "0" and len(features) and "0" not in features:
        raise ValueError(ZERO)


def _numbers(columns, start, first):
    """Return the numbers of the features up to the largest."""
    most = int(columns.max())
    if most - first + 1 > MOST_FEATURES:
        row = int(np.searchsorted(start, int(columns.argmax()), side="right"))
        raise ValueError(
            f"row {row} has a feature {most}, so X would have {most - first + 1} columns, more "
            f"than {MOST_FEATURES}; number the features that occur"
        )
    return np.arange(first, most + 1)


def _spread(X, names, features):
    """Return the columns of these numbers, in this order; 0 where the file has none."""
    place = {name: k for k, name in enumerate(features)}
    to = [(j, place[name]) for j, name in enumerate(names.tolist()) if name in place]
    rows, columns = zip(*to, strict=True) if to else ((), ())
    shape = (X.shape[1], len(features))
    return X @ sparse.csr_array((np.ones(len(to)), (rows, columns)), shape=shape)


def _kept(names, drop):
    """Return the positions of the features that are not dropped."""
    unknown = next((name for name in drop if name not in names), None)
    if unknown is not None:
        raise ValueError(f"no feature has the number {unknown!r} to drop")
    return np.flatnonzero(~np.isin(names, list(drop)))


def _whole_lines(stream):
    """Yield UTF-8 text that ends at the end of a line, without a mark of its encoding."""
    encoding = encoding_of(stream)
    if encoding == "utf-8-sig":
        stream.read(len(BOM_UTF8))
    wide = None if encoding.startswith("utf-8") else TextIOWrapper(stream, encoding)
    rest = b""
    while text := stream.read(BYTES) if wide is None else wide.read(BYTES).encode():
        end = text.rfind(b"\n") + 1
        if end == 0:
            rest += text
            continue
        yield rest + text[:end]
        rest = text[end:]
    if rest:
        yield rest
    if wide is not None:
        wide.detach()
