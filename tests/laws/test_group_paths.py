"""Laws of paths with penalties on groups: what they are where they are something simpler."""

import group_oracle
import numpy as np
import pytest
from laws.test_paths import GRID, TOL, identical, solve
from scipy import sparse

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

N, P = 60, 15
NEAR = 3e-6
GROUPS = [0, 3, 1, 1, 0, 2, 2, 4, 0, 1, 3, 2, None, 0, 3]
MAKERS = {
    "l2": lambda groups, **more: GroupL2(groups, **more),
    "sparse": lambda groups, **more: SparseGroup(groups, 0.4, **more),
    "linf": lambda groups, **more: GroupLinf(groups, **more),
}
FAMILIES = ["gaussian", "binomial", "poisson"]


def data(family="gaussian", n=N, p=P, seed=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.5 * X[:, :-1]
    X[rng.random((n, p)) < 0.3] = 0.0
    X = X.astype(np.float32).astype(float)
    signal = X[:, :4] @ [0.8, -1.0, 0.6, 0.4]
    return X, {
        "gaussian": signal + 0.5 + rng.standard_normal(n),
        "binomial": (signal > rng.logistic(size=n)) * 1,
        "poisson": rng.poisson(np.exp(0.5 * signal)),
    }[family]


def close(fit, other, near=NEAR):
    assert fit.lambdas == pytest.approx(other.lambdas, rel=1e-10)
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=near)
    assert fit.intercepts == pytest.approx(other.intercepts, abs=near)


@pytest.fixture(params=sorted(MAKERS))
def kind(request):
    return request.param


# What they are where they are simpler


@pytest.mark.parametrize("options", [
    {}, {"alpha": 0.5}, {"penalty_factor": np.resize([1.0, 0.5, 3.0, 1.0, 0.0, np.inf], P)},
    {"lower": -0.1, "upper": np.resize([np.inf, 0.2], P)}, {"intercept": False},
], ids=["plain", "net", "factors", "limits", "origin"])  # fmt: skip
@pytest.mark.parametrize("family", FAMILIES)
def test_groups_of_one_are_the_elastic_net(kind, family, options, store):
    X, y = data(family)
    given = {"family": family, **options}
    plain = solve(store(X), y, **given)
    close(solve(store(X), y, penalty=MAKERS[kind](list(range(P))), **given), plain)
    close(solve(store(X), y, penalty=MAKERS[kind]([None] * P), **given), plain)
    made = {"n_lambdas": 8, "lambdas": None, "stop": None, "tol": 1e-9}
    own = solve(store(X), y, penalty=MAKERS[kind]([None] * P), **given, **made)
    close(own, solve(store(X), y, **given, **made), near=1e-3)


@pytest.mark.parametrize("family", FAMILIES)
def test_tau_of_one_is_the_lasso_and_of_zero_the_group_lasso(family, store):
    X, y = data(family)
    close(solve(store(X), y, family=family, penalty=SparseGroup(GROUPS, 1.0)),
          solve(store(X), y, family=family))
    identical(solve(store(X), y, family=family, penalty=SparseGroup(GROUPS, 0.0)),
              solve(store(X), y, family=family, penalty=GroupL2(GROUPS)))


# Symmetries


