"""Alignment: samples of genotypes and rows of a table of phenotypes, joined by ids."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from sparsesolve.data.columns_of_numbers import read_mixed_columns
from sparsesolve.data.encoding import design_of
from sparsesolve.data.frame import is_frame
from sparsesolve.data.keywords import refuse_unknown
from sparsesolve.data.number import read_number, shown

from .columns import Genotypes
from .files import text_columns

# Text for a missing value in tables of phenotypes; -9 is PLINK's.
MISSING = frozenset(["", "NA", "na", "NaN", "nan", ".", "-9", "N/A", "NULL"])
PLINK_MISSING = -9.0
# Variants at which samples are looked at for genotypes.
LOOKED_AT = 100
HAPLOID = [mark + name for mark in ("", "CHR") for name in ("X", "Y", "MT", "M", "23", "24", "26")]


@dataclass(frozen=True, eq=False, repr=False)
class Aligned:
    """Genotypes, covariates and a response of the same samples, in the order of the genotypes.

    Attributes
    ----------
    X : Genotypes
        Covariates, then variants.
    y : ndarray (n,), or (n, k); None without a response
    options : dict
        Keywords for :func:`sparsesolve.path`: ``penalty_factor``, 0 for covariates, infinite for
        variants that are left out, else 1.
    rows : ndarray (n,)
        Indices of the samples among those of the genotypes.
    family : ndarray (n,) or None
        Numbers of families, as ``groups`` of :func:`sparsesolve.cv_path`, so that no family is
        both trained on and held out; None if each sample is a family of its own, or all are one.
    sentence : str
        What matched, and what was left out.
    """

    X: Genotypes
    y: np.ndarray | None
    options: dict
    rows: np.ndarray
    family: np.ndarray | None
    sentence: str

    def __repr__(self):
        return f"<Aligned: {self.sentence}>"


def align(genotypes, table, response, covariates, **options):
    """Return the Aligned that :meth:`Genotypes.align` describes."""
    known = {"id": "IID", "min_frequency": 0.0, "max_missing": 1.0}
    refuse_unknown("align", options, list(known), "function")
    options = known | options
    rarest = read_number("min_frequency", options["min_frequency"], 0.0, 0.5)
    gaps = read_number("max_missing", options["max_missing"], 0.0, 1.0)
    responses = [response] if isinstance(response, str) else list(response)
    encoder = _encoder_of(covariates)
    wanted = ([source.name for source in encoder.sources] if encoder is not None else
              [covariates] if isinstance(covariates, str) else list(covariates))  # fmt: skip
    name = os.fspath(table) if isinstance(table, str | os.PathLike) else "the table"
    columns = _columns(name, table)
    place = _place_of_samples(genotypes.samples, name, columns, options["id"])
    values = _values(columns, [*responses, *wanted], name)
    found = np.flatnonzero(place >= 0)
    complete = np.ones(len(found), dtype=bool)
    for column in values.values():
        complete &= ~_is_missing(column)[place[found]]
    rows = found[complete]
    if not len(rows):
        raise ValueError(
            f"no sample has a value of {', '.join(map(repr, [*responses, *wanted]))} in {name}"
        )
    order = place[rows]
    y = np.column_stack([_response(values[one], order) for one in responses] or [rows])
    y = y if len(responses) > 1 else y[:, 0] if responses else None
    X = genotypes.take(rows, _covariates({one: values[one] for one in wanted}, order, encoder))
    _refuse_empty_samples(X)
    factor, left_out = _factors(X, rarest, gaps)
    fid = X.samples.fid
    codes = np.unique(fid, return_inverse=True)[1].ravel()
    families = codes if 1 < codes.max(initial=0) + 1 < len(fid) else None
    return Aligned(
        X, y, {"penalty_factor": factor}, rows, families,
        _sentence(genotypes, name, place, found, rows, len(columns[0][1]), left_out, families),
    )  # fmt: skip


def _columns(name, table):
    """Return (names, columns) of a table as text or as they are, with (names, columns)."""
    if isinstance(table, str | os.PathLike):
        return list(text_columns(name).items())
    if not (isinstance(table, dict) or is_frame(table)):
        raise TypeError(
            f"table is {shown(table)}; give the name of a text file, a frame or a dict of columns"
        )
    read = read_mixed_columns(table)
    return [(one, column[0] if isinstance(column, tuple) else column)
            for one, column in read.items()]  # fmt: skip


def _place_of_samples(samples, name, columns, id):
    """Return the row of the table for each sample, -1 where it has none."""
    by_name = {one.removeprefix("#"): column for one, column in columns}
    id = str(id).removeprefix("#")
    if id not in by_name:
        raise ValueError(
            f"{name} has no column {id!r} of sample ids; it has "
            f"{', '.join(repr(one) for one, _ in columns)}; say which with id="
        )
    ids, mine = _ids(by_name[id]), samples.iid
    if len(set(mine.tolist())) < len(mine):
        if "FID" not in by_name:
            raise ValueError(
                f"samples of several families share ids, and {name} has no column 'FID' to tell "
                "them apart"
            )
        ids = [f"{fid}\t{iid}" for fid, iid in zip(_ids(by_name["FID"]), ids, strict=True)]
        mine = np.char.add(np.char.add(samples.fid, "\t"), mine)
    places = {one: i for i, one in enumerate(ids)}
    if len(places) < len(ids):
        twice = next(one for i, one in enumerate(ids) if places[one] != i)
        raise ValueError(f"{name} has two rows of sample {twice!r}; keep one")
    found = np.array([places.get(one, -1) for one in mine.tolist()], dtype=np.int64)
    if (found < 0).all():
        raise ValueError(
            f"no sample of the genotypes is in {name}: they are {_some(mine)}, and column {id!r} "
            f"holds {_some(ids)}; ids may be joined with family ids, padded with zeros, or of "
            "another case"
        )
    return found


def _ids(column):
    """Return ids as text; whole numbers of a table in memory without a point."""
    return [str(int(one)) if isinstance(one, float) and one.is_integer() else str(one)
            for one in column.tolist()]  # fmt: skip


def _some(ids):
    return ", ".join(map(repr, [str(one) for one in ids[:3]]))


def _values(columns, wanted, name):
    """Return the wanted columns by name: float with NaN, or objects with None, where missing."""
    by_name = {one.removeprefix("#"): column for one, column in columns}
    values = {}
    for one in wanted:
        if one not in by_name:
            raise ValueError(f"{name} has no column {one!r}; it has "
                             f"{', '.join(repr(other) for other in by_name)}")  # fmt: skip
        if one in values:
            raise ValueError(f"column {one!r} is given two parts; choose one")
        values[one] = _numbers(by_name[one])
    return values


def _numbers(column):
    """Return a column as floats if all its values are numbers, -9 missing; else as objects."""
    if column.dtype.kind == "f":
        return np.where(column == PLINK_MISSING, np.nan, column)
    known = [None if one is None or str(one) in MISSING else one for one in column.tolist()]
    try:
        numbers = np.array([np.nan if one is None else float(one) for one in known])
    except (TypeError, ValueError):
        return np.array(known, dtype=object)
    return np.where(numbers == PLINK_MISSING, np.nan, numbers)


def _is_missing(column):
    return np.isnan(column) if column.dtype.kind == "f" else np.equal(column, None).astype(bool)


def _encoder_of(covariates):
    """Return how a fit encoded its covariates; None for names of columns."""
    if isinstance(covariates, str | list | tuple | np.ndarray):
        return None
    path = getattr(covariates, "path", covariates)
    if getattr(path, "variants", None) is None:
        raise TypeError(f"covariates is {shown(covariates)}; give names of columns, or a fit of "
                        "genotypes, whose covariates they are then")  # fmt: skip
    return path.encoder


def _response(column, order):
    """Return a response; text is left to families with classes."""
    return column[order] if column.dtype.kind == "f" else column[order].astype(str)


def _covariates(values, order, encoder):
    """Return covariates as an EncodedDesign, or None if there are none."""
    if not values:
        return None
    columns = {name: column[order] for name, column in values.items()}
    if encoder is not None:
        return encoder.encode(columns)
    return design_of({name: column if column.dtype.kind == "f" else (column, None)
                      for name, column in columns.items()})  # fmt: skip


def _refuse_empty_samples(X):
    """Raise ValueError for a sample without a genotype at all of some variants, or all if few."""
    p = X.shape[1] - X.n_covariates
    some = X.n_covariates + np.unique(np.linspace(0, p - 1, LOOKED_AT).astype(int))
    empty = np.flatnonzero(np.isnan(X[:, some]).all(axis=1))
    if len(empty):
        raise ValueError(
            f"the sample {str(X.samples.iid[empty[0]])!r} has no genotype at any of "
            f"{len(some):,} variants, and so have {len(empty) - 1:,} others; leave their rows out "
            "of the table"
        )


def _factors(X, rarest, gaps):
    """Return penalty factors, and how many variants do not vary, are rare, or miss too many."""
    counts = X.counts
    constant, frequency = ~X.varies(), np.nan_to_num(X.frequency())
    rare = ~constant & (np.minimum(frequency, 1.0 - frequency) < rarest)
    lost = ~constant & ~rare & (counts[:, 3] > gaps * X.shape[0])
    if constant.all():
        raise ValueError("no variant varies among the samples that have a phenotype")
    if (constant | rare | lost).all():
        raise ValueError("min_frequency and max_missing leave no variant; lower the first, or "
                         "raise the second")  # fmt: skip
    factor = np.where(rare | lost, np.inf, 1.0)
    return np.append(np.zeros(X.n_covariates), factor), (constant, rare, lost)


def _sentence(genotypes, name, place, found, rows, table_rows, left_out, families):
    """Return what matched, in one sentence of parts."""
    n, unmatched = len(genotypes.samples), table_rows - len(found)
    parts = [f"{len(rows):,} of {n:,} samples have all values in {name}"]
    if unmatched:
        are = "row matches" if unmatched == 1 else "rows match"
        parts.append(f"{unmatched:,} of its {are} no sample")
    words = ("do not vary", "are rare", "miss too many genotypes")
    for which, word in zip(left_out, words, strict=True):
        if which.any():
            parts.append(f"{which.sum():,} variants {word}")
    haploid = np.isin(np.char.upper(genotypes.variants.chromosome.astype(str)), HAPLOID).sum()
    if haploid:
        parts.append(f"{haploid:,} variants are of X, Y or MT, where one copy may count 2")
    if families is not None:
        parts.append(f"they are of {families.max() + 1:,} families")
    return "; ".join(parts)
