"""The command report: what the page says is what the model and the functions say."""

import html
import json
import re

import numpy as np
import pytest

pytest.importorskip("plotly")
import pandas as pd  # noqa: E402
from cases import run  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.cli.report import MOST_POINTS  # noqa: E402

RNG = np.random.default_rng(0)
COLUMNS = ["age", "dose <mg>", "size"]
TABLE = pd.DataFrame(RNG.normal(size=(150, 3)), columns=COLUMNS)
TABLE["level"] = TABLE.age - TABLE["dose <mg>"] + 0.5 * RNG.normal(size=150)
TABLE["state"] = np.where(TABLE.level + RNG.logistic(size=150) > 0, "sick & tired", "well")
TABLE["three"] = RNG.choice(["a", "b", "c"], 150)
TABLE["time"], TABLE["dead"] = RNG.exponential(size=150), RNG.integers(0, 2, 150)
RESPONSES = ["level", "state", "three", "time", "dead"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE[:100].to_csv("train.csv", index=False)
    TABLE[100:].to_csv("test.csv", index=False)
    return tmp_path


def fitted(response, *options, command="cv"):
    """Fit a response by the command; return the saved model."""
    dropped = [word for name in RESPONSES if name != response for word in ("--drop", name)]
    words = ["train.csv", "--response", response, *dropped, "--save", "m.npz", "--quiet"]
    assert run(command, *words, *["--seed", "0"] * (command == "cv"), *options) == 0
    return ss.load("m.npz")


def tables(page):
    """The tables of a page below the explorer, by their heading, as rows of text."""
    found = {}
    for head, body in re.findall(r"<h[23]>(.*?)</h[23]>(.*?)(?=<h[23]>|<footer>)", page, re.S):
        rows = re.findall(r"<tr>(.*?)</tr>", body, re.S)
        cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S) for row in rows]
        found[html.unescape(head)] = [list(map(html.unescape, row)) for row in cells]
    return found


def page_of(*words, out="page.html"):
    """Write a report; return (tables, figures, the whole page)."""
    assert run("report", "m.npz", *words, "-o", out) == 0
    with open(out, encoding="utf-8") as stream:
        page = stream.read()
    figures = re.search(r'id="figures">(.*?)</script>', page, re.S)[1]
    return tables(page), json.loads(figures), page


def numbers(rows):
    return {name: float(value) for name, value in rows[1:]}


def test_a_report_of_two_classes(folder):
    cv = fitted("state", "--family", "binomial")
    found, (figure,), page = page_of("--data", "test.csv", "--response", "state")
    X, y = TABLE[100:][COLUMNS], TABLE[100:]["state"]
    rows = found["On the 50 rows of test.csv"]
    assert numbers(rows) == pytest.approx(dict(ss.assess(cv, X, y)), rel=1e-5)
    expected = ss.calibration(cv, X, y, "lambda_1se")
    assert figure["data"][1]["x"] == expected.predicted.tolist()
    assert figure["data"][1]["y"] == expected.observed.tolist()
    counts = ss.confusion(cv, X, y, "lambda_1se").counts
    cells = np.array([row[1:] for row in found["True and predicted classes"][1:]], dtype=float)
    np.testing.assert_array_equal(cells, counts)
    assert found["True and predicted classes"][0] == ["true", "sick & tired", "well"]
    shown = numbers(found[f"In the model at λ = {cv.lambda_1se:.4g}"])
    own = cv.to_frame().set_index("feature")["coefficient"]
    assert shown == pytest.approx(own.to_dict(), rel=1e-5)
    assert json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])["lambdas"] == (
        cv.lambdas.tolist())  # fmt: skip


def test_how_it_was_made(folder):
    fitted("level", "--penalty", "scad", "--no-intercept", "--tol", "1e-9", command="path")
    found, figures, page = page_of()
    made = dict(found["How it was made"][1:])
    assert figures == [] and made["Penalty"] == "SCAD" and made["Intercept"] == "no"
    assert made["Family"] == "gaussian" and made["Features"] == "3"
    assert made["Tolerance"] == "1e-09"
    assert made["Command"] == (
        "sparsesolve path train.csv --response level --drop state --drop three --drop time "
        "--drop dead --save m.npz --quiet --penalty scad --no-intercept --tol 1e-9"
    )
    assert made["Versions"] == made["Report made by"] and ss.__version__ in made["Versions"]
    assert "stationary points" in page and "lower by more" not in page
    assert "SCAD is not convex" in page  # the heading, too
    again = ss.load("m.npz")
    ss.save(again, "m.npz")  # what was known stays known
    assert dict(page_of()[0]["How it was made"][1:]) == made


