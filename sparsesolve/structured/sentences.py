"""Tables of sentences: CoNLL-U, or columns with an empty line after each sentence."""

import gzip
from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple

from sparsesolve.results.files.whole_file import whole_file

FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


class Sentences(NamedTuple):
    """Words of all sentences, one after the other."""

    columns: dict  # from names to lists of text (n,)
    lengths: list  # words in each sentence
    lines: list  # lines of the file, without their ends
    rows: list  # (n,) the line of each word


def read_sentences(file: str | PathLike, names: Sequence[str] | None = None) -> Sentences:
    """Read a CoNLL-U file or a file of columns, plain or compressed by gzip.

    Parameters
    ----------
    file : str or path
        One word per line, columns separated by tabs (else by blanks), an empty line after each
        sentence. Comments (#), words that span several (1-2) and empty nodes (1.1) of CoNLL-U are
        kept as lines, but are not words.
    names : sequence of str, default None
        Names of the columns. None: those of CoNLL-U if there are ten, else "0", "1", ...

    Returns
    -------
    Sentences
        A named tuple: ``columns``, a dict of lists (n,) of text; ``lengths`` of the sentences;
        ``lines`` of the file, and ``rows``, the line of each word.

    Raises
    ------
    ValueError
        Where a line has another number of columns, or there is no word.

    Examples
    --------
    >>> from sparsesolve import structured
    >>> with open("two.txt", "w") as stream:
    ...     _ = stream.write("dogs N\\nbark V\\n\\ncats N\\n")
    >>> read = structured.read_sentences("two.txt", ["form", "tag"])
    >>> read.columns["tag"], read.lengths
    (['N', 'V', 'N'], [2, 1])
    """
    opener = gzip.open if str(file).endswith(".gz") else open
    with opener(file, "rt", encoding="utf-8", newline=None) as stream:
        lines = stream.read().split("\n")
    width, conllu, table, lengths, rows = None, False, [], [], []
    open_ = 0
    for number, line in enumerate(lines):
        if not line.strip():
            if open_:
                lengths.append(open_)
            open_ = 0
            continue
        parts = line.split("\t") if "\t" in line else line.split()
        if width is None and not line.startswith("#"):
            width = len(parts)
            conllu = names is None and width == len(FIELDS)
        if line.startswith("#") and len(parts) != width:
            continue
        if conllu and (line.startswith("#") or not parts[0].isdigit()):
            continue
        if len(parts) != width:
            raise ValueError(
                f"{file}: line {number + 1} has {len(parts)} columns where {width} are expected"
            )
        table.append(parts)
        rows.append(number)
        open_ += 1
    if open_:
        lengths.append(open_)
    if not table:
        raise ValueError(f"{file} holds no word; give a word a line, columns divided by tabs")
    names = list(names or (FIELDS if conllu else map(str, range(len(table[0])))))
    if len(names) != width:
        raise ValueError(f"{file} has {width} columns and {len(names)} names were given")
    columns = dict(zip(names, map(list, zip(*table, strict=True)), strict=True))
    return Sentences(columns, lengths, lines, rows)


def write_sentences(file: str | PathLike, sentences: Sentences, column: str,
                    values: Sequence[Any]) -> None:
    """Write a file of sentences with new values in one column.

    Parameters
    ----------
    file : str or path
        "-" is standard output.
    sentences : Sentences
        The result of `read_sentences`.
    column : str
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
    lines, place = list(sentences.lines), list(sentences.columns).index(column)
    for row, value in zip(sentences.rows, values, strict=True):
        blank = "\t" if "\t" in lines[row] else " "
        parts = lines[row].split("\t") if blank == "\t" else lines[row].split()
        parts[place] = str(value)
        lines[row] = blank.join(parts)
    if file == "-":
        print("\n".join(lines), end="")
        return
    with whole_file(file, encoding="utf-8", newline="\n") as stream:
        stream.write("\n".join(lines))
