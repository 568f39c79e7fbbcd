"""PLINK 2's files through Pgenlib, and dosages of 16 bits: they are the numbers in 64 bits."""

import numpy as np
import pytest
from packed_genotypes import drawn, imputed
from plink_files import lines_of_samples, lines_of_variants, plink2, write_plink
from sparsesolve.linalg.design.genotypes import Dosages, MixedColumns

import sparsesolve as ss

N, P = 83, 30
RNG = np.random.default_rng(4)
STEPS = RNG.integers(0, 32769, (N, P))
STEPS[:, :10] = 16384 * drawn(N, 10, seed=1, missing=0)
STEPS[:, 12] = 5000  # it does not vary
LOST = RNG.random((N, P)) < 0.06
VALUES = np.where(LOST, np.nan, STEPS / 16384)
SIGNAL = np.nan_to_num(VALUES)[:, :4] @ [1.0, -1.0, 0.6, 0.5]
RESPONSES = {
    "gaussian": SIGNAL + RNG.standard_normal(N),
    "binomial": SIGNAL + RNG.logistic(size=N) > 0.5,
    "cox": np.column_stack([RNG.exponential(np.exp(-SIGNAL)), RNG.random(N) < 0.7]),
    "multinomial": np.digitize(SIGNAL + RNG.standard_normal(N), [0.0, 1.0]),
}
OPTIONS = {
    "plain": {}, "weights": {"weights": RNG.random(N)}, "no intercept": {"intercept": False},
    "as it is": {"standardize": False}, "some rows": {"weights": (RNG.random(N) < 0.7) * 1.0},
    "ridge": {"alpha": 0.5},
}  # fmt: skip


def dosages(rows=slice(None)):
    data = np.where(LOST, 65535, STEPS)[rows].T.astype(np.uint16)
    n = data.shape[1]
    return MixedColumns([Dosages(data.ravel(), n * np.arange(P), n)])


def numbers(w):
    seen = ~LOST
    means = (w[:, None] * np.where(seen, VALUES, 0)).sum(axis=0) / (w[:, None] * seen).sum(axis=0)
    return np.where(seen, VALUES, means), means


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("options", OPTIONS)
def test_paths_are_those_of_numbers(family, options):
    given = {"n_lambdas": 10, "lambda_min_ratio": 0.05, "tol": 1e-10, **OPTIONS[options]}
    X, means = numbers(given.get("weights", np.ones(N)))
    mine = ss.path(dosages(), RESPONSES[family], family=family, **given)
    theirs = ss.path(X, RESPONSES[family], family=family, **given)
    assert mine.lambdas == pytest.approx(theirs.lambdas, rel=1e-9) and mine.gaps.max() <= 1e-9
    several = isinstance(mine.coefs, list)
    for one, other in zip(*((m.coefs if several else [m.coefs]) for m in (mine, theirs)),
                          strict=True):  # fmt: skip
        assert one.toarray() == pytest.approx(other.toarray(), abs=1e-6)
    assert mine.means == pytest.approx(means)
    assert mine.predict(dosages()) == pytest.approx(theirs.predict(X), abs=1e-5)


@pytest.mark.parametrize("solver", ["working_set", "sufficient", "proximal_newton", "fista"])
def test_solvers(solver):
    given = {"n_lambdas": 8, "lambda_min_ratio": 0.05, "tol": 1e-10, "solver": solver}
    mine = ss.path(dosages(), RESPONSES["gaussian"], **given)
    theirs = ss.path(numbers(np.ones(N))[0], RESPONSES["gaussian"], **given)
    assert mine.coefs.toarray() == pytest.approx(theirs.coefs.toarray(), abs=1e-5)


