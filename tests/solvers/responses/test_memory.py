"""Memory of paths of several responses: of the order of X, however many columns are at work."""

import tracemalloc

import numpy as np
import pytest

import sparsesolve as ss

MOST = 50  # times the bytes of X; coefficients of every lambda are among them


@pytest.mark.parametrize("family", ["multigaussian", "multinomial"])
def test_memory_is_of_the_order_of_x(family):
    """To the end of the path, where thousands of columns of which few are active are at work."""
    rng = np.random.default_rng(14)
    X = np.asfortranarray(rng.normal(size=(40, 8_000)))
    Y = X[:, :10] @ rng.normal(size=(10, 8)) + rng.normal(size=(40, 8))
    y = Y if family == "multigaussian" else Y[:, :4].argmax(axis=1)
    tracemalloc.start()
    fit = ss.path(X, y, family=family, n_lambdas=15, stop=None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not fit.status.any() and peak <= MOST * X.nbytes
