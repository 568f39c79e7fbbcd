"""Berhu: worked numbers, prox on a grid, paths certified and as the lasso where delta is large."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(2)
X = RNG.standard_normal((60, 8))
Y = X[:, :3] @ [3.0, -1.0, 0.5] + RNG.standard_normal(60)


def test_worked_numbers():
    assert P.Berhu(2.0).value([1.0, -4.0]) == 1.0 + (16 + 4) / 4
    assert P.Berhu(2.0, [3.0, 1.0]).polar([3.0, -2.0]) == 2.0
    assert P.Berhu().conjugate([3.0, 0.5], 1.0) == 4.0
    assert P.Berhu().prox([0.5, -1.5, 6.0], 1.0).tolist() == [0.0, -0.5, 3.0]


def test_the_prox_is_the_minimum_on_a_grid():
    u = np.linspace(-8, 8, 160_001)
    for x in (-5.0, -0.3, 1.2, 2.6, 7.0):
        for delta, t in ((0.5, 0.3), (2.0, 1.5)):
            penalty = P.Berhu(delta)
            size = np.abs(u)
            h = np.where(size <= delta, size, (u * u + delta**2) / (2 * delta))
            best = u[np.argmin(0.5 * (u - x) ** 2 + t * h)]
            assert penalty.prox([x], t)[0] == pytest.approx(best, abs=2e-4)


@pytest.mark.parametrize("family, y", [("gaussian", Y), ("binomial", Y > 0)])
def test_paths(family, y):
    fit = ss.path(X, y, family=family, penalty=P.Berhu(0.3), tol=1e-11, n_lambdas=12)
    assert not fit.status.any() and fit.df[0] <= 1 < fit.df[-1]
    lasso = ss.path(X, y, family=family, lambdas=fit.lambdas, tol=1e-11)
    wide = ss.path(X, y, family=family, penalty=P.Berhu(1e3), lambdas=fit.lambdas, tol=1e-11)
    assert wide.coefs.toarray() == pytest.approx(lasso.coefs.toarray(), abs=1e-5)
    assert np.abs(fit.coefs.toarray()).max() < np.abs(lasso.coefs.toarray()).max()


@pytest.mark.parametrize("make, sentence", [
    (lambda: P.Berhu(0.0), "delta must be above 0"),
    (lambda: P.Berhu(1.0, [1.0, 0.0]).value([1.0, 2.0]), "weights has 0 for feature 1"),
    (lambda: P.Berhu(1.0, [1.0]).value([1.0, 2.0]), "weights has shape"),
])  # fmt: skip
def test_what_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


def test_separate_takes_norms_alone():
    parts = P.Separate({range(4): P.L1(), range(4, 8): P.Berhu()})
    with pytest.raises(TypeError, match="Berhu is no norm, as every term of a sum must be"):
        ss.path(X, Y, penalty=parts)
