"""Inactive groups: no bound excludes one that violates, and few need products."""

from types import SimpleNamespace

import numpy as np
import oracle
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.screening.inactive import Inactive

from sparsesolve.penalties import ElasticNet, GroupL2, GroupLinf, SparseGroup
from sparsesolve.solvers import SOLVERS

N, P, G = 100, 500, 90
MAKERS = {"l2": GroupL2, "sparse": lambda groups: SparseGroup(groups, 0.4), "linf": GroupLinf}
STORES = {"dense": np.asfortranarray, "sparse": sparse.csc_array,
          "single": lambda X: np.asfortranarray(X, dtype=np.float32)}  # fmt: skip


def problem(kind, store="dense", limits=(-np.inf, np.inf), alpha=1.0, density=1.0, shape=(N, P),
            n_groups=G):  # fmt: skip
    """A standardised problem with scattered groups of sizes 1 to 12, and its columns."""
    rng, (n, p) = np.random.default_rng(6), shape
    X = rng.standard_normal(shape)
    X[:, 1:] += 0.7 * X[:, :-1]
    X[rng.random(shape) > density] = 0.0
    X = X.astype(np.float32).astype(float)
    w = rng.random(n)
    w /= w.sum()
    design = Design(STORES[store](X))
    assert design.moments(w)
    mean, spread = np.asarray(design.mean), np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    shares = rng.random(n_groups) ** 2
    groups = rng.choice(n_groups, p, p=shares / shares.sum())
    lower, upper = np.full(p, limits[0]), np.full(p, limits[1])
    omega = MAKERS[kind](groups).over(p)
    omega = omega.under(alpha, np.ones(omega.n_groups), np.zeros(omega.n_groups, dtype=bool),
                        lower, upper, 1.0)  # fmt: skip
    y = X[:, :30] @ rng.standard_normal(30) + rng.standard_normal(n)
    y = (y - w @ y) / y.std()
    made = SimpleNamespace(design=design, penalty=omega, weights=w, response=y, loss=None,
                           null_value=1.0, centred=True)  # fmt: skip
    return made, (X - mean) / spread


@pytest.mark.parametrize("limits", [(-np.inf, np.inf), (0.0, np.inf)], ids=["free", "positive"])
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("shape", [(N, P), (256, 4000)], ids=["short", "long"])
def test_no_bound_excludes_a_group_that_violates(kind, limits, shape):
    """Residuals on a walk, at levels that rise and fall: short steps, long ones, and back."""
    made, Z = problem(kind, limits=limits, shape=shape)
    root_w = np.sqrt(made.weights)
    outside = Inactive(made.design, root_w, made.penalty, 1)
    rng = np.random.default_rng(0)
    r, excluded, left = root_w * made.response, 0, 0
    back = r.copy()
    steps = 150 if shape == (N, P) else 50
    for step in range(steps):
        if step % 40 == 39:
            r = back.copy()  # as seen before
        else:
            r = 0.97 * r + rng.choice([1e-6, 1e-3, 0.03]) * rng.standard_normal(shape[0])
        polar = made.penalty.levels(Z.T @ (root_w * r))
        lam = np.quantile(polar, 0.93) * rng.choice([1.0, 1.2])
        found = outside.examined(r, lam)
        violators = np.flatnonzero(polar > lam * (1 + 1e-12))
        assert np.isin(violators, found).all(), step
        excluded += made.penalty.n_groups - len(found)
        left += len(violators)
    assert left > 0.6 * steps  # the test tells something
    assert excluded > 0.4 * steps * made.penalty.n_groups


