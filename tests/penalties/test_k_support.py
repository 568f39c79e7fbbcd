"""The k-support norm against its definition, its ends, and a path."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

import sparsesolve as ss
from sparsesolve import penalties as P


def _by_definition(b, k):
    """The least sum of l2 norms of vectors on k places each that sum to b: a slow minimisation."""
    sets = list(combinations(range(len(b)), k))
    rows = np.concatenate([np.eye(len(b))[list(own)] for own in sets]).T

    def lengths(v):
        parts = v.reshape(len(sets), k)
        size = np.sqrt((parts**2).sum(axis=1) + 1e-16)
        return size.sum(), (parts / size[:, None]).ravel()

    start = rows.T @ (b / rows.sum(axis=1))
    sums = {"type": "eq", "fun": lambda v: rows @ v - b, "jac": lambda v: rows}
    return minimize(lengths, start, jac=True, constraints=[sums], method="SLSQP",
                    options={"maxiter": 500, "ftol": 1e-12}).fun  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_the_value_by_definition(seed):
    b = np.random.default_rng(seed).standard_normal(4)
    assert P.KSupport(2).value(b) == pytest.approx(_by_definition(b, 2), abs=1e-5)


def test_between_the_l1_and_the_l2_norm():
    rng = np.random.default_rng(1)
    for _ in range(20):
        b, t = rng.standard_normal(7), rng.uniform(0.1, 1)
        assert P.KSupport(1).value(b) == pytest.approx(np.abs(b).sum())
        assert P.KSupport(7).value(b) == pytest.approx(np.linalg.norm(b))
        assert P.KSupport(1).prox(b, t) == pytest.approx(P.L1().prox(b, t), abs=1e-12)
        assert P.KSupport(7).prox(b, t) == pytest.approx(
            b * max(1 - t / np.linalg.norm(b), 0)
        )
        values = [P.KSupport(k).value(b) for k in range(1, 8)]
        assert (np.diff(values) <= 1e-12).all()
        sparse = np.zeros(7)
        sparse[:3] = b[:3]
        assert P.KSupport(3).value(sparse) == pytest.approx(np.linalg.norm(sparse))


def test_ties_and_zeros():
    assert P.KSupport(2).prox([0.0, 0.0, 0.0], 1.0).tolist() == [0, 0, 0]
    b = P.KSupport(2).prox([1.0, 1.0, 1.0, 0.0], 0.5)
    assert b[0] == b[1] == b[2] > 0 == b[3]
    assert P.KSupport(2).value([1.0, 1.0, 1.0]) == pytest.approx(3 / np.sqrt(2))


def test_a_path():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    y = X[:, :2] @ [2.0, -2.0] + rng.standard_normal(60)
    fit = ss.path(X, y, penalty=P.KSupport(2), n_lambdas=10)
    assert not fit.status.any() and fit.df[0] <= 2 < fit.df[-1]


@pytest.mark.parametrize("k, error", [(0, ValueError), (1.5, TypeError), (True, TypeError)])
def test_what_is_refused(k, error):
    with pytest.raises(error, match="k must be"):
        P.KSupport(k)
    with pytest.raises(ValueError, match="k is 5, and there are 2 features"):
        P.KSupport(5).value([1.0, 2.0])


def test_its_tangent_has_the_derivatives_of_the_norm():
    rng = np.random.default_rng(2)
    for k in (1, 2, 4):
        norm, b = P.KSupport(k).over(7), rng.standard_normal(7)
        b[3] = 0.0
        own = norm.tangent(b)
        T, C = own.directions.toarray(), own.curvature(None)
        for d in rng.standard_normal((5, T.shape[1])):
            ahead, back = (norm.norm(b + t * T @ d) for t in (1e-4, -1e-4))
            assert (ahead - back) / 2e-4 == pytest.approx(own.gradient @ d, abs=1e-6)
            assert (ahead - 2 * norm.norm(b) + back) / 1e-8 == pytest.approx(d @ C @ d, abs=1e-5)
    assert P.KSupport(2).over(3).tangent(np.zeros(3)).directions.shape == (3, 0)


def test_a_path_of_hinges():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20, 8))
    fit = ss.path(X, X[:, 0] > 0.0, family=ss.families.hinge(), penalty=P.KSupport(2), n_lambdas=4)
    assert not fit.status.any() and fit.gaps.max() <= 1e-7
