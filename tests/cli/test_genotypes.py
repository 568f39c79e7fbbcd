"""The commands path and cv on a .bed file and a table of phenotypes."""

import numpy as np
import pytest
from packed_genotypes import drawn
from plink_files import lines_of_samples, write_plink

import sparsesolve as ss
from sparsesolve.__main__ import main

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
    code = main([str(word) for word in words])
    return code, *capsys.readouterr()


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
                         "--seed", 1)  # fmt: skip
    assert code == 0 and "folds hold families out whole" in notes
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
    code, _, error = run(capsys, "path", tmp_path / "t.csv", "--response", "y", "--phenotype", "p")
    assert code == 2 and "belong to a .bed file of genotypes" in error


@pytest.mark.parametrize("command", ["infer", "knockoffs"])
def test_commands_that_read_tables_alone_say_so(study, capsys, command):
    code, _, notes = run(capsys, command, study[0], "--response", "bmi")
    assert code == 2 and "genotypes are read by the commands path and cv" in notes
