"""PANOC: the optimum of the other solvers, whatever the penalty, in fewer steps than FISTA."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties

RNG = np.random.default_rng(3)
X = RNG.normal(size=(80, 12))
X[:, 1:] += 0.9 * X[:, :-1]
SIGNAL = X[:, 0] - X[:, 3] + 0.5
CLASSES = np.digitize(SIGNAL + RNG.normal(size=80), [-1.0, 1.5])
FAMILIES = [
    ("gaussian", SIGNAL + RNG.normal(size=80)),
    ("binomial", SIGNAL + RNG.logistic(size=80) > 0.4),
    ("multinomial", CLASSES),
]
GROUPS = np.repeat([0, 1, 2, 3], 3)
OPTIONS = [
    {}, {"alpha": 0.4}, {"alpha": 0.0}, {"penalty": penalties.GroupL2(GROUPS)},
    {"penalty": penalties.GroupLinf(GROUPS)}, {"intercept": False},
    {"penalty_factor": np.resize([0.0, 1.0, 2.0], 12)},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("family, y", FAMILIES)
def test_it_reaches_the_optimum(family, y, options):
    first = ss.path(X, y, family=family, n_lambdas=4, lambda_min_ratio=0.05, **options)
    fit = ss.path(X, y, family=family, lambdas=first.lambdas, solver="panoc", **options)
    assert fit.gaps.max() <= 1e-7 and not np.any(fit.status)
    # each objective is within 1e-7 of the same least value, which bounds how far losses differ
    np.testing.assert_allclose(fit.dev_ratio, first.dev_ratio, atol=1e-3)


def test_fewer_steps_than_fista():
    y = SIGNAL + RNG.normal(size=80)
    steps = [ss.path(X, y, n_lambdas=10, tol=1e-6, solver=name).n_iters.sum()
             for name in ("panoc", "fista")]  # fmt: skip
    assert steps[0] < steps[1]
