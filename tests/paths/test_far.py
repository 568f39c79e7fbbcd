"""Limits and lambdas that are far out: certified like others, in little room."""

import tracemalloc

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


RNG_STARTS = np.random.default_rng(0)
N_STARTS, P_STARTS = 40, 4000
X_STARTS = np.asfortranarray(RNG_STARTS.normal(size=(N_STARTS, P_STARTS)))
Y_STARTS = X_STARTS[:, 0] - X_STARTS[:, 1] + RNG_STARTS.normal(size=N_STARTS)
GENES = np.arange(P_STARTS) // 10
KINDS = {
    "lasso": (Y_STARTS, {}),
    "elastic net": (Y_STARTS, {"alpha": 0.3}),
    "limits": (Y_STARTS, {"lower": 0.0}),
    "binomial": (Y_STARTS > 0, {"family": "binomial"}),
    "binomial ridge": (Y_STARTS > 0, {"family": "binomial", "alpha": 0.0}),
    "poisson": (RNG_STARTS.poisson(np.exp(0.5 * X_STARTS[:, 0])), {"family": "poisson"}),
    "cox": ((RNG_STARTS.exponential(np.exp(-Y_STARTS)), RNG_STARTS.random(N_STARTS) < 0.8),
            {"family": "cox"}),
    "groups": (Y_STARTS, {"penalty": ss.penalties.GroupL2(GENES)}),
    "sparse groups": (Y_STARTS > 0, {"penalty": ss.penalties.SparseGroup(GENES, 0.5),
                              "family": "binomial"}),
    "multinomial": (np.digitize(Y_STARTS, [-1, 1]), {"family": "multinomial"}),
    "tied classes": (np.digitize(Y_STARTS, [-1, 1]), {"family": "multinomial", "grouped": True}),
    "classes by gene": (np.digitize(Y_STARTS, [-1, 1]), {"family": "multinomial",
                                                  "penalty": ss.penalties.GroupL2(GENES)}),
    "multigaussian": (np.column_stack([Y_STARTS, X_STARTS[:, 2]]), {"family": "multigaussian"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_one_small_lambda_is_solved_as_on_a_path_and_in_little_room(kind):
    y, options = KINDS[kind]
    options = {**options, "tol": 1e-9}
    grid = ss.path(X_STARTS, y, **options, n_lambdas=1).lambdas[0] * np.geomspace(1.0, 0.1, 12)
    path = ss.path(X_STARTS, y, **options, lambdas=grid)
    tracemalloc.start()
    alone = ss.path(X_STARTS, y, **options, lambdas=grid[-1:])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert alone.gaps[0] <= 1e-9 and peak < 12 * X_STARTS.nbytes  # where p^2 is 100 times X
    eta, there = alone.predict(X_STARTS)[..., 0], path.predict(X_STARTS)[..., -1]
    assert np.abs(eta - there).max() <= 2e-3 * np.abs(there).max()
    assert alone.dev_ratio[0] == pytest.approx(path.dev_ratio[-1], abs=1e-5)
