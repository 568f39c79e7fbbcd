"""What rounding of coefficients costs: nothing where it is not felt, an honest gap elsewhere."""

import numpy as np
import pytest
from sparsesolve.losses.gaussian import Gaussian

import sparsesolve as ss
from sparsesolve.solvers.problem import problem as problems


@pytest.fixture
def asked(monkeypatch):
    """Every call while a path is solved: the problem, its arguments and the answer."""
    calls = []

    def watched(*arguments):
        calls.append((*arguments, cost(*arguments)))
        return calls[-1][-1]

    cost = problems.Problem.rounding_cost
    monkeypatch.setattr(problems.Problem, "rounding_cost", watched)
    return calls


FAMILIES = ["gaussian", "binomial", "multinomial", "multigaussian", "cox"]


def fitted(family):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    y = X[:, 0] + rng.standard_normal(60)
    responses = {
        "gaussian": y,
        "binomial": y > 0,
        "multinomial": np.digitize(y, [-0.5, 0.5]),
        "multigaussian": np.column_stack([y, -y]),
        "cox": (np.exp(y), X[:, 1] > -1),
    }
    return ss.path(X, responses[family], family=family, n_lambdas=8)


@pytest.mark.parametrize("family", FAMILIES)
def test_coefficients_of_a_usual_size_owe_nothing(family, asked):
    assert fitted(family).gaps.max() <= 1e-7
    assert asked and all(rounding_cost == 0.0 for *_, rounding_cost in asked)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_owed_is_no_less_than_rounding_takes(family, asked, monkeypatch):
    """Against linear predictors that are off by as much as numbers of few digits would be."""
    fitted(family)
    problem, which, values, intercept, _ = asked[-1]
    monkeypatch.setattr(problems, "EPSILON", 1e-6)
    rounding_cost = problem.rounding_cost(which, values, intercept)
    moved = [problem.design.combination(which, row) for row in np.atleast_2d(values)]
    if problem.loss is None:
        eta, loss = moved[0], Gaussian(problem.response, problem.weights)
    else:
        eta, loss = np.reshape(moved, problem.offset.shape) + problem.offset, problem.loss
        eta = eta + np.expand_dims(intercept, -1)
    rng, d = np.random.default_rng(1), 1e-6 * np.max(np.abs(values) @ problem.norms[which])
    rises = [loss.at(eta + d * rng.uniform(-1, 1, eta.shape))[0] - loss.at(eta)[0]
             for _ in range(20)]  # fmt: skip
    assert 0.0 < max(rises) <= rounding_cost <= 3.0 * d


@pytest.mark.parametrize("family", FAMILIES)
def test_what_owes_too_much_is_not_called_converged(family, monkeypatch):
    monkeypatch.setattr(problems, "EPSILON", 1e-4)
    with pytest.warns(ss.ConvergenceWarning):
        fit = fitted(family)
    assert fit.gaps[-1] > 1e-7 and fit.status[-1] == ss.Status.STALLED


def test_first_order_steps_on_columns_far_from_zero_owe_something(asked, monkeypatch):
    monkeypatch.setattr(problems, "EPSILON", 1e-12)  # what is rounding_cost stands out of rounding
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 5)) + 1e7
    ss.path(X, np.arange(30) % 3, family="multinomial", solver="fista", lambdas=[0.05])
    assert asked[-1][-1] > 0.0
