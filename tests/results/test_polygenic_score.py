"""Weights of variants in the PGS Catalog's format, and scores of new samples."""

import gzip

import numpy as np
import pytest
from packed_genotypes import drawn, imputed
from plink_files import lines_of_variants, plink2, table_of, write_plink

import sparsesolve as ss

N, P = 80, 24
G = drawn(N, P, seed=3, missing=0.04)
RNG = np.random.default_rng(3)
Y = imputed(G, np.ones(N))[0] @ RNG.standard_normal(P) + RNG.standard_normal(N)


@pytest.fixture
def study(tmp_path):
    X = ss.genotypes(write_plink(tmp_path, G))
    table = {"IID": X.samples.iid, "y": Y, "age": RNG.standard_normal(N)}
    data = X.align(table, "y", ["age"])
    return X, data, ss.path(data.X, data.y, n_lambdas=20, **data.options)


def test_scores_are_predictions_without_intercept_and_covariates(study):
    X, data, fit = study
    s = float(fit.lambdas[12])
    score = ss.polygenic_score(fit, s)
    b = fit.coef(s)
    rest = fit.intercept(s) + data.X[:, [0]].ravel() * b[0]
    found = score.score(X, ambiguous="keep")
    assert found.values + rest == pytest.approx(fit.predict(data.X, s), rel=1e-9)
    active = np.flatnonzero(b[1:])
    assert found.missing.tolist() == (G[:, active] < 0).sum(axis=1).tolist()
    assert found.matches.share == 1.0 and "same" in repr(found)
    assert set(found.to_frame()) == {"FID", "IID", "score", "missing"}
    assert score.about["covariates"] == f"age={b[0]:.17g}"


def test_the_share_found_counts_weights_alone_where_no_variant_varies(study, tmp_path):
    lines = ["rsID\teffect_allele\tother_allele\teffect_weight\tallelefrequency_effect",
             "rs0\tA\tC\t3\t1", "no\tA\tC\t-1\t0"]  # fmt: skip
    (tmp_path / "w.txt").write_text("\n".join(lines) + "\n")
    X = ss.genotypes(write_plink(tmp_path, G, "other", lines_of_variants(P)))
    score = ss.polygenic_score(tmp_path / "w.txt")
    assert score.score(X, min_matched=0.5).matches.share == 0.75


@pytest.mark.parametrize("name", ["w.txt", "w.txt.gz"])
def test_a_file_gives_the_same_scores_to_the_last_digit(study, tmp_path, name):
    X, _, fit = study
    score = ss.polygenic_score(fit, float(fit.lambdas[9]))
    proxies = {"rs1": ["rs2", "rs3"], "rs4": [], "rs5": ["rs6"]}
    score.write(tmp_path / name, build="GRCh38", name="mine", trait="bmi", proxies=proxies)
    again = ss.polygenic_score(tmp_path / name)
    assert again.weights.tolist() == score.weights.tolist()
    assert again.frequency.tolist() == score.frequency.tolist()
    assert again.about["genome_build"] == "GRCh38" and again.about["trait_reported"] == "bmi"
    assert again.about["proxies"] == "rs1=rs2,rs3; rs5=rs6"
    assert again.score(X).values.tolist() == score.score(X).values.tolist()
    pack = gzip.open if name.endswith("gz") else open
    lines = pack(tmp_path / name, "rt").read().splitlines()
    assert lines[len([line for line in lines if line[0] == "#"])].split("\t") == [
        "rsID", "chr_name", "chr_position", "effect_allele", "other_allele", "effect_weight",
        "allelefrequency_effect"]  # fmt: skip


def test_plink2_scores_the_written_file_the_same(study, tmp_path):
    X, _, fit = study
    score = ss.polygenic_score(fit, float(fit.lambdas[15]))
    score.write(tmp_path / "w.txt", build="GRCh37")
    rows = [line for line in (tmp_path / "w.txt").read_text().splitlines() if line[0] != "#"]
    (tmp_path / "p.txt").write_text("\n".join(rows) + "\n")
    plink2(tmp_path, "--bfile", "study", "--score", "p.txt", 1, 4, 6, "header", "cols=+scoresums",
           "--out", "p")  # fmt: skip
    sums = [float(cell) for cell in table_of(tmp_path / "p.sscore")["SCORE1_SUM"]]
    found = score.score(X, ambiguous="keep")
    assert found.values == pytest.approx(sums, abs=1e-3)  # plink2 prints six digits


