"""Problem: the way into units where arithmetic is safe, and back; null models; rounding."""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.losses.gaussian import Gaussian

import sparsesolve as ss
from sparsesolve import families
from sparsesolve.losses import LOSSES
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.problem import problem as problems
from sparsesolve.solvers.problem.standardisation import assemble, null_model, scaled_response

N, P = 30, 4
W = np.arange(1.0, N + 1) / (N * (N + 1) / 2)


def columns(seed=0):
    return np.asfortranarray(np.random.default_rng(seed).standard_normal((N, P)) + 2.0)


def problem(X, y, *, intercept=True, standardize=True, limits=None):
    design = Design(np.asfortranarray(X))
    assert design.moments(W)
    return assemble(design, W, lambda *units: ElasticNet(P), y=y, intercept=intercept,
                    standardize=standardize, limits=limits)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_columns_that_are_not_standardised_are_all_divided_by_one_power_of_two(size):
    X = columns() * [1.0, 30.0, 0.2, 5.0] * size
    inner = problem(X, X[:, 0], standardize=False)
    Z = inner.design.unpacked(np.arange(P, dtype=np.intc))
    power = inner.exponent - inner.unit
    assert np.ldexp(X - W @ X, power) == pytest.approx(Z, abs=1e-12)
    assert 0.5 <= inner.norms.max() <= 1.0


@pytest.mark.parametrize("value", [0.0, 0.1, -1e300, 5e-324])
def test_a_constant_response_is_nothing_to_explain(value):
    response, mean, exponent = scaled_response(np.full(N, value), W, True)
    assert not response.any() and np.ldexp(mean, exponent) == pytest.approx(value, rel=1e-15)


def test_levels_go_back_and_forth_exactly():
    X = columns()
    inner = problem(X * 1e100, X[:, 0] * 1e-50, standardize=False)
    levels = np.geomspace(3.0, 1e-6, 20)
    lambdas = inner.user_lambdas(levels)
    assert [inner.inner_lambda(lam) for lam in lambdas] == levels.tolist()
    assert inner.inner_lambda(0.0) == 0.0
    assert np.isfinite(inner.inner_lambda(np.finfo(float).max))


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_levels_beyond_floats_are_refused(size):
    X = columns()
    inner = problem(X * size, X[:, 0] * size, standardize=False)
    with pytest.raises(ValueError, match=r"start at about 1e-?(599|600|601).* rescale X or y"):
        inner.user_lambdas(np.geomspace(1.0, 0.1, 5))


@pytest.mark.parametrize("size, power", [(1e300, "1e600"), (1e-300, "1e-600")])
def test_coefficients_beyond_floats_are_refused(size, power):
    X = columns()
    inner = problem(X / size, X[:, 0] * size)
    which = np.arange(P, dtype=np.intc)
    with pytest.raises(ValueError, match=f"column 2 would be about {power}, .*rescale X or y"):
        inner.to_user(which, np.array([0.0, 0.0, 1.0, 0.0]), 0.0)
    which, coefs, _ = inner.to_user(which, np.zeros(P), 0.0)
    assert len(which) == len(coefs) == 0


def test_what_rounds_to_zero_and_matters_to_nobody_is_left_out():
    X = columns()
    inner = problem(X, X[:, 0] * 1e-305)
    b = np.array([1.0, 1e-30, 0, 0.5])
    which, coefs, _ = inner.to_user(np.arange(P, dtype=np.intc), b, 0.0)
    assert which.tolist() == [0, 3] and (coefs != 0).all()


def test_limits_hold_to_the_last_bit():
    X = columns() * 7.3
    limits = np.full(P, -0.7 / 7.3), np.full(P, 0.1)
    inner = problem(X, X[:, 0], limits=limits)
    _, coefs, _ = inner.to_user(np.arange(P, dtype=np.intc), np.array([1e3, -1e3, 1e3, -1e3]), 0.0)
    assert coefs.tolist() == [0.1, -0.7 / 7.3, 0.1, -0.7 / 7.3]


def test_a_null_deviance_beyond_floats_is_infinite_in_silence():
    X = columns()
    inner = problem(X, X[:, 0] * 1e300)
    assert inner.null_deviance(20.0, 1.0) == np.inf
    assert problem(X, np.zeros(N)).null_deviance(20.0, 1e308) == 0.0
    assert problem(X, X[:, 0] * 1e-300).null_deviance(20.0, 1e308) < 1e-280


