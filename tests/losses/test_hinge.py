"""The hinge: its values, and the ends of its slopes on either side."""

import numpy as np

from sparsesolve.losses import KINKED

Y = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
ETA = np.array([2.0, 1.0, -0.5, 0.25, -3.0])


def test_values_and_slopes():
    loss = KINKED["hinge"](Y, np.ones(5))
    value, u = loss.at(ETA)
    assert value == 0.0 + 0.0 + 1.5 + 1.25 + 0.0
    np.testing.assert_array_equal(u, [0.0, 0.0, 1.0, -1.0, 0.0])  # at the kink the flat side


def test_pieces_have_the_kink_at_the_margin():
    centre, low, high = KINKED["hinge"](Y, np.ones(5)).pieces
    np.testing.assert_array_equal(centre, Y)
    np.testing.assert_array_equal(low, np.where(Y > 0, -1.0, 0.0))
    np.testing.assert_array_equal(high, np.where(Y > 0, 0.0, 1.0))


def test_the_sides_are_mirrored():
    one, other = (KINKED["hinge"](side * Y, np.full(5, 0.2)) for side in (1, -1))
    assert one.at(ETA)[0] == other.at(-ETA)[0]
    np.testing.assert_array_equal(one.at(ETA)[1], -other.at(-ETA)[1])
