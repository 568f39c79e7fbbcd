"""Paths that begin far below their first lambda, on far more columns than rows.

Nearly all columns violate there, and few will be wanted: to let them all in took memory of p^2.
"""

import tracemalloc

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(0)
N, P = 40, 4000
X = np.asfortranarray(RNG.normal(size=(N, P)))
Y = X[:, 0] - X[:, 1] + RNG.normal(size=N)
GENES = np.arange(P) // 10
KINDS = {
    "lasso": (Y, {}),
    "elastic net": (Y, {"alpha": 0.3}),
    "limits": (Y, {"lower": 0.0}),
    "binomial": (Y > 0, {"family": "binomial"}),
    "binomial ridge": (Y > 0, {"family": "binomial", "alpha": 0.0}),
    "poisson": (RNG.poisson(np.exp(0.5 * X[:, 0])), {"family": "poisson"}),
    "cox": ((RNG.exponential(np.exp(-Y)), RNG.random(N) < 0.8), {"family": "cox"}),
    "groups": (Y, {"penalty": ss.penalties.GroupL2(GENES)}),
    "sparse groups": (Y > 0, {"penalty": ss.penalties.SparseGroup(GENES, 0.5),
                              "family": "binomial"}),
    "multinomial": (np.digitize(Y, [-1, 1]), {"family": "multinomial"}),
    "tied classes": (np.digitize(Y, [-1, 1]), {"family": "multinomial", "grouped": True}),
    "classes by gene": (np.digitize(Y, [-1, 1]), {"family": "multinomial",
                                                  "penalty": ss.penalties.GroupL2(GENES)}),
    "multigaussian": (np.column_stack([Y, X[:, 2]]), {"family": "multigaussian"}),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_one_small_lambda_is_solved_as_on_a_path_and_in_little_room(kind):
    y, options = KINDS[kind]
    options = {**options, "tol": 1e-9}
    grid = ss.path(X, y, **options, n_lambdas=1).lambdas[0] * np.geomspace(1.0, 0.1, 12)
    path = ss.path(X, y, **options, lambdas=grid)
    tracemalloc.start()
    alone = ss.path(X, y, **options, lambdas=grid[-1:])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert alone.gaps[0] <= 1e-9 and peak < 12 * X.nbytes  # where p^2 is 100 times X
    eta, there = alone.predict(X)[..., 0], path.predict(X)[..., -1]
    assert np.abs(eta - there).max() <= 2e-3 * np.abs(there).max()
    assert alone.dev_ratio[0] == pytest.approx(path.dev_ratio[-1], abs=1e-5)
