"""The active set of columns: from any start, over columns or their inner products, to the target;
no step raises the objective, and what is claimed of an unfinished solution holds.
"""

import numpy as np
import pytest
from sparsesolve.solvers.quadratic.active_columns import GramActiveSet
from sparsesolve.solvers.quadratic.coefficients import projection
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel

import sparsesolve as ss
from sparsesolve.penalties import ElasticNet

N, P = 30, 12
NETS = {
    "lasso": ElasticNet(P),
    "net": ElasticNet(P, 0.4, np.resize([1.0, 0.5, 2.0], P)),
    "limits": ElasticNet(P, 1.0, None, np.resize([-0.1, -np.inf, 0.0], P), np.full(P, 0.3)),
    "unpenalised": ElasticNet(P, 1.0, np.resize([1.0, 1.0, 0.0], P)),
}


@pytest.fixture(params=NETS)
def net(request):
    return NETS[request.param]


def columns(dependent=False):
    rng = np.random.default_rng(5)
    A = rng.standard_normal((N, P)) + rng.standard_normal((N, 1))
    if dependent:
        A[:, 4] = A[:, 0] - A[:, 1]
        A[:, 7] = 0.0
    return A, A[:, :4] @ rng.standard_normal(4) + rng.standard_normal(N)


def objective(A, y, net, lam, b):
    return 0.5 * np.sum((y - A @ b) ** 2) + net.value(b, lam)


def least(A, y, net, lam):
    """By coordinate descent, each step the prox of one coefficient, to the last digit."""
    b, squares = np.zeros(P), np.sum(A**2, axis=0)
    for _ in range(20_000):
        before = b.copy()
        for j in np.flatnonzero(squares):
            pull = A[:, j] @ (y - A @ b) + squares[j] * b[j]
            size = max(abs(pull) - lam * net.l1[j], 0.0) / (squares[j] + lam * net.l2[j])
            b[j] = min(max(np.sign(pull) * size, net.lower[j]), net.upper[j])
        if np.abs(b - before).max() <= 1e-14:
            break
    return objective(A, y, net, lam, b)


def solved(model, lam, budget=1000, target=1e-12):
    outcome, gap = model.solve(lam, target, budget)
    b = np.zeros(P)
    which, values = model.coefficients()
    b[which] = values
    return outcome, gap, b


@pytest.mark.parametrize("dependent", [False, True])
def test_inner_products_alone_lead_to_the_minimum_from_any_start(net, dependent):
    A, y = columns(dependent)
    rng, model = np.random.default_rng(0), InnerModel(A.T @ A, net)
    for lam in (20.0, 3.0, 0.2):
        best = least(A, y, net, lam)
        for _ in range(3):
            start = np.clip(rng.standard_normal(P), net.lower, net.upper)
            start[7] = 0.0
            e = y - A @ start
            model.set_gradient(start, A.T @ e, e)
            assert type(model.quadratic) is GramActiveSet
            assert model.loss_value == pytest.approx(e @ e / 2)
            assert model.correlations() == pytest.approx(A.T @ e)
            outcome, gap, b = solved(model, lam)
            assert outcome == 0 and gap <= 1e-12
            assert objective(A, y, net, lam, b) - best <= 1e-11 * (1.0 + best)


def test_steps_lower_the_objective_and_their_gap_bounds_what_is_left(net):
    A, y = columns()
    lam = 1.0
    best, values = least(A, y, net, lam), []
    for budget in range(1, 9):
        model = InnerModel(A.T @ A, net)
        model.set_gradient(np.zeros(P), A.T @ y, y)
        outcome, gap, b = solved(model, lam, budget)
        values.append(objective(A, y, net, lam, b))
        assert values[-1] - best <= gap + 1e-12
        assert (gap <= 1e-12) == (outcome == 0)
        found, primal = model.quadratic.certified(lam)
        assert found == pytest.approx(gap, abs=1e-12)
        assert primal == pytest.approx(values[-1], rel=1e-12)
    assert (np.diff(values) <= 1e-12 * values[0]).all()


# Columns that depend on those in the factor; what the solver finds is in tests/laws

