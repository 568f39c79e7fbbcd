"""LastPolar: what is computed again, what follows from the last answer."""

import numpy as np
import pytest

from sparsesolve.penalties.whole import LastPolar


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
