"""Limits so far out that they say nothing, beside some that bind: certified like none."""

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(12)
N, P = 120, 6
X = RNG.normal(size=(N, P))
SIGNAL = X[:, 0] + X[:, 1] + RNG.normal(size=N)
Y = {
    "gaussian": SIGNAL,
    "binomial": SIGNAL > 0.0,
    "poisson": RNG.poisson(np.exp(SIGNAL / 3)),
    "multinomial": np.digitize(SIGNAL, [-0.5, 0.5]),
}
PENALTIES = {
    "elastic net": None,
    "group": ss.penalties.GroupL2([0, 0, 1, 1, 2, 2]),
    "sparse group": ss.penalties.SparseGroup([0, 0, 1, 1, 2, 2]),
    "linf": ss.penalties.GroupLinf([0, 0, 1, 1, 2, 2]),
}


CASES = [(family, penalty) for family in Y for penalty in PENALTIES
         if family != "multinomial" or penalty == "elastic net"]  # fmt: skip


@pytest.mark.parametrize("rows", [N, 2 * P])  # by inner products, and by the data
@pytest.mark.parametrize(("family", "penalty"), CASES)
def test_a_far_limit_is_none(family, penalty, rows):
    options = {"family": family, "penalty": PENALTIES[penalty], "lower": 0.0, "n_lambdas": 15,
               "stop": None, "lambda_min_ratio": 1e-2}  # fmt: skip
    upper = np.full(P, 0.1)
    upper[0] = np.inf
    exact = ss.path(X[:rows], Y[family][:rows], upper=upper, tol=1e-11, **options)
    assert (coefs(exact)[..., 1:, :] == 0.1).any()  # that binds
    for far in (1e6, 1e12, 1e30, 1e160, 1e200, 1e300):
        upper[0] = far
        fit = ss.path(X[:rows], Y[family][:rows], upper=upper, lambdas=exact.lambdas, **options)
        assert not fit.status.any() and fit.gaps.max() <= 1e-7
        assert coefs(fit) == pytest.approx(coefs(exact), abs=2e-2)


def coefs(fit):
    parts = fit.coefs if isinstance(fit.coefs, list) else [fit.coefs]
    return np.array([part.toarray() for part in parts])