@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [3, 10])
def test_a_coefficient_that_is_rounding_does_not_hold_up_the_others(seed):
    """Repeated columns within limits, more than rows: all dependent ones slide, not the first."""
    rng, n, p = np.random.default_rng(seed), 44, 400
    X = rng.standard_normal((n, p))[:, rng.integers(0, p, p)] * rng.choice([-1, 1], p)
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 20 / p))
    signal *= 1.5 / signal.std()
    lower, upper = -rng.choice([0, 0.1, 1, np.inf], p), rng.choice([0, 0.1, 1, np.inf], p)
    y = signal + 0.1 * rng.standard_normal(n)
    fit = ss.path(X, y, lower=lower, upper=upper, n_lambdas=30, lambda_min_ratio=5e-3, stop=None)
    assert (fit.n_iters < 500).all()


@pytest.mark.filterwarnings("error")
def test_coefficients_at_limits_do_not_hold_up_the_others():
    """More than the rank are free; some, but for rounding, are where their step would stop."""
    rng = np.random.default_rng(1)
    n, p = 100, 300
    X = rng.normal(size=(n, p))
    X = X + 0.7 * rng.normal(size=(n, 1))
    rng.logistic(size=n)  # drawn, as where this was found
    y = X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + rng.standard_t(2, size=n)
    huber = ss.families.huber(1.0)
    fit = ss.path(X, y, family=huber, lower=-0.3, upper=0.5, stop=None)
    assert (fit.n_iters < 1000).all()


@pytest.mark.filterwarnings("error")
def test_steps_that_many_coefficients_would_stop_end_at_the_first():
    """Few samples bend Huber's loss: Newton steps on more columns overshoot zero everywhere."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 60))
    y = X[:, :20] @ rng.standard_normal(20) + rng.standard_cauchy(60)
    fit = ss.path(X, y, family=ss.families.huber(0.05), n_lambdas=30, stop=None)
    assert fit.n_iters.max() < 2000  # 3,393 by clipping, 1,572 so


@pytest.mark.parametrize("seed", range(6))
def test_coefficients_that_stop_at_the_same_place_all_stop(seed):
    """Copies of a problem side by side: whatever stops in one stops in the others."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((30, 20)) @ rng.standard_normal((20, 20))
    X = np.kron(np.eye(3), A)
    y = np.tile(A[:, :10].sum(axis=1) + rng.standard_normal(30), 3)
    grid = np.abs(X.T @ y).max() / len(y) * np.array([0.5, 0.1, 0.01])
    options = {"intercept": False, "standardize": False, "lambdas": grid, "stop": None}
    fit = ss.path(X, y, solver="working_set", **options)
    assert not fit.status.any() and (fit.n_iters < 1000).all()
    for lam, b in zip(grid, fit.coefs.toarray().T, strict=True):
        r = (y - X @ b) / len(y)
        products = X.T @ r
        assert np.abs(products).max() <= lam * (1 + 1e-4)
        assert lam * np.abs(b).sum() == pytest.approx(b @ products, rel=1e-4)


def test_a_wide_ridge_of_the_cox_model_is_what_first_order_steps_find():
    """By conjugate gradients: a factor would be of all columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 300))
    y = np.column_stack([rng.exponential(np.exp(-X[:, 0])), rng.random(40) < 0.6])
    options = {"family": "cox", "alpha": 0.0, "n_lambdas": 5, "stop": None, "tol": 1e-9}
    fit, slow = ss.path(X, y, **options), ss.path(X, y, solver="fista", **options)
    assert not fit.status.any() and fit.n_iters.max() < 30
    np.testing.assert_allclose(fit.coefs.toarray(), slow.coefs.toarray(), atol=1e-5)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("step", [0.95, 0.7, 0.3])
def test_an_old_ridge_in_the_factor_costs_steps_and_nothing_else(family, step):
    """On fine grids it serves for long, coarse ones make it anew; a lambda alone has its own."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 90)) + rng.standard_normal((60, 1))
    y = X[:, :8].sum(axis=1) + rng.standard_normal(60)
    y = y > y.mean() if family == "binomial" else y
    options = {"family": family, "alpha": 0.3, "stop": None, "tol": 1e-12, "standardize": False}
    first = ss.path(X, y, n_lambdas=1, **options).lambdas[0]
    grid = first * step ** np.arange(25 if step > 0.5 else 5)
    fit = ss.path(X, y, lambdas=grid, **options)
    assert not fit.status.any() and (fit.n_iters < 200).all()
    for index in range(0, len(grid), 4):
        alone = ss.path(X, y, lambdas=grid[[index]], **options).coefs.toarray()[:, 0]
        fine = 2e-5 * np.abs(alone).max()
        np.testing.assert_allclose(fit.coefs.toarray()[:, index], alone, atol=fine)


