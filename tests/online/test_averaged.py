"""Means of lazy iterates against the mean of every iterate of a twin that moves all weights."""

import pickle

import numpy as np
import pytest
from oracles.online_twin import Twin, logistic, softmax
from scipy import sparse

import sparsesolve as ss

METHODS = ["fobos", "rda"]


def stream(n=300, p=20, K=1, seed=0):
    """Sparse rows, and y."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.2)
    scores = X @ rng.normal(size=(p, max(K, 2))) + rng.normal(size=(n, max(K, 2)))
    y = scores.argmax(axis=1)
    return X, np.eye(K)[y] if K > 1 else y.astype(float)


def means(twin, first=0):
    return (np.mean([W for W, _ in twin.iterates[first:]], axis=0),
            np.mean([b for _, b in twin.iterates[first:]], axis=0))  # fmt: skip


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("schedule", ["sqrt", "inverse", "constant"])
@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("method", METHODS)
def test_lazy_means_are_the_means_of_all_iterates(method, alpha, schedule, batch):
    X, y = stream()
    v = np.random.default_rng(3).choice([0.0, 1.0, 2.0], size=20)
    v *= 20 / v.sum()
    twin = Twin(method, logistic, 20, 1, 0.03, alpha, v, eta0=0.4, schedule=schedule)
    twin.learn(X, y, batch=batch)
    fit = ss.online(
        sparse.csr_array(X), y, family="binomial", lam=0.03, alpha=alpha, penalty_factor=v,
        method=method, step=0.4, schedule=schedule, batch=batch, average=True,
    )  # fmt: skip
    W, b = means(twin)
    np.testing.assert_allclose(fit.coef(), W[:, 0], atol=1e-10)
    assert fit.intercept == pytest.approx(b[0], abs=1e-10)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_of_classes_and_of_rows_of_weights(method, grouped):
    X, y = stream(K=3)
    twin = Twin(method, softmax, 20, 3, 0.02, 0.8, eta0=0.4, tied=grouped).learn(X, y)
    fit = ss.online(X, y, family="multinomial", lam=0.02, alpha=0.8, grouped=grouped,
                    method=method, step=0.4, average=True)  # fmt: skip
    W, b = means(twin)
    np.testing.assert_allclose(fit.coef(), W.T, atol=1e-10)
    np.testing.assert_allclose(fit.intercept, b, atol=1e-10)


@pytest.mark.parametrize("average, first", [(True, 0), ("suffix", 2047)])
@pytest.mark.parametrize("method", METHODS)
def test_more_steps_than_are_kept_and_any_cut_of_them(method, average, first):
    X, y = stream(n=4500, p=6)
    twin = Twin(method, logistic, 6, 1, 0.05, 0.9, eta0=0.4).learn(X, y)
    options = {"family": "binomial", "lam": 0.05, "alpha": 0.9, "method": method, "step": 0.4,
               "average": average}  # fmt: skip
    fit = ss.online(X, y, **options)
    W, b = means(twin, first)
    np.testing.assert_allclose(fit.coef(), W[:, 0], atol=1e-10)
    assert fit.intercept == pytest.approx(b[0], abs=1e-10)
    parts = ss.online(X[:4097], y[:4097], **options)
    asked = parts.coef()  # which changes nothing
    parts = pickle.loads(pickle.dumps(parts))
    np.testing.assert_array_equal(parts.coef(), asked)
    for first, last in ((4097, 4098), (4098, 4400), (4400, 4500)):
        parts.more(X[first:last], y[first:last])
    np.testing.assert_array_equal(parts.coef(), fit.coef())
    assert parts.intercept == fit.intercept


def test_means_outlive_the_folding_of_ridge_factors():
    X, y = stream(n=400, p=6)
    twin = Twin("fobos", logistic, 6, 1, 3.0, 0.3, eta0=0.9, schedule="constant").learn(X, y)
    fit = ss.online(X, y, family="binomial", lam=3.0, alpha=0.3, method="fobos", step=0.9,
                    schedule="constant", average=True)  # fmt: skip
    assert 400 * np.log10(1 + 0.9 * 3.0 * 0.7) > 100.0  # the factors pass what they are folded at
    np.testing.assert_allclose(fit.coef(), means(twin)[0][:, 0], atol=1e-10)
