"""The squared error at points where it can be told by hand; its laws are in tests/laws."""

import numpy as np

from sparsesolve.losses import Gaussian


def test_values_by_hand():
    y, eta = np.array([1.0, 2.0, -1.0]), np.array([0.0, 2.0, 3.0])
    assert Gaussian.value(y, eta).tolist() == [0.5, 0.0, 8.0]
    assert Gaussian.gradient(y, eta).tolist() == [-1.0, 0.0, 4.0]
    assert Gaussian.curvature(y, eta).tolist() == [1.0, 1.0, 1.0]
    assert Gaussian.deviance(y, eta).tolist() == [1.0, 0.0, 16.0]
    assert Gaussian.conjugate(y, np.array([0.0, 1.0, 2.0])).tolist() == [0.0, 2.5, 0.0]
    assert Gaussian.response(eta).tolist() == eta.tolist()
