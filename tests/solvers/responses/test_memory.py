"""Memory of paths: of the order of X, however many columns are at work or are the same."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

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


def test_words_that_occur_once_and_together_take_no_square_of_memory():
    """8,000 columns that are one: their inner products alone would take 512 MB."""
    rng = np.random.default_rng(0)
    others = sparse.random_array((200, 500), density=0.02, format="csc", rng=rng)
    once = sparse.csc_array((np.ones(8000), (np.full(8000, 7), np.arange(8000))), (200, 8000))
    y = others[:, :5].sum(axis=1) + rng.normal(size=200)
    y[7] += 4.0
    tracemalloc.start()
    fit = ss.path(sparse.hstack([others, once], format="csc"), y, n_lambdas=20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not fit.status.any() and peak <= 20e6
