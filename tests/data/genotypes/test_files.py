"""PLINK's files: what they hold, and one sentence for each way in which they can be wrong."""

import os

import numpy as np
import pytest
from packed_genotypes import drawn
from plink_files import lines_of_samples, lines_of_variants, write_plink

import sparsesolve as ss


def decoded(G):
    return np.where(G < 0, np.nan, G)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 103])
def test_values_names_and_samples(tmp_path, n):
    G = drawn(n, 12, seed=n)
    G[-1, 0] = 1  # otherwise the last sample could look like bits that fill up
    opened = ss.genotypes(write_plink(tmp_path, G))
    assert opened.shape == (n, 12)
    assert opened[:, np.arange(12)] == pytest.approx(decoded(G), nan_ok=True)
    assert opened.names.tolist() == [f"rs{j}" for j in range(12)]
    assert opened.samples.iid.tolist() == [f"s{i:03d}" for i in range(n)]
    assert opened.variants.a1.tolist() == list("AGCT") * 3
    assert opened.variants.position.tolist() == sorted(opened.variants.position.tolist())
    seen = [G[:, j][G[:, j] >= 0] for j in range(12)]
    expected = [g.mean() / 2 if len(g) else np.nan for g in seen]
    assert opened.frequency() == pytest.approx(expected, nan_ok=True)
    assert opened.missing_share() == pytest.approx((G < 0).mean(axis=0))


def test_some_variants_and_several_files(tmp_path):
    G = drawn(30, 10)
    first = write_plink(tmp_path, G[:, :6], "chr1", lines_of_variants(10)[:6])
    second = write_plink(tmp_path, G[:, 6:], "chr2", lines_of_variants(10)[6:])
    whole = ss.genotypes([first, second])
    assert whole[:, np.arange(10)] == pytest.approx(decoded(G), nan_ok=True)
    assert whole.names.tolist() == [f"rs{j}" for j in range(10)]
    some = whole.select([1, 4, 7])
    assert some[:, np.arange(3)] == pytest.approx(decoded(G[:, [1, 4, 7]]), nan_ok=True)
    assert some.variants.id.tolist() == ["rs1", "rs4", "rs7"] and some.shape == (30, 3)
    assert whole.select(G[0] == 2).shape == (30, (G[0] == 2).sum())
    with pytest.raises(ValueError, match="not in the order of the files"):
        whole.select([7, 1])
    other = write_plink(tmp_path, G[:, 6:], "chr3", samples=lines_of_samples(30)[::-1])
    with pytest.raises(ValueError, match=r"sample 0 \(counted from 0\) is 's029' in .*chr3.bed"):
        ss.genotypes([first, other])


def test_ids_that_are_missing_or_repeated_get_names_of_their_place(tmp_path):
    lines = ["1 . 0 17 A C", "1 rs5 0 20 G T", "2 rs5 0 20 G T", "2 rs6 0 9 G T"]
    opened = ss.genotypes(write_plink(tmp_path, drawn(9, 4), variants=lines))
    assert opened.names.tolist() == ["1:17:C:A", "1:20:T:G", "2:20:T:G", "rs6"]


def rewritten(file, change):
    file.write_bytes(change(file.read_bytes()))


