"""Variants of a model among those of other files: swaps, strands, gaps, and plink2's scores."""

import numpy as np
import pytest
from packed_genotypes import drawn, imputed
from plink_files import lines_of_samples, plink2, table_of, write_plink

import sparsesolve as ss

N, P = 80, 24
RNG = np.random.default_rng(11)
G = drawn(N, P, seed=11, missing=0.03)
ALLELES = ["A C", "G A", "T C", "A T"]  # the last is ambiguous
LINES = [f"{1 + j // 12}\trs{j}\t0\t{100 + 7 * j}\t{ALLELES[j % 4]}" for j in range(P)]
OTHER = str.maketrans("ACGT", "TGCA")
Y = imputed(G, np.ones(N))[0] @ RNG.standard_normal(P) + RNG.standard_normal(N)


@pytest.fixture
def fit(tmp_path):
    X = ss.genotypes(write_plink(tmp_path, G, variants=LINES))
    return ss.path(X, Y, n_lambdas=30, lambda_min_ratio=1e-3)


def other_file(folder, values, change, name="new"):
    """Write a file whose line j is change(j, fields); return its Genotypes."""
    lines = ["\t".join(change(j, line.replace(" ", "\t").split("\t")))
             for j, line in enumerate(LINES)]  # fmt: skip
    return ss.genotypes(write_plink(folder, values, name, lines))


def swapped(values):
    return np.where(values < 0, -1, 2 - values)


def predicted(fit, values, lost=()):
    """Predictions by numpy, where missing genotypes and the variants `lost` are at their means."""
    X = np.where(values < 0, fit.means, values)
    X[:, list(lost)] = fit.means[list(lost)]
    return X @ fit.coefs.toarray() + fit.intercepts


def test_the_variants_of_the_fit_are_taken_as_they_are(fit, tmp_path):
    new = other_file(tmp_path, G[:30], lambda j, f: f)
    assert fit.predict(new) == pytest.approx(predicted(fit, G[:30]), rel=1e-9)
    assert ss.assess(fit, new, Y[:30], s=fit.lambdas[9])["mse"] == pytest.approx(
        np.mean((Y[:30] - predicted(fit, G[:30])[:, 9]) ** 2))  # fmt: skip


@pytest.mark.parametrize("swap, strand", [(True, False), (False, True), (True, True)])
def test_swaps_and_strands(fit, tmp_path, swap, strand):
    def change(j, f):
        f[4:] = f[:3:-1] if swap else f[4:]
        f[4:] = [one.translate(OTHER) for one in f[4:]] if strand else f[4:]
        return [f"chr{f[0]}", f"other{j}", *f[2:]]

    new = other_file(tmp_path, swapped(G) if swap else G, change)
    ambiguous = np.arange(3, P, 4)
    matched = new.match(fit, min_matched=0.1)
    kind = " ".join(["swapped"] * swap + ["complement"] * strand)
    active = np.unique(fit.coefs.indices)
    expected = ["ambiguous" if j in ambiguous else kind for j in active]
    assert matched.matches.decision.tolist() == expected
    assert 0.1 < matched.matches.share < 1.0 and "ambiguous" in repr(matched.matches)
    assert fit.predict(matched) == pytest.approx(predicted(fit, G, ambiguous), rel=1e-9)
    assert matched.n_missing(active).tolist() == [
        sum(G[i, j] < 0 for j in active if j not in ambiguous) for i in range(N)]
    if not strand:  # letters are right
        kept = new.match(fit, ambiguous="keep")
        assert fit.predict(kept) == pytest.approx(predicted(fit, G), rel=1e-9)
    told = new.match(fit, ambiguous="frequency", min_matched=0.1)
    unclear = [j for j in ambiguous if 0.4 <= fit.means[j] / 2 <= 0.6]
    assert len(unclear) < len(ambiguous)
    assert fit.predict(told) == pytest.approx(predicted(fit, G, unclear), rel=1e-9)


