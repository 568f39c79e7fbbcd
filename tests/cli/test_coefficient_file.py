"""Coefficients as CSV, read back by the csv module and by pandas."""

import csv

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.cli.reading import write_coefs
from sparsesolve.results.path import Path

NASTY = ['a,"b"', "", "(Intercept)", "naïve\nname"]
B = np.array([[0.0, 0.1], [0.0, -1 / 3], [1e-300, 0.0], [0.0, 5e300]])


def made(coefs, intercepts, **more):
    L = np.shape(intercepts)[-1]
    return Path(
        lambdas=np.array([1.0, 1 / 7])[:L], coefs=coefs, intercepts=np.array(intercepts),
        df=np.zeros(L, int), dev_ratio=np.zeros(L), null_deviance=1.0, gaps=np.zeros(L),
        n_iters=np.zeros(L, int), status=np.zeros(L, int), stop_reason="", family="gaussian",
        **more,
    )  # fmt: skip


def rows(path, file):
    write_coefs(path, file)
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def test_a_line_for_each_nonzero_after_the_intercept(tmp_path):
    found = rows(made(sparse.csc_array(B), [0.0, 2.5]), tmp_path / "coefs.csv")
    assert found[0] == ["lambda", "feature", "coefficient"]
    assert [(float(lam), name, float(b)) for lam, name, b in found[1:]] == [
        (1.0, "(Intercept)", 0.0), (1.0, "2", 1e-300),
        (1 / 7, "(Intercept)", 2.5), (1 / 7, "0", 0.1), (1 / 7, "1", -1 / 3), (1 / 7, "3", 5e300),
    ]  # fmt: skip


def test_stored_zeros_are_left_out_and_names_quoted(tmp_path):
    stored = sparse.csc_array((np.array([1.0, 0.0, -2.0]), np.array([0, 1, 3]),
                               np.array([0, 1, 3])), shape=(4, 2))  # fmt: skip
    path = made(stored, [1.0, 1.0], feature_names=np.array(NASTY))
    found = rows(path, str(tmp_path / "coefs.csv"))
    assert [row[1:] for row in found[1:]] == [
        ["(Intercept)", "1.0"], [NASTY[0], "1.0"], ["(Intercept)", "1.0"], [NASTY[3], "-2.0"],
    ]  # fmt: skip


@pytest.mark.parametrize("names", [None, np.array(["x", "y"]), np.array([7, 9])])
def test_several_responses_have_a_column(tmp_path, names):
    matrices = [sparse.csc_array(B), sparse.csc_array(-B)]
    path = made(matrices, [[0.0, 1.0], [2.0, 3.0]], class_names=names)
    found = rows(path, tmp_path / "coefs.csv")
    k = ["0", "1"] if names is None else [str(name) for name in names]
    assert found[0] == ["lambda", "response", "feature", "coefficient"]
    assert [row[1:] for row in found[1:5]] == [
        [k[0], "(Intercept)", "0.0"], [k[0], "2", "1e-300"],
        [k[1], "(Intercept)", "2.0"], [k[1], "2", "-1e-300"],
    ]  # fmt: skip
    assert [float(row[3]) for row in found[5:]] == [1.0, 0.1, -1 / 3, 5e300,
                                                    3.0, -0.1, 1 / 3, -5e300]  # fmt: skip


def test_standard_output_and_a_path_of_nothing(capsys, tmp_path):
    write_coefs(made(sparse.csc_array(B[:, :1]), [0.5]), "-")
    assert capsys.readouterr().out == (
        "lambda,feature,coefficient\n1.0,(Intercept),0.5\n1.0,2,1e-300\n"
    )
    empty = made(sparse.csc_array((4, 0)), np.zeros(0))
    assert rows(empty, tmp_path / "c.csv") == [["lambda", "feature", "coefficient"]]
