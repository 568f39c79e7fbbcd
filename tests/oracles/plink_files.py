"""PLINK's files written line by line and bit by bit, and plink2, for tests."""

import shutil
import subprocess

import numpy as np
import pytest
from packed_genotypes import packed


def lines_of_variants(p, seed=0):
    rng = np.random.default_rng(seed)
    alleles = ["A\tC", "G\tT", "C\tA", "T\tG"]
    places = np.cumsum(rng.integers(1, 900, p))
    return [f"{1 + 2 * j // p}\trs{j}\t0\t{places[j]}\t{alleles[j % 4]}" for j in range(p)]


def lines_of_samples(n, family=lambda i: f"f{i}"):
    return [f"{family(i)} s{i:03d} 0 0 {1 + i % 2} -9" for i in range(n)]


def write_plink(folder, G, name="study", variants=None, samples=None):
    """Write values 0, 1, 2 and -1 (n, p) as folder/name.bed, .bim and .fam; return the .bed."""
    n, p = G.shape
    file = folder / f"{name}.bed"
    file.write_bytes(b"\x6c\x1b\x01" + packed(G).data.tobytes())
    bim = lines_of_variants(p) if variants is None else variants
    fam = lines_of_samples(n) if samples is None else samples
    file.with_suffix(".bim").write_text("".join(line + "\n" for line in bim))
    file.with_suffix(".fam").write_text("".join(line + "\n" for line in fam))
    return file


def plink2(folder, *words):
    """Run plink2 in a folder; skip where it is not installed."""
    if shutil.which("plink2") is None:
        pytest.skip("plink2 is not installed")
    words = ["plink2", "--silent", "--threads", "1", "--memory", "640", *map(str, words)]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def table_of(file):
    """Return the columns of a table that plink2 has written, by name."""
    header, *rows = (line.split() for line in file.read_text().splitlines())
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