HARMONISED = """###PGS CATALOG SCORING FILE
#format_version=2.0
#pgs_id=PGS0
#HmPOS_build=GRCh38
rsID\tchr_name\tchr_position\teffect_allele\tother_allele\teffect_weight\thm_rsID\thm_chr\thm_pos
.\t9\t1\t{0}\t{1}\t0.5\trs0\t{2}\t{3}
rs1\t9\t2\t{5}\t{4}\t-2\t\t{6}\t{7}
"""


def test_a_harmonised_file_without_frequencies(study, tmp_path):
    """A missing genotype is the mean of these samples; a swapped variant counts 2 - x."""
    X, _, _ = study
    v = X.variants
    cells = [each for j in (0, 1) for each in (v.a1[j], v.a2[j], v.chromosome[j], v.position[j])]
    (tmp_path / "h.txt").write_text(HARMONISED.format(*cells))
    score = ss.polygenic_score(tmp_path / "h.txt")
    found = score.score(X)
    full = imputed(G, np.ones(N))[0]
    assert found.values == pytest.approx(0.5 * full[:, 0] - 2 * (2 - full[:, 1]))
    assert found.matches.decision.tolist() == ["same", "swapped"]
    joined = X.take(np.arange(N), np.ones((N, 2)), ["age", "height"])
    assert score.score(joined).values.tolist() == found.values.tolist()


def test_a_variant_that_is_nowhere_counts_as_its_mean_or_not_at_all(study, tmp_path):
    X, _, fit = study
    score = ss.polygenic_score(fit, float(fit.lambdas[12]))
    some = X.select(np.arange(1, P))
    j = score.variants.id.tolist().index("rs0")
    found = score.score(some, min_matched=0.1, ambiguous="keep")
    whole = score.score(X, ambiguous="keep")
    x = imputed(G, np.ones(N))[0][:, 0]
    moved = score.weights[j] * (2 * score.frequency[j] - x)
    assert found.values - whole.values == pytest.approx(moved, abs=1e-9)
    assert found.matches.decision[j] == "absent"


HEAD = "rsID\tchr_name\tchr_position\teffect_allele\tother_allele\teffect_weight"
WRONG = {
    "chr_position of variant 0 .counted from 0. is 1.5; it must be a whole number":
        HEAD + "\nrs1\t1\t1.5\tA\tC\t1\n",
    "chr_position of variant 0 .counted from 0. is 1e.30; it": HEAD + "\nr\t1\t1e30\tA\tC\t1\n",
    "has no rows": "#a=b\n" + HEAD + "\n",
    "line 2: 5 cells under 6 names": HEAD + "\nrs1\t1\t2\tA\tC\n",
    "effect_weight of variant 0 .counted from 0. is 'x'; it must be a number":
        HEAD + "\n\nrs1\t1\t2\tA\tC\tx\n",
    "effect_weight of variant 0 .* is 'inf'": HEAD + "\nrs1\t1\t2\tA\tC\tinf\n",
    "chr_position of variant 0 .* is 'two'": HEAD + "\nrs1\t1\ttwo\tA\tC\t1\n",
    "allelefrequency_effect of variant 0 .* is '1.5'; it must be a number from 0 to 1":
        HEAD + "\tallelefrequency_effect\nrs1\t1\t2\tA\tC\t1\t1.5\n",
    "has no column 'other_allele'": "rsID\teffect_allele\teffect_weight\nrs1\tA\t1\n",
    "has neither rsID nor chr_position": "other_allele\teffect_allele\teffect_weight\nC\tA\t1\n",
    "no sum over copies .column is_recessive": HEAD + "\tis_recessive\nr\t1\t2\tA\tC\t1\tTrue\n",
    "a weight for each genotype": HEAD + "\tdosage_0_weight\nr\t1\t2\tA\tC\t1\t1\n",
}  # fmt: skip


