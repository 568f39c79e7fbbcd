"""Which solver "auto" takes, where that is not a matter of taste."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.assembly import read_problem
from sparsesolve.families import read_family
from sparsesolve.penalties import GroupL2
from sparsesolve.solvers.choice import choose


def taken(family, groups, n=40, **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, len(groups)))
    y = X[:, 0] + rng.normal(size=n)
    options = {
        "weights": None, "offset": None, "penalty_factor": None, "lower": None, "upper": None,
        "alpha": 1.0, "intercept": True, "standardize": True, "n_threads": 1, **options,
    }  # fmt: skip
    y = y > 0 if family == "binomial" else y
    problem, *_ = read_problem(X, y, read_family(family), penalty=GroupL2(groups), **options)
    return type(choose(problem, "auto", None, 1)).__name__


@pytest.mark.parametrize(
    "family, usual", [("gaussian", "WorkingSet"), ("binomial", "ProximalNewton")]
)
def test_giant_groups_are_left_to_first_order_steps(family, usual):
    assert taken(family, np.arange(200) // 5) == usual
    assert taken(family, np.arange(200) // 100) == "Sparsa"


def test_a_giant_group_is_solved_to_the_default_tolerance():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 800))
    groups = np.r_[np.zeros(600), np.arange(200)]
    y = X[:, 0] + X[:, 700] + rng.normal(size=50)
    fit = ss.path(X, y, penalty=GroupL2(groups), n_lambdas=20)
    assert fit.gaps.max() <= 1e-7
