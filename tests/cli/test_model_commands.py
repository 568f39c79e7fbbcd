"""assess, criteria and refit say of a saved model what the functions say."""

import numpy as np
import pytest

pytest.importorskip("pandas")
import pandas  # noqa: E402
from cases import run  # noqa: E402

import sparsesolve as ss  # noqa: E402

RNG = np.random.default_rng(0)
TABLE = pandas.DataFrame(RNG.normal(size=(80, 4)), columns=list("abcd"))
TABLE["y"] = TABLE.a - TABLE.c + RNG.normal(size=80)


@pytest.fixture
def places(tmp_path):
    TABLE.to_csv(tmp_path / "data.csv", index=False)
    cv = ss.cv_path(TABLE[list("abcd")], TABLE.y, n_folds=4, seed=0)
    ss.save(cv, tmp_path / "cv.npz")
    ss.save(cv.path, tmp_path / "path.npz")
    return tmp_path, cv


def test_assess(places, capsys):
    folder, cv = places
    assert run("assess", folder / "cv.npz", folder / "data.csv", "--response", "y") == 0
    lines = dict(line.split(",") for line in capsys.readouterr().out.splitlines()[1:])
    expected = ss.assess(cv, TABLE[list("abcd")], TABLE.y)
    assert {name: float(value) for name, value in lines.items()} == pytest.approx(expected)
    out = folder / "all.csv"
    options = ["--response", "y", "--out", out]
    assert run("assess", folder / "path.npz", folder / "data.csv", *options) == 0
    found = pandas.read_csv(out)
    assert len(found) == len(cv.lambdas)
    whole = ss.assess(cv.path, TABLE[list("abcd")], TABLE.y)
    np.testing.assert_allclose(found["mse"], whole["mse"])


def test_criteria(places, capsys):
    folder, cv = places
    assert run("criteria", folder / "cv.npz", folder / "data.csv", "--response", "y") == 0
    lines = capsys.readouterr().out.splitlines()
    expected = ss.criteria(cv, TABLE[list("abcd")], TABLE.y)
    assert lines[0].split(",") == ["lambda", "df", *expected]
    best = cv.lambdas[expected["bic"].argmin()]
    assert any(line.startswith(f"least bic: lambda = {best:.6g},") for line in lines)


def test_refit(places, capsys):
    folder, cv = places
    assert run("refit", folder / "cv.npz", folder / "data.csv", "--response", "y") == 0
    assert capsys.readouterr().out == f"{ss.refit(cv, TABLE[list('abcd')], TABLE.y)}\n"
    out = folder / "refit.csv"
    options = ["--response", "y", "--s", "0.2", "--level", "0.9", "--out", out]
    assert run("refit", folder / "path.npz", folder / "data.csv", *options) == 0
    found = ss.refit(cv, TABLE[list("abcd")], TABLE.y, 0.2, level=0.9)
    np.testing.assert_allclose(pandas.read_csv(out)["lower"], found.lower)


@pytest.mark.parametrize("words, message", [
    (["refit", "path.npz", "data.csv", "--response", "y"], "refit is of one lambda; give --s"),
    (["assess", "path.npz", "data.csv"], "name their column by --response"),
    (["assess", "path.npz", "data.csv", "--response", "yy"], "no column is named 'yy'"),
])  # fmt: skip
def test_what_is_missing_is_said(words, message, places, capsys):
    folder, _ = places
    words = [folder / word if word.endswith((".npz", ".csv")) else word for word in words]
    assert run(*words) == 2
    assert message in capsys.readouterr().err
