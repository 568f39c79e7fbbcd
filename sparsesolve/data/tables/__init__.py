"""Data files for the command line: CSV, SVMlight, vw, .npz and Parquet, read into X and y."""

from contextlib import contextmanager, nullcontext

from .cells import Style
from .columns import Table
from .files import LAYOUTS, TEXT, is_piped, layout_of, opened_text, seekable

MIXED = ("csv", "parquet")  # layouts whose columns may hold text and gaps


def read_table(file, response=None, weights=None, offset=None, drop=(), layout=None,
               labels=False, features=None, marks=None, style=None, missing="mean", encoder=None,
               hash_bits=None, zero_based=False, formula=None):
    """Read a data file.

    Parameters
    ----------
    file : str or path
        File with the data, "-" for standard input. The ending of its name tells the layout;
        .gz, .bz2 and .xz are unpacked.
    response : str or sequence of str, optional
        Column (CSV, Parquet) or array (.npz, default "y") to fit, or several of them (times and
        status, counts of classes). SVMlight and vw files have their own.
    weights, offset : str, optional
        Column or array with the observation weights and with the offset.
    drop : sequence of str, default ()
        Columns to leave out of X.
    layout : {"csv", "svmlight", "vw", "npz", "parquet"}, optional
        The layout of the file, if its name does not tell.
    labels : bool, default False
        Whether the response may be text. (A column of numbers is still read as numbers.)
    features : sequence of str, optional
        Columns of X, in this order, for a table that needs no response: all others are left out.
        Features that a sparse file does not mention are 0.
    marks : dict of str to str, optional
        Columns or arrays of labels of the rows, by their use ("strata", "fold").
    style : Style, optional
        The style of a CSV file; by default it is detected.
    missing : {"mean", "error"}
        CSV and Parquet: as in :func:`sparsesolve.make_design`.
    encoder : EncodedDesign, optional
        CSV and Parquet: the encoding of the columns of a model, which are then X.
    hash_bits : int, optional
        SVMlight and vw: hash features into 2^hash_bits places.
    zero_based : bool, default False
        SVMlight: whether features are numbered from 0 though no 0 occurs.
    formula : str, optional
        CSV and Parquet: the response and the terms of X, in place of `response` and `drop`.

    Returns
    -------
    table : Table

    Raises
    ------
    ValueError
        If the file is not what it should be: one sentence that begins with its name and says
        where (line, column) and what to do.
    OSError
        If the file cannot be opened.
    """
    layout = layout or layout_of(file)
    given = {"response": [response] if isinstance(response, str) else list(response or []),
             "weights": weights, "offset": offset, "labels": labels, "features": features,
             "marks": marks or {}, "drop": tuple(drop)}  # fmt: skip
    _refuse_options(file, layout, style, encoder, hash_bits, formula)
    with _named(file), seekable(file) as whole:
        # Readers are imported when needed: each imports a part of numpy, scipy or pyarrow.
        if layout in MIXED:
            from .mixed import read_mixed

            return read_mixed(whole, layout, style=style, missing=missing, encoder=encoder,
                              formula=formula, **given)  # fmt: skip
        if layout == "npz":
            from .npz import read

            return read(whole, **given)
        from .sparse_text import read_sparse

        return read_sparse(whole, layout, hash_bits=hash_bits, zero_based=zero_based, **given)


def read_blocks(file, layout=None, *, response=(), weights=None, offset=None, labels=False,
                features=None, marks=None, style=None, encoder=None, hash_bits=None,
                zero_based=False):
    """Yield Tables of some rows each, with the columns of a model; see `read_table`.

    Text is read as it comes; Parquet by row groups; an .npz file is one block.
    """
    layout = layout or layout_of(file)
    given = {"response": response, "weights": weights, "offset": offset, "labels": labels,
             "features": features, "marks": marks or {}}  # fmt: skip
    _refuse_options(file, layout, style, encoder, hash_bits)
    if layout == "npz":
        yield read_table(file, layout=layout, **given)
        return
    with _named(file), seekable(file) if layout == "parquet" else nullcontext(file) as source:
        if layout in MIXED:
            from .mixed import read_mixed_blocks

            yield from read_mixed_blocks(source, layout, style=style, encoder=encoder, **given)
        else:
            from .sparse_text import sparse_blocks

            yield from sparse_blocks(source, layout, hash_bits=hash_bits, zero_based=zero_based,
                                     **given)  # fmt: skip


@contextmanager
def _named(file):
    """Put the name of the file in front of what is said of it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _refuse_options(file, layout, style, encoder, hash_bits, formula=None):
    """Raise for options that belong to other layouts."""
    if layout not in MIXED and formula is not None:
        raise ValueError(f"{file}: --formula belongs to CSV and Parquet files, with named columns")
    if layout not in MIXED and encoder is not None:
        raise ValueError(
            f"{file}: the model was fitted to a table with text or gaps; give rows as CSV or "
            "Parquet, with the columns by their names"
        )
    if layout != "csv" and style is not None and style != Style():
        raise ValueError(f"{file}: options on separators and numbers belong to CSV files")
    if layout not in ("svmlight", "vw") and hash_bits is not None:
        raise ValueError(f"{file}: --hash-bits belongs to SVMlight and vw files")


__all__ = [
    "LAYOUTS", "TEXT", "Style", "Table", "is_piped", "layout_of", "opened_text", "read_blocks",
    "read_table", "seekable",
]  # fmt: skip