WRONG = {
    "begins with the bytes 50 4b and a .bed": lambda f: rewritten(f, lambda b: b"PK" + b[2:]),
    "begins with the bytes of an empty file": lambda f: rewritten(f, lambda b: b""),
    r"sample by sample \(third byte 00\); .* plink --make-bed":
        lambda f: rewritten(f, lambda b: b[:2] + b"\0" + b[3:]),
    r"has 66 bytes where the 26 samples of study.fam and the 9 variants of study.bim take 66|"
    r"has 65 bytes where the 26 samples": lambda f: rewritten(f, lambda b: b[:-1]),
    "66 bytes, 9 variants, where the 26 samples of study.fam and the 8 variants of study.bim":
        lambda f: rewritten(f.with_suffix(".bim"), lambda b: b.split(b"\n", 1)[1]),
    "last of the 27 samples .* of fewer samples":
        lambda f: f.with_suffix(".fam").write_text("\n".join(lines_of_samples(27))),
    "beyond the last of the 25 samples of study.fam; the file is of more samples":
        lambda f: f.with_suffix(".fam").write_text("\n".join(lines_of_samples(25))),
    "'s001' of family 'f1' stands 2 times": lambda f: f.with_suffix(".fam").write_text(
        "\n".join([*lines_of_samples(25), lines_of_samples(26)[1]])),
    "study.fam, line 3: 5 cells under 6 names": lambda f: f.with_suffix(
        ".fam").write_text("\n".join(["a b 0 0 1 1", "a c 0 0 1 1", "a d 0 0 1"])),
    "study.fam has no rows": lambda f: f.with_suffix(".fam").write_text(""),
    "study.bim is empty": lambda f: f.with_suffix(".bim").write_text("\n"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_files_are_refused_in_a_sentence(tmp_path, sentence):
    G = drawn(26, 9, seed=1)
    G[-1, :2] = 1
    file = write_plink(tmp_path, G)
    WRONG[sentence](file)
    with pytest.raises(ValueError, match=sentence) as caught:
        ss.genotypes(file)
    assert "\n" not in str(caught.value)


def test_variants_are_read_when_they_are_asked_for(tmp_path):
    lines = lines_of_variants(5)
    lines[2] = lines[2].replace("rs2\t0\t", "rs2\t0\tx")
    opened = ss.genotypes(write_plink(tmp_path, drawn(9, 5), variants=lines))
    with pytest.raises(ValueError, match=r"bim: the position of variant 2 .* is 'x\d+'; it must"):
        opened.variants.take([0])
    lines[2] = "1 rs2 0 17 A"
    opened = ss.genotypes(write_plink(tmp_path, drawn(9, 5), variants=lines))
    with pytest.raises(ValueError, match="study.bim, line 3: 5 cells under 6 names"):
        opened.names.tolist()


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="study.fam"):
        ss.genotypes(tmp_path / "study")
    with pytest.raises(ValueError, match="file is empty"):
        ss.genotypes([])
    with pytest.raises(ValueError, match="bim and fam belong to a single file"):
        ss.genotypes(["a.bed", "b.bed"], fam="c.fam")


def test_a_file_that_changes_is_refused(tmp_path):
    file = write_plink(tmp_path, drawn(30, 10))
    opened = ss.genotypes(file)
    y = np.random.default_rng(0).standard_normal(30)
    ss.path(opened, y, n_lambdas=3)
    os.utime(file, ns=(1, 1))
    with pytest.raises(ValueError, match="study.bed was changed after it was opened"):
        ss.path(opened, y)
    with open(file, "r+b") as stream:
        stream.truncate(40)
    with pytest.raises(ValueError, match="the file was truncated"):
        ss.path(opened, y)


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_are_genotypes_or_refused(tmp_path, seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 40)), int(rng.integers(1, 9))
    file = write_plink(tmp_path, np.zeros((n, p)))
    size = (n + 3) // 4 * p
    rewritten(file, lambda b: b[:3] + rng.integers(0, 256, size, dtype=np.uint8).tobytes())
    try:
        opened = ss.genotypes(file)
    except ValueError as error:
        assert "beyond the last" in str(error) or "fill up a byte" in str(error)
        return
    values = opened[:, np.arange(p)]
    assert np.isin(values[~np.isnan(values)], [0, 1, 2]).all()
    assert opened.counts.sum(axis=1).tolist() == [n] * p
    if n > 3:
        fit = ss.path(opened, rng.standard_normal(n), n_lambdas=5)
        assert np.isfinite(fit.coefs.data).all()


def test_bed_reader_reads_the_same(tmp_path):
    bed_reader = pytest.importorskip("bed_reader")
    G = drawn(37, 20)
    file = write_plink(tmp_path, G)
    with bed_reader.open_bed(file) as bed:
        other = bed.read(dtype="float64")
        assert bed.allele_1.tolist() == ss.genotypes(file).variants.a1.tolist()
    assert ss.genotypes(file)[:, np.arange(20)] == pytest.approx(other, nan_ok=True)
    again = tmp_path / "again.bed"
    bed_reader.to_bed(again, decoded(G))
    assert ss.genotypes(again)[:, np.arange(20)] == pytest.approx(other, nan_ok=True)
