"""The commands path, cv, predict and assess on a .bed file and a table of phenotypes."""

import cases
import numpy as np
import pytest
from packed_genotypes import drawn
from plink_files import lines_of_samples, lines_of_variants, write_plink

import sparsesolve as ss

N, P = 60, 20


@pytest.fixture
def study(tmp_path):
    rng = np.random.default_rng(4)
    G = drawn(N, P, seed=4, missing=0.02)
    lines = lines_of_samples(N, family=lambda i: f"f{i // 3}")
    file = write_plink(tmp_path, G, samples=lines)
    y = np.where(G[:, 2] < 0, 1, G[:, 2]) + rng.standard_normal(N)
    rows = [f"s{i:03d}\t{y[i]:.17g}\t{20 + i}\t{'ab'[i % 2]}" for i in rng.permutation(N)]
    table = tmp_path / "pheno.tsv"
    table.write_text("\n".join(["#IID\tbmi\tage\tsite", *rows]) + "\n")
    return file, table


def run(capsys, *words):
    return cases.run(*words), *capsys.readouterr()


def test_path_and_cv_are_those_of_the_aligned_data(study, tmp_path, capsys):
    file, table = study
    words = [file, "--phenotype", table, "--response", "bmi", "--covariates", "age,site"]
    saving = ["--save", tmp_path / "p.npz", "--max-missing", 0.01]
    code, _, notes = run(capsys, "path", *words, *saving)
    assert code == 0 and "note: 60 of 60 samples have all values in" in notes
    data = ss.genotypes(file).align(table, "bmi", ["age", "site"], max_missing=0.01)
    fit, saved = ss.path(data.X, data.y, **data.options), ss.load(tmp_path / "p.npz")
    assert saved.coefs.toarray() == pytest.approx(fit.coefs.toarray(), rel=1e-12)
    assert saved.feature_names[:2].tolist() == ["age", "site=b"]
    assert saved.means == pytest.approx(fit.means)
    code, _, notes = run(capsys, "cv", *words, "--save", tmp_path / "c.npz", "--folds", 4,
                         "--seed", 1, "--progress")  # fmt: skip
    assert code == 0 and "folds hold families out whole" in notes
    assert notes.count("/5") + notes.count("100%")  # progress, of four folds and all rows
    data = ss.genotypes(file).align(table, "bmi", ["age", "site"])
    cv = ss.cv_path(data.X, data.y, n_folds=4, seed=1, groups=data.family, **data.options)
    assert ss.load(tmp_path / "c.npz").mean == pytest.approx(cv.mean, rel=1e-12)


@pytest.mark.parametrize(
    "words, sentence",
    [
        ([], "genotypes need --phenotype with a table, and --response with a column"),
        (["--phenotype", "no.tsv", "--response", "bmi"], "no.tsv: No such file"),
        (["--phenotype", "{table}", "--response", "bim"], "has no column 'bim'"),
        (["--phenotype", "{table}", "--response", "bmi", "--weights", "w"], "--weights is for"),
        (["--phenotype", "{table}", "--response", "bmi", "--drop", "w"], "--drop is for tables"),
        (["--phenotype", "{table}", "--response", "bmi", "--id", "ID"], "has no column 'ID' of"),
    ],
)
def test_wrong_options_are_one_line(study, capsys, words, sentence):
    code, _, error = run(capsys, "path", study[0], *(w.format(table=study[1]) for w in words))
    assert code == 2 and sentence in error and len(error.splitlines()) == 1