def test_columns_and_rows_of_dosages():
    part = dosages().parts[0]
    known = part.columns([3, 20], [np.nan, np.nan])
    assert known == pytest.approx(VALUES[:, [3, 20]], nan_ok=True)
    rows = [5, 2, 70]
    some = part.of_rows(rows).of_columns([20, 3])
    assert some.columns([0, 1], [9.0, 9.0]) == pytest.approx(
        np.where(LOST, 9.0, VALUES)[rows][:, [20, 3]])  # fmt: skip
    near = [[(np.rint(VALUES[:, j]) == k).sum() for k in range(3)] for j in range(P)]
    assert part.counts()[:, :3].tolist() == near
    assert part.counts()[:, 3].tolist() == LOST.sum(axis=0).tolist()


def test_halves_are_counted_alike_from_both_alleles():
    steps = np.array([8192, 24576, 16384, 5000], dtype=np.uint16)
    counts = Dosages(np.append(steps, 32768 - steps), [0, 4], 4).counts()
    assert counts[0, :3].tolist() == counts[1, 2::-1].tolist() == [2, 1, 1]


@pytest.fixture
def pgenlib():
    return pytest.importorskip("pgenlib")


def written(folder, pgenlib, values, name="study", header=True):
    """Write values (n, p), NaN where missing, by Pgenlib; return the .pgen file."""
    n, p = values.shape
    file = folder / f"{name}.pgen"
    with pgenlib.PgenWriter(str(file).encode(), n, variant_ct=p, nonref_flags=False,
                            dosage_present=True) as writer:  # fmt: skip
        for column in values.T:
            writer.append_dosages(np.where(np.isnan(column), -9, column).astype(np.float64))
    lines = [line.split() for line in lines_of_variants(p)]
    rows = [f"{c}\t{at}\t{id}\t{a2}\t{a1}" for c, id, _, at, a1, a2 in lines]
    head = ["##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT"]
    file.with_suffix(".pvar").write_text("\n".join([*head, *rows]) + "\n")
    people = [line.split() for line in lines_of_samples(n)]
    rows = [f"{one[0]}\t{one[1]}\t{one[4]}" for one in people]
    file.with_suffix(".psam").write_text("\n".join(["#FID\tIID\tSEX", *rows]) + "\n")
    return file


def test_dosages_are_those_that_were_written(tmp_path, pgenlib):
    G = ss.genotypes(written(tmp_path, pgenlib, VALUES))
    assert isinstance(G.parts[0], Dosages)
    assert G[:, np.arange(P)] == pytest.approx(VALUES, abs=2**-14, nan_ok=True)
    assert G.frequency() == pytest.approx(np.nanmean(VALUES, axis=0) / 2, abs=1e-4)
    assert np.flatnonzero(~G.varies()).tolist() == [12]
    assert G.samples.sex[:3].tolist() == [1, 2, 1] and G.names[3] == "rs3"
    table = {"IID": G.samples.iid[::-1], "y": RESPONSES["gaussian"][::-1]}
    data = G.align(table, "y", min_frequency=0.05)
    assert "1 variants do not vary" in data.sentence
    fit = ss.path(data.X, data.y, n_lambdas=9, **data.options)
    some = ss.genotypes(written(tmp_path, pgenlib, VALUES[:20], "new"))
    assert fit.predict(some) == pytest.approx(fit.predict(G)[:20], abs=1e-9)
    score = ss.polygenic_score(fit, float(fit.lambdas[-1]))
    found = score.score(some, ambiguous="keep").values + fit.intercepts[-1]
    assert found == pytest.approx(fit.predict(some)[:, -1])


def test_whole_numbers_take_2_bits(tmp_path, pgenlib):
    values = drawn(37, 12, seed=2)
    known = np.where(values < 0, np.nan, values)
    G = ss.genotypes(written(tmp_path, pgenlib, known).with_suffix(""))
    assert not isinstance(G.parts[0], Dosages)
    assert G[:, np.arange(12)] == pytest.approx(known, nan_ok=True)
    both = ss.genotypes([tmp_path / "study.pgen", write_plink(tmp_path, values, "bed")])
    assert both.shape == (37, 24) and both[:, [0]] == pytest.approx(both[:, [12]], nan_ok=True)


