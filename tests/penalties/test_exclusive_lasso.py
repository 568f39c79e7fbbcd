"""Exclusive lasso: prox by its own equation, each group keeps features, paths certified."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(4)
X = RNG.standard_normal((60, 9))
GROUPS = [0, 0, 0, 1, 1, 1, 2, 2, 2]
Y = X[:, [0, 3, 4]] @ [2.0, 1.0, -1.0] + RNG.standard_normal(60)


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
