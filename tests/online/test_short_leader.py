"""Weights in single precision: the same learning, to seven digits, in half of the memory."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss


def data(n=400, p=50, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=0.2, rng=rng, data_sampler=rng.normal).tocsr()
    return X, (X @ rng.normal(size=p) + rng.logistic(size=n) > 0).astype(float)


@pytest.mark.parametrize("factor", [None, "uneven"])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_single_precision_learns_the_same_to_its_digits(alpha, factor):
    X, y = data()
    v = None if factor is None else np.arange(50.0)
    options = {"family": "binomial", "lam": 0.01, "alpha": alpha, "step": 0.7,
               "penalty_factor": v}  # fmt: skip
    fit, double = ss.online(X, y, dtype="float32", **options), ss.online(X, y, **options)
    np.testing.assert_allclose(fit.coef(), double.coef(), atol=2e-5)
    assert np.abs(fit.coef() - double.coef()).max() > 0.0
    assert fit._learner.engine.record.nbytes * 2 == double._learner.engine.record.nbytes
    with pytest.raises(ValueError, match="dtype='float64'"):  # rounding is no step of a theorem
        fit.regret_bound(3.0)


def test_cuts_growing_and_files_keep_the_bits(tmp_path):
    X, y = data()
    options = {"family": "binomial", "lam": 0.01, "dtype": "float32", "step": 0.7}
    whole = ss.online(X, y, **options)
    parts = ss.online([(X[:100], y[:100])], **options)
    ss.save(parts, tmp_path / "a.npz")
    parts = ss.load(tmp_path / "a.npz").more(X[100:], y[100:])
    np.testing.assert_array_equal(parts.coef(), whole.coef())


@pytest.mark.parametrize("change", [{"method": "rda"}, {"batch": 2}])
def test_what_has_no_single_precision(change):
    X, y = data()
    with pytest.raises(ValueError, match="float32"):
        ss.online(X, y, family="binomial", lam=0.1, dtype="float32", **change)
