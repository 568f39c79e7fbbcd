"""Trend filtering: worked numbers, the basis of splines, paths compared with proximal steps."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.solvers.reductions import mapped

RNG = np.random.default_rng(5)
TRUTH = np.interp(np.arange(30), [0, 10, 20, 29], [0.0, 2.0, -1.0, -1.0])
X = RNG.standard_normal((80, 30))
Y = X @ TRUTH + RNG.standard_normal(80)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_the_basis(degree):
    own = P.TrendFilter(degree).over(15).mapping()
    T = own.times(np.eye(15)).T
    z = RNG.standard_normal((3, 15))
    assert own.adjoint(z) == pytest.approx(z @ T, abs=1e-10)
    assert own.form(np.eye(15)) == pytest.approx(T.T, abs=1e-10)
    for k in range(15):
        which, values = own.sources(k)
        assert T[which, k] == pytest.approx(values, abs=1e-11)
    q = degree + 1
    theta = np.diff(T, n=q, axis=0)  # D T: one knot for each column, over its length
    assert np.abs(theta[:, :q]).max() < 1e-12
    factors = np.asarray(own.penalty().l1)
    assert theta[:, q:] == pytest.approx(np.diag(factors[q:]), abs=1e-11) and not factors[:q].any()


def test_knots_are_few():
    penalty = P.TrendFilter()
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=30, lambda_min_ratio=1e-3)
    assert penalty.degrees(fit.coef(fit.lambdas[0])) == 2
    chosen = min(fit.lambdas, key=lambda lam: np.abs(fit.coef(lam) - TRUTH).sum())
    assert np.abs(fit.coef(chosen) - TRUTH).max() < 0.5 and penalty.degrees(fit.coef(chosen)) < 15


def test_columns_formed_as_they_come(monkeypatch):
    Z = sparse.csc_array(np.where(np.abs(X) > 1.0, X, 0.0))
    options = {"penalty": P.TrendFilter(), "tol": 1e-9}
    whole = ss.path(Z, Y, n_lambdas=8, **options)
    monkeypatch.setattr(mapped, "SMALL_MAPPED", 0)
    fit = ss.path(Z, Y, lambdas=whole.lambdas, **options)
    assert fit.coefs.toarray() == pytest.approx(whole.coefs.toarray(), abs=1e-4)
    assert fit.gaps.max() <= 1e-9
