"""Columns alike but for a little: coefficients cancel that inner products cannot tell apart."""

import numpy as np
import pytest

import sparsesolve as ss

pytestmark = pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
WIDE, TALL = (6, 60, 1e-4), (40, 12, 1e-6)


def alike(seed, n, p, apart, n_responses=1):
    """Columns that differ by `apart`, and responses of which they tell a part."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, p))
    Y = np.outer(Z[:, 0], np.resize([1, -1, 0], n_responses)) + rng.normal(size=(n, n_responses))
    return Z[:, :1] + apart * Z, Y[:, 0] if n_responses == 1 else Y, rng


def check(X, y, lambdas, **options):
    """What is claimed is true of the predictions; where less is reached that is said."""
    fit = ss.path(X, y, lambdas=lambdas, **options)
    null = np.sum((y - y.mean(axis=0)) ** 2)
    for k, lam in enumerate(lambdas):
        share = 1.0 - np.sum((y - fit.predict(X, lam)) ** 2) / null
        assert fit.dev_ratio[k] == pytest.approx(share, abs=3e-7)
    assert (fit.gaps <= 1.0).all() and ((fit.gaps <= 1e-7) | (fit.status > 0)).all()
    return fit


@pytest.mark.parametrize("seed", [14, 19, 33])
def test_limits_leave_coefficients_that_cancel(seed):
    X, y, rng = alike(seed, *WIDE)
    lower, upper = rng.choice([0, -np.inf], size=60), rng.choice([0, np.inf], size=60)
    check(X, y, [0.01, 0.0], lower=lower, upper=upper)


@pytest.mark.parametrize("solver", ["sufficient", "working_set"])
def test_columns_that_nothing_holds_back_cancel(solver):
    X, y, _ = alike(5, 10, 30, 1e-5)
    fit = check(X, y, [0.1], penalty_factor=(np.arange(30) % 3 > 0) * 1.0, solver=solver)
    assert not fit.status.any()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
def test_of_several_responses_as_of_one(shape, seed):
    X, Y, rng = alike(seed, *shape, n_responses=3)
    factors = rng.choice([0.0, 1.0], size=X.shape[1])
    factors[0] = 1.0
    check(X, Y, [0.1, 0.01, 0.0], family="multigaussian", penalty_factor=factors)


def test_columns_far_from_zero_without_an_intercept():
    """All but one direction of them is lost in rounding."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 20))
    y = X[:, 1] + rng.normal(size=10)
    X[:, ::3] += 1e7
    for alpha in (1.0, 0.5, 0.0):
        fit = ss.path(X, y, intercept=False, alpha=alpha, lambdas=[1.0, 0.1, 0.01])
        assert np.isfinite(fit.coefs.toarray()).all() and (fit.gaps <= 1.0).all()
