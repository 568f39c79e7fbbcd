"""The squared error at points where it can be told by hand; its laws are in tests/laws."""

import numpy as np

from sparsesolve.losses import LOSSES


def test_values_by_hand():
    y, eta = np.array([1.0, 2.0, -1.0]), np.array([0.0, 2.0, 3.0])
    loss = LOSSES["gaussian"](y, np.array([0.5, 0.25, 0.25]))
    value, u = loss.at(eta)
    assert value == 0.25 + 2.0
    assert u.tolist() == [0.5, 0.0, -1.0]
    assert loss.curvature_at(eta).tolist() == [0.5, 0.25, 0.25]
    assert loss.saturated == 0.0
