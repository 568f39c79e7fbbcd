"""Newton by passes: families of one response, with every option, as proximal_newton does."""

import numpy as np

import sparsesolve as ss

RNG = np.random.default_rng(12)
N, P = 150, 9
X = RNG.standard_normal((N, P)) + 0.7 * RNG.standard_normal((N, 1))
ETA = X[:, :4] @ [0.8, -0.6, 0.3, 0.2]
SIGN = ETA + RNG.logistic(size=N) > 0


def test_a_small_lambda_is_reached_from_far_away():
    """Until a model is solved well the gap may hardly fall, though the objective is least."""
    tall = RNG.standard_normal((3000, 40))
    y = tall[:, 0] + RNG.logistic(size=3000) > 0
    fit = ss.path(tall, y, family="binomial", solver="pass_newton", lambdas=[1e-5])
    assert fit.gaps[0] <= 1e-7 and fit.n_iters[0] < 20


def test_separable_classes_take_few_steps_however_little_curvature_is_left():
    """With a floor of 1e-6 of a sample's weight they took 2,000."""
    X = np.random.default_rng(0).standard_normal((60, 20))
    grid = np.geomspace(0.3, 1e-8, 60)
    fit = ss.path(X, X[:, 0] + X[:, 1] > 0, family="binomial", lambdas=grid, stop=None,
                  solver="pass_newton")  # fmt: skip
    assert fit.gaps.max() <= 1e-7 and fit.n_iters.sum() < 500


def test_cox_in_memory_is_what_the_usual_solver_finds():
    y, options = (np.exp(ETA), SIGN), {"family": "cox", "n_lambdas": 20, "lambda_min_ratio": 0.01}
    fit = ss.path(X, y, solver="pass_newton", **options)
    assert fit.gaps.max() <= 1e-7 and fit.n_iters.sum() <= 60
    fit, usual = (ss.path(X, y, solver=solver, tol=1e-9, **options)
                  for solver in ("pass_newton", "auto"))  # fmt: skip
    np.testing.assert_allclose(fit.dev_ratio, usual.dev_ratio, atol=1e-6)
