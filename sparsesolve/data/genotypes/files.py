"""PLINK's binary files: .bed is mapped, .bim and .fam are read, and what does not fit is refused.

    .bed    6c 1b 01, then (n + 3) // 4 bytes for each variant
    .bim    chromosome, id, centimorgans, position, a1, a2: a line for each variant
    .fam    family, sample, father, mother, sex, phenotype: a line for each sample

PLINK 2's .pgen is read through Pgenlib into memory: into 2 bits a genotype, or into 16 if a dosage
is no whole number. Its .pvar and .psam have a header, or are as .bim and .fam.

Nothing in a .bed file tells how many samples it has; a .fam file of another number within the same
bytes is noticed by the bits that fill up the last byte.
"""

from __future__ import annotations

import os
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from sparsesolve.data.array import refuse_truncated
from sparsesolve.data.keywords import answers_keywords
from sparsesolve.data.number import shown
from sparsesolve.data.tables.files import opened_text
from sparsesolve.linalg.design.genotypes import BLOCK_BYTES, Dosages, TwoBits

from .columns import Genotypes, Samples, Variants

MAGIC = b"\x6c\x1b"
# Columns whose last bytes are looked at when a file is opened; all of them would read the file.
LOOKED_AT = 1000


@answers_keywords()
def genotypes(file: Any, *, bim: Any = None, fam: Any = None) -> Genotypes:
    """Open genotypes of PLINK's files: ``.bed`` is mapped and not read, ``.pgen`` is read.

    Parameters
    ----------
    file : str or path, or sequence of them
        A ``.bed`` or ``.pgen`` file, or its name without the ending; several files of the same
        samples, such as one for each chromosome, stand side by side. ``.pgen`` needs Pgenlib.
    bim, fam : str or path, optional
        The files of variants and of samples, for a single file. Default: those of its name, which
        end in ``.bim`` and ``.fam``, or in ``.pvar`` and ``.psam``.

    Returns
    -------
    Genotypes
        X of :func:`sparsesolve.path`, n by p; see ``align`` for phenotypes. Values
        are copies of the allele A1 of the ``.bim`` file, or of ALT. If a ``.pgen`` file holds
        dosages that are no whole numbers, they are kept in 16 bits each, as in the file.

    Raises
    ------
    ValueError
        If the files are not what they should be, or do not belong together, in one sentence.
    OSError
        If a file cannot be opened.
    ImportError
        If a ``.pgen`` file is given without Pgenlib.

    References
    ----------
    Purcell et al. (2007), "PLINK: a tool set for whole-genome association and population-based
    linkage analyses".

    Examples
    --------
    >>> from pathlib import Path
    >>> import sparsesolve as ss
    >>> written = Path("tiny.bed").write_bytes(bytes([0x6C, 0x1B, 1, 0b101100, 0b010011]))
    >>> variants, samples = ["1 rs1 0 10 A C", "1 rs2 0 20 G T"], ["s1", "s2", "s3"]
    >>> written = Path("tiny.bim").write_text("\\n".join(variants))
    >>> written = Path("tiny.fam").write_text("\\n".join(f"f {one} 0 0 0 -9" for one in samples))
    >>> G = ss.genotypes("tiny.bed")
    >>> G[:, :]
    array([[ 2.,  0.],
           [ 0.,  2.],
           [ 1., nan]])
    """
    if isinstance(file, str | os.PathLike):
        return _opened(Path(file), bim, fam)
    files = list(file) if np.iterable(file) else [file]
    if not all(isinstance(one, str | os.PathLike) for one in files):
        raise TypeError(f"file is {shown(file)}; give the name of a .bed or .pgen file, or a list "
                        "of names")  # fmt: skip
    if not files:
        raise ValueError("file is empty; give the name of one .bed file at least")
    if bim is not None or fam is not None:
        raise ValueError("bim and fam belong to a single file; leave them out")
    found = [_opened(Path(name), None, None) for name in files]
    for name, other in zip(files[1:], found[1:], strict=True):
        _refuse_other_samples(files[0], found[0].samples, name, other.samples)
    return Genotypes(
        [part for one in found for part in one._bits], partial(_joined, found), found[0].samples,
        sources=[source for one in found for source in one._sources],
    )  # fmt: skip


def _joined(found):
    parts = [one.variants for one in found]
    names = Variants.__dataclass_fields__
    return Variants(*(np.concatenate([getattr(v, name) for v in parts]) for name in names))


def _refuse_other_samples(first, known, name, given):
    if len(known) != len(given):
        raise ValueError(f"{name} has {len(given)} samples and {first} has {len(known)}; files "
                         "side by side are of the same samples")  # fmt: skip
    other = np.flatnonzero((known.iid != given.iid) | (known.fid != given.fid))
    if len(other):
        i = other[0]
        raise ValueError(
            f"sample {i} (counted from 0) is {str(given.iid[i])!r} in {name} and "
            f"{str(known.iid[i])!r} in {first}; files side by side have the same samples in the "
            "same order"
        )