@pytest.mark.parametrize("family", FAMILIES)
def test_permuted_columns_permute_coefficients(kind, family, store):
    X, y = data(family)
    order = np.random.default_rng(2).permutation(P)
    limits = {"lower": np.resize([-0.3, -np.inf, 0.0], P), "upper": np.resize([np.inf, 0.4], P)}
    moved = {k: v[order] for k, v in limits.items()}
    fit = solve(store(X), y, family=family, penalty=MAKERS[kind](GROUPS), **limits)
    other = solve(store(X[:, order]), y, family=family, **moved,
                  penalty=MAKERS[kind]([GROUPS[j] for j in order]))  # fmt: skip
    assert fit.coefs.toarray()[order] == pytest.approx(other.coefs.toarray(), abs=NEAR)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_size_of_weights_changes_nothing(kind, family, store):
    X, y = data(family)
    w, d = np.linspace(0, 1, N), np.array([1.0, 0.5, 2.0, 3.0, 1.0])
    factors = np.array([1.0, 2.0, 0.0, 0.5, 1.0, 3.0])
    given = {"family": family, "penalty": MAKERS[kind](GROUPS, weights=d)}
    fit = solve(store(X), y, weights=w, penalty_factor=factors, **given)
    close(fit, solve(store(X), y, weights=64 * w, penalty_factor=factors, **given))
    close(fit, solve(store(X), y, weights=w, penalty_factor=8 * factors, **given))


def test_weights_repeat_rows_and_storage_does_not_matter(kind):
    X, y = data()
    w = np.random.default_rng(3).integers(0, 4, N)
    rows = np.repeat(np.arange(N), w)
    fit = solve(X, y, weights=w, penalty=MAKERS[kind](GROUPS))
    close(fit, solve(X[rows], y[rows], penalty=MAKERS[kind](GROUPS)))
    for stored in (X.astype(np.float32), sparse.csc_array(X), sparse.csr_array(X),
                   sparse.csc_array(X.astype(np.float32)), np.ascontiguousarray(X)):
        close(fit, solve(stored, y, weights=w, penalty=MAKERS[kind](GROUPS)))


# The first lambda


@pytest.mark.parametrize("limits", [{}, {"lower": 0.0}, {"lower": -0.01, "upper": 0.02}],
                         ids=["free", "positive", "boxes"])  # fmt: skip
@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_enters_above_the_first_lambda_and_something_below(kind, family, limits, store):
    X, y = data(family)
    given = {"family": family, "penalty": MAKERS[kind](GROUPS), "tol": TOL, **limits}
    first = ss.path(store(X), y, n_lambdas=1, **given).lambdas[0]
    around = first * np.array([1 + 1e-9, 1 - 1e-4])
    fit = ss.path(store(X), y, lambdas=around, **given)
    assert fit.df[0] == 0 and fit.df[1] > 0
    made = {"kind": kind, "groups": GROUPS, "tau": 0.4}
    loss = {"gaussian": "GAUSSIAN", "binomial": "BINOMIAL", "poisson": "POISSON"}[family]
    loss = getattr(group_oracle.numpy_losses, loss)
    expected = group_oracle.lambda_max(X, y, loss=loss, **made, **limits)
    assert first == pytest.approx(expected, rel=1e-9)


