"""Groups of K responses: Newton steps hand over to SpaRSA steps, and take over again."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS, choice
from sparsesolve.solvers.responses import groups as many_groups
from sparsesolve.solvers.responses.groups import ManyGroups, ResponseGroups

RNG = np.random.default_rng(5)
X = RNG.standard_normal((80, 120))
B = RNG.standard_normal((6, 4))
Y = X[:, :6] @ B + RNG.standard_normal((80, 4))
J = np.arange(120)
PENALTIES = [ss.penalties.GroupLinf(J // 3), ss.penalties.GroupL2(J // 4)]


@pytest.fixture
def seen(monkeypatch):
    """The classes of the states that solved, after each lambda."""
    classes = []

    class Watched(ManyGroups):
        def solve(self, lam, target, budget):
            before = self.iterations
            found = super().solve(lam, target, budget)
            assert before <= self.iterations <= before + budget
            classes.append(type(self.state))
            return found

    solver = SOLVERS["response_groups"]._replace(state=Watched)
    monkeypatch.setitem(choice.SOLVERS, "response_groups", solver)
    return classes


@pytest.mark.parametrize("penalty", PENALTIES, ids=["linf", "l2"])
@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_one_path_by_both_is_that_of_newton_steps_alone(penalty, family, alpha, seen, monkeypatch):
    y = Y if family == "multigaussian" else Y.argmax(axis=1)
    options = {"family": family, "penalty": penalty, "alpha": alpha, "tol": 1e-9, "stop": None,
               "n_lambdas": 8, "lambda_min_ratio": 0.05}  # fmt: skip
    monkeypatch.setattr(many_groups, "MOST_MODEL_COEFFICIENTS", 60)
    both = ss.path(X, y, **options)
    assert seen[1] is ResponseGroups and seen[-1] is not ResponseGroups
    monkeypatch.setattr(many_groups, "MOST_MODEL_COEFFICIENTS", np.inf)
    seen.clear()
    newton = ss.path(X, y, **options)
    assert set(seen) == {ResponseGroups}
    assert max(both.gaps.max(), newton.gaps.max()) <= 1e-9
    assert both.dev_ratio == pytest.approx(newton.dev_ratio, abs=1e-4)
    for lam in both.lambdas[[3, -1]]:
        found, known = both.coef(lam), newton.coef(lam)
        if family == "multinomial":  # constants on a row may leave its norm as it is
            found, known = (b - b.mean(axis=0) for b in (found, known))
        assert found == pytest.approx(known, abs=2e-3)


def test_steps_that_do_not_get_there_leave_it_to_newton(seen, monkeypatch):
    monkeypatch.setattr(many_groups, "MOST_MODEL_COEFFICIENTS", 60)
    monkeypatch.setattr(many_groups, "MOST_STEPS_OF_GROUPS", 1)
    fit = ss.path(X, Y, family="multigaussian", penalty=PENALTIES[0], n_lambdas=8, tol=1e-9)
    assert not fit.status.any() and set(seen) == {ResponseGroups}


def test_a_path_starts_where_another_ended(monkeypatch):
    monkeypatch.setattr(many_groups, "MOST_MODEL_COEFFICIENTS", 60)
    options = {"family": "multigaussian", "penalty": PENALTIES[0]}
    fit = ss.path(X, Y, n_lambdas=8, lambda_min_ratio=0.05, **options)
    again = ss.path(X, Y, lambdas=fit.lambdas[-2:], start=fit, **options)
    assert again.gaps.max() <= 1e-7
    assert again.coef(fit.lambdas[-1]) == pytest.approx(fit.coef(fit.lambdas[-1]), abs=1e-2)