@pytest.mark.parametrize("chromosome, place", [("0", "0"), ("1", "0"), ("0", "9"), ("1", "9")])
def test_variants_without_a_place_of_their_own_are_found_by_id(tmp_path, chromosome, place):
    lines = [f"{chromosome}\trs{j}\t0\t{place}\tA\tC" for j in range(P)]
    fit = ss.path(ss.genotypes(write_plink(tmp_path, G, variants=lines)), Y, n_lambdas=10)
    new = ss.genotypes(write_plink(tmp_path, G[:, ::-1], "new", lines[::-1]))
    assert new.match(fit).matches.found.tolist() == new.match(fit).matches.id.tolist()
    assert fit.predict(new) == pytest.approx(predicted(fit, G), rel=1e-9)


def test_what_is_not_there_stands_for_its_mean(fit, tmp_path):
    def change(j, f):
        if j == 0:  # found by its id, at another place
            return [f[0], f[1], f[2], "9", *f[4:]]
        if j == 1:
            return [*f[:4], "C", "T"] if f[4:] == ["C", "T"] else [*f[:4], "AT", "A"]
        return [f[0], "." if j == 2 else f[1], f[2], "7" if j == 2 else f[3], *f[4:]]

    new = other_file(tmp_path, G, change)
    matched = new.match(fit, ambiguous="keep")
    decision = dict(zip(matched.matches.id.tolist(), matched.matches.decision, strict=True))
    assert [decision[f"rs{j}"] for j in range(4)] == ["same", "other alleles", "absent", "same"]
    assert fit.predict(matched) == pytest.approx(predicted(fit, G, [1, 2]), rel=1e-9)
    with pytest.raises(TypeError, match="matched for predictions"):
        ss.path(matched, Y)


def test_an_allele_that_no_sample_has_is_0(fit, tmp_path):
    new = other_file(tmp_path, np.zeros((5, P), int), lambda j, f: [*f[:4], "0", f[5]])
    assert fit.predict(new.match(fit, ambiguous="keep")) == pytest.approx(
        predicted(fit, np.zeros((5, P))), rel=1e-9)  # fmt: skip


def test_bad_matches_are_refused_in_a_sentence(fit, tmp_path):
    far = other_file(tmp_path, G, lambda j, f: ["9", f"x{j}", *f[2:]])
    with pytest.raises(ValueError, match=r"only 0.0% of the score is found .*absent.* lower min"):
        fit.predict(far)
    assert fit.predict(far.match(fit, min_matched=0)) == pytest.approx(
        predicted(fit, G, range(P)), rel=1e-9)  # fmt: skip
    with pytest.raises(ValueError, match="ambiguous"):
        far.match(fit, ambiguous="guess")
    twice = other_file(tmp_path, G, lambda j, f: [f[0], "rs0" if j == 4 else f"x{j}", f[2],
                                                  "9" if j == 0 else f[3], "A", "C"])  # fmt: skip
    with pytest.raises(ValueError, match="'rs0' and 'rs4' of the model are both 'rs0' here"):
        twice.match(fit, min_matched=0)
    with pytest.raises(ValueError, match="was not fitted to genotypes"):
        far.match(ss.path(np.eye(P)[:, :3], np.arange(P)))


def test_covariates_of_new_samples_are_encoded_as_they_were(tmp_path):
    X = ss.genotypes(write_plink(tmp_path, G, variants=LINES))
    table = {"IID": X.samples.iid, "y": Y, "age": np.arange(N) * 1.0,
             "site": np.array(list("abc"))[np.arange(N) % 3]}  # fmt: skip
    data = X.align(table, "y", ["age", "site"])
    cv = ss.cv_path(data.X, data.y, n_folds=3, seed=0, **data.options)
    ss.save(cv, tmp_path / "m.npz")
    few = {name: column[[0, 3, 6]] for name, column in table.items()}  # of site a alone
    for fit in (cv, ss.load(tmp_path / "m.npz")):
        new = ss.genotypes(tmp_path / "study.bed").align(few, covariates=fit)
        assert new.y is None and len(new.rows) == 3
        assert new.X.names[:4].tolist() == ["age", "site=a", "site=b", "site=c"]
        assert fit.predict(new.X) == pytest.approx(cv.predict(data.X)[[0, 3, 6]], rel=1e-12)
    assert fit.path.variants.position.tolist() == X.variants.position.tolist()
    with pytest.raises(ValueError, match="has the covariate 'age', which these genotypes lack"):
        cv.predict(X)
    with pytest.raises(TypeError, match="covariates is .*; give names of columns, or a fit of"):
        X.align(table, "y", covariates=3)


