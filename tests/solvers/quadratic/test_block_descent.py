"""Block coordinate descent over working groups, and the Newton steps that finish it."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize
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


def value_and_gap(X, y, state, omega, lam):
    """The objective at the state's coefficients, and a gap made from the data alone: the least of
    those at multiples of the residual, each of which is one."""
    b = np.zeros(X.shape[1])
    which, values = state.coefficients()
    b[which] = values
    r = y - X @ b
    z = X.T @ r / len(y)
    most, charge, loss = omega.feasible_scale(z, lam), omega.value(b, lam), r @ r / (2 * len(y))

    def gap(digits):
        s = most * (1 - 10.0**-digits)
        return (1 - s) ** 2 * loss + charge - s * z @ b + omega.conjugate(s * z, lam)

    best = optimize.minimize_scalar(gap, bounds=(2, 15), method="bounded").fun
    return loss + charge, min(best, gap(13))


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


def test_every_round_lowers_the_objective(kind):
    X, y = correlated(60, 20, 0.95)
    groups = [j % 4 for j in range(20)]
    values = []
    for budget in range(12):
        state, omega = state_of(X, y, groups, kind)
        lam = 0.02 * omega.polar(X.T @ y / 60)
        state.solve(lam, 1e-16, budget)
        values.append(value_and_gap(X, y, state, omega, lam)[0])
    assert (np.diff(values) <= 1e-14).all() and values[-1] < values[1] < values[0]


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


def test_a_loose_gap_leaves_far_less_than_itself_at_every_lambda():
    """Also at the first lambdas, whose start may meet it."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((100, 400))
    y = X[:, :20] @ rng.standard_normal(20) + rng.standard_normal(100)
    options = {"penalty": GroupL2(np.arange(400) // 4), "standardize": False, "stop": None,
               "lambda_min_ratio": 1e-2}  # fmt: skip

    def objectives(path):
        r = y[:, None] - X @ path.coefs - path.intercepts
        norms = np.linalg.norm(path.coefs.toarray().reshape(100, 4, -1), axis=1)
        return 0.5 * (r**2).mean(axis=0) + 2.0 * path.lambdas * norms.sum(axis=0)

    best = objectives(ss.path(X, y, tol=1e-9, **options))
    found = objectives(ss.path(X, y, tol=1e-3, **options))
    # 2e-6 where groups that promise much came in before a met gap counted
    assert (found - best).max() < 7e-6 * best[0]
