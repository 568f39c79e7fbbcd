"""Path: predictions of rows in every storage and kind; empty, real, wide, frozen, pickled."""

import dataclasses
import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from random_sparse import random_csc
from scipy import sparse
from soft_paths import X, fit, many_classes, soft_path, y

import sparsesolve as ss


def test_an_empty_path_says_so():
    empty = soft_path(X, y, lambdas=[])
    with pytest.raises(ValueError, match="no solution"):
        empty.coef(1.0)
    assert empty.nonzero() == []
    assert empty.predict(X).shape == (8, 0)
    assert "no lambda" in repr(empty) and str(empty)


DESIGNS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: X.astype(int),
    "list": lambda X: X.tolist(),
    "csc": sparse.csc_array,
    "csr": sparse.csr_matrix,
    "coo": sparse.coo_array,
}


@pytest.mark.parametrize("make", DESIGNS.values(), ids=DESIGNS)
def test_predict_on_every_storage(make):
    design = make(X)
    s = [2.5, 1.5, 0.0]
    expected = 10.0 + X @ fit.coef(s)
    assert_allclose(fit.predict(design, s), expected)
    assert_allclose(fit.predict(design, 1.5), expected[:, 1])
    assert_allclose(fit.predict(design), 10.0 + X @ fit.coefs.toarray())
    assert_allclose(fit.predict(design, s, kind="response"), expected)


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array])
def test_predict_refuses_other_columns(make):
    with pytest.raises(ValueError, match="X has 2 columns; the path was fitted to 3"):
        fit.predict(make(X[:, :2]))
    with pytest.raises(ValueError, match="reshape"):
        fit.predict(X[0])


def test_predict_reads_only_the_columns_in_use():
    holed = X.copy()
    holed[5, 2] = np.nan  # never selected
    assert_allclose(fit.predict(holed, 1.0), fit.predict(X, 1.0))
    holed[4, 0] = np.nan
    with pytest.raises(ValueError, match="nan at row 4, column 0"):
        fit.predict(holed, 1.0)


def test_predict_adds_an_offset_and_asks_for_one_where_the_fit_had_it():
    offset = np.arange(8.0)
    assert_allclose(fit.predict(X, 1.0, offset=offset), fit.predict(X, 1.0) + offset)
    with_offset = soft_path(X, y, offset=offset)
    with pytest.raises(ValueError, match="offset"):
        with_offset.predict(X)
    assert with_offset.predict(X, offset=offset).shape == (8, 4)
    with pytest.raises(ValueError, match="offset"):
        fit.predict(X, 1.0, offset=offset[:3])


def test_kinds_of_prediction():
    assert_array_equal(fit.predict(kind="nonzero", s=1.0), [0, 1])
    with pytest.raises(ValueError, match="kind is 'clas'; choose one of 'link'"):
        fit.predict(X, kind="clas")
    with pytest.raises(ValueError, match="no classes"):
        fit.predict(X, kind="class")
    with pytest.raises(ValueError, match="X is missing"):
        fit.predict(s=1.0)


def test_several_classes_come_first_in_coef_and_second_in_predict():
    path, new = many_classes(), np.array([[4.0, 0.0], [0.0, -4.0]])
    assert path.coef(1.5).shape == (3, 2)
    assert_allclose(path.coef([2.0, 1.5])[:, 0, :], [[0, 0.5], [0, 0], [0, -0.5]])
    assert_allclose(path.intercept([2.0, 1.5]), [[0, 0], [1, 1], [0, 0.25]])
    assert_array_equal(path.nonzero(1.0), [0, 1])
    assert_allclose(path.predict(new, 1.0), [[4, 1, -3.5], [0, 5, 0.5]])
    assert path.predict(new).shape == (2, 3, 2)
    assert_allclose(path.predict(new, kind="response").sum(axis=1), 1.0)
    assert_array_equal(path.predict(new, 1.0, kind="class"), ["a", "b"])
    shifted = path.predict(new, 1.0, offset=np.array([[0, 9, 0], [9, 0, 0.0]]))
    assert_allclose(shifted, [[4, 10, -3.5], [9, 5, 0.5]])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 25)) @ (np.eye(25) + 0.3)
    return X, X[:, :4] @ [2.0, -1.0, 1.0, 0.5] + rng.normal(size=60) + 5.0


def test_a_real_path_is_pickled_with_its_fitter(data):
    X, y = data
    fit = ss.path(X, y, n_lambdas=5, stop=None)
    copy = pickle.loads(pickle.dumps(fit))
    assert_allclose(copy.coef(0.5, exact=True, X=X, y=y), fit.coef(0.5, exact=True, X=X, y=y))
    assert repr(copy) == repr(fit) and str(copy) == str(fit)


def test_a_wide_path_is_never_made_dense():
    """A path of 500,000 features and 50 lambdas would take 200 MB dense."""
    p = 500_000
    coefs = random_csc((p, 50), 2e-6, np.random.default_rng(0))
    wide = dataclasses.replace(
        soft_path(X, y, n_lambdas=50), coefs=coefs, df=np.diff(coefs.indptr)
    )
    rows = random_csc((3, p), 1e-4, np.random.default_rng(1)).tocsr()
    tracemalloc.start()
    predicted = wide.predict(rows)
    wide.nonzero(), wide.coef(1.0), str(wide), wide._repr_html_()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_allclose(predicted, 10.0 + (rows @ coefs).toarray())
    assert peak < 20e6


def test_a_path_is_frozen_and_the_givers_arrays_are_not():
    given = np.array([3.0, 1.0])
    path = soft_path(X, y, lambdas=given)
    given[0] = 4.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.lambdas = given
    for array in (path.lambdas, path.df, path.status, path.coefs.data, path.coefs.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
