"""A loss written in Python: the object is asked for what it knows, and its exceptions come out."""

import numpy as np
import pytest

from sparsesolve.losses import LOSSES, PythonLoss

W = np.array([0.5, 0.3, 0.2])


class LogCosh:
    """log cosh(eta - y), with or without faults."""

    name = "log-cosh"

    def value(self, y, eta):
        return np.logaddexp(eta - y, y - eta) - np.log(2)

    def gradient(self, y, eta):
        return np.tanh(eta - y)

    def curvature(self, y, eta):
        return 1 - np.tanh(eta - y) ** 2


class Counts(LogCosh):
    """Poisson's loss, whose exponential overflows."""

    def value(self, y, eta):
        return np.exp(eta) - y * eta

    def gradient(self, y, eta):
        return np.exp(eta) - y

    def curvature(self, y, eta):
        return np.exp(eta)


def test_it_is_the_loss_that_the_object_describes():
    y, eta = np.array([0.0, 2.0, 5.0]), np.array([-1.0, 0.5, 2.5])
    ours, theirs = PythonLoss(y, W, Counts()), LOSSES["poisson"](y, W)
    assert ours.at(eta)[0] == pytest.approx(theirs.at(eta)[0], rel=1e-15)
    assert ours.at(eta)[1] == pytest.approx(theirs.at(eta)[1], rel=1e-15)
    assert ours.curvature_at(eta) == pytest.approx(theirs.curvature_at(eta), rel=1e-15)
    assert ours.saturated == pytest.approx(theirs.saturated, rel=1e-14)
    for u in (ours.at(eta)[1], 0.5 * ours.at(eta)[1], np.zeros(3), -np.ones(3)):
        assert ours.fenchel_young_at(eta, u) == pytest.approx(
            theirs.fenchel_young_at(eta, u), rel=1e-13, abs=1e-14)
    assert ours.fenchel_young_at(eta, np.array([0.1, 0.7, 0.0])) == np.inf  # no mean is below 0


def test_an_object_may_return_one_array_for_everything():
    class Frugal(LogCosh):
        room = np.empty(3)

        def value(self, y, eta):
            self.room[: len(y)] = LogCosh.value(self, y, eta)
            return self.room[: len(y)]

        def gradient(self, y, eta):
            self.room[: len(y)] = LogCosh.gradient(self, y, eta)
            return self.room[: len(y)]

    y, eta = np.array([0.0, 2.0, 5.0]), np.array([-1.0, 0.5, 2.5])
    frugal, plain = PythonLoss(y, W, Frugal()), PythonLoss(y, W, LogCosh())
    assert frugal.at(eta)[0] == plain.at(eta)[0]
    assert (frugal.at(eta)[1] == plain.at(eta)[1]).all()
    assert frugal.fenchel_young_at(eta, np.zeros(3)) == plain.fenchel_young_at(eta, np.zeros(3))


def test_overflow_is_infinite_and_silent():
    value, u = PythonLoss(np.ones(3), W, Counts()).at(np.full(3, 1e3))
    assert value == np.inf and (u == -np.inf).all()


@pytest.mark.parametrize("y", [-1e6, -3.0, 0.0, 0.7, 1e12])
def test_the_least_value_is_found_wherever_it_is(y):
    assert PythonLoss(np.full(3, y), W, LogCosh()).saturated == pytest.approx(0.0, abs=1e-7)


def test_samples_of_weight_zero_are_not_shown():
    class Strict(LogCosh):
        def value(self, y, eta):
            assert (y < 9).all() and len(y) == 2
            return super().value(y, eta)

    loss = PythonLoss(np.array([1.0, 9.0, 2.0]), np.array([0.5, 0.0, 0.5]), Strict())
    value, u = loss.at(np.array([1.0, 1e300, 2.0]))
    assert value == pytest.approx(0.0, abs=1e-15) and u.tolist() == [0.0, 0.0, 0.0]
    assert loss.curvature_at(np.array([1.0, 7.0, 2.0])).tolist() == [0.5, 0.0, 0.5]


