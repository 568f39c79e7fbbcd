"""Columns without a penalty that tell some responses with certainty: none that is finite is best.

The objective falls towards that of the other samples without such a column: a law to go by.
"""

import numpy as np
import pytest

import sparsesolve as ss

N, P, RARE = 150, 20, 6
ROWS = np.arange(0, N, N // RARE)[:RARE]


def problem(family, values):
    """A column that is nonzero in a few rows, where all responses are 0."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(N, P))
    eta = X[:, 3:8] @ rng.normal(size=5)
    X[:, 0] = 0.0
    X[ROWS, 0] = 1.0 if values == "alike" else rng.random(RARE) + 0.2
    y = rng.random(N) < 1 / (1 + np.exp(-eta)) if family == "binomial" else rng.poisson(1.5, N)
    y = y.astype(float)
    y[ROWS] = 0.0
    return X, y


def solved(X, y, family, lambdas=None, free=2, groups=False, **options):
    """The first columns have no penalty, the others one alone or three by three."""
    v = 1.0 * (np.arange(X.shape[1]) >= free)
    if groups:
        of = np.maximum(np.arange(len(v)) - free + 3, 0) // 3
        weights = np.sqrt(3.0) * (np.arange(of.max() + 1) > 0)
        options["penalty"] = ss.penalties.GroupL2(of, weights)
    else:
        options["penalty_factor"] = v
    return ss.path(X, y, family=family, standardize=False, lambdas=lambdas, stop=None,
                   n_lambdas=12, lambda_min_ratio=1e-3, **options)  # fmt: skip


@pytest.mark.parametrize("solver", ["auto", "pass_newton"])
@pytest.mark.parametrize("groups", [False, True], ids=["single", "groups"])
@pytest.mark.parametrize("values", ["alike", "different"])
@pytest.mark.parametrize("family", ["binomial", "poisson"])
def test_the_path_is_that_of_the_other_samples(family, values, groups, solver):
    X, y = problem(family, values)
    fit = solved(X, y, family, groups=groups, solver=solver)
    assert (fit.status == ss.Status.UNBOUNDED).all() and fit.gaps.max() <= 1e-7
    assert fit.unbounded.tolist() == [0]
    assert fit.n_iters.sum() <= 200 * len(fit.lambdas)  # 7,000 and more for a lambda, it was
    others = np.setdiff1d(np.arange(N), ROWS)
    unit = N / len(others) * (1.0 if groups else P / (P - 1))  # factors add up to the columns
    part = solved(X[others, 1:], y[others], family, fit.lambdas * unit, 1, groups, tol=1e-10)
    assert fit.predict(X[others]) == pytest.approx(part.predict(X[others, 1:]), abs=0.02)
    assert (fit.predict(X[ROWS]) < -8.0).all()


def test_a_certificate_counts_what_is_left_of_certain_samples():
    """At a loose tolerance the coefficient is small, at a tight one it is not."""
    X, y = problem("binomial", "different")
    lam = [0.05]
    loose, tight = (solved(X, y, "binomial", lam, tol=tol) for tol in (1e-3, 1e-10))
    assert loose.unbounded.tolist() == tight.unbounded.tolist() == [0]
    assert tight.coefs[0, 0] < loose.coefs[0, 0] < 0.0
