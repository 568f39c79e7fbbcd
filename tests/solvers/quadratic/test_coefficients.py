"""WorkingCoefficients: members in the order they came in, nonzero ones in the order of features,
and a certificate that is the one formula's over the working columns."""

import numpy as np
import pytest
from sparsesolve.solvers.certificate.gap import gap_of_terms, scales
from sparsesolve.solvers.quadratic.coefficients import projection
from sparsesolve.solvers.quadratic.sufficient_statistics import InnerModel

from sparsesolve.penalties import ElasticNet, GroupL2, SparseGroup

N, P = 25, 8
RNG = np.random.default_rng(3)
A = RNG.standard_normal((N, P)) + 0.5 * RNG.standard_normal((N, 1))
Y = A[:, 0] - A[:, 5] + RNG.standard_normal(N)
FREE, ONES = np.full(P, np.inf), np.ones(4)
SHUT = np.zeros(4, dtype=bool)


def in_groups(penalty, alpha=1.0, limit=FREE):
    return penalty.over(P).under(alpha, ONES, SHUT, -limit, limit, 1.0)


PENALTIES = {
    "lasso": ElasticNet(P),
    "net": ElasticNet(P, 0.3),
    "limits": ElasticNet(P, 0.7, None, np.full(P, -0.4), np.full(P, 0.2)),
    "groups": in_groups(GroupL2([0, 0, 1, 1, 2, 2, 3, 3])),
    "groups, ridge": in_groups(SparseGroup([0, 0, 0, 1, 1, 2, 3, 3], 0.4), 0.5),
}


@pytest.fixture(params=PENALTIES)
def penalty(request):
    return PENALTIES[request.param]


def aimed(penalty, start):
    model = InnerModel(A.T @ A, penalty)
    e = Y - A @ start
    model.set_gradient(start, A.T @ e, e)
    return model


def gap(penalty, b, lam):
    """The formula in numpy at multiples of the residual that are feasible."""
    r = Y - A @ b
    z, charge = A.T @ r, penalty.value(b, lam)
    best = 0.5 * r @ r + charge
    for s in scales(penalty, z, lam):
        blocks = charge + penalty.conjugate(s * z, lam) - s * z @ b
        best = gap_of_terms(0.5 * (1 - s) ** 2 * r @ r, blocks, 0.0, best)
    return best


@pytest.mark.parametrize("lam", [30.0, 3.0, 0.1])
def test_the_certificate_is_the_formula(penalty, lam):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        b = np.round(rng.uniform(-0.35, 0.15, P), 3) * (rng.random(P) < 0.6)
        found, primal = aimed(penalty, b).quadratic.certified(lam)
        r = Y - A @ b
        assert primal == pytest.approx(0.5 * r @ r + penalty.value(b, lam), rel=1e-12)
        assert found == pytest.approx(gap(penalty, b, lam), rel=1e-10)


def test_the_projection_on_unpenalised_columns_is_that_of_least_squares():
    Z, r = RNG.standard_normal((N, 3)), RNG.standard_normal(N)
    expected = np.linalg.norm(Z @ np.linalg.lstsq(Z, r, rcond=None)[0])
    length, apart = projection(Z.T @ Z, (Z.T @ r)[:, None])
    assert length == pytest.approx(expected, rel=1e-12) and apart
    twice = np.column_stack([Z, Z[:, 0]])  # of no more span, and told apart no more
    length, apart = projection(twice.T @ twice, (twice.T @ r)[:, None])
    assert length == pytest.approx(expected, rel=1e-7) and not apart