def _opened(file, bim, fam):
    """Return the Genotypes of one file."""
    if file.suffix == ".pgen" or (
        file.suffix != ".bed" and not file.with_name(file.name + ".bed").exists()
        and file.with_name(file.name + ".pgen").exists()
    ):  # fmt: skip
        return _opened_pgen(file, bim, fam)
    file = file if file.suffix == ".bed" else file.with_name(file.name + ".bed")
    bim, fam = (Path(given or file.with_suffix(ending))
                for given, ending in ((bim, ".bim"), (fam, ".fam")))  # fmt: skip
    samples, text = _samples_of(fam), bim.read_bytes().rstrip()
    n, p = len(samples), text.count(b"\n") + bool(text)
    if not p:
        raise ValueError(f"{bim} is empty; it has a line for each variant")
    with file.open("rb") as stream:
        start = stream.read(3)
    _refuse_start(file, start)
    size, length = (n + 3) // 4, os.stat(file).st_size
    if length != 3 + size * p:
        each = f", {(length - 3) / size:g} variants," if (length - 3) % size == 0 else ""
        raise ValueError(
            f"{file} has {length:,} bytes{each} where the {n:,} samples of {fam.name} and the "
            f"{p:,} variants of {bim.name} take {3 + size * p:,}; the files do not belong together"
        )
    data = np.memmap(file, dtype=np.uint8, mode="r")
    bits = TwoBits(data, 3 + size * np.arange(p), n)
    _refuse_other_count(bits, file, fam)
    variants = lru_cache(partial(_variants_of_all, bim, p))
    source = str(file), partial(_refuse_changed, file, os.stat(file), data)
    return Genotypes([bits], variants, samples, sources=[source])


def _opened_pgen(file, pvar, psam):
    """Return the Genotypes of one .pgen file, in memory."""
    try:
        import pgenlib
    except ImportError:
        raise ImportError(f"{file}: .pgen files are read by Pgenlib: pip install "
                          "'sparsesolve[genetics]'") from None  # fmt: skip
    file = file if file.suffix == ".pgen" else file.with_name(file.name + ".pgen")
    pvar, psam = (Path(given or file.with_suffix(ending))
                  for given, ending in ((pvar, ".pvar"), (psam, ".psam")))  # fmt: skip
    samples, variants = _samples_of(psam), _variants_of(pvar)
    n, p = len(samples), len(variants)
    try:
        with pgenlib.PgenReader(os.fsencode(file), raw_sample_ct=n) as reader:
            if reader.get_variant_ct() != p:
                raise ValueError(f"{file} has {reader.get_variant_ct():,} variants and "
                                 f"{pvar.name} {p:,}; the files do not belong together")
            bits = _in_2_bits(reader, n, p)
            bits = _in_16_bits(reader, n, p) if bits is None else bits
    except RuntimeError as error:
        words = " ".join(str(error).split())
        raise ValueError(f"{file} and its {n:,} samples of {psam.name} cannot be read by Pgenlib "
                         f"({words})") from None  # fmt: skip
    return Genotypes([bits], lambda: variants, samples, sources=[(str(file), lambda: None)])


