"""The path: its grid, what a point says, and why it ends, with a solver that is a stub."""

import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.follow import StopRule, follow, grid
from sparsesolve.solvers.state import State


@dataclass
class Units:
    """A problem whose inner and user's units differ by a factor of 8."""

    penalty: ElasticNet
    null_value: float = 2.0
    norms: np.ndarray = field(default_factory=lambda: np.ones(4))
    debt: float = 0.0  # what rounding may cost
    limited: bool = False

    def user_lambdas(self, levels):
        return levels * 8.0

    def inner_lambda(self, lam):
        return lam / 8.0

    def rounding_cost(self, which, values, intercept):
        return self.debt

    def to_user(self, which, values, intercept):
        return which, 2.0 * values, 5.0 + intercept


def units(**given):
    net = {name: given.pop(name, None) for name in ("factors", "lower", "upper")}
    return Units(ElasticNet(4, given.pop("alpha", 1.0), **net), **given)


class Stub(State):
    """A state in whose k-th solution the first k features have the coefficient 1."""

    def __init__(self, residuals, sizes=None):
        self.residuals, self.sizes = residuals, sizes or list(range(len(residuals)))
        self.iterations, self.asked, self.intercept = 0, [], 0.0

    def solve(self, lam, target, budget):
        self.asked.append((lam, target, budget))
        self.iterations += len(self.asked)
        self.loss_value = 0.5 * self.residuals[len(self.asked) - 1]
        return 0, target / 4

    def coefficients(self):
        size = self.sizes[len(self.asked) - 1]
        return np.arange(size, dtype=np.intc), np.ones(size)


def run(state, problem=None, *, count=None, **options):
    """Follow the stub; returns points, reason and what `advance` was told."""
    told = []
    defaults = {"tol": 1e-3, "max_iter": 99, "stop": None, "dfmax": None, "pmax": None}
    lambdas = 16.0 * 0.5 ** np.arange(count or len(state.residuals))
    points, reason = follow(state, problem or units(), lambdas, **{**defaults, **options},
                            advance=lambda done, text, *values: told.append((done, text % values)))
    return points, reason, told


GLMNET = StopRule(relative=True)  # of the gaussian family
CORRELATIONS = np.array([0.3, -0.9, 0.1, 0.0])


def test_the_grid_starts_where_the_first_feature_enters():
    found = grid(units(), CORRELATIONS, 5, 1e-2)
    assert found == pytest.approx(8 * 0.9 * np.geomspace(1, 1e-2, 5))
    assert grid(units(alpha=0.5), CORRELATIONS, 1, 1e-2) == pytest.approx([8 * 0.9 / 0.5])
    assert grid(units(alpha=0.0), CORRELATIONS, 1, 1e-2) == pytest.approx([8 * 0.9 / 1e-3])


def test_features_that_are_free_or_shut_do_not_count():
    factors = np.array([1.0, 0.0, 0.5, 1.0])
    assert grid(units(factors=factors), CORRELATIONS, 1, 0.1) == pytest.approx([8 * 0.3])
    shut = {"lower": np.array([-1.0, 0, 0, 0]), "upper": np.array([0.0, 0, 0, 0])}
    assert grid(units(**shut), CORRELATIONS, 1, 0.1) == pytest.approx([8 * 0.3])


def test_rounding_is_no_correlation():
    rounding = np.full(4, 1e-16)
    (only,) = grid(units(), rounding, 100, 1e-2)
    assert 8e-16 < only < 1e-12  # large enough for the null model to be the solution
    assert grid(units(null_value=0.0), 0 * rounding, 100, 1e-2).tolist() == [0.0]
    assert grid(units(factors=np.zeros(4)), CORRELATIONS, 100, 1e-2).tolist() == [0.0]
    # what is rounding on one column is a correlation on a shorter one
    short = units(norms=np.array([1.0, 1, 1, 1e-9]))
    assert len(grid(short, np.array([0, 0, 0, 1e-16]), 100, 1e-2)) == 100


def test_points_are_in_the_users_units():
    state = Stub([4.0, 3.0, 1.0])
    points, reason, told = run(state, units())
    assert [point.lam for point in points] == [16.0, 8.0, 4.0]
    assert [asked[0] for asked in state.asked] == [2.0, 1.0, 0.5]
    assert [asked[1] for asked in state.asked] == [2e-3] * 3  # tol times the null value
    assert [point.gap for point in points] == [2.5e-4] * 3
    assert [point.dev_ratio for point in points] == [0.0, 0.25, 0.75]
    assert [point.df for point in points] == [0, 1, 2] and points[2].values.tolist() == [2.0, 2.0]
    assert [point.n_iter for point in points] == [1, 2, 3]
    assert points[1].intercept == 5.0
    assert reason == "every lambda was solved"
    assert [args[0] for args in told] == [1, 2, 3] and told[2][1] == (
        "lambda 4, df 2, 75.0% deviance, gap 3e-04")  # fmt: skip


