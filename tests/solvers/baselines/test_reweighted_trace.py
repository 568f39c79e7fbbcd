"""Reweighted l2 in its trace form reaches what tangent Newton reaches, certified."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(6)
X = RNG.standard_normal((50, 12))
WEIGHTS = np.resize([0.5, 1.0, 2.0, 1.3], 50)
Y = X @ np.outer(RNG.standard_normal(12), [1.0, -1, 2]) + RNG.standard_normal((50, 3)) + 5


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("family, y, penalty", [
    ("multigaussian", Y, P.TraceNorm()),
    ("gaussian", Y[:, 0], P.TraceNorm((3, 4))),
    ("gaussian", Y[:, 0], P.TraceNorm((4, 3))),
])  # fmt: skip
def test_the_same_optimum(family, y, penalty, intercept):
    options = {"family": family, "penalty": penalty, "intercept": intercept,
               "weights": WEIGHTS}  # fmt: skip
    newton = ss.path(X, y, n_lambdas=6, lambda_min_ratio=0.05, tol=1e-10, **options)
    ours = ss.path(X, y, lambdas=newton.lambdas, solver="reweighted", tol=1e-3, **options)
    assert not ours.status.any()
    for k, lam in enumerate(newton.lambdas):
        apart = X @ (ours.coef(lam) - newton.coef(lam)).reshape(-1, 12).T
        apart = apart + np.subtract(ours.intercepts[..., k], newton.intercepts[..., k])
        assert np.mean(apart**2) <= 4e-3 * 3 * np.mean(y**2)  # twice what a gap of tol allows


@pytest.mark.parametrize("options", [
    {"alpha": 0.5}, {"penalty": P.Spectral("spectral", (3, 4))}, {"penalty": P.Slope()},
    {"family": "binomial", "y": Y[:, 0] > 5},
])  # fmt: skip
def test_what_it_does_not_take(options):
    y = options.pop("y", Y[:, 0])
    with pytest.raises(ValueError, match="solver='reweighted' needs"):
        ss.path(X, y, **{"penalty": P.TraceNorm((3, 4)), **options}, solver="reweighted")
