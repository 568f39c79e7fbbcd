"""Paths in words: each cell, plural, star and note."""

from types import SimpleNamespace

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.results import printing
from sparsesolve.results.status import Status


def made(lambdas=(2.0, 0.5), **changed):
    """What is printed of a path."""
    n = len(lambdas)
    known = {
        "lambdas": np.array(lambdas), "df": np.arange(n), "dev_ratio": np.linspace(0, 0.5, n),
        "gaps": np.full(n, 1e-9), "status": [Status(0)] * n, "stop_reason": "all was solved. ",
        "family": "gaussian", "class_names": None, "intercepts": np.zeros(n),
        "selectable": (3, "feature"),
    }  # fmt: skip
    return SimpleNamespace(**{**known, **changed})


def test_one_line():
    assert printing.one_line(made()) == (
        "<SimpleNamespace gaussian: 2 lambdas from 2 to 0.5, 1 of 3 features at the end, 50.0% "
        "deviance explained, worst gap 1.0e-09>"
    )
    assert printing.one_line(made((1 / 3,), selectable=(9, "group"), gaps=np.array([0.125]))) == (
        "<SimpleNamespace gaussian: 1 lambda from 0.3333 to 0.3333, 0 of 9 groups at the end, 0.0%"
        " deviance explained, worst gap 1.2e-01>"
    )
    assert printing.one_line(made((), stop_reason="why")) == (
        "<SimpleNamespace gaussian: no lambda solved, why>"
    )


@pytest.mark.parametrize("changed, sentence", [
    ({}, "gaussian path: 2 lambdas, 3 features; all was solved."),
    ({"stop_reason": ""}, "gaussian path: 2 lambdas, 3 features."),
    ({"lambdas": (1.0,), "selectable": (1, "group"), "stop_reason": "why"},
     "gaussian path: 1 lambda, 1 group; why."),
    ({"lambdas": ()}, "gaussian path: 0 lambdas, 3 features; all was solved."),
    ({"family": "binomial", "class_names": np.array(["no", "yes"])},
     "binomial path of 'yes' against 'no': 2 lambdas, 3 features; all was solved."),
    ({"family": "binomial", "class_names": np.array([0, 1])},
     "binomial path of 1 against 0: 2 lambdas, 3 features; all was solved."),
    ({"family": "multinomial", "class_names": np.array(["a", "b"]),
      "intercepts": np.zeros((2, 2))}, "multinomial path: 2 lambdas, 3 features; all was solved."),
    ({"family": "multinomial", "class_names": np.array(["a", "b", "c"])},
     "multinomial path: 2 lambdas, 3 features; all was solved."),
])  # fmt: skip
def test_heading(changed, sentence):
    assert printing.heading(made(**changed)) == sentence


@pytest.mark.parametrize("values, texts", [
    ([3.0, 2.0, 0.25], ["3.0000", "2.0000", "0.2500"]),
    ([123456.0, 12.0, 0.0], ["123500.00", "12.00", "0.00"]),
    ([1234.0, 1000.0], ["1234", "1000"]),
    ([99999.0, 12345.0], ["100000", "12340"]),
    ([0.99996, 0.5], ["1.0000", "0.5000"]),
    ([0.0], ["0.0"]),
    ([], []),
    ([1.0, 1e-5], ["1.00000000", "0.00001000"]),
    ([1.0, 0.99e-5], ["1.000e+00", "9.900e-06"]),
    ([1e8, 1e5], ["1.000e+08", "1.000e+05"]),
    ([0.999e8, 1e5], ["99900000", "100000"]),
])  # fmt: skip
def test_lambdas_have_the_decimals_of_the_smallest(values, texts):
    assert printing.aligned(np.array(values)) == texts


def missed():
    """A path of ten lambdas, four of which missed their tolerance in two ways."""
    status = [Status(k) for k in (0, 1, 0, 2, 1, 0, 0, 0, 0, 1)]
    return made(np.geomspace(1, 0.1, 10), status=status, df=np.arange(2, 12),
                dev_ratio=np.linspace(-1e-9, 1, 10))  # fmt: skip


