"""One-sided limits on coefficients without a penalty, which a softmax keeps by a shift."""

import numpy as np
import pytest
import response_oracle as oracle

import sparsesolve as ss
from sparsesolve.solvers.reductions.identities import OneSided

pytestmark = pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
N, P, FREE = 60, 8, [0, 1, 4]
SIDES = [(0.0, np.inf), (-0.2, np.inf), (-np.inf, 0.1)]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, P)) + 0.5
    scores = X[:, :3] @ rng.normal(size=(3, 3))
    return X, (scores + rng.gumbel(size=(N, 3))).argmax(axis=1)


def factors():
    v = np.ones(P)
    v[FREE] = 0.0
    return v


def dense(fit):
    return np.stack([matrix.toarray() for matrix in fit.coefs])


@pytest.mark.parametrize("lower, upper", SIDES)
@pytest.mark.parametrize("alpha", [1.0, 0.05])
@pytest.mark.parametrize("solver", ["auto", "response_newton", "response_blocks"])
def test_as_low_as_a_slow_solver_within_the_limits(data, lower, upper, alpha, solver):
    X, y = data
    v = factors() * P / (P - len(FREE))
    options = {"lower": lower, "upper": upper, "alpha": alpha, "standardize": False,
               "solver": solver}  # fmt: skip
    fit = ss.path(X, y, family="multinomial", penalty_factor=factors(), n_lambdas=8, stop=None,
                  lambda_min_ratio=1e-3, **options)  # fmt: skip
    B, Y = dense(fit), np.eye(3)[y]
    assert not fit.status.any() and (B >= lower).all() and (B <= upper).all()
    form = {"family": "multinomial", "alpha": alpha, "v": v}
    for k in (0, 4, 7):
        low, high = np.full(P, lower), np.full(P, upper)
        best = oracle.solve(X, Y, fit.lambdas[k], low=low, high=high, steps=20_000, **form)[0]
        mine = oracle.objective(X, Y, fit.lambdas[k], fit.intercepts[:, k], B[:, :, k], **form)
        assert mine <= best + 2e-7


@pytest.mark.parametrize("penalty", ["GroupL2", "GroupLinf"])
def test_a_group_without_a_penalty_is_that_without_limits_shifted(data, penalty):
    X, y = data
    groups = np.repeat([0, 1], 4)
    held = getattr(ss.penalties, penalty)(groups, weights=[0.0, 2.0])
    options = {"family": "multinomial", "penalty": held, "tol": 1e-10}
    lower = np.where(groups == 0, -0.05, -np.inf)
    plain = ss.path(X, y, lambda_min_ratio=0.05, n_lambdas=6, stop=None, **options)
    fit = ss.path(X, y, lower=lower, lambdas=plain.lambdas, **options)
    assert not fit.status.any() and fit.n_iters.sum() <= plain.n_iters.sum() + 6
    assert (dense(fit)[:, :4] >= -0.05).all() and dense(fit)[:, :4].min() == -0.05
    assert fit.predict(X, kind="response") == pytest.approx(
        plain.predict(X, kind="response"), abs=1e-5
    )


@pytest.mark.parametrize("penalty", ["GroupL2", "GroupLinf"])
@pytest.mark.parametrize("low", [0.0, -np.inf])
@pytest.mark.parametrize("rows", [40, 60])
def test_coefficients_are_those_of_the_deviance_where_limits_differ_within_a_group(
    data, penalty, low, rows
):
    """One feature of a group without a penalty has two limits, the others one or none."""
    X, y = data[0][:rows].copy(), data[1][:rows]
    X[4:, 0] = 0.0
    lower, upper = np.full(P, low), np.full(P, np.inf)
    lower[2], upper[2] = 0.0, 0.1
    held = getattr(ss.penalties, penalty)(np.repeat([0, 1], 4), weights=[0.0, 1.0])
    fit = ss.path(X, y, family="multinomial", penalty=held, lower=lower, upper=upper,
                  standardize=False, lambdas=[0.1, 0.01, 0.001, 0.0], stop=None)  # fmt: skip
    B, Y = dense(fit), np.eye(3)[y]
    assert (B >= lower[:, None]).all() and (B <= upper[:, None]).all()
    for k in range(4):
        value = oracle.loss("multinomial", Y, np.full(rows, 1 / rows), fit.intercepts[:, [k]]
                            + B[:, :, k] @ X.T)[0]  # fmt: skip
        claimed = 0.5 * fit.null_deviance / rows * (1.0 - fit.dev_ratio[k])
        assert value == pytest.approx(claimed, abs=1e-9)


def test_lambda_zero_leaves_nothing_but_limits(data):
    X, y = data
    fit = ss.path(X, y, family="multinomial", lower=0.0, lambdas=[0.0])
    plain = ss.path(X, y, family="multinomial", lambdas=[0.0])
    assert not fit.status.any() and (dense(fit) >= 0.0).all()
    assert fit.dev_ratio[0] == pytest.approx(plain.dev_ratio[0], abs=2e-7)


def test_limits_on_both_sides_hold(data):
    X, y = data
    fit = ss.path(X, y, family="multinomial", penalty_factor=factors(), lower=-0.1, upper=0.1)
    assert np.abs(dense(fit)).max() == pytest.approx(0.1, abs=1e-12)
    wide = ss.path(X, y, family="multinomial", penalty_factor=factors(), lambdas=fit.lambdas)
    assert (fit.dev_ratio < wide.dev_ratio - 1e-3).all()


class Found:
    """The state of a solver that found these coefficients."""

    grid_problem = None

    iterations = 7

    def __init__(self, which, values):
        self.found = np.array(which, dtype=np.intc), np.array(values, dtype=float)

    def coefficients(self):
        return self.found


class Within:
    """A problem with these limits."""

    def __init__(self, low, high):
        self.limits = np.array([low, high])


def test_rows_are_shifted_no_further_than_it_takes():
    inf = np.inf
    found = Found([0, 2, 3], [[-1.0, 5.0, -3.0], [2.0, 4.0, 1.0]])
    problem = Within([0.0, -inf, -inf, -inf], [inf, inf, 4.0, inf])
    state = OneSided(found, problem.limits, np.array([True, True, True, False]))
    which, values = state.coefficients()
    assert which.tolist() == [0, 2, 3] and values.tolist() == [[0.0, 4.0, -3.0], [3.0, 3.0, 1.0]]
    assert found.found[1][0, 0] == -1.0 and state.iterations == 7


def test_rows_that_come_to_zero_are_left_out():
    found = Found([1, 2], [[-0.5, 1.0], [-0.5, 0.0]])
    problem = Within([0.0, 0.0, 0.0], [np.inf] * 3)
    which, values = OneSided(found, problem.limits, np.ones(3, dtype=bool)).coefficients()
    assert which.tolist() == [2] and values.tolist() == [[1.0], [0.0]]