def test_what_rounding_owes_is_in_the_gap():
    for debt, code in ((1e-3, 0), (1e-2, 2)):  # of 5e-4 found and 2e-3 asked for, in inner units
        points, _, _ = run(Stub([4.0, 2.0]), units(debt=debt))
        assert [point.status for point in points] == [code, code]
        assert [point.gap for point in points] == [(5e-4 + debt) / 2.0] * 2


def test_nothing_to_explain_is_explained_not_at_all():
    points, _, _ = run(Stub([0.0, 0.0]), units(null_value=0.0))
    assert [point.dev_ratio for point in points] == [0.0, 0.0]


def test_dfmax_keeps_the_point_that_passed_it():
    points, reason, _ = run(Stub([4.0, 3.0, 2.0, 1.0]), dfmax=1)
    assert [point.df for point in points] == [0, 1, 2] and "dfmax = 1" in reason


def test_pmax_leaves_out_the_point_that_would_pass_it():
    points, reason, _ = run(Stub([4.0, 3.0, 2.0, 1.0]), pmax=1)
    assert [point.df for point in points] == [0, 1] and "pmax = 1" in reason
    # features that have left again count too
    points, _, _ = run(Stub([4.0] * 4, sizes=[3, 0, 2, 4]), pmax=3)
    assert [point.df for point in points] == [3, 0, 2]
    assert len(run(Stub([4.0]), pmax=0)[0]) == 1
    assert run(Stub([4.0], sizes=[1]), pmax=0)[0] == []


def test_the_deviance_rule():
    flat = [4.0, 3.0, 2.0, 1.0, 0.5, 0.5 - 1e-6, 0.4]
    assert len(run(Stub(flat), stop=GLMNET)[0]) == 6  # a gain of 2.5e-7 in 0.875
    assert len(run(Stub(flat))[0]) == 7
    early = [4.0, 4.0, 4.0, 4.0, 2.0, 1.0]
    assert len(run(Stub(early), stop=GLMNET)[0]) == 6  # not before the fifth point
    explained = [4.0, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7]
    points, reason, _ = run(Stub(explained), stop=GLMNET)
    assert len(points) == 5 and "99.9%" in reason


def test_steps_that_leave_the_fit_as_it_was_do_not_count():
    residuals = [4.0] * 6 + [3.9, 3.9, 3.9 - 1e-6, 3.0, 2.0, 1.0, 1.0 - 1e-6, 0.5]
    sizes = [0] * 6 + [1, 1, 2, 3, 4, 5, 6, 7]
    assert len(run(Stub(residuals, sizes), stop=GLMNET)[0]) == 13


def test_a_loose_tolerance_does_not_end_the_path():
    """The start of a lambda may meet it as it is."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 50))
    y = X[:, :5].sum(axis=1) + rng.logistic(size=400) > 0
    for solver in ("auto", "fista"):
        fit = ss.path(X, y, family="binomial", tol=1e-2, solver=solver)
        assert fit.dev_ratio[-1] > 0.45 and len(fit.lambdas) > 60


def test_a_callable_sees_every_point_in_the_users_units():
    seen, values = [], []

    def stop(point):
        seen.append(point)
        values.append(point.values.tolist())
        return point.df == 1

    points, reason, _ = run(Stub([4.0, 3.0, 2.0]), units(), stop=stop)
    assert seen == points and len(points) == 2 and "stop function" in reason
    assert values == [[], [2.0]]

@pytest.mark.parametrize("solver", [
    "rows_newton", "dual_descent", "multipliers", "pegasos", "pragam", "ls_bmrm", "subgradient",
    "linearized_admm", "sparsa", "proximal_newton",
])  # fmt: skip
@pytest.mark.parametrize("max_iter", [1, 7])
def test_a_solver_that_gives_up_ends_no_higher_than_it_began(solver, max_iter):
    """At a tiny lambda, from the null model of classes of one size: its loss is the bound."""
    rng = np.random.default_rng(0)
    X, lam = rng.normal(size=(60, 5)), 1e-8
    score = X @ rng.normal(size=5)
    y, ridge = np.sign(score - np.median(score)), SOLVERS[solver].kinks
    family = ss.families.hinge() if ridge else "binomial"
    penalty = None if ridge or solver == "proximal_newton" else ss.penalties.Slope()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = ss.path(X, y, family=family, alpha=0.0 if penalty is None else 1.0, penalty=penalty,
                      lambdas=[lam], solver=solver, standardize=False, max_iter=max_iter)
    b = fit.coef(lam)
    margin = y * (fit.intercept(lam) + X @ b)
    value = np.maximum(0.0, 1.0 - margin) if ridge else np.logaddexp(0.0, -margin)
    charge = 0.5 * b @ b if penalty is None else penalty.over(5).value(b)
    null = 1.0 if ridge else np.log(2.0)
    assert value.mean() + lam * charge <= null * (1.0 + 1e-12)
