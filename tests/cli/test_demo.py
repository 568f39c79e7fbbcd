"""The data of the demonstration, and what it says of rows held out; test_main.py runs it."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import sparsesolve as ss
from sparsesolve.cli.demo import NAMES, diabetes, held_out_deviance, tumours

datasets = pytest.importorskip("sklearn.datasets")


def test_demos_tumours():
    (X, y), (X_new, y_new), names = tumours()
    assert X.shape == (380, 30) and X_new.shape == (189, 30) and names[0] == "mean radius"
    assert sum(y == "malignant") + sum(y_new == "malignant") == 212  # of 569
    assert_allclose(X.mean(axis=0), 0, atol=1e-12)
    assert_allclose(X.std(axis=0), 1)
    fit = ss.path(X, y, family="binomial", n_lambdas=10)
    explained, right = held_out_deviance(fit, X, y)  # of the rows fitted to: what the path says
    assert_allclose(explained, fit.dev_ratio, atol=1e-9)
    assert right[0] == max(np.mean(y == "benign"), np.mean(y == "malignant"))


def test_each_column_is_what_its_name_says():
    X, y, names = diabetes()
    main, target = datasets.load_diabetes(return_X_y=True)
    assert (y == target).all() and X.flags.f_contiguous
    column = dict(zip(NAMES, main.T, strict=True))
    for name, x in zip(names, X.T, strict=True):
        made = column[name[0:-1]] ** 2 if name.endswith("²") else np.prod(
            [column[part] for part in name.split("·")], axis=0)  # fmt: skip
        assert np.corrcoef(made, x)[0, 1] == pytest.approx(1.0, abs=1e-9)


def test_deviance_of_rows_held_out_by_its_definition():
    rng = np.random.default_rng(0)
    X, X_new = rng.normal(size=(80, 3)), rng.normal(size=(30, 3))
    y, y_new = (np.where(x[:, 0] + rng.normal(size=len(x)) > 0, "b", "a") for x in (X, X_new))
    fit = ss.path(X, y, family="binomial", n_lambdas=5)
    explained, right = held_out_deviance(fit, X_new, y_new)
    p = fit.predict(X_new, kind="response")
    own = np.where((y_new == "b")[:, None], p, 1 - p)
    empty = np.where(y_new == "b", p[:, 0], 1 - p[:, 0])  # the first lambda selects nothing
    assert_allclose(explained, 1 - np.log(own).mean(axis=0) / np.log(empty).mean(), atol=1e-12)
    assert_allclose(right, ((p > 0.5) == (y_new == "b")[:, None]).mean(axis=0))


def test_without_scikit_learn_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    for data in (diabetes, tumours):
        with pytest.raises(ImportError) as caught:
            data()
        assert str(caught.value) == (
            "the demo reads data that scikit-learn carries: pip install 'sparsesolve[demo]'"
        )
