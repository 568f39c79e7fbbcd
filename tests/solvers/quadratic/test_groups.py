"""Block coordinate descent over working groups, Newton steps that finish it, and lengths."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup
from sparsesolve.solvers import SOLVERS

MAKERS = {"l2": GroupL2, "sparse": lambda groups: SparseGroup(groups, 0.4), "linf": GroupLinf}


@pytest.fixture(params=sorted(MAKERS))
def kind(request):
    return request.param


def state_of(X, y, groups, kind):
    """A working set over X as it stands, samples of weight 1/n; the response is not centred."""
    n, p = X.shape
    w = np.full(n, 1 / n)
    design = Design(np.asfortranarray(X))
    assert design.moments(w)
    design.standardise(False, np.ldexp(1.0, np.asarray(design.exponent)))
    omega = MAKERS[kind](groups).over(p)
    omega = omega.under(1.0, np.ones(omega.n_groups), np.zeros(omega.n_groups, dtype=bool),
                        np.full(p, -np.inf), np.full(p, np.inf), 1.0)  # fmt: skip
    made = SimpleNamespace(design=design, penalty=omega, weights=w, response=y, loss=None,
                           null_value=0.5 * np.mean(y**2), centred=False)  # fmt: skip
    return SOLVERS["working_set"].state(made, 1), omega


def correlated(n, p, rho, seed=0):
    rng = np.random.default_rng(seed)
    X = np.sqrt(1 - rho) * rng.standard_normal((n, p)) + np.sqrt(rho) * rng.standard_normal((n, 1))
    return X, X[:, : p // 2].sum(axis=1) / np.sqrt(p) + rng.standard_normal(n)


@pytest.mark.parametrize("kind", ["l2", "sparse"])
@pytest.mark.parametrize("rho", [0.9, 0.999, 0.99999])
def test_newton_steps_finish_where_sweeps_would_creep(kind, rho):
    """Rounds of a path grow where groups take turns, but stay far from those of sweeps."""
    X, y = correlated(100, 40, rho)
    state, omega = state_of(X, y, [j % 8 for j in range(40)], kind)
    top = omega.polar(X.T @ y / 100)
    for lam in np.geomspace(top, 1e-3 * top, 60):
        assert state.solve(lam, 1e-12, 5000)[0] == 0
    assert state.iterations <= 60 * 60


@pytest.mark.parametrize("kind", MAKERS)
def test_directions_are_those_of_finite_differences(kind):
    """Along its directions a penalty has the slopes and second derivatives that it says."""
    rng = np.random.default_rng(8)
    told = 0
    for trial in range(60):
        s, lam = int(rng.integers(1, 7)), float(rng.choice([0.3, 2.0]))
        omega = MAKERS[kind](["u"] * s).over(s).under(
            float(rng.choice([1.0, 0.5])), np.ones(1), np.zeros(1, dtype=bool),
            np.full(s, -4.0), np.full(s, 4.0), 1.0)
        b = rng.standard_normal(s) * (rng.random(s) < 0.7)
        if s > 2 and trial % 2:
            b[0], b[2] = 2.0, -2.0  # tied for the largest
        z = rng.standard_normal(s)
        D, slope, H = omega.directions(0, b, z, lam)
        if not b.any():
            assert D.shape[1] == 0
            continue
        H = np.tril(H) + np.tril(H, -1).T
        step = 1e-4
        for k in range(D.shape[1]):
            def along(t, u, e=D[:, k], b=b, omega=omega, lam=lam):
                return omega.value(b + t * e + u, lam)

            rise = (along(step, 0.0) - along(-step, 0.0)) / (2 * step)
            assert slope[k] == pytest.approx(z @ D[:, k] - rise, abs=1e-6), trial
            for i in range(k, D.shape[1]):
                u = step * D[:, i]
                mixed = (along(step, u) - along(-step, u) - along(step, -u) + along(-step, -u))
                assert H[i, k] == pytest.approx(mixed / (4 * step**2), rel=1e-4, abs=1e-5)
                told += 1
    assert told > 100


@pytest.mark.parametrize("kind", MAKERS)
def test_directions_leave_out_what_presses_against_a_limit(kind):
    omega = MAKERS[kind](["u"] * 3).over(3).under(
        1.0, np.ones(1), np.zeros(1, dtype=bool), np.zeros(3), np.array([1.0, 9.0, 9.0]), 1.0)
    b = np.array([1.0, 2.0, 0.5])
    pressed = omega.directions(0, b, np.array([50.0, 0.0, 0.0]))[0]
    assert not pressed[0].any() and pressed[1].any() and pressed[2].any()
    drawn_back = omega.directions(0, b, np.array([-50.0, 0.0, 0.0]))[0]
    assert drawn_back[0].any()


def test_coefficients_about_to_be_the_largest_do_not_hold_up_the_others():
    """Nearly flat models at the end of a path, where every step would tie some at once."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 60)) + 0.7 * rng.normal(size=(60, 1))
    y = X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + rng.standard_t(2, size=60)
    penalty = ss.penalties.GroupLinf(np.arange(60) // 5)
    fit = ss.path(X, y, family=ss.families.huber(1.0), penalty=penalty, stop=None)
    assert not fit.status.any() and fit.n_iters.max() < 1000


# Columns as they are


@pytest.mark.parametrize("make", [GroupL2, GroupLinf, lambda groups: SparseGroup(groups, 0.5)],
                         ids=MAKERS)  # fmt: skip
def test_sparse_columns_that_are_alike(make):
    """Groups of columns that are nearly those of others: sweeps alone take 1,400 to 37,000.

    Without their extrapolation the largest sizes take 1,094.
    """
    rng = np.random.default_rng(4)
    base = sparse.random_array((90, 8), density=0.3, rng=rng).toarray()
    X = np.tile(base, (1, 15)) * (1.0 + 0.02 * rng.standard_normal((90, 120)))
    y = X[:, :12] @ rng.standard_normal(12) + 0.3 * rng.standard_normal(90)
    given = {"penalty": make(np.arange(120) // 4), "tol": 1e-10, "stop": None, "n_lambdas": 8,
             "lambda_min_ratio": 1e-2}  # fmt: skip
    columns, whole = ss.path(sparse.csc_array(X), y, **given), ss.path(X, y, **given)
    assert not columns.status.any() and not whole.status.any()
    assert columns.n_iters.sum() < 1000
    for lam in columns.lambdas:
        assert X @ columns.coef(lam) == pytest.approx(X @ whole.coef(lam), abs=1e-3)


# Lengths of groups brought to their best together, and the gap that this leaves

def data(n, p, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += X[:, :-1]
    signal = X[:, : p // 4] @ rng.standard_normal(p // 4)
    return X, signal + signal.std() * rng.standard_normal(n) / 2


def slopes(X, y, fit, k, groups):
    """The loss's gradient over the penalty's of each group at work, along its ray and across."""
    b = fit.coefs.toarray()[:, k]
    r = y - fit.intercepts[k] - X @ b
    along, across = [], []
    for g in np.unique(groups):
        mine = groups == g
        length = np.linalg.norm(b[mine])
        if length > 0.0:
            z = X[:, mine].T @ r / len(y) / (fit.lambdas[k] * np.sqrt(mine.sum()))
            along.append(z @ b[mine] / length)
            across.append(np.linalg.norm(z - along[-1] * b[mine] / length))
    return np.array(along), np.array(across)


def test_lengths_are_right_before_directions_are():
    X, y = data(60, 200)
    groups = np.arange(200) // 5
    fit = ss.path(X, y, penalty=GroupL2(groups), standardize=False, tol=1e-5, n_lambdas=20,
                  lambda_min_ratio=0.02, stop=None)  # fmt: skip
    met = [slopes(X, y, fit, k, groups) for k in range(1, 20)]
    along = max(np.abs(a - 1.0).max() for a, _ in met)
    across = max(a.max() for _, a in met)
    assert along < 1e-4 and along < 0.1 * across


# by the columns themselves, or where there are fewer of them than of rows by their inner products
@pytest.mark.parametrize("family, n, p", [("gaussian", 80, 300), ("binomial", 80, 300),
                                          ("binomial", 400, 60)])  # fmt: skip
def test_they_spare_sweeps(family, n, p):
    """An l1 norm of almost no weight keeps them from it: Omega is then more than lengths."""
    X, y = data(n, p)
    groups, given = np.arange(p) // 5, {"family": family, "stop": None, "lambda_min_ratio": 0.02}
    y = y if family == "gaussian" else y > 0.0
    fit = ss.path(X, y, penalty=GroupL2(groups), **given)
    other = ss.path(X, y, penalty=SparseGroup(groups, 1e-9), lambdas=fit.lambdas, **given)
    assert fit.n_iters.sum() < 0.6 * other.n_iters.sum()
    assert not fit.status.any() and not other.status.any()


def test_more_rays_than_rows():
    """Groups of one in which more are at work than there are rows."""
    X, y = data(20, 400)
    given = {"stop": None, "alpha": 0.5}
    fit = ss.path(X, y, penalty=GroupL2(np.arange(400)), lambda_min_ratio=1e-3, **given)
    lasso = ss.path(X, y, lambdas=fit.lambdas, tol=1e-12, **given)
    assert not fit.status.any() and fit.df.max() > 20
    np.testing.assert_allclose(fit.predict(X), lasso.predict(X), atol=1e-2 * y.std())


def test_groups_that_leave_end_at_zero():
    """Down the path some groups go back to zero, and lengths are never negative there."""
    X, y = data(60, 200, seed=5)
    groups = np.arange(200) // 5
    fit = ss.path(X, y, penalty=GroupL2(groups), standardize=False, stop=None,
                  lambda_min_ratio=1e-3)  # fmt: skip
    at_work = fit.coefs.toarray().reshape(40, 5, -1).any(axis=1).T
    assert (at_work[:-1] & ~at_work[1:]).any()
    for k in range(1, 100):
        along, _ = slopes(X, y, fit, k, groups)
        assert np.abs(along - 1.0).max() < 1e-2


@pytest.mark.parametrize("seed", [1, 4])
def test_gaps_see_what_rounding_hides_along_a_short_direction(seed):
    """Products with columns of length 1e5 are known to 1e-11, of which columns of 1e-7 gain."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(10, 4)) * [1.4e5, 4e-6, 4e-7, 2e4], rng.normal(size=10)
    fit = ss.path(X, y, penalty=ss.penalties.TrendFilter(1), standardize=False, n_lambdas=2,
                  tol=1e-11, stop=None)  # fmt: skip
    lam = fit.lambdas[0]
    A, t = X.astype(np.longdouble), y.astype(np.longdouble)
    A, t = A - A.mean(axis=0), t - t.mean()
    r = t - A @ fit.coef(lam)
    bent = A @ [0.0, 2.0, 1.0, 0.0]  # of second differences -3 and 0: costs 3 lambda a unit
    over = max(abs(bent @ r) / 10 - 3 * lam, 0.0)
    gain = over**2 / (2 * (bent @ bent) / 10) / ((t @ t) / 20)
    assert gain <= fit.gaps[0]
