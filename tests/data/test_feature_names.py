"""Columns have names, given or carried, and are found again by them in any order."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.data.frame import columns_by_name, read_feature_names
from sparsesolve.paths import lars_path_gram

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X[:, 0] - X[:, 2] + RNG.normal(size=60)
NAMES = ["age", "size", "dose", "rest"]
FITS = {
    "path": lambda X, **names: ss.path(X, Y, n_lambdas=5, **names),
    "cv_path": lambda X, **names: ss.cv_path(X, Y, n_lambdas=5, n_folds=3, seed=0, **names),
    "lars_path": lambda X, **names: ss.lars_path(X, Y, **names),
    "omp_path": lambda X, **names: ss.omp_path(X, Y, **names),
    "hard_threshold_path": lambda X, **names: ss.paths.hard_threshold_path(X, Y, **names),
    "stability_path": lambda X, **names: ss.stability_path(X, Y, n_pairs=2, seed=0, **names),
}


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("name", FITS)
def test_every_function_that_takes_X_takes_names(name, make):
    fit = FITS[name](make(X), feature_names=np.array(NAMES))
    assert fit.feature_names.tolist() == NAMES
    assert FITS[name](make(X)).feature_names is None


def test_names_of_moments():
    assert lars_path_gram(X.T @ X, X.T @ Y, 60, feature_names=NAMES).feature_names[2] == "dose"


@pytest.mark.parametrize("names, error, words", [
    (["a", "b"], ValueError, "feature_names has 2 names but X has 4 columns"),
    ("abcd", TypeError, "feature_names is 'abcd'; give a name for each column of X"),
    ([["a", "b", "c", "d"]], ValueError, r"feature_names has shape \(1, 4\)"),
])  # fmt: skip
@pytest.mark.parametrize("name", FITS)
def test_other_names_are_refused(name, names, error, words):
    with pytest.raises(error, match=words):
        FITS[name](X, feature_names=names)


def test_names_need_not_be_text():
    assert read_feature_names([1, ("a", 2), None, 0.5], None, 4).tolist() == [
        "1", "('a', 2)", "None", "0.5"]  # fmt: skip
    assert read_feature_names(None, None, 4) is None


def test_a_frame_names_its_columns():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="X is a frame, which names its columns"):
        ss.path(pandas.DataFrame(X), Y, feature_names=NAMES)


def frames(columns):
    """The same table in every library that is here."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    return pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)


def test_columns_are_found_by_name():
    """In another order, beside a column of text that is left out, by each face of a fit."""
    fit = FITS["path"](X, feature_names=NAMES)
    columns = dict(zip(NAMES, X.T, strict=True))
    turned = {"note": ["text"] * 60, **dict(reversed(columns.items()))}
    for frame in frames(columns):  # a fit without names takes it as it stands
        np.testing.assert_array_equal(FITS["path"](X).predict(frame), fit.predict(X))
    for frame in frames(turned):
        np.testing.assert_array_equal(fit.predict(frame, 0.1), fit.predict(X, 0.1))
        assert fit.extend(frame, Y, n_lambdas=1).feature_names.tolist() == NAMES
        again, asked = fit.coef(0.1, exact=True, X=frame, y=Y), ss.path(X, Y, lambdas=[0.1])
        np.testing.assert_allclose(again, asked.coef(0.1), atol=1e-8)
        relaxed = ss.relax(fit, frame, Y).coef(0.1)
        np.testing.assert_allclose(relaxed, ss.relax(fit, X, Y).coef(0.1))
        knots = ss.lars_path(X, Y, lambda_min=0.2, feature_names=NAMES)
        longer = knots.extend(frame, Y)
        np.testing.assert_allclose(longer.coef(0.0), ss.lars_path(X, Y).coef(0.0))
        assert longer.feature_names.tolist() == NAMES


def test_a_column_that_is_missing_is_said():
    fit = FITS["path"](X, feature_names=NAMES)
    for frame in frames(dict(zip(["age", "Size", "dose", "rest"], X.T, strict=True))):
        with pytest.raises(ValueError, match="no column 'size', which the path .* is it 'Size'"):
            fit.predict(frame)
    for frame in frames({"age": X[:, 0]}):
        with pytest.raises(ValueError, match=r"'size', .*\(3 of its columns are missing\); X has"):
            fit.predict(frame)


def test_two_columns_of_one_name():
    pandas = pytest.importorskip("pandas")
    doubled = pandas.DataFrame(X, columns=["age", "size", "age", "rest"])
    fit = ss.path(doubled, Y, n_lambdas=5)
    np.testing.assert_array_equal(fit.predict(doubled), fit.predict(X))  # as they were fitted
    with pytest.raises(ValueError, match="column 'age' occurs twice"):
        fit.predict(doubled.iloc[:, [1, 0, 2, 3]])
    named = FITS["path"](X, feature_names=NAMES)
    with pytest.raises(ValueError, match="column 'age' occurs twice"):
        named.predict(pandas.DataFrame(X[:, [0, 1, 2, 3, 0]], columns=[*NAMES, "age"]))
    extra = pandas.DataFrame(X[:, [0, 1, 2, 3, 0, 0]], columns=[*NAMES, "u", "u"])
    np.testing.assert_array_equal(named.predict(extra), named.predict(X))  # not of the fit


def test_a_frame_in_order_is_taken_as_it_is():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=NAMES)
    assert columns_by_name(frame, NAMES, "the path was fitted to") is frame


def test_sparse_frames_stay_sparse():
    pandas = pytest.importorskip("pandas")
    S = sparse.random(60, 4, 0.3, format="csc", random_state=0)
    frame = pandas.DataFrame.sparse.from_spmatrix(S, columns=NAMES)
    fit = ss.path(frame, Y, n_lambdas=5)
    np.testing.assert_array_equal(fit.predict(frame[NAMES[::-1]]), fit.predict(S))
