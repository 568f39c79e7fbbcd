"""The command line reads what people have: text, gaps, other marks; models predict such files."""

import re

import numpy as np
import pytest

pytest.importorskip("pandas")
import pandas  # noqa: E402
from cases import run  # noqa: E402

import sparsesolve as ss  # noqa: E402

RNG = np.random.default_rng(0)
N = 120
TABLE = pandas.DataFrame({
    "id": [f"p{i}" for i in range(N)],
    "age": RNG.normal(50, 9, N).round(2),
    "ward": RNG.choice(["east", "north", "south"], N),
    "smoker": RNG.choice([True, False], N),
})  # fmt: skip
TABLE["cost"] = (0.1 * TABLE.age + 2.0 * (TABLE.ward == "east") + RNG.normal(size=N)).round(3)
TABLE["state"] = np.where(TABLE.cost > TABLE.cost.median(), "ill", "well")
TABLE.loc[[3, 40], "age"] = np.nan
TABLE.loc[7, "ward"] = None
NUMBERS = pandas.DataFrame(RNG.normal(size=(40, 2)).round(3), columns=["a", "b"])
NUMBERS["y"] = (1000 * NUMBERS.a + RNG.normal(size=40)).round(2)


@pytest.fixture
def patients(tmp_path):
    TABLE.to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


def test_text_and_gaps_are_encoded_and_said(patients, tmp_path, capsys):
    model = tmp_path / "model.npz"
    options = ["--response", "cost", "--drop", "id", "--drop", "state", "--save", model, "--quiet"]
    assert run("path", patients, *options) == 0
    err = capsys.readouterr().err
    assert "columns of text, encoded by their levels: ward" in err
    assert "gaps filled with the mean of their column: 2 in age, 1 in ward" in err
    design = ss.make_design(TABLE[["age", "ward", "smoker"]])
    fit, expected = ss.load(model), ss.path(design, TABLE.cost)
    np.testing.assert_allclose(fit.coefs.toarray(), expected.coefs.toarray())
    assert fit.feature_names.tolist() == design.names.tolist()
    assert run("path", patients, *options, "--missing", "error") == 2
    assert "line 5 (row 4), column 'age': the cell holds no value" in capsys.readouterr().err


def test_a_model_with_categories_predicts_files_in_another_process(patients, tmp_path, capsys):
    """Ids beside the predictions, other columns left out, probabilities of each class by name."""
    model, out = tmp_path / "model.npz", tmp_path / "out.csv"
    fit = ["--response", "state", "--family", "binomial", "--drop", "id", "--drop", "cost"]
    assert run("cv", patients, *fit, "--seed", 0, "--save", model, "--quiet") == 0
    new = TABLE.iloc[:9, ::-1].assign(note=[f"text {i}" for i in range(9)])
    new.to_csv(tmp_path / "new.csv", index=False)
    kind = ["--kind", "probabilities", "--id", "id", "--id", "note", "--out", out]
    assert run("predict", model, tmp_path / "new.csv", *kind) == 0
    found = pandas.read_csv(out)
    assert list(found.columns) == ["id", "note", "ill", "well"]
    expected = ss.load(model).predict(TABLE.iloc[:9], kind="response")
    np.testing.assert_allclose(found["well"], expected)
    np.testing.assert_allclose(found["ill"] + found["well"], 1.0)
    assert found["id"].tolist() == TABLE.id[:9].tolist()
    capsys.readouterr()
    new.drop(columns="ward").to_csv(tmp_path / "new.csv", index=False)
    assert run("predict", model, tmp_path / "new.csv") == 2
    assert "no column is named 'ward'" in capsys.readouterr().err
    new.assign(ward="west").to_csv(tmp_path / "new.csv", index=False)
    assert run("predict", model, tmp_path / "new.csv") == 2
    err = capsys.readouterr().err
    assert "line 2 (row 1), column 'ward': 'west' is none of the 3 levels" in err
    assert run("predict", model, tmp_path / "new.csv", "--unknown", "zero") == 0
    found = np.array([float(line) for line in capsys.readouterr().out.splitlines()[1:]])
    expected = ss.load(model).path.encoder.encode(new.assign(ward="west"), unknown="zero")
    np.testing.assert_allclose(found, ss.load(model).predict(expected, kind="response"))


