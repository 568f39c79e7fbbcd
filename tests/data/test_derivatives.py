"""Derivatives that belong to their value pass, whatever the value; others are named."""

import numpy as np
import pytest
from scipy import special

from sparsesolve.data import check_derivatives
from sparsesolve.data.derivatives import POINTS


class Logistic:
    def value(self, y, eta):
        return np.logaddexp(0.0, eta) - y * eta

    def gradient(self, y, eta):
        return special.expit(eta) - y

    def curvature(self, y, eta):
        return special.expit(eta) * special.expit(-eta)

    def conjugate(self, y, v):
        return -special.entr(y + v) - special.entr(1 - y - v)


class Square:
    def value(self, y, eta):
        return (y - eta) ** 2 / 2

    def gradient(self, y, eta):
        return eta - y

    def curvature(self, y, eta):
        return np.ones(len(eta))


class Concave:
    def value(self, y, eta):
        return -((y - eta) ** 2) / 2

    def gradient(self, y, eta):
        return y - eta

    def curvature(self, y, eta):
        return -np.ones(len(eta))


class Gamma:
    """Without a value at y = 0."""

    def value(self, y, eta):
        return y * np.exp(-eta) + eta - np.log(y)

    def gradient(self, y, eta):
        return 1 - y * np.exp(-eta)

    def curvature(self, y, eta):
        return y * np.exp(-eta)


class Huber:
    def value(self, y, eta):
        size = np.abs(y - eta)
        return np.where(size < 1, size**2 / 2, size - 0.5)

    def gradient(self, y, eta):
        return np.clip(eta - y, -1, 1)

    def curvature(self, y, eta):
        return (np.abs(y - eta) < 1).astype(float)


@pytest.mark.parametrize("law, y", [
    (Logistic(), [0.0, 0.3, 1.0]),
    (Square(), [-7.0, 0.0, 1e6]),
    (Gamma(), [0.0, 1.0, 1e-3, 50.0]),
    (Huber(), [0.0, 1.0, *(POINTS + 1), *(POINTS - 1)]),  # a kink at every point
])  # fmt: skip
def test_right_derivatives_pass(law, y):
    check_derivatives(law, "mine", y)


def with_method(law, name, method):
    return type("Broken", (type(law),), {name: method})()


@pytest.mark.parametrize("law, error, words", [
    (with_method(Logistic(), "gradient", lambda s, y, eta: special.expit(eta) + y), ValueError,
     "mine: gradient is .* at y = 1, eta = -2.137, but value rises by -0.89"),
    (with_method(Logistic(), "gradient", lambda s, y, eta: special.expit(eta) - y + 1e-3),
     ValueError, "mine: gradient is"),
    (with_method(Logistic(), "curvature", lambda s, y, eta: 2 * special.expit(-np.abs(eta))),
     ValueError, "mine: curvature is .*, but gradient rises by"),
    (with_method(Logistic(), "conjugate", lambda s, y, v: v**2 / 2), ValueError,
     "mine: conjugate is .*, where v eta - value reaches"),
    (with_method(Logistic(), "conjugate", lambda s, y, v: np.full(len(v), np.inf)), ValueError,
     "mine: conjugate is inf"),
    (with_method(Square(), "curvature", None), TypeError, r"mine has no method curvature\(y, eta"),
    (object(), TypeError, r"mine has no method value\(y, eta\)"),
    (with_method(Square(), "curvature", lambda s, y, eta: 1.0), TypeError,
     r"mine: curvature returned an array of shape \(\) for 10 samples"),
    (with_method(Square(), "gradient", lambda s, y, eta: eta - y + 0j), TypeError,
     "mine: gradient returned complex numbers"),
    (with_method(Gamma(), "value", lambda s, y, eta: eta * np.nan), ValueError,
     "mine: value is not finite at y = 0"),
    (Concave(), ValueError, "mine: curvature is -1 .* value must be convex"),
])  # fmt: skip
def test_wrong_derivatives_are_named(law, error, words):
    with pytest.raises(error, match=words) as caught:
        check_derivatives(law, "mine", [0.0, 1.0])
    assert "\n" not in str(caught.value)


def test_an_exception_of_the_users_passes_through():
    law = with_method(Square(), "value", lambda s, y, eta: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        check_derivatives(law, "mine", [0.0])
