"""Paths solved again, between their lambdas and further down: by closed form, and by ss.path."""


import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from soft_paths import X, fit, soft, soft_path, y

import sparsesolve as ss


def test_exact_goes_beyond_what_ended_the_path():
    short = soft_path(X, y, lambdas=[3.0, 2.5, 1.0], dfmax=1)
    assert len(short.lambdas) == 2
    assert_allclose(short.coef(0.1, exact=True, X=X, y=y), soft(0.1))


def test_exact_asks_for_the_data_of_the_fit():
    with pytest.raises(ValueError, match="X=X, y=y"):
        fit.coef(1.5, exact=True)
    with pytest.raises(ValueError, match="not that of the fit"):
        fit.coef(1.5, exact=True, X=X, y=2 * y)
    with pytest.raises(ValueError, match="not that of the fit"):
        fit.coef(1.5, exact=True, X=X[::-1] + X[:, ::-1], y=y)
    with pytest.raises(ValueError, match="2 columns"):
        fit.coef(1.5, exact=True, X=X[:, :2], y=y)


def test_extend_without_arguments_completes_what_was_asked_for():
    stopped = soft_path(X, y, n_lambdas=5, lambda_min_ratio=1 / 16, dfmax=2)
    assert len(stopped.lambdas) == 3
    whole = stopped.extend(X, y)
    assert_allclose(whole.lambdas, 3.0 * 0.5 ** np.arange(5))
    with pytest.raises(ValueError, match="complete"):
        whole.extend(X, y)
    own = soft_path(X, y, lambdas=[3.0, 2.5, 1.0, 0.2], dfmax=1)
    assert_allclose(own.extend(X, y).lambdas, [3.0, 2.5, 1.0, 0.2])


def test_extend_several_classes():
    kind = np.digitize(y, [8.0, 11.0])
    path = ss.path(X, kind, family="multinomial", lambdas=[0.2, 0.1])
    longer = path.extend(X, kind, n_lambdas=2)
    assert_allclose(longer.lambdas, [0.2, 0.1, 0.05, 0.025])
    whole = ss.path(X, kind, family="multinomial", lambdas=longer.lambdas)
    assert_allclose(longer.coef(0.025), whole.coef(0.025), atol=1e-4)
    assert longer.intercepts.shape == (3, 4)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 25)) @ (np.eye(25) + 0.3)
    return X, X[:, :4] @ [2.0, -1.0, 1.0, 0.5] + rng.normal(size=60) + 5.0


OPTIONS = {
    "plain": {},
    "elastic net": {"alpha": 0.4},
    "ridge": {"alpha": 0.0},
    "weights and offset": {"weights": np.arange(1.0, 61.0), "offset": np.sin(np.arange(60.0))},
    "factors": {"penalty_factor": np.r_[0.0, np.inf, np.linspace(0.5, 2, 23)]},
    "limits": {"lower": 0.0, "upper": 1.0},
    "bare": {"intercept": False, "standardize": False},
}


@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_path_in_two_parts_is_the_path(data, options, store):
    X, y = store(data[0]), data[1]
    options = {"tol": 1e-12, "stop": None, **options}
    whole = ss.path(X, y, n_lambdas=20, lambda_min_ratio=0.01, **options)
    half = ss.path(X, y, lambdas=whole.lambdas[:12], **options)
    joined = half.extend(X, y, n_lambdas=8)
    assert_allclose(joined.lambdas, whole.lambdas)
    assert_allclose(joined.coefs.toarray(), whole.coefs.toarray(), atol=1e-5)
    assert_allclose(joined.intercepts, whole.intercepts, atol=1e-4)
    assert_allclose(joined.dev_ratio, whole.dev_ratio, atol=1e-9)
    assert joined.gaps.max() <= 1e-12
    s = np.sqrt(whole.lambdas[3] * whole.lambdas[4])
    alone = ss.path(X, y, lambdas=[s], **options)
    assert_allclose(half.coef(s, exact=True, X=X, y=y), alone.coef(s), atol=1e-6)
    assert_allclose(half.intercept(s, exact=True, X=X, y=y), alone.intercept(s), atol=1e-5)


def test_extend_completes_a_path_that_a_rule_ended(data):
    X, y = data
    early = ss.path(X, y, n_lambdas=30, dfmax=3, tol=1e-10)
    assert len(early.lambdas) < 30
    whole = ss.path(X, y, n_lambdas=30, stop=None, tol=1e-10)
    longer = early.extend(X, y)
    assert_allclose(longer.lambdas, whole.lambdas)
    assert_allclose(longer.coefs.toarray(), whole.coefs.toarray(), atol=1e-4)
    assert longer.stop_reason == whole.stop_reason
