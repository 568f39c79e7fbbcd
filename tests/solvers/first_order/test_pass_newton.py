"""Newton by passes: families of one response, with every option, as proximal_newton does."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss

RNG = np.random.default_rng(12)
N, P = 150, 9
X = RNG.standard_normal((N, P)) + 0.7 * RNG.standard_normal((N, 1))
ETA = X[:, :4] @ [0.8, -0.6, 0.3, 0.2]
SIGN = ETA + RNG.logistic(size=N) > 0
COUNT = RNG.poisson(np.exp(ETA))
RESPONSES = {
    "gaussian": ("gaussian", ETA + RNG.standard_normal(N)),
    "binomial": ("binomial", SIGN),
    "poisson": ("poisson", COUNT),
    "probit": (ss.families.probit(), SIGN),
    "cloglog": (ss.families.cloglog(), SIGN),
    "squared_hinge": (ss.families.squared_hinge(), SIGN),
    "huber": (ss.families.huber(0.5), ETA + RNG.standard_t(2, N)),
    "gamma": (ss.families.gamma(), RNG.gamma(2, np.exp(ETA))),
    "negative_binomial": (ss.families.negative_binomial(2.0), COUNT),
    "tweedie": (ss.families.tweedie(1.5), COUNT * RNG.gamma(2, size=N)),
}
FACTORS = np.resize([1.0, 0.0, 2.0, 1.0, np.inf], P)
OPTIONS = {
    "plain": {},
    "everything": {"alpha": 0.6, "lower": np.resize([-np.inf, -0.2], P), "upper": 0.4,
                   "penalty_factor": FACTORS, "weights": np.resize([1.0, 0.0, 3.0], N),
                   "offset": 0.2 * RNG.standard_normal(N)},
    "ridge": {"alpha": 0.0, "intercept": False, "standardize": False},
    "groups": {"penalty": ss.penalties.SparseGroup(np.arange(P) // 3, 0.3),
               "penalty_factor": [1.0, 0.0, 1.0]},
}  # fmt: skip
GRID = [0.3, 0.1, 0.03, 0.005]


@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csc_array])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("name", RESPONSES)
def test_solutions_are_those_of_proximal_newton(name, options, store):
    family, y = RESPONSES[name]
    options = {"family": family, "lambdas": GRID, "tol": 1e-9, **options}
    fit = ss.path(store(X), y, solver="pass_newton", **options)
    other = ss.path(X, y, **options)
    assert fit.gaps.max() <= 1e-9 and not fit.status.any()
    np.testing.assert_allclose(fit.coefs.toarray(), other.coefs.toarray(), atol=3e-4)
    np.testing.assert_allclose(fit.dev_ratio, other.dev_ratio, atol=1e-4)


def test_columns_come_to_work_as_they_are_needed():
    wide = RNG.standard_normal((80, 500))
    y = wide[:, 0] - wide[:, 1] + RNG.logistic(size=80) > 0
    fit = ss.path(wide, y, family="binomial", solver="pass_newton", lambda_min_ratio=0.2)
    assert fit.gaps.max() <= 1e-7 and fit.df[-1] > 5
    other = ss.path(wide, y, family="binomial", lambdas=fit.lambdas)
    np.testing.assert_allclose(fit.coefs.toarray(), other.coefs.toarray(), atol=2e-3)


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


def test_threads_change_no_bit():
    family, y = RESPONSES["binomial"]
    one, two = (
        ss.path(X, y, family=family, solver="pass_newton", n_threads=count) for count in (1, 2)
    )
    assert (one.coefs != two.coefs).nnz == 0 and (one.gaps == two.gaps).all()


def test_cox_in_memory_is_what_the_usual_solver_finds():
    y, options = (np.exp(ETA), SIGN), {"family": "cox", "n_lambdas": 20, "lambda_min_ratio": 0.01}
    fit, usual = ss.path(X, y, solver="pass_newton", **options), ss.path(X, y, **options)
    assert fit.gaps.max() <= 1e-7 and fit.n_iters.sum() <= 60
    np.testing.assert_allclose(fit.dev_ratio, usual.dev_ratio, atol=1e-6)
