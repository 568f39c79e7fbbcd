"""Coefficients by name: tables at any lambda, and summaries in words."""

import importlib.util

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.results.coefficient_table import Columns, coefficient_columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X[:, 0] - 2 * X[:, 2] + RNG.normal(size=60)
NAMES = ["age", "size", "dose", "rest"]
FIT = ss.path(X, Y, feature_names=NAMES, n_lambdas=30)
CV = ss.cv_path(X, Y > 0, family="binomial", n_folds=3, seed=0, feature_names=NAMES)
SEVERAL = ss.path(X, np.digitize(Y, [-1, 1]), family="multinomial", n_lambdas=5)


def test_a_table_holds_what_coef_says():
    pytest.importorskip("pandas")
    frame = FIT.to_frame(0.1).set_index("feature")["coefficient"]
    assert frame["(intercept)"] == FIT.intercept(0.1) and "rest" not in frame.index[:1]
    for name, value in zip(NAMES, FIT.coef(0.1), strict=True):
        assert (frame[name] == value) if value else name not in frame.index


def test_tables_of_several_lambdas_and_responses():
    pytest.importorskip("pandas")
    frame = SEVERAL.to_frame(zeros=True)
    assert list(frame.columns) == ["lambda", "response", "feature", "coefficient"]
    values = frame["coefficient"].to_numpy().reshape(len(SEVERAL.lambdas), 3, 5)
    dense = np.stack([coefs.toarray() for coefs in SEVERAL.coefs])
    np.testing.assert_array_equal(values[:, :, 1:], dense.transpose(2, 0, 1))
    np.testing.assert_array_equal(values[:, :, 0], SEVERAL.intercepts.T)
    assert SEVERAL.to_frame(0.05)["feature"].isin(["(intercept)", 0, 1, 2, 3]).all()
    wide = FIT.to_frame([0.5, 0.1], zeros=True).pivot(
        index="lambda", columns="feature", values="coefficient")  # fmt: skip
    np.testing.assert_array_equal(wide.loc[0.1, NAMES], FIT.coef(0.1))


def test_without_pandas_it_is_a_plain_table(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    table = FIT.to_frame(0.5)
    assert isinstance(table, dict) and list(table) == ["feature", "coefficient"]
    assert str(table).splitlines()[0].split() == ["feature", "coefficient"]
    assert len(str(table).splitlines()) == 1 + len(table["feature"])


def test_a_cross_validation_has_names_and_tables():
    pytest.importorskip("pandas")
    assert CV.feature_names.tolist() == NAMES and CV.class_names.tolist() == [False, True]
    assert CV.coefs is CV.path.coefs and CV.gaps is CV.path.gaps
    assert CV.to_frame().equals(CV.path.to_frame(CV.lambda_1se))
    assert CV.to_frame("lambda_min").equals(CV.path.to_frame(CV.lambda_min))


def test_a_summary_says_what_is_certified():
    text = FIT.summary(FIT.lambdas[3])
    assert f"certified gap {FIT.gaps[3]:.1e}" in text and "2 of 4 features" in text
    largest = next(line for line in text.splitlines()[4:] if "(intercept)" not in line and line)
    assert largest.split()[0] == "feature" and text.splitlines()[6].split()[0] == "dose"
    assert "not certified" in FIT.summary(0.9 * FIT.lambdas[3])
    assert "beyond the path" in FIT.summary(1e-9) and "certified gap" in FIT.summary()
    assert "between two knots" in ss.lars_path(X, Y).summary(0.1)
    assert "lambda_min" in CV.summary("lambda_min") and "response" in SEVERAL.summary()
    assert repr(text) == str(text)


def test_a_summary_says_what_was_missed():
    with pytest.warns(ss.ConvergenceWarning):
        short = ss.path(X, Y > 0, family="binomial", lambdas=[0.01], max_iter=0, tol=1e-12)
    assert "missed: " in short.summary()


def test_a_long_summary_says_how_many_are_left():
    wide = ss.path(RNG.normal(size=(80, 60)), RNG.normal(size=80), lambdas=[1e-3])
    shown = wide.summary().splitlines()
    assert shown[-1] == f"and {wide.df[0] - 20} more: to_frame(s) has all of them"


def test_a_summary_is_of_one_lambda():
    with pytest.raises(ValueError, match="summary is of one lambda"):
        FIT.summary([0.1, 0.2])


def test_columns_print_aligned():
    lines = str(Columns(coefficient_columns(FIT, 0.1, True))).splitlines()
    assert len({len(line) for line in lines}) == 1


def test_a_cox_path_has_no_intercept_in_its_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    fit = ss.path(X, (rng.exponential(np.exp(X[:, 0])), np.ones(60)), family="cox")
    frame = fit.to_frame(fit.lambdas[5])
    assert "(intercept)" not in list(frame["feature"]) and len(frame["feature"]) > 0
    assert "(intercept)" not in fit.summary(fit.lambdas[5])
    assert fit.summary(fit.lambdas[0]).splitlines()[-1].split() == ["feature", "coefficient"]
