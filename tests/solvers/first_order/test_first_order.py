"""First-order and Newton steps: descent, invariants, few of them, certificates."""

import numpy as np
import pytest
from cases import every
from states import problem_of

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve import penalties as P
from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.first_order import tangent_newton

RNG = np.random.default_rng(8)
X = RNG.standard_normal((50, 12)) + np.resize([0.0, 1.0, -2.0], 12)
X[:, 1:] += 0.4 * X[:, :-1]
X[RNG.random(X.shape) < 0.3] = 0.0
SIGNAL = 0.8 * X[:, 0] - 0.6 * X[:, 2] + 0.3 * X[:, 5] + 0.5
BINARY = (SIGNAL > RNG.logistic(size=50)).astype(float)
COUNTS = RNG.poisson(np.exp(np.minimum(SIGNAL, 3)))
TIMES = np.column_stack([RNG.exponential(np.exp(-SIGNAL)), RNG.random(50) < 0.7])
Y = {
    "gaussian": ("gaussian", SIGNAL + RNG.standard_normal(50)), "binomial": ("binomial", BINARY),
    "poisson": ("poisson", COUNTS), "cox": ("cox", TIMES),
}
GROUPS = np.resize([0, 1, 2, 0, 3], 12)
PENALTIES = {
    "lasso": {},
    "factors": {"penalty_factor": np.resize([1.0, 0.5, 0.0, 3.0, np.inf], 12)},
    "group": {"penalty": penalties.GroupL2(GROUPS, weights=[1.0, 0.0, 2.0, 1.0])},
    "group_linf": {"penalty": penalties.GroupLinf(GROUPS), "upper": 0.5},
    "sparse_group": {"penalty": penalties.SparseGroup(GROUPS, 0.4), "alpha": 0.9, "lower": -0.5},
}

def state_of(name, family="gaussian", solver_penalty="lasso", **options):
    kind, y = Y[family]
    problem = problem_of(X, y, kind, **PENALTIES[solver_penalty], **options)
    return SOLVERS[name].state(problem, 1), problem


@every("penalty", sorted(PENALTIES))
@every("family", ["gaussian", "binomial", "poisson", "cox"])
@pytest.mark.parametrize("name", ["ista", "fista", "bcd", "bcd_wright", "bcd_plain"])
def test_the_objective_never_rises(name, family, penalty):
    if name.startswith("bcd") and (family == "cox" or "group" not in penalty):
        return
    state, problem = state_of(name, family, penalty)
    for lam in (0.1, 0.003):
        state.begin(lam)
        values = [state.objective(lam)]
        for _ in range(60):
            state.step(lam)
            values.append(state.objective(lam))
        assert (np.diff(values) <= 2e-14 * abs(values[0])).all()
        assert values[-1] < values[0]


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_sparsa_stays_below_the_worst_of_its_last_objectives(family):
    state, _ = state_of("sparsa", family)
    state.begin(0.003)
    values = [state.objective(0.003)]
    for _ in range(60):
        state.step(0.003)
        assert state.objective(0.003) <= max(values[-5:]) + 1e-14
        values.append(state.objective(0.003))
    assert values[-1] < values[0]


@pytest.mark.parametrize("name", ["fista", "ista", "sparsa"])
def test_eta_and_residual_are_those_of_the_coefficients(name):
    """The invariant that certificates rest on, after steps, and steps that were taken back."""
    state, problem = state_of(name, "poisson", "factors")
    state.solve(0.01, 1e-8, 300)
    which, values = state.coefficients()
    eta = problem.offset + state.intercept + problem.design.combination(which, values)
    assert state.point.eta == pytest.approx(eta, abs=1e-12)
    assert state.point.u == pytest.approx(problem.loss.at(eta)[1], abs=1e-12)


def test_steps_of_blocks_too_small_for_the_objective_to_show_still_lead_on():
    """Values of the objective alone leave gaps of 1e-8 or so, the root of their rounding."""
    for name in ("bcd", "bcd_wright", "bcd_plain"):
        for family in ("gaussian", "binomial", "poisson"):
            kind, y = Y[family]
            fit = ss.path(X, y, family=kind, n_lambdas=4, solver=name, lambda_min_ratio=0.05,
                          tol=1e-11, **PENALTIES["group"])  # fmt: skip
            assert fit.gaps.max() <= 1e-11


