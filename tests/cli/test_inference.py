"""infer and knockoffs say of a file what the functions say."""

import numpy as np
import pytest

pytest.importorskip("pandas")
import pandas  # noqa: E402
from cases import run  # noqa: E402

import sparsesolve as ss  # noqa: E402

RNG = np.random.default_rng(0)
TABLE = pandas.DataFrame(RNG.normal(size=(120, 14)), columns=list("abcdefghijklmn"))
TABLE["y"] = TABLE.iloc[:, :7] @ np.ones(7) + RNG.normal(size=120)
X, Y = TABLE.iloc[:, :14], TABLE.y


@pytest.fixture
def file(tmp_path):
    TABLE.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


@pytest.mark.parametrize("words, expected", [
    (["--lam", "0.3"], lambda: ss.inference.carve(X, Y, 0.3)),
    (["--method", "split", "--splits", "2", "--n-lambdas", "20"],
     lambda: ss.inference.split(X, Y, n_splits=2, n_lambdas=20)),
    (["--method", "debiased", "--level", "0.9"], lambda: ss.inference.debiased(X, Y, level=0.9)),
])  # fmt: skip
def test_infer(file, capsys, words, expected):
    assert run("infer", file, "--response", "y", *words) == 0
    assert capsys.readouterr().out == f"{expected()}\n"


def test_results_are_written_drawn_and_saved(file):
    folder = file.parent
    names = {"--out": "table.csv", "--plot": "forest.png", "--save": "table.npz"}
    places = [str(word) for pair in names.items() for word in (pair[0], folder / pair[1])]
    assert run("infer", file, "--response", "y", "--lam", "0.3", *places) == 0
    table = ss.load(folder / "table.npz")
    assert pandas.read_csv(folder / "table.csv")["p_value"].to_numpy() == pytest.approx(
        table.p_values)  # fmt: skip
    assert (folder / "forest.png").stat().st_size > 5000


def test_knockoffs_with_and_without_covariates(file, capsys):
    for words, options in (
        ([], {}), (["--penalty-factor", "a=0"], {"penalty_factor": np.arange(14) > 0}),
    ):  # fmt: skip
        for more, known in ((["--n-lambdas", "30"], {"n_lambdas": 30}),
                            (["--fixed"], {"covariance": "fixed"})):  # fmt: skip
            words_of = ["--response", "y", "--fdr", "0.3", *words, *more]
            assert run("knockoffs", file, *words_of) == 0
            expected = ss.inference.knockoffs(X, Y, 0.3, **options, **known)
            assert capsys.readouterr().out == f"{expected}\n", words_of
            assert expected.covariance_rule.endswith("given 1 covariate") == (
                bool(words) and "--fixed" not in more)  # fmt: skip


def test_options_of_other_methods_are_refused(file, capsys):
    assert run("infer", file, "--response", "y", "--method", "split", "--lam", "1") == 2
    assert "--lam does not belong to --method split" in capsys.readouterr().err
