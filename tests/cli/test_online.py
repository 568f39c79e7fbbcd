"""The command online: learn, save, go on, predict; Ctrl-C leaves a model."""

import io
import sys
from importlib import import_module

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.__main__ import main
from sparsesolve.online.fit import OnlineFit


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 5)).round(4)
    y = X[:, 0] - X[:, 1] + rng.logistic(size=800) > 0
    lines = [" ".join([str(int(t)), *[f"{j + 1}:{x}" for j, x in enumerate(row)]])
             for row, t in zip(X, y, strict=True)]  # fmt: skip
    (tmp_path / "a.svm").write_text("\n".join(lines))
    return tmp_path / "a.svm", X, y


OPTIONS = ["--family", "binomial", "--lam", "0.02"]


def test_learn_save_go_on_and_predict(tmp_path, file, capsys):
    path, X, y = file
    model, out = tmp_path / "m.npz", tmp_path / "p.csv"
    assert main(["online", str(path), *OPTIONS, "--save", str(model)]) == 0
    told = capsys.readouterr()
    assert "800 rows, mean progressive loss" in told.out
    assert told.err.splitlines()[0].split() == ["rows", "mean", "loss"]
    counts = [int(line.split()[0]) for line in told.err.splitlines()[1:]]
    assert counts == [2**k for k in range(10)]
    known = ss.online(X, y * 1.0, family="binomial", lam=0.02)
    np.testing.assert_array_equal(ss.load(model).coef(), known.coef())
    assert main(["online", str(path), "--start", str(model), "--quiet", "--save", str(model)]) == 0
    assert ss.load(model).n_rows == 1600
    assert main(["predict", str(model), str(path), "--out", str(out)]) == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "response" and len(lines) == 801
    expected = ss.load(model).predict(X, "response")
    np.testing.assert_allclose([float(line) for line in lines[1:]], expected, rtol=1e-12)


def test_csv_by_names(tmp_path, file, capsys):
    _, X, y = file
    table = tmp_path / "a.csv"
    rows = [",".join(map(str, [*row, int(t)])) for row, t in zip(X, y, strict=True)]
    table.write_text("\n".join(["a,b,c,d,e,y", *rows]))
    model = tmp_path / "m.npz"
    assert main(["online", str(table), "--response", "y", *OPTIONS, "--quiet", "--passes", "3",
                 "--save", str(model)]) == 0  # fmt: skip
    assert list(ss.load(model).feature_names) == ["a", "b", "c", "d", "e"]
    assert main(["predict", str(model), str(table), "--kind", "link"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 801


def test_a_model_goes_on_with_columns_in_another_order(tmp_path, file):
    _, X, y = file
    first, turned, model = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "m.npz"
    np.savetxt(first, np.column_stack([X, y]), "%.4f", ",", header="a,b,c,d,e,y", comments="")
    np.savetxt(turned, np.column_stack([y, X[:, ::-1]]), "%.4f", ",", header="y,e,d,c,b,a",
               comments="")  # fmt: skip
    found = []
    for second in (first, turned):
        assert main(["online", str(first), "--response", "y", *OPTIONS, "--quiet",
                     "--save", str(model)]) == 0  # fmt: skip
        assert main(["online", str(second), "--response", "y", "--start", str(model), "--quiet",
                     "--save", str(model)]) == 0  # fmt: skip
        found.append(ss.load(model))
    np.testing.assert_array_equal(found[0].coef(), found[1].coef())
    assert list(found[1].feature_names) == ["a", "b", "c", "d", "e"]


def test_standard_input(tmp_path, file, monkeypatch, capsys):
    path, X, y = file
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert main(["online", "-", "--format", "svmlight", *OPTIONS, "--step", "1"]) == 0
    assert "800 rows" in capsys.readouterr().out


def test_ctrl_c_leaves_a_model(tmp_path, file, monkeypatch, capsys):
    path, X, y = file
    learned, calls = OnlineFit.more_rows, []

    def interrupted(self, block):
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return learned(self, block)

    monkeypatch.setattr(OnlineFit, "more_rows", interrupted)
    monkeypatch.setattr(import_module("sparsesolve.data.tables.sparse_text"), "BYTES", 20_000)
    model = tmp_path / "m.npz"
    assert main(["online", str(path), *OPTIONS, "--step", "1", "--save", str(model)]) == 130
    fit = ss.load(model)
    n = fit.n_rows
    assert 0 < n < 800
    known = ss.online(X[:n], y[:n] * 1.0, family="binomial", lam=0.02, step=1.0)
    np.testing.assert_array_equal(fit.coef(), known.coef())
    assert f"interrupted after {n} rows" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change, match",
    [
        (["--lam", "-1"], "lam must be"),
        (["--step", "long"], "--step is 'long'"),
        (["--classes", "a,b"], "numbers, where the classes ['a', 'b'] are text"),
        (["--family", "cox"], "is not a sum over rows"),
        (["--response", "y"], "no columns by name"),
    ],
)
def test_bad_options(file, change, match, capsys):
    assert main(["online", str(file[0]), *OPTIONS, *change]) == 2
    assert match in capsys.readouterr().err


def test_lam_is_needed(file, capsys):
    assert main(["online", str(file[0])]) == 2
    assert "--lam is missing" in capsys.readouterr().err


def test_svrg_reads_the_file_twice_in_every_pass(tmp_path, file, capsys):
    path, X, y = file
    model = tmp_path / "m.npz"
    svrg = [*OPTIONS, "--method", "svrg", "--passes", "3", "--step", "0.1"]
    assert main(["online", str(path), *svrg, "--save", str(model)]) == 0
    known = ss.online(X, y * 1.0, family="binomial", lam=0.02, method="svrg", passes=3, step=0.1)
    np.testing.assert_array_equal(ss.load(model).coef(), known.coef())
    assert main(["online", str(path), *svrg, "--start", str(model)]) == 2
    assert "starts from zero" in capsys.readouterr().err


def test_classes_may_be_negative_and_other_commands_say_what_they_take(tmp_path, file, capsys):
    path, X, y = file
    signed, model = tmp_path / "signed.svm", tmp_path / "m.npz"
    lines = path.read_text().splitlines()
    signed.write_text("\n".join("-1" + line[1:] if line[0] == "0" else line for line in lines))
    for more in ([], ["--classes", "-1,1"]):
        assert main(["online", str(signed), *OPTIONS, *more, "--quiet", "--save",
                     str(model)]) == 0  # fmt: skip
        assert ss.load(model).classes.tolist() == [-1, 1]
    known = ss.online(X, y * 1.0, family="binomial", lam=0.02)
    np.testing.assert_array_equal(ss.load(model).coef(), known.coef())
    capsys.readouterr()
    assert main(["assess", str(model), str(signed)]) == 0
    found = dict(line.split(",") for line in capsys.readouterr().out.splitlines()[1:])
    assert float(found["class"]) == pytest.approx((known.predict(X, "class") != y).mean())
    assert main(["criteria", str(model), str(signed)]) == 2
    assert "holds an OnlineFit; this command takes what path" in capsys.readouterr().err
