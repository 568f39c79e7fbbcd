"""Exclusive lasso: prox by its own equation, each group keeps features, paths certified."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(4)
X = RNG.standard_normal((60, 9))
GROUPS = [0, 0, 0, 1, 1, 1, 2, 2, 2]
Y = X[:, [0, 3, 4]] @ [2.0, 1.0, -1.0] + RNG.standard_normal(60)


def test_worked_numbers():
    penalty = P.ExclusiveLasso([0, 0, 1])
    assert penalty.value([1.0, -2.0, 3.0]) == 9 / 2 + 9 / 2
    assert penalty.polar([1.0, 0.0, 0.0]) == np.inf and penalty.polar(np.zeros(3)) == 0.0
    assert penalty.conjugate([3.0, -4.0, 1.0], 2.0) == (16 + 1) / 4
    assert P.ExclusiveLasso().value([1.0, 2.0]) == 4.5


@pytest.mark.parametrize("seed", range(20))
def test_the_prox_solves_its_own_equation(seed):
    """b = soft(v, t |b_g|_1) in every group."""
    rng = np.random.default_rng(seed)
    v, t = 3 * rng.standard_normal(9), rng.uniform(0.05, 2)
    b = P.ExclusiveLasso(GROUPS).prox(v, t)
    for g in range(3):
        own = slice(3 * g, 3 * g + 3)
        level = t * np.abs(b[own]).sum()
        expected = np.sign(v[own]) * np.maximum(np.abs(v[own]) - level, 0)
        assert b[own] == pytest.approx(expected, abs=1e-13)


def test_each_group_keeps_features():
    fit = ss.path(X, Y, penalty=P.ExclusiveLasso(GROUPS), lambdas=[2.0, 0.5, 0.1], tol=1e-11)
    assert not fit.status.any()
    for b in fit.coefs.toarray().T:
        for g in range(3):
            assert b[3 * g : 3 * g + 3].any()
    assert (fit.coefs.toarray() == 0).any()


def test_zero_is_optimal_for_no_lambda():
    with pytest.raises(ValueError, match="No lambda makes 0 optimal for penalty=ExclusiveLasso"):
        ss.path(X, Y, penalty=P.ExclusiveLasso(GROUPS))