def _dosages(reader, n, p):
    """Yield the first variant of each block, and its dosages (m, n) as float32, -9 if missing."""
    width = max(1, BLOCK_BYTES // (4 * n))
    for first in range(0, p, width):
        block = np.empty((min(width, p - first), n), dtype=np.float32)
        reader.read_dosages_range(first, first + len(block), block)
        yield first, block


def _in_2_bits(reader, n, p):
    """Return TwoBits of all variants; None if a dosage is no whole number."""
    size = (n + 3) // 4
    data = np.empty((p, size), dtype=np.uint8)
    for first, block in _dosages(reader, n, p):
        whole = block.astype(np.int8)
        if (whole != block).any():
            return None
        codes = np.zeros((len(block), 4 * size), dtype=np.uint8)
        codes[:, :n] = np.array([3, 2, 0, 1], dtype=np.uint8)[np.where(whole < 0, 3, whole)]
        four = codes.reshape(len(block), size, 4) << np.array([0, 2, 4, 6], dtype=np.uint8)
        data[first : first + len(block)] = np.bitwise_or.reduce(four, axis=2)
    return TwoBits(data.ravel(), size * np.arange(p), n)


def _in_16_bits(reader, n, p):
    data = np.empty((p, n), dtype=np.uint16)
    for first, block in _dosages(reader, n, p):
        steps = np.where(block < 0.0, 65535.0, np.rint(block * 16384.0))
        data[first : first + len(block)] = steps
    return Dosages(data.ravel(), n * np.arange(p), n)


def text_columns(file, names=None):
    """Return the columns of a text file by name, arrays of text.

    Lines of ``##``, and of ``#key=value``, are passed over. A header may begin with ``#``; with
    `names`, it must, or they are the names. Columns end at tabs, or else commas, or else blanks;
    without a header, at tabs and blanks.
    """
    with opened_text(file) as stream:
        text = stream.read()
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    lines = [(i, line) for i, line in lines if line[0] != "#" or not (
        line.startswith("##") or "=" in line and "\t" not in line)]  # fmt: skip
    first, mark = lines[0][1] if lines else "", None
    if names is None or first.startswith("#"):
        mark = "\t" if "\t" in first else "," if "," in first else None
        names = [name.strip().strip('"') for name in first.removeprefix("#").split(mark)]
        lines = lines[1:]
    if not lines:
        raise ValueError(f"{file} has no rows; give a table with the names of its columns above")
    rows = [line.split(mark) for _, line in lines]
    for (i, _), row in zip(lines, rows, strict=True):
        if len(row) != len(names):
            raise ValueError(f"{file}, line {i}: {len(row)} cells under {len(names)} names of "
                             "columns")  # fmt: skip
    if '"' in text or " " in text:
        rows = [[cell.strip().strip('"') for cell in row] for row in rows]
    return dict(zip(names, np.array(rows, dtype=object).T, strict=True))


def _samples_of(file):
    """Return the Samples of a .fam or .psam file; refuse ids twice."""
    rows = text_columns(file, ["FID", "IID", "PAT", "MAT", "SEX", "PHENO1"])
    _refuse_lost(file, rows, ["IID"])
    none = np.full(len(rows["IID"]), "0")
    fid, iid, sex = (rows.get(name, none).astype(str) for name in ("FID", "IID", "SEX"))
    pairs = np.char.add(np.char.add(fid, "\t"), iid)
    _, first, count = np.unique(pairs, return_index=True, return_counts=True)
    if count.max() > 1:
        i = first[count.argmax()]
        raise ValueError(
            f"{file}: the sample {str(iid[i])!r} of family {str(fid[i])!r} stands {count.max()} "
            "times; ids of samples must differ"
        )
    return Samples(fid, iid, np.where(np.isin(sex, ["1", "2"]), sex, "0").astype(np.int8))


def _variants_of_all(file, count):
    variants = _variants_of(file)
    if len(variants) != count:
        raise ValueError(f"{file} was changed after the genotypes were opened, or has empty lines")
    return variants


def _variants_of(file):
    """Return the Variants of a .bim or .pvar file; A1 of the first is ALT of the other."""
    rows = text_columns(file, ["CHROM", "ID", "CM", "POS", "ALT", "REF"])
    _refuse_lost(file, rows, ["CHROM", "ID", "POS", "REF", "ALT"])
    for i, one in enumerate(rows["ALT"]):
        if "," in one:
            raise ValueError(
                f"{file}: variant {i} (counted from 0) has the alternative alleles {one!r}; split "
                "it into variants of two alleles"
            )
    chromosome, id, alt, ref = (rows[name].astype(str) for name in ("CHROM", "ID", "ALT", "REF"))
    return Variants(chromosome, id, _positions(file, rows["POS"]), alt, ref)


def _refuse_lost(file, rows, names):
    for name in names:
        if name not in rows:
            raise ValueError(f"{file} has no column {name!r}; it has {', '.join(rows)}")


def _refuse_start(file, start):
    if start[:2] != MAGIC:
        raise ValueError(
            f"{file} begins with the bytes {start[:2].hex(' ') or 'of an empty file'} and a .bed "
            "file of PLINK with 6c 1b; give the file that plink --make-bed wrote"
        )
    if start[2:] != b"\x01":
        kind = "sample by sample" if start[2:] == b"\x00" else "in an unknown order"
        raise ValueError(
            f"{file} stores genotypes {kind} (third byte {start[2:].hex() or 'missing'}); write "
            "it variant by variant, with plink --make-bed"
        )


def _refuse_other_count(bits, file, fam):
    """Raise ValueError if the bits beyond the last sample show that there are more or fewer."""
    n, p = bits.shape
    some = np.unique(np.linspace(0, p - 1, LOOKED_AT).astype(np.int64))
    last = np.asarray(bits.data[bits.starts[some] + (n - 1) // 4])
    dirty = np.flatnonzero(last >> (2 * ((n - 1) % 4 + 1)))
    if len(dirty):
        raise ValueError(
            f"{file} has a genotype of variant {some[dirty[0]]} (counted from 0) beyond the last "
            f"of the {n:,} samples of {fam.name}; the file is of more samples"
        )
    if p > 1 and not (last >> (2 * ((n - 1) % 4)) & 3).any():
        counts = bits.counts(np.arange(n) == n - 1)
        if (counts[:, 2] == 1).all():
            raise ValueError(
                f"the last of the {n:,} samples of {fam.name} has two copies of A1 at every "
                f"variant of {file}, as bits that fill up a byte have; the file is of fewer "
                "samples"
            )


def _refuse_changed(file, state, data):
    refuse_truncated(str(file), data)
    now = os.stat(file)
    if (now.st_size, now.st_mtime_ns) != (state.st_size, state.st_mtime_ns):
        raise ValueError(f"{file} was changed after it was opened; open it again")


def _positions(file, column):
    """Return positions as int64, or refuse the first that is none."""
    try:
        return column.astype(np.int64)
    except ValueError:
        for i, one in enumerate(column):
            if not one.removeprefix("-").isdigit():
                raise ValueError(
                    f"{file}: the position of variant {i} (counted from 0) is {str(one)!r}; it "
                    "must be a whole number"
                ) from None
        raise
