"""Paths solved again, between their lambdas and further down: by closed form, and by ss.path."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from soft_paths import X, fit, soft, soft_path, softmany, y

import sparsesolve as ss


def test_exact_solves_between_the_lambdas():
    s = [2.75, 0.25, 2.0]
    assert_allclose(fit.coef(s, exact=True, X=X, y=y), softmany(s))
    assert_allclose(fit.coef(0.25, exact=True, X=X, y=y), soft(0.25))
    assert_allclose(fit.intercept(0.25, exact=True, X=X, y=y), 10.0)


def test_exact_needs_no_fit_at_a_lambda_of_the_path():
    def refuse(*args, **options):
        raise AssertionError("a fit that was not needed")

    path = dataclasses.replace(fit, fitter=refuse)
    assert_array_equal(path.coef([3.0, 1.0], exact=True, X=X, y=y), fit.coef([3.0, 1.0]))


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


def test_extend_keeps_the_spacing():
    path = soft_path(X, y, n_lambdas=3, lambda_min_ratio=0.25)
    longer = path.extend(X, y, n_lambdas=2)
    assert_allclose(longer.lambdas, 3.0 * 0.5 ** np.arange(5))
    assert_allclose(longer.coefs.toarray(), softmany(longer.lambdas), atol=1e-12)
    assert_allclose(longer.df, [0, 2, 2, 3, 3])
    assert len(longer.gaps) == len(longer.n_iters) == len(longer.status) == 5
    assert len(path.lambdas) == 3  # the old path stays
    assert_allclose(longer.extend(X, y, n_lambdas=1).lambdas[-1], 3.0 / 32)


def test_extend_down_to_a_ratio():
    path = soft_path(X, y, n_lambdas=3, lambda_min_ratio=0.25)
    assert_allclose(path.extend(X, y, lambda_min_ratio=1 / 16).lambdas[-1], 3.0 / 16)
    assert_allclose(path.extend(X, y, lambda_min_ratio=0.06).lambdas[-1], 3.0 / 32)
    both = path.extend(X, y, lambda_min_ratio=0.01, n_lambdas=7)
    assert_allclose(both.lambdas[2:], np.geomspace(0.75, 0.03, 8))


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


@pytest.mark.parametrize(
    "asked, words",
    [
        ({"n_lambdas": 0}, "n_lambdas"),
        ({"lambda_min_ratio": 1.5}, "lambda_min_ratio"),
        ({"lambda_min_ratio": 0.9}, "already reaches"),
        ({}, "complete"),
    ],
)
def test_extend_refuses_what_adds_nothing(asked, words):
    with pytest.raises(ValueError, match=words):
        fit.extend(X, y, **asked)


def test_extend_refuses_paths_without_a_next_lambda():
    with pytest.raises(ValueError, match="positive last lambda"):
        soft_path(X, y, lambdas=[1.0, 0.0]).extend(X, y, n_lambdas=1)
    one = soft_path(X, y, lambdas=[1.0])
    with pytest.raises(ValueError, match="no spacing"):
        one.extend(X, y, n_lambdas=1)
    assert_allclose(one.extend(X, y, n_lambdas=1, lambda_min_ratio=0.5).lambdas, [1.0, 0.5])


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
