"""Inactive: columns outside the working set. No bound excludes one that violates its threshold,
and what they add to the gap is what their products say, multiplied or not."""

from types import SimpleNamespace

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.screening.inactive import Inactive, farthest, most_entering

from sparsesolve.penalties import ElasticNet

N, P = 60, 300
RNG = np.random.default_rng(4)
FACTORS = RNG.uniform(0.5, 2.0, P)
LIMITED = {"lower": np.resize([-np.inf, -0.3, 0.0], P), "upper": np.resize([0.2, np.inf], P)}
PENALTIES = {
    "lasso": ElasticNet(P, 1.0, FACTORS),
    "net": ElasticNet(P, 0.5, FACTORS),
    "limits": ElasticNet(P, 1.0, FACTORS, **LIMITED),
}


@pytest.fixture(params=PENALTIES)
def made(request):
    """The columns outside with that penalty, the columns in numpy, and a response."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((N, P))
    X[:, 1:] += 0.8 * X[:, :-1]
    w = rng.uniform(0.5, 1.5, N)
    w /= w.sum()
    design = Design(np.asfortranarray(X))
    assert design.moments(w)
    mean, spread = np.asarray(design.mean), np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    net, root_w = PENALTIES[request.param], np.sqrt(w)
    columns = (X - mean) / spread * root_w[:, None]
    r = root_w * (X[:, :5] @ rng.standard_normal(5))
    return SimpleNamespace(net=net, outside=Inactive(design, root_w, net, 1),
                           A=columns, r=r - root_w * (root_w @ r))  # fmt: skip


def walk(made, steps=80):
    """Residuals that shrink and turn, with steps of all sizes and returns to an old one, and lams
    that some columns exceed."""
    rng, r = np.random.default_rng(1), made.r
    for step in range(steps):
        size = rng.choice([1e-6, 1e-3, 0.05]) * np.linalg.norm(made.r) / np.sqrt(N)
        r = made.r if step % 30 == 29 else 0.97 * r + size * rng.standard_normal(N)
        z = made.A.T @ r
        yield r, z, np.quantile(np.abs(z) / made.net.l1, rng.choice([0.9, 0.98, 1.0]))


def test_every_violator_is_found_and_nothing_else(made):
    seen = 0
    for r, z, lam in walk(made):
        over = np.flatnonzero(np.abs(z) > lam * np.asarray(made.net.l1) * (1 + 1e-9))
        found = np.sort(made.outside.violating(r, lam, P))
        assert np.isin(over, found).all()
        assert (np.abs(z[found]) >= lam * np.asarray(made.net.l1)[found] * (1 - 1e-9)).all()
        seen += len(over)
    assert seen > 300


def test_scales_and_gap_are_those_of_all_products(made):
    """What no bound lets be multiplied has a conjugate of 0 and is feasible."""
    for r, z, lam in walk(made, 40):
        feasible, strict, _ = made.outside.certified(r, lam, 0.0)
        assert feasible == pytest.approx(made.net.feasible_scale(z, lam), rel=1e-9)
        assert strict <= feasible
        for s in (feasible, 0.7 * feasible):
            expected = made.net.conjugate(s * z, lam)
            assert made.outside.certified(r, lam, s)[2] == pytest.approx(expected, abs=1e-9 * lam)


def test_the_strict_scale_ends_where_a_limit_of_0_does_not(made):
    """It is that of the lasso, but that columns shut to one side do not count there."""
    net = made.net
    for r, z, lam in walk(made, 20):
        open_ = np.where(z > 0.0, np.asarray(net.upper) > 0.0, np.asarray(net.lower) < 0.0)
        level = np.where(open_, np.abs(z) / net.l1, 0.0).max()
        expected = min(1.0, lam / level)
        assert made.outside.certified(r, lam, 0.0)[1] == pytest.approx(expected, rel=1e-9)


def test_of_too_many_violators_the_farthest_come(made):
    z = made.A.T @ made.r
    levels = np.abs(z) / np.asarray(made.net.l1)
    lam = np.quantile(levels, 0.5)
    found = made.outside.violating(made.r, lam, 10)
    assert set(found) == set(np.argsort(-levels)[:10])


def test_farthest_takes_blocks_up_to_a_number_of_columns_and_all_that_are_unpenalised():
    levels, columns = np.array([3.0, np.inf, 1.0, 2.0, np.inf]), np.array([2, 5, 1, 2, 5])
    assert farthest(levels, columns, 1).tolist() == [1, 4]
    assert farthest(levels, columns, 11).tolist() == [0, 1, 4]
    assert farthest(levels, columns, 100).tolist() == [0, 1, 2, 3, 4]


def test_a_round_lets_in_as_many_as_are_at_work():
    assert most_entering(1000) == 1000
    assert most_entering(0) == most_entering(100) > 100
