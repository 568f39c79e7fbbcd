"""Tables of sentences: CoNLL-U, or columns with an empty line after each sentence."""

import bz2
import gzip
import lzma
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from sparsesolve.data.tables import opened_text
from sparsesolve.results.files.whole_file import whole_file

FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
PACK: dict[str, Any] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
# "# key = value" and "# newdoc" are comments, however many columns they seem to have.
KEY_AND_VALUE = re.compile(r"#\s*([^\s=#]+)\s+=(\s|$)|#\s*(newdoc|newpar)(\s|$)")
# They stand between sentences only.
BEGIN = re.compile(r"#\s*(sent_id|newdoc|newpar)(\s|$)")
SPAN, EMPTY = re.compile(r"([0-9]+)-([0-9]+)"), re.compile(r"([0-9]+)\.[0-9]+")


@dataclass(frozen=True, eq=False, repr=False)
class Sentences:
    """Words of all sentences, one after the other, in columns.

    ``s["form"]`` is a column, ``len(s)`` the number of sentences, ``s[0]`` the columns of the
    first sentence, over which iteration goes. It is taken wherever sentences are, and as the
    columns of `Templates`.

    Attributes
    ----------
    columns : dict
        From names to lists of text (n,).
    lengths : list
        Words in each sentence.
    lines : list
        Lines of the file, without their ends.
    rows : list
        The line of each word, (n,).

    Raises
    ------
    ValueError
        If columns differ in length, or lengths do not add up to it.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> read = structured.Sentences({"form": ["dogs", "bark", "cats"]}, [2, 1])
    >>> read, len(read), read["form"]
    (<Sentences: 2 of 3 words, columns form>, 2, ['dogs', 'bark', 'cats'])
    """

    columns: dict
    lengths: list
    lines: list = field(default_factory=list)
    rows: list = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if len(column) != sum(self.lengths):
                raise ValueError(
                    f"column {name!r} has {len(column)} words, but lengths add up to "
                    f"{sum(self.lengths)}"
                )

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            if which not in self.columns:
                raise KeyError(f"there is no column {which!r}, only {', '.join(self.columns)}")
            return self.columns[which]
        at = range(len(self))[which]
        first = sum(self.lengths[:at])
        return {name: column[first : first + self.lengths[at]]
                for name, column in self.columns.items()}  # fmt: skip

    def __iter__(self) -> Iterator[dict]:
        first = 0
        for size in self.lengths:
            yield {name: column[first : first + size] for name, column in self.columns.items()}
            first += size

    def __repr__(self) -> str:
        names = ", ".join(list(self.columns)[:12])
        return f"<Sentences: {len(self):,} of {sum(self.lengths):,} words, columns {names}>"


def read_sentences(file: str | PathLike, names: Sequence[str] | None = None) -> Sentences:
    """Read a CoNLL-U file or a file of columns, plain or compressed (.gz, .bz2, .xz).

    Parameters
    ----------
    file : str or path
        One word per line, columns separated by tabs (else by blanks), an empty line after each
        sentence; in UTF-8, or with the mark of another encoding. Comments (#) are kept as lines,
        but are not words. "-" is standard input.
    names : sequence of str, default None
        Names of the columns. None: those of CoNLL-U if there are ten, else "0", "1", ... A column
        "id" numbers the words of each sentence from 1: words that span several (1-2) and empty
        nodes (1.1) are kept as lines, but are not words, and where it starts again a sentence
        begins.

    Returns
    -------
    Sentences

    Raises
    ------
    ValueError
        Where a line has another number of columns, ids do not follow each other, there is no
        word, or the text is not in UTF-8.

    Warns
    -----
    UserWarning
        If a sentence begins with # and could be a comment with as many columns as words have.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> with open("two.txt", "w") as stream:
    ...     _ = stream.write("dogs N\\nbark V\\n\\ncats N\\n")
    >>> read = structured.read_sentences("two.txt", ["form", "tag"])
    >>> read["tag"], read.lengths
    (['N', 'V', 'N'], [2, 1])
    """
    names = _names(names)
    lines = _text(file).split("\n")
    words = [line for line in lines if line.strip() and not line.startswith("#")]
    words = words or [line for line in lines if line.strip()]
    width = len(_split(words[0])) if words else 0
    if names is None:
        names = list(FIELDS if width == len(FIELDS) else map(str, range(width)))
    if words and len(names) != width:
        raise ValueError(f"{file} has {width} columns and {len(names)} names were given")
    reader = _Reader(file, width, "\t" in words[0] if words else False,
                     names.index("id") if "id" in names else None)  # fmt: skip
    for number, line in enumerate(lines):
        reader.read(number, line)
    reader.end()
    if not reader.table:
        raise ValueError(f"{file} holds no word; give a word a line, columns divided by tabs")
    columns = dict(zip(names, map(list, zip(*reader.table, strict=True)), strict=True))
    return Sentences(columns, reader.lengths, lines, reader.rows)


