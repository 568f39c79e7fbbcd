"""prox-SVRG: lazy steps against a twin that moves all weights, and the batch optimum."""

import pickle

import numpy as np
import pytest
from oracles.online_twin import logistic, prox, softmax, squared
from scipy import sparse

import sparsesolve as ss


def data(n=80, p=15, K=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.3)
    scores = X @ rng.normal(size=(p, max(K, 2))) + rng.normal(size=(n, max(K, 2)))
    return X, scores.argmax(axis=1)


def twin(X, Y, loss, lam, alpha, v, eta, passes, w, tied=False):
    """W (p, K) and b (K,) after some passes, every step moving all weights."""
    (n, p), K = X.shape, Y.shape[1]
    W, b, u = np.zeros((p, K)), np.zeros(K), w / w.mean()
    for _ in range(passes):
        V, c = W.copy(), b.copy()
        slopes = np.array([loss(Y[i], X[i] @ V + c)[1] for i in range(n)])
        M, m = X.T @ (u[:, None] * slopes) / n, (u[:, None] * slopes).mean(axis=0)
        for i in range(n):
            change = u[i] * (loss(Y[i], X[i] @ W + b)[1] - slopes[i])
            D = np.outer(X[i], change) + M
            W = prox(W - eta * D, eta * lam * alpha * v, eta * lam * (1 - alpha) * v, 1.0, tied)
            b = b - eta * (change + m)
    return W, b


@pytest.mark.parametrize("alpha", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("family, loss", [("binomial", logistic), ("gaussian", squared)])
def test_lazy_steps_are_the_eager_ones(family, loss, alpha):
    X, y = data()
    v = np.random.default_rng(1).choice([0.0, 1.0, 3.0], size=15)
    v *= 15 / v.sum()
    w = np.random.default_rng(2).choice([0.0, 1.0, 2.0], size=80)
    kept = w > 0
    W, b = twin(X[kept], y[kept, None].astype(float), loss, 0.02, alpha, v, 0.3, 3, w[kept])
    fit = ss.online(sparse.csr_array(X), y.astype(float), family=family, lam=0.02, alpha=alpha,
                    penalty_factor=v, weights=w, method="svrg", step=0.3, passes=3)  # fmt: skip
    np.testing.assert_allclose(fit.coef(), W[:, 0], atol=1e-10)
    assert fit.intercept == pytest.approx(b[0], abs=1e-10)


@pytest.mark.parametrize("grouped", [False, True])
def test_of_classes_and_of_rows_of_weights(grouped):
    X, y = data(K=3)
    Y = np.eye(3)[y]
    W, b = twin(X, Y, softmax, 0.02, 0.9, np.ones(15), 0.3, 3, np.ones(80), grouped)
    fit = ss.online(X, Y, family="multinomial", lam=0.02, alpha=0.9, grouped=grouped,
                    method="svrg", step=0.3, passes=3)  # fmt: skip
    np.testing.assert_allclose(fit.coef(), W.T, atol=1e-10)
    np.testing.assert_allclose(fit.intercept, b, atol=1e-10)


@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_passes_end_at_the_optimum_which_other_methods_only_approach(alpha):
    X, y = data(n=300)
    options = {"family": "binomial", "lam": 0.01, "alpha": alpha, "passes": 60, "shuffle": True}
    fit = ss.online(X, y, method="svrg", **options)
    found = fit.certify(X, y)
    assert found.relative_gap < 1e-9
    best = ss.path(X, y, family="binomial", alpha=alpha, lambdas=[0.01], standardize=False,
                   tol=1e-10)  # fmt: skip
    np.testing.assert_allclose(fit.coef(), best.coef(0.01), atol=1e-4)
    np.testing.assert_array_equal(fit.nonzero(), np.flatnonzero(best.coef(0.01)))


def test_a_stream_that_can_be_read_again_and_features_that_turn_up():
    X, y = data(n=100)
    blocks = [(X[:40, :9], y[:40]), (X[40:], y[40:])]
    options = {"family": "binomial", "lam": 0.02, "method": "svrg", "step": 0.2, "passes": 2}
    X = X.copy()
    X[:40, 9:] = 0.0
    fit = ss.online(X, y, **options)
    streamed = ss.online(blocks, classes=[0, 1], **options)
    np.testing.assert_array_equal(streamed.coef(), fit.coef())
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.coef(), fit.coef())


def test_weights_that_cross_zero_in_one_jump():
    """Rows that rarely hold a feature: it makes hundreds of steps at once."""
    rng = np.random.default_rng(5)
    X = np.zeros((400, 4))
    X[:, 0] = rng.normal(size=400)
    X[[3, 201], 1], X[[7, 390], 2], X[[250], 3] = 4.0, -3.0, 5.0
    y = (rng.random(400) < 0.5).astype(float)
    y[[3, 390]] = 1.0
    for alpha in (1.0, 0.3):
        W, b = twin(X, y[:, None], logistic, 1e-3, alpha, np.ones(4), 0.5, 6, np.ones(400))
        fit = ss.online(X, y, family="binomial", lam=1e-3, alpha=alpha, method="svrg", step=0.5,
                        passes=6)  # fmt: skip
        np.testing.assert_allclose(fit.coef(), W[:, 0], atol=1e-10)


@pytest.mark.parametrize(
    "change, match",
    [
        ({"batch": 2}, "batch"),
        ({"average": True}, "average"),
        ({"radius": 1.0}, "radius"),
        ({"step": lambda t: 1.0}, "step"),
        ({"penalty": ss.penalties.GroupL2([[0, 1]])}, "penalty"),
    ],
)
def test_what_svrg_does_not_take(change, match):
    X, y = data()
    with pytest.raises(ValueError, match=match):
        ss.online(X, y, family="binomial", lam=0.1, method="svrg", **change)


def test_no_more_and_no_regret():
    X, y = data()
    fit = ss.online(X, y, family="binomial", lam=0.1, method="svrg", passes=2)
    with pytest.raises(ValueError, match="all rows"):
        fit.more(X, y)
    with pytest.raises(ValueError, match="regret"):
        fit.regret_bound(1.0)
    with pytest.raises(ValueError, match="twice"):
        ss.online(iter([(X, y)]), classes=[0, 1], family="binomial", lam=0.1, method="svrg")


def test_a_model_file_keeps_it(tmp_path):
    X, y = data()
    fit = ss.online(X, y, family="binomial", lam=0.02, method="svrg", passes=3)
    ss.save(fit, tmp_path / "model.npz")
    again = ss.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.coef(), fit.coef())
    assert again.eta0 == fit.eta0
    np.testing.assert_array_equal(again.losses, fit.losses)