# Columns alike but for a little: coefficients cancel that inner products cannot tell apart

may_miss = pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
WIDE, TALL = (6, 60, 1e-4), (40, 12, 1e-6)


def alike(seed, n, p, apart, n_responses=1):
    """Columns that differ by `apart`, and responses of which they tell a part."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, p))
    Y = np.outer(Z[:, 0], np.resize([1, -1, 0], n_responses)) + rng.normal(size=(n, n_responses))
    return Z[:, :1] + apart * Z, Y[:, 0] if n_responses == 1 else Y, rng


def check(X, y, lambdas, **options):
    """What is claimed is true of the predictions; where less is reached that is said."""
    fit = ss.path(X, y, lambdas=lambdas, **options)
    null = np.sum((y - y.mean(axis=0)) ** 2)
    for k, lam in enumerate(lambdas):
        share = 1.0 - np.sum((y - fit.predict(X, lam)) ** 2) / null
        assert fit.dev_ratio[k] == pytest.approx(share, abs=3e-7)
    assert (fit.gaps <= 1.0).all() and ((fit.gaps <= 1e-7) | (fit.status > 0)).all()
    return fit


@may_miss
@pytest.mark.parametrize("seed", [14, 19, 33])
def test_limits_leave_coefficients_that_cancel(seed):
    X, y, rng = alike(seed, *WIDE)
    lower, upper = rng.choice([0, -np.inf], size=60), rng.choice([0, np.inf], size=60)
    check(X, y, [0.01, 0.0], lower=lower, upper=upper)


@may_miss
@pytest.mark.parametrize("solver", ["sufficient", "working_set"])
def test_columns_that_nothing_holds_back_cancel(solver):
    X, y, _ = alike(5, 10, 30, 1e-5)
    fit = check(X, y, [0.1], penalty_factor=(np.arange(30) % 3 > 0) * 1.0, solver=solver)
    assert not fit.status.any()


@may_miss
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
def test_of_several_responses_as_of_one(shape, seed):
    X, Y, rng = alike(seed, *shape, n_responses=3)
    factors = rng.choice([0.0, 1.0], size=X.shape[1])
    factors[0] = 1.0
    check(X, Y, [0.1, 0.01, 0.0], family="multigaussian", penalty_factor=factors)


@may_miss
def test_columns_far_from_zero_without_an_intercept():
    """All but one direction of them is lost in rounding."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 20))
    y = X[:, 1] + rng.normal(size=10)
    X[:, ::3] += 1e7
    for alpha in (1.0, 0.5, 0.0):
        fit = ss.path(X, y, intercept=False, alpha=alpha, lambdas=[1.0, 0.1, 0.01])
        assert np.isfinite(fit.coefs.toarray()).all() and (fit.gaps <= 1.0).all()


def test_the_projection_on_unpenalised_columns_is_that_of_least_squares():
    rng = np.random.default_rng(3)
    Z, r = rng.standard_normal((25, 3)), rng.standard_normal(25)
    expected = np.linalg.norm(Z @ np.linalg.lstsq(Z, r, rcond=None)[0])
    length, apart = projection(Z.T @ Z, (Z.T @ r)[:, None])
    assert length == pytest.approx(expected, rel=1e-12) and apart
    twice = np.column_stack([Z, Z[:, 0]])  # of no more span, and told apart no more
    length, apart = projection(twice.T @ twice, (twice.T @ r)[:, None])
    assert length == pytest.approx(expected, rel=1e-7) and not apart
