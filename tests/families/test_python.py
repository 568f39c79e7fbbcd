"""Families of users: read, fitted, pickled, and refused where derivatives are not the value's."""

import pickle

import numpy as np
import pytest

from sparsesolve import families
from sparsesolve.losses import PythonLoss


class Quartic:
    """(eta - y)^4 / 4 + (eta - y)^2 / 2, as a user may write it."""

    def value(self, y, eta):
        return (eta - y) ** 4 / 4 + (eta - y) ** 2 / 2

    def gradient(self, y, eta):
        return (eta - y) ** 3 + (eta - y)

    def curvature(self, y, eta):
        return 3 * (eta - y) ** 2 + 1


def test_a_users_family_reads_fits_and_pickles():
    family = families.from_object(Quartic())
    y, w = family.read([1, 3, 2], 3).values, np.full(3, 1 / 3)
    for made in (family, pickle.loads(pickle.dumps(family))):
        loss = made.loss(y, w)
        assert isinstance(loss, PythonLoss) and loss.saturated == pytest.approx(0.0, abs=1e-12)
        assert loss.at(np.zeros(3))[1] == pytest.approx(np.array([2, 30, 10]) / 3)
        assert made.mean(y) is y and made.classify is None


def test_a_users_mean_is_used():
    class Exponential(Quartic):
        name = "exponential"

        def mean(self, eta):
            return np.exp(eta)

    family = families.from_object(Exponential())
    assert family.name == "exponential" and family.mean(np.zeros(1)) == 1.0


def test_derivatives_are_looked_at_where_the_responses_are():
    """Right at 0 and 1, wrong at 5: said before any work starts."""
    class Wrong(Quartic):
        def gradient(self, y, eta):
            return super().gradient(y, eta) + (y > 2)

    family = families.from_object(Wrong())
    family.read([0, 1, 2], 3)
    with pytest.raises(ValueError, match="Wrong: gradient is .* at y = 5, .* correct one"):
        family.read([0, 1, 5], 3)
    with pytest.raises(ValueError, match="Wrong: gradient is .* at y = 3"):
        families.from_object(Wrong(), y=[3.0])
    with pytest.raises(ValueError, match="y holds nan at position 1"):
        family.read([0, np.nan], 2)
