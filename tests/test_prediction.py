"""Predictions for arrays that are not quite arrays; test_result.py has the rest."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.prediction import mean_response, read_rows

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


def test_mean_responses():
    eta = np.array([[-1.0, 0.0], [2.0, 800.0]])
    assert mean_response("gaussian", eta) is eta
    assert mean_response("poisson", eta[0]) == pytest.approx(np.exp(eta[0]))
    assert mean_response("binomial", eta)[1, 1] == 1.0
    assert mean_response("multinomial", eta).sum(axis=1) == pytest.approx(np.ones(2))