def test_plink2_writes_what_is_read(tmp_path, pgenlib):
    values = drawn(61, 20, seed=6)
    bed = write_plink(tmp_path, values)
    plink2(tmp_path, "--bfile", "study", "--make-pgen", "--out", "two")
    one, two = ss.genotypes(bed), ss.genotypes(tmp_path / "two.pgen")
    assert two[:, np.arange(20)] == pytest.approx(one[:, np.arange(20)], nan_ok=True)
    assert two.variants.a1.tolist() == one.variants.a1.tolist()
    assert two.samples.iid.tolist() == one.samples.iid.tolist()
    full, y = imputed(values, np.ones(61))[0], RNG.standard_normal(61)
    mine, theirs = ss.path(two, y, tol=1e-10), ss.path(full, y, tol=1e-10)
    assert mine.coefs.toarray() == pytest.approx(theirs.coefs.toarray(), abs=1e-6)


def rewrite(file, change):
    file.write_text(change(file.read_text()))


WRONG = {
    "has 30 variants and study.pvar 29; the files do not belong":
        lambda f: rewrite(f.with_suffix(".pvar"), lambda t: t[: t.rindex("\n", 0, -1) + 1]),
    "samples of study.psam cannot be read by Pgenlib":
        lambda f: rewrite(f.with_suffix(".psam"), lambda t: t + "f900\ts900\t1\n"),
    "cannot be read by Pgenlib": lambda f: f.write_bytes(b"PK" + f.read_bytes()[2:]),
    "has the alternative alleles '.,.'; split it":
        lambda f: rewrite(f.with_suffix(".pvar"), lambda t: t.replace("\tA\n", "\tA,T\n")),
    "study.pvar has no column 'REF'":
        lambda f: rewrite(f.with_suffix(".pvar"), lambda t: t.replace("REF", "RF")),
    "study.psam has no column 'IID'":
        lambda f: rewrite(f.with_suffix(".psam"), lambda t: t.replace("IID", "ID")),
    "study.pvar, line 4: 1 cells under 5 names": lambda f: rewrite(
        f.with_suffix(".pvar"), lambda t: "\n".join([*t.splitlines()[:3], "1"])),
    "study.pvar: the position of variant 0 .counted from 0. is 'x'": lambda f: rewrite(
        f.with_suffix(".pvar"), lambda t: "#CHROM\tPOS\tID\tREF\tALT\n1\tx\trs\tA\tC\n"),
    "study.psam has no rows": lambda f: f.with_suffix(".psam").write_text("#IID\n"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_files_are_refused_in_a_sentence(tmp_path, pgenlib, sentence):
    file = written(tmp_path, pgenlib, VALUES)
    WRONG[sentence](file)
    with pytest.raises(ValueError, match=sentence) as caught:
        ss.genotypes(file)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cut", [3, 12, 40, 300, 1000])
def test_truncated_files_are_refused(tmp_path, pgenlib, cut):
    file = written(tmp_path, pgenlib, VALUES)
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(ValueError, match="cannot be read by Pgenlib"):
        ss.genotypes(file)


@pytest.mark.parametrize("seed", range(12))
def test_damaged_bytes_are_dosages_or_refused(tmp_path, pgenlib, seed):
    rng = np.random.default_rng(seed)
    file = written(tmp_path, pgenlib, VALUES)
    content = bytearray(file.read_bytes())
    for i in rng.integers(2 if seed % 2 else 12, len(content), rng.integers(1, 40)):
        content[i] = rng.integers(256)
    file.write_bytes(bytes(content))
    try:
        G = ss.genotypes(file)
    except ValueError as error:
        assert "cannot be read by Pgenlib" in str(error) and "\n" not in str(error)
        return
    values = G[:, np.arange(P)]
    assert (np.isnan(values) | ((values >= 0) & (values <= 2))).all()
