"""Paths solved again, between their lambdas and further down, are those of ss.path."""


import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import sparsesolve as ss


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