def test_options_of_genotypes_need_genotypes(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,y\n1,2\n3,4\n")
    for option, value in (("phenotype", "p"), ("min-frequency", "0.1"), ("max-missing", "0.5")):
        words = "path", tmp_path / "t.csv", "--response", "y", f"--{option}", value
        code, _, error = run(capsys, *words)
        assert code == 2 and f"--{option} belongs to a .bed or .pgen file" in error


@pytest.mark.parametrize("command", ["infer", "knockoffs"])
def test_commands_that_read_tables_alone_say_so(study, capsys, command):
    code, _, notes = run(capsys, command, study[0], "--response", "bmi")
    assert code == 2 and "genotypes are read by the commands path, cv, predict" in notes


@pytest.fixture
def model(study, tmp_path, capsys):
    file, table = study
    saved = tmp_path / "m.npz"
    words = ["--response", "bmi", "--covariates", "age,site", "--folds", 4, "--seed", 1]
    assert run(capsys, "cv", file, "--phenotype", table, *words, "--save", saved)[0] == 0
    return saved


def test_predict_and_assess_read_the_model_and_match_variants(study, model, tmp_path, capsys):
    file, table = study
    fit, out, matches = ss.load(model), tmp_path / "scores.csv", tmp_path / "matches.csv"
    code, _, notes = run(capsys, "predict", model, file, "--phenotype", table, "--out", out,
                         "--s", "lambda_min", "--matches", matches)  # fmt: skip
    assert code == 0 and "100.0% of the score" in notes
    data = ss.genotypes(file).align(table, "bmi", fit)
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["FID", "IID", "response", "missing"]
    assert [row[1] for row in rows[1:]] == data.X.samples.iid.tolist()
    found = np.array([row[2] for row in rows[1:]], dtype=float)
    assert found == pytest.approx(fit.predict(data.X, "lambda_min"), rel=1e-12)
    active = np.unique(fit.path.coefs.indices)
    lacking = np.isnan(data.X[:, active]).sum(axis=1)
    assert [int(row[3]) for row in rows[1:]] == lacking.tolist()
    assert len(matches.read_text().splitlines()) == 1 + (active >= 2).sum()
    code, text, _ = run(capsys, "assess", model, file, "--phenotype", table, "--response", "bmi",
                        "--out", "-", "--s", "lambda_min")  # fmt: skip
    expected = ss.assess(fit, data.X, data.y, s="lambda_min")
    assert code == 0
    printed = dict(line.split(",") for line in text.splitlines()[1:])
    assert {k: float(v) for k, v in printed.items()} == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "command, words, sentence",
    [
        ("predict", [], "has the covariate 'age', which these genotypes lack; join it"),
        ("predict", ["--phenotype", "{table}", "--offset", "o"], "--offset is for tables"),
        ("assess", ["--phenotype", "{table}"], "name their column by --response"),
        ("assess", ["--response", "bmi"], "--response is a column of --phenotype, which is not"),
        ("refit", ["--response", "bmi", "--s", 0.1], "genotypes are read by the commands path"),
        ("predict", ["--matches", "{model}"], "would replace the file that is read"),
    ],
)
def test_wrong_questions_to_a_model_are_one_line(study, model, capsys, command, words, sentence):
    words = [str(word).format(table=study[1], model=model) for word in words]
    code, _, error = run(capsys, command, model, study[0], *words)
    assert code == 2 and sentence in error.splitlines()[-1], error


def test_a_checkpoint_is_written_and_read(study, tmp_path, capsys):
    file, table = study
    words = [file, "--phenotype", table, "--response", "bmi", "--checkpoint", tmp_path / "run.npz"]
    first = run(capsys, "path", *words)
    assert first[0] == 0 and (tmp_path / "run.npz").exists()
    assert run(capsys, "path", *words)[1] == first[1]
    code, _, error = run(capsys, "path", *words, "--alpha", "0.5")
    assert code == 2 and "is the checkpoint of other data or options" in error


def test_weights_files_are_written_and_scored(study, tmp_path, capsys):
    file, table = study
    weights = tmp_path / "w.txt.gz"
    words = ["--phenotype", table, "--response", "bmi", "--weights-file", weights]
    code, _, error = run(capsys, "cv", file, *words)
    assert code == 2 and "--weights-file needs --genome-build" in error
    saved = ["--save", tmp_path / "c.npz", "--folds", 3, "--seed", 0, "--s", "lambda_min"]
    assert run(capsys, "cv", file, *words, "--genome-build", "GRCh38", *saved)[0] == 0
    fit = ss.load(tmp_path / "c.npz")
    code, text, notes = run(capsys, "predict", weights, file, "--ambiguous", "keep")
    assert code == 0 and "100.0% of the score" in notes
    rows = [line.split(",") for line in text.splitlines()]
    assert rows[0] == ["FID", "IID", "score", "missing"]
    expected = fit.predict(ss.genotypes(file), "lambda_min") - fit.intercept("lambda_min")
    assert np.array([row[2] for row in rows[1:]], float) == pytest.approx(expected, rel=1e-9)
    code, _, error = run(capsys, "predict", weights, file, "--s", "0.1")
    assert code == 2 and "a file of weights has no lambda" in error


def test_files_of_several_chromosomes_stand_side_by_side(study, tmp_path, capsys):
    file, table = study
    G = drawn(N, P, seed=4, missing=0.02)
    samples = lines_of_samples(N, family=lambda i: f"f{i // 3}")
    lines = lines_of_variants(P)
    parts = [write_plink(tmp_path, G[:, part], name, lines[part], samples)
             for name, part in (("chr1", slice(8)), ("chr2", slice(8, None)))]  # fmt: skip
    words = ["--phenotype", table, "--response", "bmi", "--out", "-"]
    both = run(capsys, "path", ",".join(map(str, parts)), *words)
    assert both[0] == 0 and both[1] == run(capsys, "path", file, *words)[1]
