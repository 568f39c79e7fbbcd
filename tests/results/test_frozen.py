"""Results cannot be changed, nor can those that come out of a pickle."""

import dataclasses
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from soft_paths import X, fit, soft_path, y

from sparsesolve.results.status import Status


def test_a_path_is_frozen_and_the_givers_arrays_are_not():
    given = np.array([3.0, 1.0])
    path = soft_path(X, y, lambdas=given)
    given[0] = 4.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.lambdas = given
    for array in (path.lambdas, path.df, path.status, path.coefs.data, path.coefs.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_pickled_path_is_the_same_and_frozen():
    copy = pickle.loads(pickle.dumps(fit))
    assert_array_equal(copy.coefs.toarray(), fit.coefs.toarray())
    assert copy.status[0] is Status.CONVERGED
    assert copy.fitter is soft_path or copy.fitter.__name__ == "soft_path"
    assert not copy.lambdas.flags.writeable
    assert_allclose(copy.coef(1.5), fit.coef(1.5))
