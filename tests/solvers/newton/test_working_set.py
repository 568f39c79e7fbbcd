"""WorkingSet: neither a loose tolerance nor a far start fills it with what is never active."""

import numpy as np
import pytest

import sparsesolve as ss


def correlated(n, p, rho, seed, true=30):
    """Columns of an autoregressive process, and a response of signal to noise ratio 1.7."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    y = X[:, rng.choice(p, true, replace=False)] @ rng.standard_normal(true)
    return X, y + y.std() / 1.7 * rng.standard_normal(n)


PROBLEMS = {
    "wide": (300, 8000, 0.99, {}),
    "uncorrelated": (400, 3000, 0.0, {}),
    "some ridge": (200, 4000, 0.9, {"alpha": 0.3}),
    "binomial": (150, 4000, 0.9, {"family": "binomial"}),
    "groups": (150, 2000, 0.9, {"penalty": ss.penalties.GroupL2(np.arange(2000) // 4)}),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_loose_tolerance_takes_no_more_working_columns(states, name):
    n, p, rho, options = PROBLEMS[name]
    X, y = correlated(n, p, rho, 3)
    if options.get("family") == "binomial":
        y = y > 0
    sizes = []
    for tol in (1e-7, 1e-4, 1e-3, 1e-2):
        fit = ss.path(X, y, tol=tol, stop=None, **options)
        assert fit.gaps.max() <= tol
        sizes.append(len(states[-1].quadratic.members()[0]))
    assert max(sizes) <= 1.25 * sizes[0], sizes


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_far_start_takes_few_more_working_columns_than_a_path(states, name):
    n, p, rho, options = PROBLEMS[name]
    X, y = correlated(n, p, rho, 4)
    if options.get("family") == "binomial":
        y = y > 0
    first = ss.path(X, y, n_lambdas=1, **options).lambdas[0]
    sizes = []
    for grid in (first * np.geomspace(1, 0.02, 50), [0.02 * first]):
        fit = ss.path(X, y, lambdas=grid, stop=None, **options)
        assert fit.gaps.max() <= 1e-7
        sizes.append(len(states[-1].quadratic.members()[0]))
    assert sizes[1] <= 1.5 * sizes[0], sizes
