"""Files of a command: options on how they are written, rows whole or in blocks, and results.

Coefficients are written in a layout for ten features and for a million.
"""

import csv
import sys
from dataclasses import replace
from itertools import chain, islice

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


def read_rows(args, labels=False, marks=None):
    """Return the Table of a command's files; notes on what was done to them go to stderr."""
    if args.formula is not None and (args.response or args.drop):
        raise ValueError("--formula names the response and the terms; leave out --response, and "
                         "in place of --drop write '. - column'")  # fmt: skip
    asked = {"response": args.response, "weights": args.weights, "offset": args.offset,
             "drop": args.drop, "labels": labels, "marks": marks,
             "missing": args.missing or "mean"}  # fmt: skip
    if getattr(args, "more", None):
        table = _several_files(args, asked)
    else:
        table = read_table(args.file, formula=args.formula, **asked, **file_options(args))
    print_notes(table.notes)
    return table


def _several_files(args, asked):
    """Return the Table of several Parquet files, which need not fit in memory."""
    from sparsesolve.data.tables.parquet import read_parquet_files

    files = [args.file, *args.more]
    other = next((file for file in files if (args.format or layout_of(file)) != "parquet"), None)
    if other is not None:
        raise ValueError(f"{other}: several files are read where they are Parquet; write it as "
                         "such, or give one file")  # fmt: skip
    if args.formula is not None:
        raise ValueError("--formula takes one file, which is read into memory; give --response")
    return read_parquet_files(files, **asked)


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
    """Write CSV into a file or standard output, row by row.

    Nothing is written if the first row cannot be made.
    """
    rows = iter(rows)
    rows = chain([header], list(islice(rows, 1)), rows)
    if file == "-":
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return
    with whole_file(file, newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)


def write_coefs(path, file):
    """Write one line for each nonzero coefficient of a path: lambda, feature, coefficient.

    Lambdas come in decreasing order. Each starts with the line ``(Intercept)`` (value 0 in a
    model without one), followed by the features in the order of the columns of X, by name, or by
    position counted from 0. Numbers are written so that reading them gives the same doubles.
    ``pandas.read_csv(file).pivot(index="lambda", columns="feature", values="coefficient")`` makes
    a wide table. With K responses or classes a column ``response`` stands before ``feature``.
    """
    several = ["response"] * isinstance(path.coefs, list)
    write_table(file, ["lambda", *several, "feature", "coefficient"], _coefs(path))


def _coefs(path):
    several = isinstance(path.coefs, list)
    matrices, intercepts = (path.coefs, path.intercepts) if several else (
        [path.coefs], path.intercepts[None])  # fmt: skip
    responses = range(len(matrices)) if path.class_names is None else path.class_names
    for i, lam in enumerate(path.lambdas.tolist()):
        for k, matrix in enumerate(matrices):
            begin = [lam, responses[k]] if several else [lam]
            yield [*begin, "(Intercept)", float(intercepts[k, i])]
            part = slice(matrix.indptr[i], matrix.indptr[i + 1])
            rows, values = matrix.indices[part], matrix.data[part]
            features = rows if path.feature_names is None else path.feature_names[rows]
            for feature, value in zip(features.tolist(), values.tolist(), strict=True):
                if value != 0.0:
                    yield [*begin, feature, value]
