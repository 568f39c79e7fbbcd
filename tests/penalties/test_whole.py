"""WholePenalty: ridge part, units and several responses of any penalty, by definition.

LastPolar: what is computed again, what follows from the last answer.
"""

import numpy as np
import pytest
from python_penalties import Largest, SquaredL1, Steps

from sparsesolve.penalties import ElasticNet, GroupL2
from sparsesolve.penalties.whole import LastPolar, WholePenalty, orthonormal

SIZE = 6
RNG = np.random.default_rng(2)


def _cases():
    for omega in (Largest(), SquaredL1(), Steps(SIZE)):
        for alpha in (1.0, 0.4):
            for power in (0, 3, -2):
                yield omega, alpha, power


@pytest.mark.parametrize("omega, alpha, power", list(_cases()))
def test_value_prox_and_conjugate_are_those_of_the_sum(omega, alpha, power):
    penalty, u = WholePenalty(omega, SIZE, alpha, power), 2.0**power
    for lam in (0.1, 2.0):
        x = 2 * RNG.standard_normal(SIZE)
        b = penalty.prox(x, lam)
        plain = alpha * omega.value(u * x) / u + (1 - alpha) * u * (x @ x) / 2
        assert penalty.value(x, lam) == pytest.approx(lam * plain, rel=1e-12)
        z = (1 - 1e-9) * penalty.feasible_scale(x - b, lam) * (x - b)
        assert penalty.value(b, lam) + penalty.conjugate(z, lam) == pytest.approx(z @ b, rel=1e-7)
        for scale in (1e-3, 0.1):
            c = b + scale * RNG.standard_normal(SIZE)
            least = ((b - x) ** 2).sum() / 2 + penalty.value(b, lam)
            assert least <= ((c - x) ** 2).sum() / 2 + penalty.value(c, lam) + 1e-12
            assert penalty.value(c, lam) + penalty.conjugate(z, lam) >= z @ c - 1e-9


def test_polar_and_scale_at_the_ends():
    penalty, z = WholePenalty(Largest(), SIZE), RNG.standard_normal(SIZE)
    assert penalty.polar(z) == pytest.approx(np.abs(z).sum())
    s = penalty.feasible_scale(z, 0.5)
    assert penalty.conjugate(s * z, 0.5) == 0.0
    assert penalty.conjugate((s + 1e-9) * z, 0.5) == np.inf
    assert penalty.conjugate(z, 0.0) == np.inf and penalty.conjugate(0 * z, 0.0) == 0.0
    ridge = WholePenalty(Largest(), SIZE, 0.0)
    assert ridge.polar(z) == np.inf and ridge.feasible_scale(z, 0.1) == 1.0
    assert ridge.conjugate(z, 0.5) == pytest.approx(z @ z)


@pytest.mark.parametrize("omega", [Largest(), SquaredL1()])
def test_several_responses_are_penalised_one_by_one(omega):
    one, two = WholePenalty(omega, SIZE, 0.6), WholePenalty(omega, SIZE, 0.6, 0, 2)
    Z = RNG.standard_normal((2, SIZE))
    assert two.value(Z, 0.3) == pytest.approx(sum(one.value(z, 0.3) for z in Z))
    assert two.conjugate(Z, 0.3) == pytest.approx(sum(one.conjugate(z, 0.3) for z in Z))
    assert (two.prox(Z, 0.3) == np.stack([one.prox(z, 0.3) for z in Z])).all()
    assert two.polar(Z) == max(one.polar(z) for z in Z)
    assert two.unpenalised_each(Z, Z, 0.0).all() and not two.unpenalised_each(Z, Z, 0.1).any()


def test_kernels_are_orthonormal_and_only_without_a_ridge():
    kernel = WholePenalty(Steps(SIZE), SIZE).kernel().toarray()
    assert kernel.T @ kernel == pytest.approx(np.eye(3))
    assert WholePenalty(Steps(SIZE), SIZE, 0.9).kernel() is None
    assert WholePenalty(Largest(), SIZE).kernel() is None
    crossing = orthonormal(np.array([[1.0, 1], [1, 1], [0, 1], [0, 0]])).toarray()
    assert crossing.T @ crossing == pytest.approx(np.eye(2))
    assert np.linalg.matrix_rank(np.column_stack([crossing, [1.0, 1, 0, 0]])) == 2


def test_kernels_of_blocks_are_their_unpenalised_features():
    net = ElasticNet(4, factors=[1.0, 0.0, 0.0, 2.0], lower=[-1.0, -np.inf, -1.0, 0.0])
    assert (net.kernel().toarray() == np.eye(4)[:, [1]]).all()
    groups = GroupL2([0, 1, 0, 1], weights=[0.0, 1.0]).over(4)
    assert (groups.kernel().toarray() == np.eye(4)[:, [0, 2]]).all()


def test_without_a_first_lambda_there_is_a_sentence():
    with pytest.raises(ValueError, match="No lambda makes 0 optimal .* give lambdas"):
        WholePenalty(SquaredL1(), SIZE).entry_lambdas(np.ones(SIZE))


class Counted:
    """The l-infinity norm's dual, which counts."""

    def __init__(self):
        self.asked = 0

    def polar(self, z):
        self.asked += 1
        return np.abs(z).sum()


class Near(Counted):
    def polar_near(self, z, near, level):
        self.asked += 1
        return 1.5 * np.abs(z).sum() if level else np.abs(z).sum(), (near or 0) + 1


def test_multiples_follow_from_the_last_answer():
    own, z = Counted(), np.array([1.0, -2.0, 0.5])
    polar = LastPolar(own)
    assert polar(z) == 3.5 and polar(0.3 * z) == pytest.approx(1.05) and own.asked == 1
    assert polar(-z) == 3.5 and own.asked == 2
    assert polar(z + 1e-9) == pytest.approx(3.5) and own.asked == 3
    assert polar(np.zeros(3)) == 0.0 and polar(np.zeros(3)) == 0.0
    assert polar(np.ones((2, 2))) == 4.0


def test_a_bound_serves_the_level_that_it_was_made_for():
    own, z = Near(), np.array([1.0, 1.0])
    polar = LastPolar(own)
    assert polar(z, 1.0) == 3.0 and polar(z, 1.0) == 3.0 and own.asked == 1
    assert polar(z, 4.0) == 3.0 and own.asked == 1  # enough to tell that z is below
    assert polar(z) == 2.0 and own.asked == 2 and polar.near == 2
    assert polar(0.5 * z, 0.7) == 1.5 and own.asked == 3
