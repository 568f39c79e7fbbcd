"""Assembly: data and options as a Problem."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.families import gaussian
from sparsesolve.paths.assembly import glmnet_factors, read_problem

RNG = np.random.default_rng(6)
X = RNG.standard_normal((12, 4))
Y = X[:, 0] + RNG.standard_normal(12)


def read(X=X, y=Y, **given):
    options = {"weights": None, "offset": None, "penalty_factor": None, "lower": None,
               "upper": None, "alpha": 1.0, "intercept": True, "standardize": True, "n_threads": 1}
    problem, names, _, scale, _ = read_problem(X, y, gaussian, **{**options, **given})
    return problem, names, scale


def test_penalty_factors_as_glmnet_scales_them():
    factors, excluded = glmnet_factors(np.array([0.0, 1.0, np.inf, 2.0]), 4)
    assert factors == pytest.approx([0, 1, 1, 2]) and excluded.tolist() == [False, False, True,
                                                                            False]
    factors, excluded = glmnet_factors(None, 3)
    assert factors.tolist() == [1, 1, 1] and not excluded.any()
    assert glmnet_factors(np.zeros(2), 2)[0].tolist() == [0, 0]
    assert glmnet_factors(np.full(2, 1e308), 2)[0].tolist() == [1, 1]


def test_weights_become_shares_and_their_sum_is_kept_in_two_factors():
    weights = np.arange(12.0) * 1e307
    problem, names, (total, largest) = read(weights=weights)
    assert names is None and problem.weights.sum() == pytest.approx(1.0)
    assert problem.weights == pytest.approx(np.arange(12) / 66)
    assert largest == weights.max() and total == pytest.approx(6.0)
    assert read()[2] == (12.0, 1.0)


def test_limits_and_exclusions_in_inner_units():
    problem, _, _ = read(lower=-1.0, upper=[1.0, 0.0, np.inf, 2.0],
                         penalty_factor=[1, 1, 1, np.inf])
    penalty = problem.penalty
    unit = np.ldexp(problem.factor, problem.shift)  # user's coefficient per inner one
    assert np.asarray(penalty.lower) * unit == pytest.approx([-1, -1, -1, 0])
    assert np.asarray(penalty.upper)[:3] * unit[:3] == pytest.approx([1, 0, np.inf])
    assert penalty.upper[3] == 0.0


def test_the_ridge_part_changes_with_the_units():
    """lam l2 b^2 / 2 is of the size of the loss: inner and user's values differ by one factor."""
    for size in (1.0, 2.0**40, 2.0**-40):
        problem, _, _ = read(y=Y * size, alpha=0.25)
        inner, b = np.array([0.5, 0, 0, -1.0]), problem.factor
        user = np.ldexp(inner * b, problem.shift) * X.std(axis=0)
        lam = float(problem.user_lambdas(np.ones(1))[0])
        value = lam * (0.25 * np.abs(user) + 0.75 * user**2 / 2).sum()
        found = problem.penalty.value(inner, 1.0)
        assert np.ldexp(found, 2 * problem.exponent) == pytest.approx(value)


def test_what_is_not_finite_is_named():
    bad = X.copy()
    bad[7, 2] = np.nan
    with pytest.raises(ValueError, match="nan at row 7, column 2"):
        read(bad, weights=np.arange(12) != 7)


@pytest.mark.filterwarnings("error")
def test_weights_where_y_counts_nothing_are_no_weights():
    counts, w = np.array([[0, 0], [1, 2], [3, 0]]), np.array([1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="rows of positive weight count nothing in y"):
        ss.path(np.eye(3), counts, family="binomial", weights=w)