@pytest.mark.parametrize("sentence", WRONG)
def test_wrong_files_are_refused_in_a_sentence(tmp_path, sentence):
    (tmp_path / "w.txt").write_text(WRONG[sentence])
    with pytest.raises(ValueError, match=sentence) as caught:
        ss.polygenic_score(tmp_path / "w.txt")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", range(10))
def test_random_cells_are_read_or_refused(study, tmp_path, seed):
    X, _, _ = study
    rng = np.random.default_rng(seed)
    cells = ["", "NA", "1", "-3", "A", "rs1", "1e400", "nan", "é", "chr1", "0.5", "C", "\x00"]
    rows = ["\t".join(rng.choice(cells, 6).tolist()) for _ in range(4)]
    (tmp_path / "w.txt").write_text("\n".join([HEAD, *rows]) + "\n")
    try:
        found = ss.polygenic_score(tmp_path / "w.txt").score(X, min_matched=0)
    except ValueError as error:
        assert "\n" not in str(error)
        return
    assert np.isfinite(found.values).all()


def test_what_is_read_keeps_its_head_and_its_lines(study, tmp_path):
    X, _, fit = study
    score = ss.polygenic_score(fit, float(fit.lambdas[9]))
    score.write(tmp_path / "a.txt", build="GRCh38", name="mine", trait="body\nmass")
    again = ss.polygenic_score(tmp_path / "a.txt")
    again.write(tmp_path / "b.txt", build="GRCh37", trait="bmi")
    last = ss.polygenic_score(tmp_path / "b.txt").about
    assert again.about["trait_reported"] == "body mass" and last["trait_reported"] == "bmi"
    assert last["pgs_name"] == "mine" and last["genome_build"] == "GRCh37"
    assert last["weight_type"] == "beta" and last["intercept"] == score.about["intercept"]


@pytest.mark.parametrize("ask, words", [
    (lambda X, score: score.score(G), "genotypes is .*; open a file by sparsesolve.genotypes"),
    (lambda X, score: ss.genotypes(5), "file is 5; give the name"),
    (lambda X, score: ss.genotypes([5]), r"file is \[5\]; give the name"),
    (lambda X, score: X.select([99]), "which is .*; give indices of the 24 variants"),
    (lambda X, score: X.take([0.5]), "rows is .*; give indices of the 80 samples"),
    (lambda X, score: X.proxies(["rs1"]), "which is .*; give indices of the 24 columns"),
])  # fmt: skip
def test_other_arguments_are_refused_in_a_sentence(study, ask, words):
    X, _, fit = study
    with pytest.raises((ValueError, TypeError), match=words):
        ask(X, ss.polygenic_score(fit, float(fit.lambdas[9])))
    assert X.select([]).shape == (N, 0) and X.proxies([]) == {}


def test_fits_without_one_score_are_refused(study):
    X, data, fit = study
    with pytest.raises(ValueError, match="at one lambda; give s"):
        ss.polygenic_score(fit)
    with pytest.raises(ValueError, match="fit is not of genotypes"):
        ss.polygenic_score(ss.path(np.eye(4), np.arange(4)), 0.1)
    two = ss.path(X, np.column_stack([Y, -Y]), family="multigaussian", n_lambdas=3)
    with pytest.raises(ValueError, match="has several responses"):
        ss.polygenic_score(two, 0.1)


def test_proxies_are_the_variants_with_the_same_genotypes(tmp_path):
    values = drawn(60, 12, seed=5, missing=0.0)
    values[:, 3], values[:, 7] = values[:, 0], 2 - values[:, 0]
    values[0, 3], values[1, 7], values[2, 0] = -1, -1, -1
    values[:, 8] = values[:, 5]
    values[4, 8] = (values[4, 5] + 1) % 3  # one sample differs
    values[:, 10] = values[:, 11] = 1  # they do not vary
    X = ss.genotypes(write_plink(tmp_path, values, variants=lines_of_variants(12)))
    assert X.proxies([0, 5, 10]) == {"rs0": ["rs3", "rs7"], "rs5": [], "rs10": []}
    joined = X.take(np.arange(60), np.arange(60.0)[:, None], ["age"])
    assert joined.proxies([0, 4]) == {"rs3": ["rs0", "rs7"]}