def _names(names):
    """Return names of columns as a list of different texts."""
    if names is None:
        return None
    found = [names] if isinstance(names, str) else list(names)
    twice = [name for name in found if found.count(name) > 1]
    if twice or isinstance(names, str):
        what = f"{twice[0]!r} twice" if twice else f"the text {names!r}"
        raise ValueError(f"names holds {what}; give a list with a name for each column")
    return found


def _text(file):
    """Return the text of a file, whatever mark of an encoding it begins with."""
    try:
        with opened_text(file, western=False) as stream:
            text = stream.read().removeprefix("\ufeff")
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    return text.replace("\n\ufeff", "\n")  # files that were put together


def _split(line):
    """Return the columns of a line: divided by tabs, else by blanks, but not by other spaces."""
    if "\t" in line:
        return [part.strip() or part for part in line.split("\t")]
    return line.strip(" ").split(" ") if "  " not in line else re.split(" +", line.strip(" "))


class _Reader:
    """Words and sentences of lines, as they come."""

    def __init__(self, file, width, by_tabs, id_column):
        self.file, self.width, self.by_tabs, self.id_column = file, width, by_tabs, id_column
        self.table, self.lengths, self.rows = [], [], []
        self.open = 0  # words of this sentence so far
        self.warned = False

    def end(self):
        """End a sentence, if one is open."""
        if self.open:
            self.lengths.append(self.open)
        self.open = 0

    def read(self, number, line):
        """Read a line: the end of a sentence, a comment, a word, or none of them."""
        if not line.strip():
            self.end()
            return
        parts = _split(line)
        if line.startswith("#") and self._is_comment(number, line, parts):
            return
        if len(parts) != self.width:
            raise ValueError(
                f"{self.file}: line {number + 1} has {len(parts)} columns where {self.width} are "
                "expected"
            )
        if self.id_column is None or self._is_word(number, parts[self.id_column]):
            self.table.append(parts)
            self.rows.append(number)
            self.open += 1

    def _is_comment(self, number, line, parts):
        """Return whether a line that begins with # is no word."""
        if self.id_column is not None:
            return self.id_column == 0 or len(parts) != self.width
        if KEY_AND_VALUE.match(line) or len(parts) != self.width or (
            self.by_tabs and "\t" not in line
        ):
            if BEGIN.match(line):
                self.end()
            return True
        if not self.open and not self.warned and len(parts) > 2:
            self.warned = True
            warnings.warn(
                f"{self.file}: line {number + 1} begins with # and is read as a word, since it "
                f"has {self.width} columns; if it is a comment, take it out",
                stacklevel=4,
            )
        return False

    def _is_word(self, number, text):
        """Return whether an id is that of a word; ids number the words of a sentence."""
        next_ = self.open + 1
        if text.isascii() and text.isdecimal():
            if int(text) == 1 and self.open:
                self.end()
                return True
            if int(text) == next_:
                return True
        span, empty = SPAN.fullmatch(text), EMPTY.fullmatch(text)
        if span and int(span[1]) == 1 and self.open:
            self.end()
        if span and int(span[1]) in (1, next_) and int(span[1]) < int(span[2]):
            return False
        if empty and int(empty[1]) == self.open:
            return False
        raise ValueError(
            f"{self.file}: line {number + 1} has id {text!r} where {next_} is expected; the ids "
            "of a sentence count its words from 1 (give such a column another name)"
        )


def write_sentences(file: str | PathLike, sentences: Sentences, column: str,
                    values: Sequence[Any]) -> None:
    """Write a file of sentences with new values in one column.

    Parameters
    ----------
    file : str or path
        "-" is standard output; .gz, .bz2 and .xz are compressed.
    sentences : Sentences
        The result of `read_sentences`.
    column : str
        With "head", the column "deps" of CoNLL-U, which repeats the old heads, becomes _.
    values : sequence (n,)
        One for each word.

    Raises
    ------
    ValueError
        If the column is not there, or values are not as many as words.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> with open("two.txt", "w") as stream:
    ...     _ = stream.write("dogs ?\\nbark ?\\n")
    >>> read = structured.read_sentences("two.txt", ["form", "tag"])
    >>> structured.write_sentences("-", read, "tag", ["N", "V"])
    dogs N
    bark V
    """
    if column not in sentences.columns:
        raise ValueError(f"there is no column {column!r}, only {', '.join(sentences.columns)}")
    if len(sentences.rows) != len(values):
        raise ValueError(f"values are {len(values)} for {len(sentences.rows)} words of a file")
    lines, names = list(sentences.lines), list(sentences.columns)
    place, stale = names.index(column), column == "head" and "deps" in names
    for row, value in zip(sentences.rows, values, strict=True):
        by_tabs = "\t" in lines[row]
        parts = lines[row].split("\t") if by_tabs else _split(lines[row])
        parts[place] = str(value)
        if stale:
            parts[names.index("deps")] = "_"
        lines[row] = ("\t" if by_tabs else " ").join(parts)
    text = "\n".join(lines)
    if file == "-":
        print(text, end="")
        return
    pack = PACK.get(Path(file).suffix.lower(), bytes)
    with whole_file(file, "wb") as stream:
        stream.write(pack(text.encode("utf-8")))