def test_rows_and_notes():
    found = printing.rows(missed())
    assert found[0] == ("0", "2", "0.00", "1.0000", "1.0e-09")  # no minus before 0.00
    assert found[1] == ("1", "3", "11.11", "0.7743", "1.0e-09*")
    assert [row[4].endswith("*") for row in found] == [
        s != 0 for s in missed().status
    ]  # fmt: skip
    assert printing.notes(missed()) == [
        f"* 3 lambdas: {Status(1).sentence}",
        f"* 1 lambda: {Status(2).sentence}",
    ]
    assert printing.notes(made()) == []


def test_table_is_aligned_and_stars_hang():
    text = printing.table(missed()).splitlines()
    assert text[:3] == [
        printing.heading(missed()), "", "   Df    %Dev  Lambda      Gap"
    ]  # fmt: skip
    assert text[3] == "0   2    0.00  1.0000  1.0e-09"
    assert text[4] == "1   3   11.11  0.7743  1.0e-09*"
    assert text[12] == "9  11  100.00  0.1000  1.0e-09*"
    assert text[13:] == printing.notes(missed())
    assert printing.table(made(())).splitlines()[2:] == ["  Df  %Dev  Lambda  Gap"]


def test_the_notebooks_table_is_that_table():
    ElementTree = pytest.importorskip("xml.etree.ElementTree")
    path = missed()
    path.stop_reason = "dev < 1 & more"
    page = ElementTree.fromstring(f"<page>{printing.html(path)}</page>")
    assert page[0].text == "gaussian path: 10 lambdas, 3 features; dev < 1 & more."
    cells = [tuple(cell.text or "" for cell in row) for row in page.iter("tr")]
    assert cells == [("", "Df", "%Dev", "Lambda", "Gap"), *printing.rows(path)]
    assert [row.text for row in page[2:]] == printing.notes(path)


def curve(**changed):
    """What is printed of a cross-validation."""
    known = {
        "path": made(), "index_min": 11, "index_1se": 3, "lambdas": np.geomspace(1, 1e-2, 12),
        "mean": np.linspace(2, 1, 12), "std": np.full(12, 1 / 3), "n_nonzero": np.arange(12),
        "fold_scores": np.zeros((5, 12)), "candidates": (), "measure": "deviance",
        "larger_is_better": False, "alpha": 1.0, "gamma": 1.0, "end_of_grid": False,
    }  # fmt: skip
    return SimpleNamespace(**{**known, **changed})


def test_the_two_lambdas_of_a_curve():
    assert printing.cv_table(curve()).splitlines() == [
        "gaussian path, 5 folds; deviance.",
        "",
        "      Lambda  Index  Measure      SE  Nonzero",
        "min  0.01000     11        1  0.3333       11",
        "1se  0.28480      3    1.727  0.3333        3",
    ]


@pytest.mark.parametrize("tried, words", [
    ([(0.5, 1.0), (1.0, 1.0)], ", alpha 0.5 the best of 2"),
    ([(0.5, 0.0), (0.5, 0.25), (0.5, 1.0)], ", gamma 0.25 the best of 3"),
    ([(0.5, 0.0), (1.0, 0.0), (0.5, 0.25), (1.0, 0.25)],
     ", alpha 0.5 the best of 2, gamma 0.25 the best of 2"),
    ([(0.5, 0.25)], ""),
])  # fmt: skip
def test_what_was_tried_is_counted(tried, words):
    several = tuple(SimpleNamespace(alpha=alpha, gamma=gamma) for alpha, gamma in tried)
    text = printing.cv_table(curve(candidates=several, alpha=0.5, gamma=0.25, measure="auc",
                                   larger_is_better=True))  # fmt: skip
    assert text.splitlines()[0] == f"gaussian path, 5 folds{words}; auc (larger is better)."


def test_a_long_path_shows_its_head_and_tail():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    fit = ss.path(X, X[:, 0] + rng.normal(size=40), stop=None, n_lambdas=60)
    lines, whole = str(fit).splitlines(), printing.table(fit, whole=True).splitlines()
    assert len(whole) == 2 + 1 + 60 and len(lines) == 2 + 1 + 17
    assert lines[:11] == whole[:11] and lines[-8:] == whole[-8:]
    assert lines[11] == "... 44 lambdas more ..."
    short = ss.path(X, X[:, 0], stop=None, n_lambdas=24)
    assert str(short) == printing.table(short, whole=True)
