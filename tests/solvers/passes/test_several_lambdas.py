"""Lambdas that share their passes over X; that solutions are right is in test_pass_newton."""

import warnings

import numpy as np
import pytest
from sparsesolve.solvers.subproblem.sufficient_statistics import InnerModel

import sparsesolve as ss
from sparsesolve.penalties import ElasticNet
from sparsesolve.solvers.costs import passes as costs
from sparsesolve.solvers.passes import row_pass
from sparsesolve.solvers.passes import several_lambdas as look_ahead

RNG = np.random.default_rng(7)
N, P = 3000, 20
X = RNG.standard_normal((N, P))
X[:, 1:] += 0.5 * X[:, :-1]
ETA = X[:, :6] @ [1.0, -0.8, 0.6, -0.4, 0.3, 0.2]
Y = ETA + RNG.logistic(size=N) > 0
OPTIONS = {"family": "binomial", "solver": "pass_newton", "stop": None}


@pytest.fixture
def passes(monkeypatch):
    """How many points each pass has had."""
    counts = []

    def evaluate(design, loss, offset, basis, B, C, n_threads):
        counts.append(len(B))
        return row_pass.evaluate(design, loss, offset, basis, B, C, n_threads)

    monkeypatch.setattr(look_ahead, "evaluate", evaluate)
    return counts


def test_a_hundred_lambdas_take_fewer_passes(passes):
    fit = ss.path(X, Y, lambda_min_ratio=1e-3, **OPTIONS)
    assert fit.gaps.max() <= 1e-7 and len(fit.lambdas) == 100
    assert len(passes) < 60 and max(passes) == costs.LAMBDAS_TOGETHER
    assert fit.n_iters.max() <= costs.PASSES_TOGETHER


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_what_squared_error_foretells_is_right(passes, family):
    """Its second derivative stays as it is, others' change."""
    y = ETA + RNG.standard_normal(N) if family == "gaussian" else RNG.poisson(np.exp(0.3 * ETA))
    fit = ss.path(X, y, **{**OPTIONS, "family": family})
    assert fit.gaps.max() <= 1e-7
    corrected = (fit.n_iters > 1).sum()
    assert corrected == 0 if family == "gaussian" else corrected > 0


def test_steps_that_are_too_long_are_left_to_one_lambda_at_a_time(passes):
    y, grid = ETA + 0.1 * RNG.logistic(size=N) > 0, [0.1, 1e-3, 1e-5, 1e-6]
    fit = ss.path(X, y, lambdas=grid, **OPTIONS)
    other = ss.path(X, y, family="binomial", lambdas=grid, tol=1e-9)
    assert not fit.status.any() and fit.n_iters.max() > costs.PASSES_TOGETHER
    np.testing.assert_allclose(fit.dev_ratio, other.dev_ratio, atol=1e-6)


def test_a_loss_that_overflows_where_it_is_foretold_is_no_error():
    y = RNG.poisson(np.exp(2.0 * X[:, 0]))
    fit = ss.path(X, y, lambdas=[50.0, 1.0, 0.01], **{**OPTIONS, "family": "poisson"})
    assert fit.gaps.max() <= 1e-7


@pytest.mark.parametrize("kind", ["smaller", "any", "negative"])
def test_a_model_without_a_minimum_is_left(kind):
    """Curvatures carried on may lose their definiteness; nothing is written where nothing is."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = int(rng.integers(1, 40))
        A, B = rng.standard_normal((p + 5, p)), rng.standard_normal((p, p))
        gram = A.T @ A
        gram = {"smaller": gram - 1.5 * np.diag(np.diag(gram)), "any": B + B.T,
                "negative": -1e3 * gram}[kind]  # fmt: skip
        model = InnerModel(gram, ElasticNet(p, 1.0, np.ones(p), None, None))
        model.aim(np.zeros(p), 10.0 * rng.standard_normal(p), np.array([10.0]))
        model.solve(0.1, 1e-9, 1000)
        which, values = model.coefficients()
        assert len(which) == len(values) <= p


def test_steps_over_many_lambdas_at_once_end_well():
    """Probit, nearly separable: curvatures carried on to a millionth of lambda are far off."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(5, 60)), int(rng.choice([3, 10, 80]))
        wide = rng.standard_normal((n, p))
        wide = np.sign(wide) * np.exp(2.0 * np.abs(wide))
        y = np.r_[0.0, 1.0, wide[2:, 0] > 0]
        options = {"family": ss.families.probit(), "stop": None}
        top = ss.path(wide, y, n_lambdas=2, **options).lambdas[0]
        grid = top * np.array([1, 0.5, 1e-3, 1e-6])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ss.ConvergenceWarning)
            fit = ss.path(wide, y, lambdas=grid, solver="pass_newton", max_iter=200, **options)
        assert np.isfinite(fit.coefs.toarray()).all() and np.isfinite(fit.gaps).all()


def test_a_lone_lambda_behind_a_block_has_the_model_of_all_its_columns():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        wide = rng.standard_normal((600, 80))
        y = wide[:, :10] @ rng.standard_normal(10) * 0.5 + rng.logistic(size=600) > 0
        top = ss.path(wide, y, family="binomial", n_lambdas=2).lambdas[0]
        fit = ss.path(wide, y, lambdas=top * np.array([1, 0.8, 0.7, 0.6, 0.55]), **OPTIONS)
        assert fit.gaps.max() <= 1e-7


def test_memory_bounds_how_many_lambdas_go_together(passes, monkeypatch):
    monkeypatch.setattr(costs, "KEPT_VALUES", 3 * N)
    fit = ss.path(X, Y, **OPTIONS)
    assert fit.gaps.max() <= 1e-7 and max(passes) == 3
    passes.clear()
    monkeypatch.setattr(costs, "KEPT_VALUES", N)
    assert ss.path(X, Y, **OPTIONS).gaps.max() <= 1e-7 and not passes


def test_few_iterations_are_not_exceeded(passes):
    with pytest.warns(ss.ConvergenceWarning):
        fit = ss.path(X, Y, max_iter=1, tol=1e-12, **OPTIONS)
    assert fit.n_iters.max() == 1 and not passes


def test_columns_come_to_work_as_a_block_of_lambdas_needs_them(passes):
    wide = RNG.standard_normal((600, 120))
    y = wide[:, :30] @ RNG.standard_normal(30) + RNG.logistic(size=600) > 0
    fit = ss.path(wide, y, lambda_min_ratio=0.05, **OPTIONS)
    assert fit.gaps.max() <= 1e-7 and passes
    other = ss.path(wide, y, family="binomial", lambdas=fit.lambdas, tol=1e-10)
    np.testing.assert_allclose(fit.coefs.toarray(), other.coefs.toarray(), atol=2e-3)