def test_what_the_file_does_not_hold_is_said(folder):
    ss.save(ss.path(TABLE[COLUMNS], TABLE.level), "m.npz")
    made = dict(page_of()[0]["How it was made"][1:])
    assert made["Command"] == made["Versions"] == "not in the file"
    assert made["Penalty"] == "elastic net"


def test_residuals_of_numbers(folder):
    path = fitted("level", command="path")
    found, (observed, residuals), page = page_of(
        "--data", "test.csv", "--response", "level", "--s", "0.2")  # fmt: skip
    X, y = TABLE[100:][COLUMNS], TABLE[100:]["level"].to_numpy()
    predicted = path.predict(X, 0.2)
    np.testing.assert_allclose(observed["data"][1]["x"], predicted)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert data["start"] == np.abs(path.lambdas - 0.2).argmin()  # where the slider begins
    np.testing.assert_allclose(observed["data"][1]["y"], y)
    np.testing.assert_allclose(residuals["data"][1]["y"], y - predicted)
    expected = ss.assess(path, X, y, 0.2)
    assert numbers(found["On the 50 rows of test.csv"]) == pytest.approx(dict(expected), rel=1e-5)


def test_many_rows_are_thinned(folder, monkeypatch):
    monkeypatch.setattr("sparsesolve.cli.report.MOST_POINTS", 20)
    fitted("level", command="path")
    _, (observed, _), page = page_of("--data", "test.csv", "--response", "level")
    assert len(observed["data"][1]["x"]) == 20 and "20 of 50 rows are drawn" in page
    assert MOST_POINTS > 1000


@pytest.mark.parametrize("response, options", [
    ("three", ["--family", "multinomial"]), ("state", ["--family", "hinge", "--alpha", "0.5"]),
])  # fmt: skip
def test_classes_without_calibration(folder, response, options):
    fit = fitted(response, *options, command="path")
    found, figures, _ = page_of("--data", "test.csv", "--response", response, "--s", "0.01")
    X, y = TABLE[100:][COLUMNS], TABLE[100:][response]
    cells = np.array([row[1:] for row in found["True and predicted classes"][1:]], dtype=float)
    np.testing.assert_array_equal(cells, ss.confusion(fit, X, y, 0.01).counts)
    assert figures == []


def test_survival_has_measures(folder):
    words = [word for name in ("level", "state", "three") for word in ("--drop", name)]
    responses = ["--response", "time", "--response", "dead"]
    assert run("path", "train.csv", *responses, "--family", "cox", *words, "--save", "m.npz",
               "--quiet") == 0  # fmt: skip
    found, _, page = page_of("--data", "test.csv", *responses, "--s", "0.01")
    y = np.column_stack([TABLE["time"], TABLE["dead"]])[100:]
    expected = ss.assess(ss.load("m.npz"), TABLE[100:][COLUMNS], y, 0.01)
    assert numbers(found["On the 50 rows of test.csv"]) == pytest.approx(dict(expected), rel=1e-5)
    assert "no picture of residuals" in page


def test_kernels(folder):
    dropped = [word for name in RESPONSES[1:] for word in ("--drop", name)]
    kernels = ["--kernel", "gaussian(1)", "--kernel", "linear"]
    assert run("mkl", "train.csv", "--response", "level", *dropped, *kernels, "--save", "m.npz",
               "--quiet") == 0  # fmt: skip
    found, (observed, _), _ = page_of("--data", "test.csv", "--response", "level")
    fit = ss.load("m.npz")
    assert dict(found["How it was made"][1:])["Kernels"] == "2"
    np.testing.assert_allclose(observed["data"][1]["x"], fit.predict(
        TABLE[100:][COLUMNS], fit.lambdas[-1]))  # fmt: skip


@pytest.mark.parametrize("words, message", [
    (["--data", "test.csv"], "the responses of the rows are needed; name their column by"),
    (["--response", "level"], "--response, --weights, --offset and --strata are columns of"),
    (["--s", "lambda_min"], "--s lambda_min needs a model that `cv --save` wrote"),
    (["--data", "nowhere.csv", "--response", "level"], "nowhere.csv"),
    (["-o", "m.npz"], "would replace the file that is read"),
    (["--data", "test.csv", "--response", "level", "--strata", "age"], "--strata belongs to"),
])  # fmt: skip
def test_bad_input_is_one_line(folder, capsys, words, message):
    ss.save(ss.path(TABLE[COLUMNS], TABLE.level), "m.npz")
    assert run("report", "m.npz", *words) == 2
    said = capsys.readouterr().err
    assert said.startswith("sparsesolve: error: ") and said.count("\n") == 1 and message in said
    assert not (folder / "report.html").exists()