@pytest.mark.parametrize("write", [
    lambda file: NUMBERS.to_csv(file, index=False),
    lambda file: NUMBERS.to_csv(file, index=False, sep=";", decimal=","),
    lambda file: NUMBERS.assign(y=[f"{v:,.2f}" for v in NUMBERS.y]).to_csv(file, index=False),
], ids=["plain", "decimal comma", "thousands"])  # fmt: skip
def test_the_same_numbers_written_otherwise(write, tmp_path):
    file, out = tmp_path / "data.csv", tmp_path / "out.csv"
    write(file)
    assert run("path", file, "--response", "y", "--lambdas", "5", "--quiet", "--out", out) == 0
    coefs = pandas.read_csv(out).set_index("feature")["coefficient"]
    expected = ss.path(NUMBERS[["a", "b"]], NUMBERS.y, lambdas=[5.0])
    assert coefs["a"] == pytest.approx(expected.coef(5.0)[0])
    assert coefs["(Intercept)"] == pytest.approx(expected.intercept(5.0))


@pytest.mark.parametrize("change, words", [
    ({"age": [f"{v}y" if i == 5 else v for i, v in enumerate(TABLE.age)]},
     "line 7 .row 6., column 'age': '.*y' is not a number, as most of that column are"),
])  # fmt: skip
def test_what_is_no_category_is_refused(change, words, tmp_path, capsys):
    TABLE.assign(**change).to_csv(tmp_path / "bad.csv", index=False)
    options = ["--response", "cost", "--drop", "id", "--drop", "state"]
    assert run("path", tmp_path / "bad.csv", *options) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert re.search(words, err), err


def test_advice_can_be_followed(tmp_path, capsys):
    """No --drop where there is none, no family that was given."""
    model = tmp_path / "model.npz"
    NUMBERS.assign(y=NUMBERS.y > 0).to_csv(tmp_path / "data.csv", index=False)
    fit = ["--response", "y", "--family", "binomial", "--quiet"]
    assert run("path", tmp_path / "data.csv", *fit, "--save", model) == 0
    (tmp_path / "gap.csv").write_text("a,b\n1,NA\n")
    assert run("predict", model, tmp_path / "gap.csv") == 2
    assert "--drop" not in capsys.readouterr().err
    (tmp_path / "gap.csv").write_text("a,b,y\n1,2,NA\n1,3,True\n2,2,False\n")
    assert run("path", tmp_path / "gap.csv", *fit) == 2
    assert "--family" not in capsys.readouterr().err


def test_files_are_read_without_pandas(patients, tmp_path, monkeypatch):
    """As with it, which is there for speed."""
    import importlib.util

    monkeypatch.setattr("sparsesolve.data.tables.cells.ENOUGH", 0)
    options = ["--response", "cost", "--drop", "id", "--drop", "state", "--quiet"]
    assert run("path", patients, *options, "--out", tmp_path / "with.csv") == 0
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run("path", patients, *options, "--out", tmp_path / "without.csv") == 0
    assert (tmp_path / "with.csv").read_text() == (tmp_path / "without.csv").read_text()


def test_a_first_column_without_a_name_is_not_dropped_without_a_word(tmp_path, capsys):
    (tmp_path / "d.csv").write_text(",b,y\n1,2,3\n2,1,4\n3,3,3\n")
    assert run("path", tmp_path / "d.csv", "--response", "y", "--quiet") == 0
    assert "the first column has no name and is left out" in capsys.readouterr().err
