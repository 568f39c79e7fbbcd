"""MKLClassifier and MKLRegressor: tables and stacks, labels, parameters."""

import mkl_oracle
import numpy as np
import pytest

from sparsesolve import mkl
from sparsesolve.mkl.estimators import MKLClassifier, MKLRegressor

X, K, Y = mkl_oracle.problem(8, n=90, M=4, noise=0.1)
TRAIN, TEST = slice(0, 60), slice(60, 90)


def test_regression_on_a_table_finds_the_columns():
    model = MKLRegressor().fit(X[TRAIN], Y[TRAIN])
    assert model.score(X[TEST], Y[TEST]) > 0.8
    assert 0 < len(model.active_) < 20 and model.kernel_weights_.sum() == pytest.approx(1)
    assert model.path_.gaps.max() <= 1e-5


def test_regression_on_a_stack_at_a_given_lambda():
    model = MKLRegressor("precomputed", alpha=0.01).fit(K[:, TRAIN, TRAIN], Y[TRAIN])
    assert model.alpha_ == 0.01 and model.score(K[:, TEST, TRAIN], Y[TEST]) > 0.7


@pytest.mark.parametrize("cuts", [[0.5], [0.0, 1.5]])
def test_classes_by_their_labels(cuts):
    labels = np.array(["low", "mid", "top"])[np.digitize(Y, cuts)]
    pairs = [(mkl.gaussian(0.7), m) for m in range(4)]
    model = MKLClassifier(pairs, norm="lp", alpha_ratio=1e-3).fit(X[TRAIN], labels[TRAIN])
    assert model.classes_.tolist() == sorted(set(labels))
    p = model.predict_proba(X[TEST])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X[TEST])).all()
    assert model.score(X[TEST], labels[TEST]) > 0.7
    assert len(model.decision_function(X[TEST])) == 30


def test_sample_weights_count():
    double = np.r_[X[TRAIN], X[TRAIN][:10]], np.r_[Y[TRAIN], Y[TRAIN][:10]]
    w = np.r_[np.full(10, 2.0), np.ones(50)]
    pairs = [(mkl.gaussian(1.0), m) for m in range(4)]
    one = MKLRegressor(pairs, scale=None, alpha=0.02).fit(*double)
    two = MKLRegressor(pairs, scale=None, alpha=0.02).fit(X[TRAIN], Y[TRAIN], sample_weight=w)
    np.testing.assert_allclose(one.predict(X[TEST]), two.predict(X[TEST]), atol=2e-2)
    assert two.score(X[TRAIN], Y[TRAIN], w) > 0.5


def test_parameters_come_and_go():
    model = MKLRegressor(norm="elastic")
    assert model.set_params(alpha=0.1, norm="l1") is model
    assert model.get_params()["alpha"] == 0.1 and model.get_params()["norm"] == "l1"
    assert MKLClassifier(**model.get_params()).get_params() == model.get_params()
    with pytest.raises(ValueError, match="no parameter 'alfa'"):
        model.set_params(alfa=1)
    with pytest.raises(ValueError, match="not fitted yet"):
        model.predict(X)
    with pytest.raises(ValueError, match="kernels is 'rbf'"):
        MKLRegressor("rbf").fit(X, Y)
