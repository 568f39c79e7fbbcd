"""The explorer: every number of its page and of its figure is that of the result."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from results.test_family import RESULTS, made

import sparsesolve as ss
from sparsesolve.penalties import GroupL2
from sparsesolve.results.pictures import explorer

pytest.importorskip("plotly")
import pandas as pd  # noqa: E402

EXPLORED = sorted(name for name in RESULTS if hasattr(type(made(name)), "explore"))
RNG = np.random.default_rng(7)
X = pd.DataFrame(RNG.normal(size=(80, 60)), columns=[f"x{j} </script>&<b>" for j in range(60)])
Y = X.iloc[:, 0] - X.iloc[:, 25] + RNG.normal(size=80)
GROUPS = {f"block {k}": list(range(20 * k, 20 * k + 20)) for k in range(3)}


class Scripts(HTMLParser):
    """The texts of the scripts of a page, by their id, and what it loads."""

    def __init__(self):
        super().__init__()
        self.texts, self.loads, self.last = {}, [], None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.last = attributes.get("id", "code") if tag == "script" else None
        self.loads += [value for name, value in attributes.items() if name in ("src", "href")]

    def handle_endtag(self, tag):
        self.last = None

    def handle_data(self, text):
        if self.last:
            self.texts[self.last] = self.texts.get(self.last, "") + text


def page_of(fit, folder):
    """Write the page of a result; return its numbers, its figure and what it loads."""
    file = folder / "page.html"
    assert fit.explore(file) is None
    page = Scripts()
    page.feed(file.read_text(encoding="utf-8"))
    return json.loads(page.texts["data"]), json.loads(page.texts["drawn"]), page.loads


def dense(view, L):
    """The values of a view of the page, (m, L)."""
    values = np.zeros((len(view["names"]), L))
    for k, (lines, column) in enumerate(view["columns"]):
        assert np.all(np.diff(np.abs(column)) <= 0.0)  # the largest first
        values[lines, k] = column
    return values


@pytest.mark.parametrize("name", EXPLORED)
def test_the_page_holds_the_numbers_of_the_result(name, tmp_path):
    fit = made(name)
    path = getattr(fit, "path", fit)
    data, drawn, loads = page_of(fit, tmp_path)
    assert loads == []  # nothing from elsewhere
    np.testing.assert_array_equal(data["lambdas"], path.lambdas)
    assert len(data["said"]) == len(drawn["frames"]) == len(path.lambdas)
    for view, own in zip(data["views"], path._views(), strict=True):
        rows = own.rows.toarray()
        used = np.flatnonzero(rows.any(axis=1))
        names = used if own.names is None else [own.names[j] for j in used]
        assert view["names"] == list(map(str, names)) and view["title"] == own.title
        np.testing.assert_array_equal(dense(view, len(path.lambdas)), rows[used])
    assert f"λ = {path.lambdas[0]:.4g}" in data["said"][0]


def test_all_results_with_a_path_are_explored():
    assert set(EXPLORED) == {
        "Path", "KnotPath", "CVPath", "MKLPath", "MKLCrossValidation", "CRFPath",
        "CRFCrossValidation", "TreePath", "StabilityPath",
    }  # fmt: skip


def test_views_are_the_coefficients_as_the_result_answers_them(tmp_path):
    kind = np.array(["a", "b", "c"])[RNG.integers(0, 3, 80)]
    fit = ss.path(X, kind, family="multinomial", n_lambdas=8, stop=None, penalty=GroupL2(GROUPS))
    data, _, _ = page_of(fit, tmp_path)
    assert [view["title"] for view in data["views"]] == [
        "Norm of the coefficients", "Coefficient of a", "Coefficient of b", "Coefficient of c",
        "Norm of the group"]  # fmt: skip
    B = np.array([fit.coef(lam) for lam in fit.lambdas])  # (L, K, p)
    used = np.flatnonzero(B.any(axis=(0, 1)))
    norm, first, *_, groups = data["views"]
    np.testing.assert_allclose(dense(norm, 8), np.linalg.norm(B, axis=1).T[used], rtol=1e-13)
    named = {name: row for name, row in zip(first["names"], dense(first, 8), strict=True)}
    for j in np.flatnonzero(B[:, 0].any(axis=0)):
        np.testing.assert_array_equal(named[f"x{j} </script>&<b>"], B[:, 0, j])
    blocks = [np.linalg.norm(B[..., 20 * k : 20 * k + 20], axis=(1, 2)) for k in range(3)]
    shown = dict(zip(groups["names"], dense(groups, 8), strict=True))
    for name, block in zip(GROUPS, blocks, strict=True):
        np.testing.assert_allclose(shown.get(name, 0.0 * block), block, rtol=1e-12)
    assert norm["groups"] == [f"block {j // 20}" for j in used]


def numbers(values):
    """Return an array of a figure, which may be coded."""
    import base64

    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.array(values, dtype=float)


def test_the_curve_and_the_gaps_are_drawn_as_they_are(tmp_path):
    cv = ss.cv_path(X, Y, seed=0, n_folds=4, n_lambdas=20)
    data, drawn, _ = page_of(cv, tmp_path)
    kinds = {trace["meta"]: trace for trace in drawn["data"] if trace["meta"] != "line"}
    np.testing.assert_array_equal(numbers(kinds["curve"]["y"]), cv.mean)
    np.testing.assert_array_equal(numbers(kinds["curve"]["error_y"]["array"]), cv.std)
    gaps = np.maximum(cv.gaps, explorer.LEAST_GAP)
    np.testing.assert_array_equal(numbers(kinds["gaps"]["y"]), gaps)
    assert data["marks"] == {"min": cv.index_min, "1se": cv.index_1se}
    assert data["start"] == cv.index_1se
    for k, frame in enumerate(drawn["frames"]):
        dots, curve, gap = frame["data"]
        np.testing.assert_array_equal(dots["y"], data["views"][0]["columns"][k][1][:40])
        assert curve["y"] == [cv.mean[k]] and gap["y"] == [gaps[k]]
        assert frame["layout"]["shapes"][0]["x0"] == cv.lambdas[k]


def test_the_figure_of_a_notebook_moves_and_hovers():
    cv = ss.cv_path(X, Y, seed=0, n_folds=4, n_lambdas=12, penalty=GroupL2(GROUPS))
    figure = cv.explore()
    (slider,), (menu,) = figure.layout.sliders, figure.layout.updatemenus
    assert [step.label for step in slider.steps] == [f"{lam:.4g}" for lam in cv.lambdas]
    assert slider.active == cv.index_1se
    assert [button.label for button in menu.buttons] == ["Coefficient", "Norm of the group"]
    for k, step in enumerate(slider.steps):
        frame = next(one for one in figure.frames if one.name == step.args[0][0])
        table = figure.data[frame.traces[-1]]
        assert table.type == "table" and f"{cv.lambdas[k]:.4g}" in frame.layout.title.text
        b = cv.coef(cv.lambdas[k])
        order = np.argsort(-np.abs(b), kind="stable")[: explorer.TABLE_ROWS]
        shown = [f"{b[j]:.5g}" for j in order if b[j] != 0.0]
        assert list(frame.data[-1].cells["values"][2]) == shown
    b = cv.path.coefs.toarray()
    lines = [trace for trace in figure.data if trace.meta == "line"]
    lines = [trace for trace in lines if trace.visible and trace.name != "others"]
    assert len(lines) == min(explorer.COLOURED, int(b.any(axis=1).sum()))
    for trace in lines:
        j = int(re.match(r"x(\d+) &lt;/script", trace.name)[1])
        assert trace.customdata[-1][0] == f"{trace.name} (block {j // 20})"
        rank = int(trace.customdata[-1][1])
        assert rank == 1 + int((np.abs(b[:, -1]) > abs(b[j, -1])).sum()) * (b[j, -1] != 0.0)
    colours = {trace.customdata[0][0].split("(")[1]: set() for trace in lines}
    for trace in lines:
        colours[trace.customdata[0][0].split("(")[1]].add(trace.line.color)
    assert [len(found) for found in colours.values()] == [1] * len(colours)  # one a group
    visible = menu.buttons[1].args[0]["visible"]
    assert [k for k, trace in enumerate(figure.data) if trace.meta == "line"
            and trace.visible and visible[k]] == []  # fmt: skip


def test_long_and_wide_paths_are_shortened(tmp_path, monkeypatch):
    monkeypatch.setattr(explorer, "MOST_LAMBDAS", 7)
    monkeypatch.setattr("sparsesolve.results.pictures.path.MAX_LINES", 9)
    cv = ss.cv_path(X, Y, seed=0, n_folds=4, n_lambdas=50)
    data, _, _ = page_of(cv, tmp_path)
    assert len(data["lambdas"]) <= 9 and data["lambdas"][data["start"]] == cv.lambda_1se
    assert data["lambdas"][data["marks"]["min"]] == cv.lambda_min
    peaks = np.abs(cv.coefs.toarray()).max(axis=1)
    shown = {int(name[1:].split()[0]) for name in data["views"][0]["names"]}
    assert shown == set(np.argsort(-peaks)[:9].tolist())


def test_knots_stand_on_a_straight_axis_and_lambda_0_has_a_place(tmp_path):
    fit = ss.lars_path(X.iloc[:, :5], Y)
    data, drawn, _ = page_of(fit, tmp_path)
    assert data["lambdas"][-1] == 0.0 and drawn["layout"]["xaxis"]["type"] == "linear"
    _, drawn, _ = page_of(ss.path(X, Y), tmp_path)
    assert drawn["layout"]["xaxis"]["type"] == "log"


def test_a_missed_tolerance_is_said(tmp_path):
    with pytest.warns(ss.ConvergenceWarning):
        fit = ss.path(X, Y, solver="ista", max_iter=2, n_lambdas=12)
    data, drawn, _ = page_of(fit, tmp_path)
    assert data["missed"] == [one.sentence if one else "" for one in fit.status]
    gaps = next(trace for trace in drawn["data"] if trace["meta"] == "gaps")
    assert len(set(gaps["marker"]["color"])) == 2


def test_bad_input_is_one_sentence(tmp_path, fresh_python):
    fit = ss.path(X, Y, n_lambdas=4)
    with pytest.raises(FileNotFoundError):
        fit.explore(tmp_path / "nowhere" / "page.html")
    with pytest.raises(TypeError, match="file is 3; give the name of a file, or its path"):
        fit.explore(3)
    assert (
        fresh_python(
            "import sys; sys.modules['plotly'] = None\n"
            "import sparsesolve as ss\n"
            "fit = ss.path([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])\n"
            "for file in (None, 'page.html'):\n"
            "    try:\n        fit.explore(file)\n"
            "    except ImportError as error:\n        print(error)"
        ).splitlines()
        == ["explore needs plotly: pip install 'sparsesolve[explore]'"] * 2
    )
