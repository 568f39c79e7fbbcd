"""Files of a command: options on how they are written, rows whole or in blocks, and results."""

import csv
import sys
from dataclasses import replace
from itertools import chain

from sparsesolve.data.tables import (
    LAYOUTS,
    Style,
    layout_of,
    read_blocks,
    read_table,
)
from sparsesolve.results.files.whole_file import whole_file

READ = ("separator", "decimal", "thousands", "encoding")


def add_file_options(group):
    """Add the options on the layout of a file and its style."""
    group.add_argument("--format", choices=tuple(LAYOUTS), help="default: by the file's ending")
    group.add_argument("--separator", metavar="C", help="between cells: a character, blank or tab")
    group.add_argument("--decimal", choices=(".", ","), help="decimal mark; default found out")
    group.add_argument("--thousands", metavar="C", help="mark between thousands")
    group.add_argument("--encoding", metavar="NAME", help="default by the file's first bytes, "
                       "else UTF-8 and Windows-1252")  # fmt: skip
    group.add_argument("--hash-bits", type=int, metavar="B", help="SVMlight and vw: hash features "
                       "into 2^B places (vw: 18)")  # fmt: skip
    group.add_argument("--zero-based", action="store_true", help="SVMlight numbers start at 0")


def file_options(args):
    """Return the keywords of `read_table` of these options."""
    style = Style(**{name: getattr(args, name) for name in READ})
    layout = args.format or layout_of(args.file)
    return {"layout": layout, "style": style, "hash_bits": args.hash_bits,
            "zero_based": args.zero_based}  # fmt: skip


def read_rows(args, response=(), weights=None, offset=None, drop=(), labels=False, marks=None,
              formula=None):
    """Return the Table of a command's file; notes on what was done to it go to stderr."""
    if formula is not None and (response or drop):
        raise ValueError("--formula names the response and the terms; leave out --response, and "
                         "in place of --drop write '. - column'")  # fmt: skip
    table = read_table(
        args.file, response, weights, offset, drop, labels=labels, marks=marks, formula=formula,
        missing=getattr(args, "missing", None) or "mean", **file_options(args),
    )  # fmt: skip
    print_notes(table.notes)
    return table


def read_files(args, response=(), weights=None, offset=None, drop=(), labels=False, marks=None,
               formula=None):
    """Return the Table of a command's several Parquet files, which need not fit in memory."""
    from sparsesolve.data.tables.parquet import read_parquet_files

    files = [args.file, *args.more]
    other = next((file for file in files if (args.format or layout_of(file)) != "parquet"), None)
    if other is not None:
        raise ValueError(f"{other}: several files are read where they are Parquet; write it as "
                         "such, or give one file")  # fmt: skip
    if formula is not None:
        raise ValueError("--formula takes one file, which is read into memory; give --response")
    table = read_parquet_files(files, response, weights, offset, drop, labels, marks,
                               args.missing or "mean")  # fmt: skip
    print_notes(table.notes)
    return table


def model_rows(args, path, **parts):
    """Return the rows of a file with the columns of a model, which are found by name."""
    table = read_table(args.file, **parts, **_of_model(args, path))
    print_notes(table.notes)
    return table


def model_blocks(args, path, **parts):
    """Yield the rows of a file in blocks, with the columns of a model."""
    for table in read_blocks(args.file, **parts, **_of_model(args, path)):
        print_notes(table.notes)
        yield table


def _of_model(args, path):
    path = path if hasattr(path, "coefs") else path.grams  # kernels know their table
    options = file_options(args)
    if path.encoder is not None:
        unknown = getattr(args, "unknown", None)
        encoder = path.encoder
        options["encoder"] = encoder if unknown is None else replace(encoder, unknown=unknown)
        return options
    names = [] if path.feature_names is None else path.feature_names.tolist()
    if not names and options["layout"] != "npz":
        raise ValueError(f"{args.model} has no names of columns; give X as an .npz file")
    return {**options, "features": names}


def print_notes(notes):
    """Print sentences on what was done to a file to stderr."""
    for note in notes:
        print(f"sparsesolve: note: {note}", file=sys.stderr)


def write_table(file, header, rows):
    """Write CSV into a file or standard output, row by row; nothing if there is no first row."""
    rows = iter(rows)
    rows = chain([next(rows)], rows)
    if file == "-":
        _write_rows(sys.stdout, header, rows)
        return
    with whole_file(file, newline="", encoding="utf-8") as stream:
        _write_rows(stream, header, rows)


def _write_rows(stream, header, rows):
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
