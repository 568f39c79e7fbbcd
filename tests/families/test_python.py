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


def test_only_the_responses_of_a_fit_need_to_agree():
    """The logistic loss for y = 1 and -1 has no meaning at 0."""
    class Logistic:
        def value(self, y, eta):
            return np.logaddexp(0, -y * eta)

        def gradient(self, y, eta):
            return -y / (1 + np.exp(y * eta))

        def curvature(self, y, eta):
            p = 1 / (1 + np.exp(-y * eta))
            return p * (1 - p)

    family = families.from_object(Logistic())
    family.read([1, -1, -1], 3)
    with pytest.raises(ValueError, match="Logistic: curvature is .* at y = 0, .* correct one"):
        family.read([0, 1, -1], 3)


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


@pytest.mark.parametrize("taken", ["gaussian", "poisson", "huber(delta=2)", "hinge"])
def test_a_name_of_ours_is_refused(taken):
    """Squared error of one's own had been least squares without a word."""
    class Named(Quartic):
        name = taken

    with pytest.raises(ValueError, match="is taken; give another"):
        families.from_object(Named())