# The null model against closed forms, and the responses for which there is none

W_NULL = np.array([1.0, 2.0, 1.0, 0.0, 4.0]) / 8
NOTHING = np.zeros(5)


def test_the_logistic_intercept_is_the_log_odds():
    y = np.array([0.0, 1.0, 1.0, 0.0, 0.0])
    a, value = null_model(LOSSES["binomial"](y, W_NULL), NOTHING, True)
    assert a == pytest.approx(np.log(3 / 5), rel=1e-14)
    assert value == pytest.approx(-(3 / 8 * np.log(3 / 8) + 5 / 8 * np.log(5 / 8)), rel=1e-14)
    y = (np.arange(300_000) == 7).astype(float)
    a, _ = null_model(LOSSES["binomial"](y, np.full(len(y), 1 / len(y))), np.zeros(len(y)), True)
    assert a == pytest.approx(-np.log(len(y) - 1), rel=1e-12)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_the_poisson_intercept_is_the_log_rate(size):
    y, o = size * np.array([3.0, 0.0, 1.0, 9.0, 2.0]), np.array([1.0, -2.0, 0.0, 5.0, 0.5])
    a, _ = null_model(LOSSES["poisson"](y, W_NULL), o, True)
    assert a == pytest.approx(np.log(W_NULL @ y / (W_NULL @ np.exp(o))), rel=1e-13)


@pytest.mark.parametrize("at", [0.0, -1e6, 1e12])
def test_a_robust_intercept_far_away_is_found(at):
    """Huber's loss is flat of curvature where all residuals are large."""
    y = at + np.array([0.0, 1.0, 2.0, 99.0, 50.0])
    loss = families.huber(1.0).loss(y, np.array([2.0, 3.0, 2.0, 0.0, 1.0]) / 8)
    a, _ = null_model(loss, NOTHING, True)
    assert abs(loss.at(NOTHING + a)[1].sum()) < 1e-4 / (1 + abs(at)) + 1e-15 * (1 + abs(at))
    assert a - at == pytest.approx(1.2, rel=1e-3)  # -2 + 3 (1 - a) + 2 (2 - a) + 1 = 0


def test_classes_of_few_members_among_many_take_few_steps():
    class Counted(type(LOSSES["multinomial"](np.eye(2), np.full(2, 0.5)))):
        evaluated = 0

        def at(self, eta):
            self.evaluated += 1
            return super().at(eta)

    counts = np.array([3, 2, 19_995])
    Y = np.repeat(np.eye(3), counts, axis=0)
    loss = Counted(Y, np.full(len(Y), 1 / len(Y)))
    expected = pytest.approx(np.log(counts) - np.log(counts).mean(), rel=1e-9)
    assert null_model(loss, np.full((3, len(Y)), 0.5), True)[0] == expected
    assert 5 < loss.evaluated < 60
    loss.evaluated = 0
    assert null_model(loss, np.zeros((3, len(Y))), True)[0] == expected
    assert loss.evaluated <= 5  # the shares of the classes tell where


def test_a_hinge_with_one_response_on_the_other_side():
    y = np.array([-1.0, 1.0, 1.0, 1.0, 1.0])
    loss = LOSSES["squared_hinge"](y, np.array([1.0, 2.0, 3.0, 0.5, 1.5]) / 8)
    a, _ = null_model(loss, np.array([0.03, 0.9, 2.3, -0.8, 1.2]), True)
    assert abs(loss.at(np.array([0.03, 0.9, 2.3, -0.8, 1.2]) + a)[1].sum()) < 1e-15


EXTREMES = [("binomial", 0.0), ("binomial", 1.0), ("poisson", 0.0)]


@pytest.mark.parametrize("family, extreme", EXTREMES)
def test_no_finite_intercept_is_best_where_all_responses_are_extreme(family, extreme):
    loss = LOSSES[family](np.full(5, extreme), W_NULL)
    with pytest.raises(ValueError, match="one extreme value only"):
        null_model(loss, NOTHING, True)
    assert null_model(loss, NOTHING, False)[0] == 0.0