def test_panoc_takes_fewer_steps_than_fista():
    steps = [ss.path(X, Y["gaussian"][1], n_lambdas=10, tol=1e-6, solver=name).n_iters.sum()
             for name in ("panoc", "fista")]  # fmt: skip
    assert steps[0] < steps[1]


# Unpenalised columns in a basis of their own, and what is rounding

RNG_BARE = np.random.default_rng(9)
X_BARE = RNG_BARE.standard_normal((40, 10)) + np.resize([0.0, 3.0], 10)
Y_BARE = X_BARE[:, :3] @ [1.0, -2.0, 0.5] + RNG_BARE.standard_normal(40)
FACTORS = np.resize([1.0, 0.0, 2.0, 0.5], 10)
NULL = 1e20


def make(family="gaussian", y=Y_BARE, X=X_BARE, **options):
    return problem_of(X, y, family, **{"penalty_factor": FACTORS, **options})


@pytest.mark.parametrize("family", ["gaussian", "binomial", "multinomial"])
def test_correlations_at_the_null_model_are_those_of_other_solvers(family):
    y = {"gaussian": Y_BARE, "binomial": Y_BARE > np.median(Y_BARE),
         "multinomial": np.digitize(Y_BARE, np.quantile(Y_BARE, [0.3, 0.7]))}[family]
    problem = make(family, y)
    other = {"gaussian": "working_set", "binomial": "proximal_newton"}
    found = []
    for name in ("fista", other.get(family, "response_blocks")):
        state = SOLVERS[name].state(problem, 1)
        outcome, gap = state.solve(NULL, 1e-14 * problem.null_value, 5000)
        assert outcome == 0 and gap <= 1e-14 * problem.null_value
        found.append(problem.penalty.entry_lambdas(state.correlations()))
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_lams_that_vanish_leave_a_problem_without_a_penalty():
    fit = ss.path(X_BARE, Y_BARE, solver="sparsa", lambdas=[0.1, 1e-30, 1e-300, 0.0], tol=1e-8)
    assert not fit.status.any()
    design = np.column_stack([np.ones(40), X_BARE])
    least = np.linalg.lstsq(design, Y_BARE, rcond=None)[0]
    assert fit.predict(X_BARE)[:, 1:] == pytest.approx(
        np.repeat((design @ least)[:, None], 3, axis=1), abs=1e-3)  # fmt: skip


def test_it_is_given_up_where_only_rounding_is_left():
    with pytest.warns(ss.ConvergenceWarning) as said:
        fit = ss.path(X_BARE, Y_BARE, solver="fista", lambdas=[0.5, 0.4, 0.3, 0.2], tol=0.0)
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


# Newton by passes

def test_a_small_lambda_is_reached_from_far_away():
    """Until a model is solved well the gap may hardly fall, though the objective is least."""
    rng = np.random.default_rng(12)
    tall = rng.standard_normal((3000, 40))
    y = tall[:, 0] + rng.logistic(size=3000) > 0
    fit = ss.path(tall, y, family="binomial", solver="pass_newton", lambdas=[1e-5])
    assert fit.gaps[0] <= 1e-7 and fit.n_iters[0] < 20


def test_separable_classes_take_few_steps_however_little_curvature_is_left():
    """With a floor of 1e-6 of a sample's weight they took 2,000."""
    X = np.random.default_rng(0).standard_normal((60, 20))
    grid = np.geomspace(0.3, 1e-8, 60)
    fit = ss.path(X, X[:, 0] + X[:, 1] > 0, family="binomial", lambdas=grid, stop=None,
                  solver="pass_newton")  # fmt: skip
    assert fit.gaps.max() <= 1e-7 and fit.n_iters.sum() < 500


# Newton steps along tangents, compared with FISTA

