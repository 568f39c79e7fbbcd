"""Predictions for arrays that are not quite arrays; test_result.py has the rest."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.results.prediction import read_rows

RNG = np.random.default_rng(3)
X = RNG.standard_normal((15, 4))
FIT = ss.path(X, X[:, 0] - X[:, 2], n_lambdas=6)


def test_a_matrix_predicts_as_an_array_does():
    with pytest.warns(PendingDeprecationWarning):
        X_ = np.matrix(X)
    assert np.array_equal(FIT.predict(X_), FIT.predict(X))
    assert FIT.predict(X_, s=0.1).shape == (15,)


def test_masked_arrays_are_read_and_masked_entries_refused():
    assert np.array_equal(FIT.predict(np.ma.masked_array(X)), FIT.predict(X))
    with pytest.raises(ValueError, match="masked"):
        FIT.predict(np.ma.masked_array(X, X > 1))


def test_plain_arrays_of_any_order_are_not_copied():
    for rows in (X, np.asfortranarray(X), X[::-1], X.astype(np.float32), np.round(X).astype(int)):
        assert read_rows(FIT, rows) is rows


def test_a_subclass_that_lies_about_products_is_not_believed():
    class Liar(np.ndarray):
        def __matmul__(self, other):
            return np.zeros((len(self), other.shape[1]))

    assert np.array_equal(FIT.predict(X.view(Liar)), FIT.predict(X))


def of_family(family, class_names=None):
    """The path above as one of another family, as sparsesolve.path would keep it."""
    name = family if isinstance(family, str) else family.name
    return dataclasses.replace(
        FIT, family=name, class_names=class_names, options={**FIT.options, "family": family}
    )


@pytest.mark.parametrize("labels", [["a", "b"], [-1, 1], [False, True]])
@pytest.mark.parametrize("family", [
    "binomial", families.probit(), families.cloglog(), families.squared_hinge(),
], ids=str)  # fmt: skip
def test_classes_come_back_as_the_labels_that_were_given(family, labels):
    path, eta = of_family(family, np.array(labels)), FIT.predict(X)
    cut = np.log(np.log(2)) if "cloglog" in path.family else 0.0
    assert np.array_equal(path.predict(X, kind="class"), np.array(labels)[(eta > cut) * 1])
    codes = of_family(family).predict(X, kind="class")
    assert np.array_equal(codes, eta > cut) and codes.dtype == np.intp


@pytest.mark.parametrize("family", ["gaussian", "poisson", families.huber(2.0), families.gamma()])
def test_families_without_classes_say_so(family):
    path = of_family(family)
    with pytest.raises(ValueError, match="path has no classes; ask for kind='response'") as caught:
        path.predict(X, kind="class")
    assert path.family in str(caught.value)


def test_a_path_whose_family_is_not_known_still_gives_linear_predictors():
    path = dataclasses.replace(FIT, family="mine", options=None)
    assert np.array_equal(path.predict(X), FIT.predict(X))
    with pytest.raises(ValueError, match="family must be one of 'gaussian'.*not 'mine'"):
        path.predict(X, kind="response")


@pytest.mark.parametrize("kind", ["array", "sparse", "frame", "objects"])
def test_no_rows_are_predicted_in_every_container(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    fit = ss.path(X, rng.normal(size=20), n_lambdas=4)
    none = {
        "array": np.zeros((0, 3)), "sparse": sparse.csr_array((0, 3)),
        "frame": pd.DataFrame(X).iloc[:0], "objects": np.zeros((0, 3), dtype=object),
    }[kind]  # fmt: skip
    assert fit.predict(none).shape == (0, 4)
    assert fit.predict(none, s=0.1).shape == (0,)
    with pytest.raises(ValueError, match="no rows"):
        ss.path(none, [])
