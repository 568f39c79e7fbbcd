"""Few columns are solved for by their Gram matrix, many sparse ones and more than rows under a
ridge by conjugate steps."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss


def problem(n, p, density):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    X[rng.random((n, p)) >= density] = 0.0
    y = X[:, :50].sum(axis=1) + rng.standard_normal(n)
    return (sparse.csc_array(X) if density < 1.0 else np.asfortranarray(X)), y


CASES = {
    "products": (problem(200, 30, 1.0), 1.0, 0.1),
    "products of sparse columns": (problem(1500, 100, 0.1), 1.0, 0.05),
    "many sparse columns": (problem(1500, 3000, 0.01), 1.0, 0.05),
    "columns under a ridge": (problem(40, 600, 1.0), 0.05, 0.01),
}


@pytest.mark.parametrize("way", CASES)
def test_the_way_is_told_by_alpha_and_storage(way, states):
    (X, y), alpha, least = CASES[way]
    fit = ss.path(X, y, alpha=alpha, solver="working_set", n_lambdas=20, lambda_min_ratio=least,
                  stop=None, tol=1e-9)  # fmt: skip
    assert type(states[-1].quadratic).__name__ == (
        "GramActiveSet" if way.startswith("products") else "DataActiveSet")
    assert not fit.status.any()
