"""The command online: learn, save, go on, predict; Ctrl-C leaves a model."""

import json
import pickle
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


def test_steps_of_theory(tmp_path, file, capsys):
    path, X, y = file
    model = tmp_path / "m.npz"
    options = ["--method", "fobos", "--step", "theory", "--prox-step", "next", "--quiet"]
    start = ["online", str(path), *OPTIONS, *options]
    assert main([*start, "--norm", "30", "--save", str(model)]) == 0
    known = ss.online(X, y * 1.0, family="binomial", lam=0.02, method="fobos", step="theory",
                      norm=30.0, prox_step="next")  # fmt: skip
    fit = ss.load(model)
    np.testing.assert_array_equal(fit.coef(), known.coef())
    assert fit.eta0 == 30.0 / (4 * np.sqrt((X**2).sum(axis=1) + 1.0).max())
    fit.more(X, y * 1.0)  # with the options of the file
    np.testing.assert_array_equal(fit.coef(), known.more(X, y * 1.0).coef())
    assert main(start) == 2
    assert "needs norm=" in capsys.readouterr().err


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


def test_vw_rows_without_label_are_predicted_with_their_tags(tmp_path, capsys):
    (tmp_path / "a.vw").write_text("1 | a x:1\n0 | b x:2\n" * 50)
    words = ["online", str(tmp_path / "a.vw"), "--family", "binomial", "--lam", "1e-4", "--quiet"]
    assert main([*words, "--hash-bits", "10", "--save", str(tmp_path / "m.npz")]) == 0
    (tmp_path / "new.vw").write_text("| a x:1\n'one | b x:2\n1 1.0 0.5 two| a x:1\n")
    capsys.readouterr()
    predict = ["predict", str(tmp_path / "m.npz"), str(tmp_path / "new.vw"), "--kind", "link"]
    assert main([*predict, "--id", "tag"]) == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["tag", "link"] and [row[0] for row in rows[1:]] == ["", "one", "two"]
    links = [float(row[1]) for row in rows[1:]]
    assert links[0] > 0 > links[1] and links[2] == pytest.approx(links[0] + 0.5)
    assert main(["online", str(tmp_path / "new.vw"), "--lam", "1"]) == 2
    assert "line 1: there is no label before the first |" in capsys.readouterr().err


def test_models_of_an_earlier_release_go_on_hashing_as_they_did(tmp_path, capsys):
    """Their files do not say how names are hashed."""
    (tmp_path / "a.vw").write_text("1 |f1 12\n0 |f11 2\n" * 40)
    fit = ss.online(str(tmp_path / "a.vw"), family="binomial", lam=1e-4, step=1.0)
    assert len(fit.nonzero()) == 2
    ss.save(fit, tmp_path / "m.npz")
    arrays = dict(np.load(tmp_path / "m.npz"))
    settings = json.loads(str(arrays["settings"]))
    for name in ("hashing", "hash_bits", "zero_based"):
        settings.pop(name)
    np.savez(tmp_path / "m.npz", **{**arrays, "settings": json.dumps(settings)})
    old = ss.load(tmp_path / "m.npz").more(str(tmp_path / "a.vw"))
    assert len(old.nonzero()) == 3 and old.reading["hashing"] == 1
    ss.save(old, tmp_path / "n.npz")
    assert ss.load(tmp_path / "n.npz").reading["hashing"] == 1
    assert pickle.loads(pickle.dumps(fit)).reading["hashing"] == 2


@pytest.mark.parametrize("family, wanted", [
    ("hinge", ss.families.hinge()), ("quantile(0.9)", ss.families.quantile(0.9)),
    ("epsilon-insensitive(0.1)", ss.families.epsilon_insensitive(0.1)),
])  # fmt: skip
def test_losses_of_the_shell_are_those_of_python(tmp_path, file, capsys, family, wanted):
    path, X, y = file
    model, out = tmp_path / "m.npz", tmp_path / "p.csv"
    words = ["online", str(path), "--family", family, "--lam", "0.02", "--quiet"]
    assert main([*words, "--save", str(model)]) == 0
    known = ss.online(X, y * 1.0, family=wanted, lam=0.02)
    np.testing.assert_array_equal(ss.load(model).coef(), known.coef())
    words = ["predict", str(model), str(path), "--kind", "probabilities", "--out", str(out)]
    assert main(words) == 2
    assert "has no probabilities; ask for --kind response" in capsys.readouterr().err


def test_tables_that_path_reads_online_reads(tmp_path, capsys):
    """Numbers in quotes, names of rows, semicolons, an empty last line."""
    rows = [(i % 7, i % 3, i % 2) for i in range(40)]
    X, y = np.array(rows)[:, :2], np.array(rows)[:, 2]
    known = ss.online(X, y, lam=0.01)
    for text in (
        "a,b,y\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows) + "\n",
        '"a","b","y"\n' + "".join(f'"{a}","{b}","{c}"\n' for a, b, c in rows),
        '"","a","b","y"\n' + "".join(f'"{i}",{a},{b},{c}\n' for i, (a, b, c) in enumerate(rows)),
        "a;b;y\n" + "".join(f"{a},0;{b},0;{c}\n" for a, b, c in rows),
    ):
        (tmp_path / "t.csv").write_text(text)
        model = tmp_path / "m.npz"
        assert main(["online", str(tmp_path / "t.csv"), "--response", "y", "--lam", "0.01",
                     "--quiet", "--save", str(model)]) == 0  # fmt: skip
        assert ("has no name" in capsys.readouterr().err) == text.startswith('""')
        np.testing.assert_array_equal(ss.load(model).coef(), known.coef())
