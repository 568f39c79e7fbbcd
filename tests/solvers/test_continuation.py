"""Continuation: lambdas far below the ones before are approached by steps."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.solvers.follow import CONTINUATION_RATIO, FAR_LAMBDA, approach, between

RNG = np.random.default_rng(2)
X = RNG.standard_normal((100, 1500))
Y = X[:, :40] @ RNG.standard_normal(40) + RNG.standard_normal(100)
KINDS = {
    "gaussian": (Y, {}),
    "some ridge": (Y, {"alpha": 0.2}),
    "binomial": (Y > 0, {"family": "binomial"}),
    "poisson": (RNG.poisson(np.exp(Y / 8)), {"family": "poisson"}),
    "cox": ((RNG.exponential(np.exp(-Y / 8)), RNG.random(100) < 0.7), {"family": "cox"}),
    "several": (np.column_stack([Y, X[:, 0]]), {"family": "multigaussian"}),
    "groups": (Y, {"penalty": ss.penalties.GroupL2(np.arange(1500) // 3)}),
}


class Counter:
    """A state that spends ten iterations on each lambda and notes what it is asked for."""

    def __init__(self):
        self.iterations, self.loss_value, self.asked = 0, 2.0, []

    def solve(self, lam, target, budget):
        self.asked.append((lam, target, budget))
        self.iterations += min(10, budget)
        return 0, 0.0


def test_steps_are_even_and_end_before_the_lambda_wanted():
    steps = between(1.0, 0.05)
    ratios = np.array([*steps, 0.05]) / np.array([1.0, *steps])
    np.testing.assert_allclose(ratios, ratios[0])
    assert CONTINUATION_RATIO**1.1 <= ratios[0] <= CONTINUATION_RATIO + 0.05
    assert not between(1.0, 1.01 * FAR_LAMBDA) and not between(1.0, 2.0)
    assert not between(1.0, 0.0) and not between(np.inf, 1.0)


def test_the_way_is_loose_and_few_iterations_go_into_the_lambda_itself():
    state = Counter()
    steps = between(1.0, 1e-3)
    assert approach(state, 1.0, 1e-3, 1e-9, 100_000) == 10 * len(steps)
    lams, targets, budgets = zip(*state.asked, strict=True)
    assert list(lams) == steps and min(targets) > 1e-4
    assert budgets[0] == 50_000 and budgets[1] == 49_990
    assert approach(state, 1.0, 1e-3, 1e-9, 100) == 0
    assert approach(state, 1.0, 0.9, 1e-9, 100_000) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_far_lambda_alone_costs_no_more_steps_than_a_path_to_it(kind):
    y, options = KINDS[kind]
    first = ss.path(X, y, n_lambdas=1, **options).lambdas[0]
    grid = first * np.geomspace(1.0, 0.003, 45)
    path = ss.path(X, y, lambdas=grid, stop=None, **options)
    alone = ss.path(X, y, lambdas=grid[-1:], **options)
    short = ss.path(X, y, lambdas=grid[[0, 18, -1]], stop=None, **options)
    assert alone.gaps.max() <= 1e-7 and short.gaps.max() <= 1e-7
    assert max(alone.n_iters.sum(), short.n_iters.sum()) <= 1.5 * path.n_iters.sum()
    assert alone.dev_ratio[0] == pytest.approx(path.dev_ratio[-1], abs=1e-4)


@pytest.mark.parametrize("p", [300, 1500])
def test_several_responses_without_noise_are_led_to_a_far_lambda(p):
    """Started cold, blocks of rows take in every feature and need hundreds of steps."""
    sparse = np.zeros((p, 3))
    sparse[:20] = RNG.standard_normal((20, 3))
    exact = X[:, :p] @ sparse
    first = ss.path(X[:, :p], exact, family="multigaussian", n_lambdas=1).lambdas[0]
    grid = first * np.geomspace(1.0, 1e-4, 30)
    path = ss.path(X[:, :p], exact, family="multigaussian", lambdas=grid, stop=None)
    alone = ss.path(X[:, :p], exact, family="multigaussian", lambdas=grid[-1:])
    assert alone.gaps[0] <= 1e-7 and alone.df[0] < 60
    assert alone.n_iters[0] <= path.n_iters.sum()
    np.testing.assert_allclose(alone.coef(grid[-1]), path.coef(grid[-1]), atol=1e-3)


def test_a_row_without_weight_counts_as_none():
    """Whether a lambda is approached by steps hangs on rows that count alone."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(300, 120)), np.r_[np.ones(100), np.zeros(200)]
    y = X[:, :5].sum(axis=1) + rng.normal(size=300)
    lam = 1e-3 * ss.path(X, y, weights=w, n_lambdas=1).lambdas
    whole = ss.path(X, y, weights=w, lambdas=lam, tol=1e-5)
    fewer = ss.path(X[:100], y[:100], lambdas=lam, tol=1e-5)
    np.testing.assert_allclose(whole.coef(lam), fewer.coef(lam), rtol=1e-9, atol=1e-12)
    assert whole.n_iters == fewer.n_iters