def test_what_the_object_keeps_or_writes_is_its_own():
    class Writer(LogCosh):
        def value(self, y, eta):
            self.eta = eta
            return super().value(y, eta)

        def gradient(self, y, eta):
            found = super().gradient(y, eta)
            eta[:] = 99.0
            return found

    def spoil(y, eta):
        y[0] = 99.0

    law, eta, y = Writer(), np.zeros(3), np.ones(3)
    loss = PythonLoss(y, W, law)
    law.curvature = spoil
    loss.at(eta)
    assert (eta == 0).all()
    with pytest.raises(ValueError, match="read-only"):
        loss.curvature_at(eta)
    assert (y == 1).all()


@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), KeyboardInterrupt()])
@pytest.mark.parametrize("method", ["value", "gradient", "curvature"])
def test_an_exception_comes_out_once_and_the_object_is_not_asked_before(method, error):
    law = LogCosh()
    loss = PythonLoss(np.zeros(3), W, law)
    calls = []

    def broken(y, eta):
        calls.append(method)
        raise error

    setattr(law, method, broken)
    ask = loss.curvature_at if method == "curvature" else loss.at
    with pytest.raises(type(error)) as caught:
        ask(np.ones(3))
    assert caught.value is error and calls == [method]
    delattr(law, method)
    ask(np.ones(3))  # the exception has been handed over
    loss.raise_pending()


@pytest.mark.parametrize("fault, error, words", [
    (lambda y, eta: eta[:1], TypeError, r"log-cosh returned an array of shape \(1,\) for 3 sam"),
    (lambda y, eta: 1.0, TypeError, r"returned an array of shape \(\) for 3 samples"),
    (lambda y, eta: eta * np.nan, ValueError, "family log-cosh is NaN at y = 4, eta = 1"),
    (lambda y, eta: None, TypeError, r"shape \(\)"),
])  # fmt: skip
@pytest.mark.parametrize("method", ["value", "gradient", "curvature"])
def test_answers_of_another_kind_are_refused(method, fault, error, words):
    law = LogCosh()
    loss = PythonLoss(np.full(3, 4.0), W, law)
    setattr(law, method, fault)
    with pytest.raises(error, match=words):
        loss.curvature_product(np.ones(3), W) if method == "curvature" else loss.at(np.ones(3))


def test_a_loss_in_cython_has_nothing_to_raise():
    assert LOSSES["gaussian"](np.ones(3), W).raise_pending() is None


@pytest.mark.parametrize("scale", [1.0, 1e8, 1e14, 1e16, 1e17, 1e20])
def test_points_of_contact_are_found_however_coarse_the_floats_there_are(scale):
    """The line of slope v under |eta - y| meets it at y, about: (1 - |v|) |eta - y| is above."""
    y = scale * np.random.default_rng(0).standard_normal(40)
    loss = PythonLoss(y, np.full(40, 1.0 / 40), LogCosh())
    eta = np.full(40, 2.1 * scale)
    distance = np.abs(eta - y).mean()
    assert abs(loss.saturated) <= 4.0 * np.spacing(3.0 * scale)
    for share in (0.0, 0.14, 0.5):
        found = loss.fenchel_young_at(eta, share * loss.at(eta)[1])
        np.testing.assert_allclose(found, (1.0 - share) * distance, rtol=1e-6, atol=1.0)


def test_a_law_that_falls_without_an_end_is_refused():
    assert PythonLoss(np.array([0.0, 2.0]), np.full(2, 0.5), Counts()).saturated < 0.5
    with pytest.raises(ValueError, match="falls without an end at y = -3"):
        PythonLoss(np.array([2.0, -3.0]), np.full(2, 0.5), Counts())


@pytest.mark.parametrize("rate, far", [(110.0, 0.0), (130.0, 0.0), (1.0, 1e5)])
def test_the_least_value_is_found_down_an_exponential_and_far_away(rate, far):
    class Linex:
        def value(self, y, eta):
            return np.exp(rate * (eta - y - far)) - rate * (eta - y - far) - 1.0

        def gradient(self, y, eta):
            return rate * (np.exp(rate * (eta - y - far)) - 1.0)

        def curvature(self, y, eta):
            return rate**2 * np.exp(rate * (eta - y - far))

    y = np.array([-2.5, -1.0, 0.0, 1.0, 2.0])
    loss = PythonLoss(y, np.full(5, 0.2), Linex())
    assert abs(loss.saturated) <= 1e-9
    eta = np.full(5, far + 0.01)
    expected = np.mean(Linex().value(y, eta))
    np.testing.assert_allclose(loss.fenchel_young_at(eta, np.zeros(5)), expected, rtol=1e-9)