RNG_TAN = np.random.default_rng(3)
X_TAN = np.cumsum(RNG_TAN.standard_normal((60, 12)), axis=1)  # neighbours are much alike
SIGNAL_TAN = X_TAN @ np.repeat([0.0, 1.0, -0.5], 4)
Y_TAN = SIGNAL_TAN + RNG_TAN.standard_normal(60)
SEVERAL = np.column_stack([Y_TAN, SIGNAL_TAN - Y_TAN, Y_TAN + RNG_TAN.standard_normal(60)])
RESPONSES = {
    "gaussian": Y_TAN, "binomial": Y_TAN > 0, "poisson": RNG_TAN.poisson(np.exp(SIGNAL_TAN / 10)),
    "cox": np.column_stack([RNG_TAN.exponential(np.exp(-SIGNAL_TAN / 10)), np.arange(60) % 5 > 0]),
    "multigaussian": SEVERAL, "multinomial": SEVERAL.argmax(axis=1),
}  # fmt: skip
PENALTIES_TAN = {
    "slope": P.Slope(q=0.5, kind="oscar"), "fused": P.TotalVariation(l1=0.3),
    "trace": P.TraceNorm((3, 4)),
    "separate": P.Separate({
        range(4): P.Slope(), (4, 5, 6): P.TotalVariation(), (7, 8): None, range(9, 12): P.L1(),
    }),
}  # fmt: skip


@pytest.mark.parametrize("family, name", [
    ("gaussian", "slope"), ("gaussian", "fused"), ("gaussian", "trace"), ("gaussian", "separate"),
    ("binomial", "separate"), ("binomial", "trace"), ("poisson", "fused"), ("cox", "slope"),
    ("multigaussian", "separate"), ("multinomial", "fused"), ("multinomial", "trace"),
])  # fmt: skip
def test_it_finishes_what_fista_begins(family, name, monkeypatch):
    # Iterations are compared, so all of them cost the same here.
    overhead = tangent_newton.PROXIMAL_STEP_OVERHEAD
    monkeypatch.setattr(tangent_newton, "NEWTON_STEP_OVERHEAD", overhead)
    options = {"family": family, "penalty": PENALTIES_TAN[name], "n_lambdas": 4,
               "lambda_min_ratio": 0.05, "stop": None}  # fmt: skip
    newton = ss.path(X_TAN, RESPONSES[family], tol=1e-12, solver="tangent_newton", **options)
    fista = ss.path(X_TAN, RESPONSES[family], tol=1e-7, solver="fista", **options)
    assert not newton.status.any()
    assert newton.n_iters.sum() < 0.7 * fista.n_iters.sum()  # at a gap 100,000 times as large
    for k in range(len(newton.lambdas)):
        assert newton.dev_ratio[k] == pytest.approx(fista.dev_ratio[k], abs=3e-3)


def test_a_penalty_of_a_user_may_tell_its_tangents():
    class Sizes:
        def value(self, b):
            return np.abs(b).sum()

        def prox(self, v, t):
            return np.sign(v) * np.maximum(np.abs(v) - t, 0.0)

        def polar(self, z):
            return np.abs(z).max()

        def tangent(self, b):
            return P.L1().over(len(b)).tangent(b)

    fit = ss.path(X_TAN, Y_TAN, penalty=Sizes(), tol=1e-12, n_lambdas=5)
    lasso = ss.path(X_TAN, Y_TAN, standardize=False, tol=1e-12, lambdas=fit.lambdas)
    assert not fit.status.any()
    assert fit.coefs.toarray() == pytest.approx(lasso.coefs.toarray(), abs=1e-6)


def test_newton_steps_wait_until_proximal_steps_have_cost_as_much(monkeypatch):
    """A support of 300 and 40 rows: a Newton step costs as much as many proximal ones."""
    rng, made = np.random.default_rng(0), []
    X = rng.standard_normal((40, 300))
    y = X @ rng.standard_normal(300)
    penalty = ss.penalties.TreeL2([range(150), range(150, 300)])
    step = tangent_newton.TangentNewton._newton_step
    monkeypatch.setattr(tangent_newton.TangentNewton, "_newton_step",
                        lambda self, lam: made.append(lam) or step(self, lam))  # fmt: skip
    counts = []
    for overhead in (1e12, 1.0):  # all steps cost the same; arithmetic is all
        monkeypatch.setattr(tangent_newton, "PROXIMAL_STEP_OVERHEAD", overhead)
        monkeypatch.setattr(tangent_newton, "NEWTON_STEP_OVERHEAD", overhead)
        made.clear()
        fit = ss.path(X, y, penalty=penalty, n_lambdas=8, solver="tangent_newton")
        assert fit.gaps.max() <= 1e-7
        counts.append(len(made))
    assert counts[0] > 8 > counts[1]