def test_a_path_of_genotypes_goes_on_with_its_own_genotypes(fit, tmp_path):
    X = ss.genotypes(tmp_path / "study.bed")
    longer = fit.extend(X, Y, n_lambdas=3)
    assert len(longer.lambdas) == len(fit.lambdas) + 3 and longer.variants is fit.variants


def test_plink2_counts_the_same(tmp_path):
    X = ss.genotypes(write_plink(tmp_path, G, variants=LINES))
    plink2(tmp_path, "--bfile", "study", "--geno-counts", "--out", "p")
    found = table_of(tmp_path / "p.gcount")
    names = ["HOM_REF_CT", "HET_REF_ALT_CTS", "TWO_ALT_GENO_CTS", "MISSING_CT"]
    assert found["ALT"] == X.variants.a1.tolist()  # A1 of a .bim file is plink2's ALT
    assert X.counts.tolist() == np.array([found[one] for one in names]).astype(int).T.tolist()


def test_plink2_scores_the_same(fit, tmp_path):
    X, k = ss.genotypes(tmp_path / "study.bed"), len(fit.lambdas) - 1
    b = fit.coefs[:, [k]].toarray().ravel()
    rows = [f"{X.names[j]} {X.variants.a1[j]} {b[j]:.17g}" for j in np.flatnonzero(b)]
    (tmp_path / "w.txt").write_text("\n".join(rows) + "\n")
    plink2(tmp_path, "--bfile", "study", "--score", "w.txt", "cols=+scoresums", "--out", "p")
    sums = np.array(table_of(tmp_path / "p.sscore")["SCORE1_SUM"], dtype=float)
    assert fit.predict(X, fit.lambdas[k]) == pytest.approx(sums + fit.intercepts[k], abs=1e-3)
    # The same scores from a file that plink2 writes with the other allele first.
    rows = [f"rs{j}\t{ALLELES[j % 4].split()[0]}" for j in range(0, P, 3)]
    (tmp_path / "ref.txt").write_text("\n".join(rows) + "\n")
    plink2(tmp_path, "--bfile", "study", "--ref-allele", "force", "ref.txt", 2, 1, "--make-bed",
           "--out", "turned")  # fmt: skip
    turned = ss.genotypes(tmp_path / "turned.bed")
    assert (turned.variants.a1 != X.variants.a1).sum() == len(rows)
    assert fit.predict(turned.match(fit, ambiguous="keep")) == pytest.approx(fit.predict(X))


@pytest.mark.parametrize("seed", range(8))
def test_random_tables_of_variants_match_or_are_refused(fit, tmp_path, seed):
    rng = np.random.default_rng(seed)
    words = ["A", "C", "G", "T", "0", "AT", "", "."]

    def change(j, f):
        one = [rng.choice(["1", "2", "chr1", "X"]), rng.choice([f"rs{j}", "rs1", "."]), "0",
               rng.choice([f[3], "1", "-4"]), *rng.choice(words[:6], 2)]  # fmt: skip
        return [str(each) for each in one]

    new = other_file(tmp_path, G, change)
    try:
        matched = new.match(fit, ambiguous="frequency", min_matched=0.0)
    except ValueError as error:
        assert "of the model are both" in str(error)
        return
    assert np.isfinite(fit.predict(matched)).all()
    assert lines_of_samples(N)[0].split()[1] == matched.samples.iid[0]