@oracle.BLAS.wrap(limits=1, user_api="blas")
@pytest.mark.parametrize("kind, limits, alpha, density, store", [
    ("l2", (-np.inf, np.inf), 1.0, 1.0, "dense"), ("l2", (0.0, 0.3), 1.0, 1.0, "dense"),
    ("sparse", (-np.inf, np.inf), 1.0, 1.0, "single"),
    ("sparse", (0.0, np.inf), 0.7, 0.1, "sparse"),
    ("linf", (-np.inf, np.inf), 1.0, 1.0, "dense"), ("l2", (-np.inf, np.inf), 0.5, 0.1, "sparse"),
])  # fmt: skip
def test_every_group_stays_below_lambda_along_a_path(kind, limits, alpha, density, store):
    made, Z = problem(kind, store, limits, alpha, density)
    state = SOLVERS["working_set"].state(made, 1)
    w, y, omega = made.weights, made.response, made.penalty
    null = 0.5 * w @ y**2
    top = omega.polar(np.asarray(state.correlations()))
    for lam in np.geomspace(top, 0.1 * top, 12):
        outcome, gap = state.solve(lam, 1e-9 * null, 10_000)
        assert outcome == 0 and gap <= 1e-9 * null
        which, values = state.coefficients()
        b = np.zeros(P)
        b[which] = values
        z = Z.T @ (w * (y - Z @ b))
        still = np.bincount(omega.of, weights=b != 0, minlength=omega.n_groups) == 0
        slack = 1e-5 if alpha == 1 else 1e-3  # a ridge part lets a little pass
        assert (omega.levels(z)[still] <= lam * (1 + slack)).all()
        gap = 0.0  # of the residual as a dual point, group by group, shrunk to be feasible
        s = omega.feasible_scale(z, lam) * (1 - 1e-12)
        gap = 0.5 * (1 - s) ** 2 * w @ (y - Z @ b) ** 2 + omega.value(b, lam) - s * z @ b
        gap += omega.conjugate(s * z, lam)
        assert gap <= 1e-8 * null


@pytest.mark.parametrize("shape", [(N, P), (400, 2600)], ids=["short", "long"])
def test_a_group_of_one_is_screened_as_its_column(shape):
    """The same blocks are found, with the same scales, gap and violators."""
    rng, (n, p) = np.random.default_rng(3), shape
    X = np.asfortranarray(rng.standard_normal(shape))
    design, root_w, weights = Design(X), np.full(n, n**-0.5), rng.uniform(0.5, 2.0, p)
    assert design.moments(root_w**2)
    mean, spread = np.asarray(design.mean), np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    columns = Inactive(design, root_w, ElasticNet(p, 1.0, weights), 1)
    groups = Inactive(design, root_w, GroupL2(np.arange(p), weights).over(p), 1)
    A, r = root_w[:, None] * (X - mean) / spread, rng.standard_normal(n)
    seen = 0
    for _ in range(40):
        r = 0.97 * r + rng.choice([1e-6, 1e-3, 0.03]) * rng.standard_normal(n)
        lam = np.quantile(np.abs(A.T @ r) / weights, 0.95)
        feasible = columns.certified(r, lam, 0.0)[0]
        found, expected = groups.certified(r, lam, feasible), columns.certified(r, lam, feasible)
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-13)
        violators = np.sort(columns.violating(r, lam, p))
        assert np.sort(groups.violating(r, lam, p)).tolist() == violators.tolist()
        seen += len(violators)
    assert seen > 40 * 0.04 * p


def test_reach_bounds_the_polar_over_the_length():
    """rate_g is the most by which a polar grows as the residual moves: met by some direction."""
    for kind in MAKERS:
        made, Z = problem(kind)
        root_w, omega = np.sqrt(made.weights), made.penalty
        rng = np.random.default_rng(2)
        A = root_w[:, None] * Z
        start = rng.standard_normal(N)
        for g in range(0, omega.n_groups, 12):
            columns = np.asarray(omega.member)[omega.start[g]:omega.start[g + 1]]
            size, d = len(columns), np.sqrt(len(columns))
            reach = {"l2": 1 / d, "linf": np.sqrt(size) / d, "sparse": 1 / (0.4 + 0.6 * d)}[kind]
            rate = reach * np.linalg.norm(A[:, columns], 2)
            for _ in range(5):
                move = rng.standard_normal(N)
                before, after = (omega.levels(A.T @ r)[g] for r in (start, start + move))
                assert abs(after - before) <= rate * np.linalg.norm(move) * (1 + 1e-12)
