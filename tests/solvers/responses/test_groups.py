"""Groups of several responses: every step descends."""

import numpy as np
import pytest
from states import problem_of

import sparsesolve as ss
import sparsesolve.solvers.responses.groups as response_groups
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup
from sparsesolve.solvers import SOLVERS, choice

RNG = np.random.default_rng(1)
X = RNG.standard_normal((40, 24))
SCORES = X[:, :3] @ RNG.standard_normal((3, 3)) + RNG.standard_normal((40, 3))
Y = {"multigaussian": SCORES, "multinomial": SCORES.argmax(axis=1)}
REST = {"weights": RNG.uniform(0.5, 2.0, 40),
        "penalty_factor": np.array([1.0, 2.0, 0.0, *np.ones(5)])}  # fmt: skip


class Watched(response_groups.ResponseGroups):
    """Notes the objective after every step."""

    def step(self, lam, goal):
        super().step(lam, goal)
        self.values.append(self.objective(lam))


def state_of(family, penalty):
    problem = problem_of(X, Y[family], family, penalty=penalty, **REST)
    return Watched(problem, 1), problem


@pytest.mark.parametrize("maker", [GroupL2, SparseGroup, GroupLinf])
@pytest.mark.parametrize("family", sorted(Y))
def test_the_objective_falls_with_every_step(family, maker):
    state, problem = state_of(family, maker(np.arange(24) // 3))
    for lam in (0.1, 0.01):
        state.values = [state.objective(lam)]
        assert state.solve(lam, 1e-10 * problem.null_value, 100)[0] == 0
        assert len(state.values) > 1 and state.values[-1] < state.values[0]
        assert (np.diff(state.values) <= 1e-13 * state.values[0]).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [3, 9])
def test_classes_that_can_be_told_apart_miss_no_lambda(seed):
    """Models of little curvature: each starts where the last ended, or sweeps come to no end."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 20))
    eta = X[:, 0] - X[:, 1]
    y = (eta + rng.logistic(size=100) > 0) * 1 + (eta > 1)
    penalty = GroupLinf([list(range(j, j + 5)) for j in range(0, 20, 5)])
    assert not ss.path(X, y, family="multinomial", penalty=penalty, stop=None).status.any()


def test_a_model_too_near_its_minimum_is_solved_to_the_end():
    """Where columns all but depend on one another, its gap may be met far from F's."""
    X = np.array([[2, 2, 2, 1], [1, 1, 0, 2], [0, 0, 1, 0], [0, 1, 2, 0],
                  [2, 2, 2, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0]], float)  # fmt: skip
    fit = ss.path(X, [0, 0, 1, 1, 2, 2, 1, 0], family="multinomial",
                  penalty=SparseGroup([0] * 4, tau=0.4))  # fmt: skip
    assert not fit.status.any() and fit.n_iters.max() < 100


def nearly_told_apart():
    """A null model of six columns that tell four classes apart but for a few of 26 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(26, 8))
    y = (X[:, :4] + rng.gumbel(size=(26, 4))).argmax(axis=1)
    y[:4] = range(4)
    problem = problem_of(X, y, "multinomial", penalty=GroupL2([0, 0, 0, 0, 0, 0, 1, 1]),
                         penalty_factor=np.array([0.0, 1.0]), weights=np.ones(26))  # fmt: skip
    return response_groups.ResponseGroups(problem, 1), 1e-14 * problem.null_value


def test_classes_all_but_told_apart_have_their_null_model_soon():
    state, target = nearly_told_apart()
    assert state.solve(1e20, target, 1000)[0] == 0 and state.iterations < 200


def test_steps_that_are_held_back_are_given_up(monkeypatch):
    """The gap falls with one over the steps, for ever, where curvature is added to all."""
    monkeypatch.setattr(response_groups, "LEAST_CURVATURE", 1e-8)
    state, target = nearly_told_apart()
    outcome, gap = state.solve(1e20, target, 100_000)
    assert outcome == 2 and target < gap < 1e-9 and state.iterations <= 1000


# Newton steps hand over to SpaRSA steps, and take over again.

WIDE = RNG.standard_normal((80, 120))
REAL = WIDE[:, :6] @ RNG.standard_normal((6, 4)) + RNG.standard_normal((80, 4))
PENALTIES = [GroupLinf(np.arange(120) // 3), GroupL2(np.arange(120) // 4)]


@pytest.fixture
def seen(monkeypatch):
    """The classes of the states that solved, after each lambda."""
    classes = []

    class Handed(response_groups.ManyGroups):
        def solve(self, lam, target, budget):
            before = self.iterations
            found = super().solve(lam, target, budget)
            assert before <= self.iterations <= before + budget
            classes.append(type(self.state))
            return found

    solver = SOLVERS["response_groups"]._replace(state=Handed)
    monkeypatch.setitem(choice.SOLVERS, "response_groups", solver)
    return classes


@pytest.mark.parametrize("penalty", PENALTIES, ids=["linf", "l2"])
@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_one_path_by_both_is_that_of_newton_steps_alone(penalty, family, alpha, seen, monkeypatch):
    y = REAL if family == "multigaussian" else REAL.argmax(axis=1)
    options = {"family": family, "penalty": penalty, "alpha": alpha, "tol": 1e-9, "stop": None,
               "n_lambdas": 8, "lambda_min_ratio": 0.05}  # fmt: skip
    monkeypatch.setattr(response_groups, "MOST_MODEL_COEFFICIENTS", 60)
    both = ss.path(WIDE, y, **options)
    first, last = seen[1], seen[-1]
    assert first is response_groups.ResponseGroups is not last
    monkeypatch.setattr(response_groups, "MOST_MODEL_COEFFICIENTS", np.inf)
    seen.clear()
    newton = ss.path(WIDE, y, **options)
    assert set(seen) == {response_groups.ResponseGroups}
    assert max(both.gaps.max(), newton.gaps.max()) <= 1e-9
    assert both.dev_ratio == pytest.approx(newton.dev_ratio, abs=1e-4)
    for lam in both.lambdas[[3, -1]]:
        found, known = both.coef(lam), newton.coef(lam)
        if family == "multinomial":  # constants on a row may leave its norm as it is
            found, known = (b - b.mean(axis=0) for b in (found, known))
        assert found == pytest.approx(known, abs=2e-3)


def test_steps_that_do_not_get_there_leave_it_to_newton(seen, monkeypatch):
    monkeypatch.setattr(response_groups, "MOST_MODEL_COEFFICIENTS", 60)
    monkeypatch.setattr(response_groups, "MOST_STEPS_OF_GROUPS", 1)
    fit = ss.path(WIDE, REAL, family="multigaussian", penalty=PENALTIES[0], n_lambdas=8, tol=1e-9)
    assert not fit.status.any() and set(seen) == {response_groups.ResponseGroups}


def test_a_path_starts_where_another_ended(monkeypatch):
    monkeypatch.setattr(response_groups, "MOST_MODEL_COEFFICIENTS", 60)
    options = {"family": "multigaussian", "penalty": PENALTIES[0]}
    fit = ss.path(WIDE, REAL, n_lambdas=8, lambda_min_ratio=0.05, **options)
    again = ss.path(WIDE, REAL, lambdas=fit.lambdas[-2:], start=fit, **options)
    assert again.gaps.max() <= 1e-7
    assert again.coef(fit.lambdas[-1]) == pytest.approx(fit.coef(fit.lambdas[-1]), abs=1e-2)
