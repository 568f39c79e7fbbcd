"""Files of parsers: arrays in numpy's .npz, without pickle.

Version 1 holds format, version, templates (T,), weights (2^bits,), template_weights, norms (T,),
losses, single_root, owners (2^bits,) or (0,), and names. Version 2 also holds keys (m,), and
weights and owners (m,), of exact features.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from sparsesolve.results.files.whole_file import whole_file

FORMAT, VERSION = "sparsesolve parser", 2


def save_parser(parser: Any, file: str | PathLike, names: Sequence[str] | None) -> None:
    """Write a Parser; `names` are the columns of its files, None those of CoNLL-U."""
    version = 1 if parser.keys is None else 2
    with whole_file(file, "wb") as stream:
        np.savez_compressed(
            stream, format=FORMAT, version=version, templates=np.array(parser.templates),
            weights=parser.weights, template_weights=parser.template_weights, norms=parser.norms,
            losses=parser.losses, single_root=parser.single_root,
            owners=np.zeros(0, dtype=np.int16) if parser.owners is None else parser.owners,
            keys=np.zeros(0, dtype=np.uint64) if parser.keys is None else parser.keys,
            names=np.array(list(names or ()), dtype=str),
        )  # fmt: skip


def read_parser(file: str | PathLike) -> dict[str, Any]:
    """Return the fields of a Parser that `save_parser` wrote."""
    with np.load(file, allow_pickle=False) as found:
        if str(found.get("format", "")) != FORMAT or int(found["version"]) > VERSION:
            raise ValueError(f"{file} does not hold a parser that this version reads")
        return dict(
            templates=tuple(found["templates"].tolist()), weights=found["weights"],
            template_weights=found["template_weights"], norms=found["norms"],
            losses=found["losses"], single_root=bool(found["single_root"]),
            owners=found["owners"] if len(found["owners"]) else None,
            keys=found["keys"] if int(found["version"]) > 1 else None,
        )  # fmt: skip


def holds_parser(file: str | PathLike) -> bool:
    """Return True if a file is one that `Parser.save` wrote."""
    if not zipfile.is_zipfile(file):
        return False
    with np.load(file, allow_pickle=False) as found:
        return str(found.get("format", "")) == FORMAT


def column_names(file: str | PathLike) -> list[str] | None:
    """Return the names of the columns that were saved with a parser; None: those of CoNLL-U."""
    with np.load(file, allow_pickle=False) as found:
        return found["names"].tolist() or None