def test_an_offset_that_tells_all_rows_apart_leaves_nothing_to_gain():
    """Rows of both kinds are met, so that no intercept is best far away."""
    y = np.array([0.0, 0.0, 1.0, 1.0])
    for middle in (0.0, 300.0, -450.0):
        loss = LOSSES["binomial"](y, np.array([1e-8, 1e-8, 0.5, 0.5]))
        a, value = null_model(loss, np.where(y > 0, 500.0, -500.0) + middle, True)
        assert np.isfinite(a) and value < 1e-80


@pytest.mark.parametrize("far", [350.0, -350.0, 690.0, -690.0])
def test_a_constant_offset_far_away_is_taken_back(far):
    y = np.array([0.0, 2.0, 3.0, 5.0, 1.0])
    loss = LOSSES["poisson"](y, W_NULL)
    near, far_off = (null_model(loss, NOTHING + at, True) for at in (0.0, far))
    assert far_off[0] + far == pytest.approx(near[0]) and far_off[1] == pytest.approx(near[1])


def test_counts_of_none_and_one_are_no_extremes():
    """Where their offset tells them apart: a count of one wants a larger rate at no offset."""
    y = np.array([0.0, 1.0, 0.0, 1.0])
    a, value = null_model(LOSSES["poisson"](y, np.full(4, 0.25)), 400.0 * (2.0 * y - 1.0), True)
    assert a == pytest.approx(-400.0) and value == pytest.approx(0.0, abs=1e-12)


class Unsteady:
    """A loss whose values, but not its slopes, hold the rounding of long sums."""

    symmetric, coupled, ends = True, False, None

    def __init__(self, loss):
        self.loss, self.saturated = loss, loss.saturated
        self.curvature_product = loss.curvature_product
        self.rng = np.random.default_rng(0)

    def at(self, eta):
        value, u = self.loss.at(eta)
        return value * (1.0 + 1e-13 * self.rng.uniform(-1.0, 1.0)), u


def test_rounding_of_the_loss_does_not_end_the_search_for_intercepts():
    counts = np.array([19_995, 3, 2])
    Y = np.repeat(np.eye(3), counts, axis=0)
    loss = Unsteady(LOSSES["multinomial"](Y, np.full(len(Y), 1 / len(Y))))
    a, _ = null_model(loss, np.full((3, len(Y)), 0.5), True)
    expected = np.log(counts) - np.log(counts).mean()
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name, parameter", [("negative_binomial", 2.0), ("tweedie", 1.99)])
def test_values_that_are_far_larger_than_their_difference_do_not_hide_it(name, parameter):
    """Counts of 1e14: the losses' constants are 1e15, what there is to explain is 1."""
    y = np.random.default_rng(0).exponential(size=50)
    w = np.full(50, 0.02)
    explained = []
    for scale in (1e3, 1e14, 1e20):
        loss = LOSSES[name](np.floor(scale * y), w, parameter)
        explained.append(null_model(loss, np.zeros(50), True)[1])
    assert min(explained) > 0.3
    np.testing.assert_allclose(explained, explained[0], rtol=0.6)
    for value in (1.0, 1e14, 7e20):
        loss = LOSSES[name](np.full(50, value), w, parameter)
        assert null_model(loss, np.zeros(50), True)[1] == 0.0


@pytest.mark.parametrize("options", [{}, {"weights": 10 * np.arange(1.0, 31)}, {"lambdas": [0.1]}])
@pytest.mark.parametrize("y, strata", [
    (np.column_stack([np.arange(30.0) + 1, np.arange(30) == 29]), None),  # one, the last
    (np.column_stack([np.arange(30.0), np.arange(30) + 0.5, np.ones(30)]), None),  # all late
    (np.column_stack([np.arange(30.0) + 1, np.ones(30)]), np.arange(30)),
])  # fmt: skip
def test_deaths_that_nobody_else_is_at_risk_with(y, strata, options):
    rng = np.random.default_rng(1)
    fit = ss.path(rng.normal(size=(30, 4)), y, family=ss.families.cox(strata=strata),
                  offset=5.0 * rng.normal(size=30), **options)  # fmt: skip
    assert fit.null_deviance == 0.0 and not fit.coefs.nnz
    assert (fit.gaps == 0.0).all() and (fit.dev_ratio == 0.0).all()


# What rounding of coefficients costs

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
