"""lars, omp and mkl of data files."""

import numpy as np
import pytest

pytest.importorskip("pandas")
import pandas  # noqa: E402
from cases import run  # noqa: E402

import sparsesolve as ss  # noqa: E402

RNG = np.random.default_rng(0)
TABLE = pandas.DataFrame(RNG.normal(size=(60, 3)), columns=list("abc"))
TABLE["y"] = TABLE.a - 0.5 * TABLE.b + 0.3 * RNG.normal(size=60)
TABLE["kind"] = np.where(TABLE.c > 0, "p", "q")
X = TABLE[list("abc")]


@pytest.fixture
def file(tmp_path):
    TABLE.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def test_knots(file, tmp_path, capsys):
    model, out = tmp_path / "m.npz", tmp_path / "out.csv"
    options = ["--response", "y", "--drop", "kind", "--lambda-min", "0.05"]
    assert run("lars", file, *options, "--save", model, "--out", out) == 0
    fit = ss.lars_path(X, TABLE.y, lambda_min=0.05)
    assert capsys.readouterr().out == f"{fit}\n"
    np.testing.assert_array_equal(ss.load(model).lambdas, fit.lambdas)
    assert ss.load(model).feature_names.tolist() == ["a", "b", "c"]
    assert set(pandas.read_csv(out)["feature"]) <= {"(Intercept)", "a", "b", "c"}


def test_pursuit_with_a_category(file, tmp_path, capsys):
    model = tmp_path / "m.npz"
    options = ["--response", "y", "--n-nonzero", "2", "--save", model, "--quiet"]
    assert run("omp", file, *options) == 0
    design = ss.make_design(TABLE[["a", "b", "c", "kind"]])
    np.testing.assert_allclose(ss.load(model).coefs.toarray(),
                               ss.omp_path(design, TABLE.y, n_nonzero=2).coefs.toarray())
    assert run("predict", model, file) == 0


def test_kernels_are_assessed(file, tmp_path, capsys):
    model = tmp_path / "m.npz"
    options = ["--response", "y", "--drop", "kind", "--kernel", "linear=a,b", "--n-lambdas", "4"]
    assert run("mkl", file, *options, "--save", model) == 0
    capsys.readouterr()
    assert run("assess", model, file, "--response", "y") == 0
    head, *rows = capsys.readouterr().out.split()
    fit = ss.load(model)
    eta = fit.predict(X)
    wrong = np.mean((np.asarray(TABLE.y)[:, None] - eta) ** 2, axis=0)
    found = [float(row.split(",")[1]) for row in rows]
    assert head.startswith("lambda,deviance")
    np.testing.assert_allclose(found, wrong)


def test_kernels(file, tmp_path, capsys):
    out = tmp_path / "weights.csv"
    options = ["--response", "y", "--drop", "kind", "--kernel", "linear=a,b", "--kernel",
               "gaussian(0.5)", "--n-lambdas", "5", "--out", out]  # fmt: skip
    assert run("mkl", file, *options) == 0
    pairs = {"linear": (ss.mkl.linear(), [0, 1]), "wide": (ss.mkl.gaussian(0.5), None)}
    fit = ss.mkl_path(ss.mkl.build_grams(X, pairs, scale="trace"), TABLE.y, n_lambdas=5)
    found = pandas.read_csv(out)
    weights = fit.kernel_weights.T[fit.kernel_weights.T > 0.0]
    np.testing.assert_allclose(found["weight"], weights)
    assert "kernels" in capsys.readouterr().out


@pytest.mark.parametrize("drop", [["--drop", "kind"], []])
def test_a_model_of_kernels_predicts_from_the_shell(drop, file, tmp_path, capsys):
    model, out = tmp_path / "m.npz", tmp_path / "p.csv"
    options = ["--response", "y", *drop, "--kernel", "gaussian(0.5)", "--kernel", "linear=a,b",
               "--n-lambdas", "5", "--save", model, "--quiet"]  # fmt: skip
    assert run("mkl", file, *options) == 0
    assert "holds the rows" in capsys.readouterr().err
    assert run("predict", model, file, "--out", out) == 0
    fit, names = ss.load(model), ["a", "b", "c"] + ["kind"] * (not drop)
    np.testing.assert_allclose(pandas.read_csv(out).to_numpy(), fit.predict(TABLE[names]))
    assert run("plot", model, tmp_path / "a.png") == 2
    assert "model of kernels" in capsys.readouterr().err


@pytest.mark.parametrize("words, message", [
    ([], "say which kernels by --kernel"),
    (["--kernel", "sine(3)"], "none of gaussian"),
    (["--kernel", "gaussian(wide)"], "could not convert"),
    (["--kernel", "linear=a,z"], "no column of X is named 'z'"),
])  # fmt: skip
def test_other_kernels_are_refused(words, message, file, capsys):
    assert run("mkl", file, "--response", "y", "--drop", "kind", *words) == 2
    assert message in capsys.readouterr().err
