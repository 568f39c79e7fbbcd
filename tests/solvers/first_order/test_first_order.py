"""What first-order solvers share: bare columns in a basis of their own, and certificates."""

import numpy as np
import pytest
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers import SOLVERS

RNG = np.random.default_rng(9)
X = RNG.standard_normal((40, 10)) + np.resize([0.0, 3.0], 10)
Y = X[:, :3] @ [1.0, -2.0, 0.5] + RNG.standard_normal(40)
FACTORS = np.resize([1.0, 0.0, 2.0, 0.5], 10)
NULL = 1e20


def make(family="gaussian", y=Y, X=X, **options):
    return problem_of(X, y, family, **{"penalty_factor": FACTORS, **options})


@pytest.mark.parametrize("family", ["gaussian", "binomial", "multinomial"])
def test_correlations_at_the_null_model_are_those_of_other_solvers(family):
    y = {"gaussian": Y, "binomial": Y > np.median(Y),
         "multinomial": np.digitize(Y, np.quantile(Y, [0.3, 0.7]))}[family]
    problem = make(family, y)
    other = {"gaussian": "working_set", "binomial": "proximal_newton"}
    found = []
    for name in ("fista", other.get(family, "response_blocks")):
        state = SOLVERS[name].state(problem, 1)
        outcome, gap = state.solve(NULL, 1e-14 * problem.null_value, 5000)
        assert outcome == 0 and gap <= 1e-14 * problem.null_value
        found.append(problem.penalty.entry_lambdas(state.correlations()))
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_one_step_fits_bare_columns_to_squared_error_however_they_are_correlated():
    """Their basis is orthonormal, so L = 1 is all it takes."""
    near = X.copy()
    near[:, 5] = near[:, 1] + 1e-4 * RNG.standard_normal(40)
    state = SOLVERS["ista"].state(make(X=near), 1)
    state.begin(NULL)
    state.L = 1.0
    state.step(NULL)
    Z = np.column_stack([np.ones(40), near[:, FACTORS == 0]])
    best = Z @ np.linalg.lstsq(Z, Y, rcond=None)[0]
    which, values = state.coefficients()
    eta = state.design.combination(which, values)
    scale = 2.0 ** make().exponent
    assert scale * eta == pytest.approx(best - Y.mean(), abs=1e-6)


@pytest.mark.parametrize("solver", ["fista", "sparsa"])
def test_bare_columns_that_end_at_limits_are_certified_too(solver):
    lower, upper = np.resize([-np.inf, -0.3, -1.0], 10), np.resize([np.inf, 0.4], 10)
    options = {"penalty_factor": FACTORS, "lower": lower, "upper": upper, "lambdas": [0.5, 0.05]}
    fit = ss.path(X, Y, solver=solver, tol=1e-9, **options)
    ref = ss.path(X, Y, tol=1e-12, **options)
    assert not fit.status.any()
    assert fit.coefs.toarray() == pytest.approx(ref.coefs.toarray(), abs=1e-3)
    assert (np.abs(fit.coefs.toarray()[1]) == 0.3).any()  # one did end there


def test_lams_that_vanish_leave_a_problem_without_a_penalty():
    fit = ss.path(X, Y, solver="sparsa", lambdas=[0.1, 1e-30, 1e-300, 0.0], tol=1e-8)
    assert not fit.status.any()
    design = np.column_stack([np.ones(40), X])
    least = np.linalg.lstsq(design, Y, rcond=None)[0]
    assert fit.predict(X)[:, 1:] == pytest.approx(
        np.repeat((design @ least)[:, None], 3, axis=1), abs=1e-3)  # fmt: skip


def test_it_is_given_up_where_only_rounding_is_left():
    with pytest.warns(ss.ConvergenceWarning) as said:
        fit = ss.path(X, Y, solver="fista", lambdas=[0.5, 0.4, 0.3, 0.2], tol=0.0)
    missed = np.count_nonzero(fit.gaps)  # rounding may leave a gap of 0, by compiler and processor
    assert f"{missed} of 4 lambdas miss tol = 0" in str(said[0].message)
    assert (fit.gaps <= 1e-13).all()
    assert (fit.n_iters < 20_000).all()


@pytest.mark.parametrize("name", ["fista", "ista", "sparsa"])
def test_an_objective_below_0_by_rounding_ends_it(name):
    """One death alone at risk: nothing to explain, and -5.6e-17 of it at the null model."""
    problem = make("cox", ([4.0], [1]), [[-0.78]], offset=[-0.26], standardize=False,
                   penalty_factor=None)  # fmt: skip
    state = SOLVERS[name].state(problem, 1)
    state.solve(NULL, 1e-14 * problem.null_value, 100_000)
    assert state.iterations < 5000
