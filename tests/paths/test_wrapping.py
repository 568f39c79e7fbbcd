"""The warning of what fell short names the line of the user, whichever function it comes from."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.solvers import greedy

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 12))
Y = X[:, 0] - X[:, 1] + RNG.normal(size=40)


def extended():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = ss.path(X, Y, tol=0.0, n_lambdas=5, lambda_min_ratio=0.3, stop=None)
    return fit.extend(X, Y, n_lambdas=3)


CALLS = {
    "extend": extended,
    "path": lambda: ss.path(X, Y, tol=0.0, n_lambdas=5),
    "lars_path": lambda: ss.lars_path(X, Y, tol=0.0),
    "cv_path": lambda: ss.cv_path(X, Y, tol=0.0, n_lambdas=5, n_folds=3, seed=0),
    "mkl_path": lambda: ss.mkl_path([X @ X.T], Y, tol=0.0, n_lambdas=5),
    "omp_path": lambda: ss.omp_path(X, Y, n_nonzero=3),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_warning_points_at_the_call(name, recwarn, monkeypatch):
    monkeypatch.setattr(greedy, "CERTAIN", -1.0)  # which no step of a pursuit certifies
    CALLS[name]()
    told = [w for w in recwarn if w.category is ss.ConvergenceWarning]
    assert len(told) == 1 and told[0].filename == __file__
    assert " miss tol" in str(told[0].message)