# Ways of solving


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n, p", [(60, 15), (25, 40)])
def test_warm_path_is_cold_fits(kind, family, n, p, store):
    X, y = data(family, n, p)
    penalty = MAKERS[kind]([j % (p // 4) for j in range(p)])
    grid = 0.3 * GRID[:4]
    fit = solve(store(X), y, family=family, penalty=penalty, lambdas=grid)
    for k, lam in enumerate(grid):
        cold = solve(store(X), y, family=family, penalty=penalty, lambdas=lam)
        assert cold.coefs.toarray().ravel() == pytest.approx(
            fit.coefs[:, [k]].toarray().ravel(), abs=2 * NEAR)


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_threads_do_not_change_a_bit(kind, family, store):
    X, y = data(family, 80, 600)
    penalty = MAKERS[kind]([j % 60 for j in range(600)])
    given = {"family": family, "penalty": penalty, "n_lambdas": 8, "lambda_min_ratio": 0.1}
    identical(ss.path(store(X), y, n_threads=1, **given),
              ss.path(store(X), y, n_threads=2, **given))


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("limits", [{}, {"lower": -0.1, "upper": 0.2}], ids=["free", "boxes"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_objective_falls_with_every_step(kind, family, limits):
    """A budget of one more step never ends higher, and each end is where its gap says.

    Where the loss bends, a budget also ends the search for a step, which then goes elsewhere.
    """
    X, y = data(family, 40, 30)
    groups = [j % 6 for j in range(30)]
    own = {"kind": kind, "groups": groups, "tau": 0.4, "loss": getattr(
        group_oracle.numpy_losses, family.upper()), **limits}  # fmt: skip
    q = group_oracle.problem(X, y, **own)
    lam = 0.05 * group_oracle.lambda_max(X, y, **own)
    values, gaps = [], []
    for budget in (0, 1, 2, 3, 4, 6, 8, 12, 40):
        fit = ss.path(X, y, family=family, penalty=MAKERS[kind](groups), lambdas=lam, tol=1e-12,
                      max_iter=budget, **limits)  # fmt: skip
        point = fit.intercepts[0], fit.coefs.toarray().ravel()
        values.append(group_oracle.objective(q, *point, lam))
        gaps.append(fit.gaps[0] * q.null[1])
    before = values[:-1] if family == "gaussian" else values[0]
    assert (values[1:] <= np.multiply(before, 1 + 1e-13)).all()
    assert values[-1] < 0.9 * values[0]
    assert all(value - values[-1] <= gap + 1e-12 for value, gap in zip(values, gaps, strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_memory_held_before_does_not_matter(kind, family):
    """Groups of five lie across the sizes to which room grows; what is not written is not read."""
    X, y = data(family, 120, 400)
    given = {"family": family, "penalty": MAKERS[kind]([j // 5 for j in range(400)]),
             "n_lambdas": 30, "lambda_min_ratio": 0.1, "stop": None}  # fmt: skip
    fits = []
    for value in (0.0, np.nan, 1e300):
        held = [np.full((rows, size), value) for rows in (1, 2, 3) for size in (64, 128, 256, 512)]
        del held
        fits.append(ss.path(X, y, **given))
    identical(*fits[:2])
    identical(*fits[1:])
    assert fits[0].df.max() > 128 and np.isfinite(fits[0].coefs.data).all()


def test_groups_are_counted_beside_features():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 12))
    groups = np.tile([3, 1, 2, 0], 3)
    fit = ss.path(X, X[:, 0] + X[:, 1] + rng.normal(size=60), penalty=GroupL2(groups))
    counted = [len({groups[j] for j in which}) for which in fit.nonzero()]
    assert fit.df_groups.tolist() == counted and (fit.df == 3 * fit.df_groups).all()
    assert ss.path(X, X[:, 0], n_lambdas=3).df_groups is None


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
@pytest.mark.parametrize("tol", [1e-3, 1e-5])
def test_solutions_are_far_better_than_the_gap_asked_for(kind, family, tol):
    """A gap is a loose bound, of first order where the objective is of second.

    That of GroupL2 is of second order too: with it solutions are as good as it says, and far
    better only where little is asked for, as a sweep that gains much is followed by another.
    """
    (X, y), groups = data(family, 80, 200), np.arange(200) // 4
    options = {"family": family, "penalty": MAKERS[kind](groups), "stop": None}
    tight = ss.path(X, y, **options, tol=1e-10, lambda_min_ratio=1e-2, n_lambdas=30)
    loose = ss.path(X, y, **options, tol=tol, lambdas=tight.lambdas)
    assert (loose.gaps <= tol).all()
    loss = getattr(group_oracle.numpy_losses, family.upper())
    q = group_oracle.problem(X, y, kind=kind, groups=list(groups), loss=loss, tau=0.4)
    for k, lam in enumerate(tight.lambdas):
        best, near = (group_oracle.objective(q, fit.intercepts[k], fit.coefs.toarray()[:, k], lam)
                      for fit in (tight, loose))  # fmt: skip
        tight_gap = kind == "l2" and tol == 1e-5
        assert near - best <= (loose.gaps[k] if tight_gap else 0.01 * tol) * q.null[1], k
