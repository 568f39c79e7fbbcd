"""Inactive groups: no bound excludes one that violates, and few need products."""

from types import SimpleNamespace

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.screening.inactive import Inactive

from sparsesolve.penalties import ElasticNet, GroupL2, GroupLinf, SparseGroup

N, P, G = 100, 500, 90
MAKERS = {"l2": GroupL2, "sparse": lambda groups: SparseGroup(groups, 0.4), "linf": GroupLinf}


def problem(kind, limits, shape):
    """A standardised problem with scattered groups of sizes 1 to 12, and its columns."""
    rng, (n, p) = np.random.default_rng(6), shape
    X = rng.standard_normal(shape)
    X[:, 1:] += 0.7 * X[:, :-1]
    w = rng.random(n)
    w /= w.sum()
    design = Design(np.asfortranarray(X))
    assert design.moments(w)
    mean, spread = np.asarray(design.mean), np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    shares = rng.random(G) ** 2
    omega = MAKERS[kind](rng.choice(G, p, p=shares / shares.sum())).over(p)
    omega = omega.under(1.0, np.ones(omega.n_groups), np.zeros(omega.n_groups, dtype=bool),
                        np.full(p, limits[0]), np.full(p, limits[1]), 1.0)  # fmt: skip
    y = X[:, :30] @ rng.standard_normal(30) + rng.standard_normal(n)
    made = SimpleNamespace(design=design, penalty=omega, weights=w, response=y - w @ y)
    return made, (X - mean) / spread


@pytest.mark.parametrize("limits", [(-np.inf, np.inf), (0.0, np.inf)], ids=["free", "positive"])
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("shape", [(N, P), (256, 4000)], ids=["short", "long"])
def test_no_bound_excludes_a_group_that_violates(kind, limits, shape):
    """Residuals on a walk, at levels that rise and fall: short steps, long ones, and back."""
    made, Z = problem(kind, limits, shape)
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
        before = outside.multiplied
        found = np.unique(np.asarray(made.penalty.of)[outside.violating(r, lam, len(Z.T))])
        violators = np.flatnonzero(polar > lam * (1 + 1e-12))
        assert np.isin(violators, found).all(), step
        excluded += len(Z.T) - (outside.multiplied - before)
        left += len(violators)
    assert left > 0.6 * steps  # the test tells something
    assert excluded > 0.4 * steps * len(Z.T)


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
