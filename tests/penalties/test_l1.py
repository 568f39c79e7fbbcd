"""L1 and Nothing as parts of Separate: the lasso with unpenalised features."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import L1, Separate
from sparsesolve.penalties.l1 import Nothing

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 5))
Y = X @ [2.0, 0.0, -1.0, 0.0, 1.0] + RNG.standard_normal(60)


def test_on_all_features_it_is_the_lasso():
    lasso = ss.path(X, Y, tol=1e-10, n_lambdas=6)
    own = ss.path(X, Y, penalty=Separate({range(5): L1()}), lambdas=lasso.lambdas, tol=1e-10)
    assert own.coefs.toarray() == pytest.approx(lasso.coefs.toarray(), abs=1e-5)


def test_no_penalty_on_some_features_is_a_factor_of_0():
    parts = Separate({0: None, (1, 2, 3, 4): L1(2.0)})
    lams = [0.4, 0.1]
    own = ss.path(X, Y, penalty=parts, lambdas=lams, tol=1e-10)
    factors = [0.0, 1.25, 1.25, 1.25, 1.25]  # of sum 5: lam counts 2 / 1.25 times
    other = ss.path(X, Y, penalty_factor=factors, lambdas=np.multiply(lams, 1.6), tol=1e-10)
    assert own.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=1e-5)


def test_the_dual_norm_is_the_largest_entry_over_the_weight():
    penalty = L1(2.0).over(3)
    assert penalty.polar(np.array([1.0, -5.0, 2.0])) == 2.5
    assert penalty.value(np.array([1.0, -5.0, 2.0])) == 16.0
    assert Nothing().over(3).kernel().toarray().tolist() == np.eye(3).tolist()


def test_a_weight_is_positive():
    with pytest.raises(ValueError, match="weight must be above 0"):
        L1(0.0)
