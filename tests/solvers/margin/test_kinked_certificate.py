"""Dual points of losses with kinks: within the slopes, orthogonal to unpenalised columns."""

import numpy as np
import pytest
from states import problem_of

import sparsesolve as ss
from sparsesolve.solvers.margin.multipliers import KinkedCertificate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
Y = np.sign(X[:, 0] + RNG.normal(size=40))


def certificate(factor, intercept):
    problem = problem_of(X, Y, ss.families.hinge(), penalty_factor=factor, intercept=intercept,
                         standardize=False)  # fmt: skip
    made = KinkedCertificate(problem, 1)
    made.place(np.arange(5, dtype=np.intc), RNG.normal(size=5), 0.1)
    return made


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("free", [[], [1], [1, 3]])
def test_a_dual_point_is_feasible(free, intercept):
    factor = np.ones(5)
    factor[free] = 0.0
    made = certificate(factor, intercept)
    low, high = made.loss.ends
    for _ in range(50):
        made.certify(0.1, low + RNG.random(40) * (high - low) * RNG.choice([0.5, 1.0, 2.0]))
        u, _, missing = made.dual_at(0.1)
        assert missing <= 1e-12
        assert (u >= low).all() and (u <= high).all()
        assert np.abs(u @ made.basis).max(initial=0.0) <= 1e-10 * np.abs(u).sum()


DUMMIES = {
    "hinge": (ss.families.hinge(), 5, 0.01), "quantile": (ss.families.quantile(0.5), 6, 0.1),
    "epsilon_insensitive": (ss.families.epsilon_insensitive(0.2), 5, 0.1),
}  # fmt: skip


@pytest.mark.parametrize("name", DUMMIES)
def test_optima_with_unpenalised_dummies_keep_their_dual_point(name):
    """Samples of some level are all at an end here: no curvature leads back to the columns."""
    family, seed, lam = DUMMIES[name]
    rng = np.random.default_rng(seed)
    x, levels = rng.normal(size=200), np.eye(4)[rng.integers(0, 4, 200)]
    y = x + levels @ np.arange(4) + rng.normal(size=200)
    y = np.sign(y - np.median(y) - 0.3 * rng.normal(size=200)) if name == "hinge" else y
    fit = ss.path(np.c_[x, levels], y, family=family, standardize=False, lambdas=[10 * lam, lam],
                  penalty_factor=[5.0, 0.0, 0.0, 0.0, 0.0])  # fmt: skip
    assert not fit.status.any() and fit.gaps.max() <= 1e-7


@pytest.mark.parametrize("family", [family for family, *_ in DUMMIES.values()] + [
    ss.families.squared_hinge(), ss.families.huber(0.1)
])  # fmt: skip
def test_parts_of_a_graph_and_lone_features_keep_their_dual_point(family):
    """Rows are unit vectors: constants of parts are dummies, and add up to the intercept."""
    penalty = ss.penalties.GraphTV([(0, 1), (1, 2), (0, 2), (3, 4)])
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, w = np.eye(6)[rng.integers(0, 6, 60)], rng.integers(0, 3, 60)
        y = np.round(X @ rng.normal(size=6) + rng.normal(size=60))
        y = y > np.median(y) if "hinge" in family.name else y
        fit = ss.path(X, y, family=family, penalty=penalty, weights=w, lambdas=[0.5, 0.01])
        assert not fit.status.any()
