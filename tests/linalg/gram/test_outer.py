"""wide_gram: outer products of columns, summed."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.gram.outer import wide_gram

STORAGES = {
    "dense": np.asfortranarray,
    "single": lambda X: np.asfortranarray(X, dtype=np.float32),
    "sparse": sparse.csc_array,
    "sparse single": lambda X: sparse.csc_array(X.astype(np.float32)),
}


def problem(n, p, storage, centred=True):
    """A standardised design of columns from full to all but empty, and the same as an array."""
    rng = np.random.default_rng(n + p)
    X = (rng.standard_normal((n, p)) + 1.0).astype(np.float32).astype(float)
    X[rng.random((n, p)) > rng.choice([1.0, 0.6, 0.2, 0.05], p)] = 0.0
    w = rng.random(n)
    w /= w.sum()
    design = Design(STORAGES[storage](X))
    design.moments(w)
    spread = np.asarray(design.spread)
    factor = np.divide(1.0, spread, out=np.zeros(p), where=spread > 0)
    design.standardise(centred, factor)
    return design, np.sqrt(w)[:, None] * (X - centred * (w @ X)) * factor, np.sqrt(w)


@pytest.mark.parametrize("storage", sorted(STORAGES))
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("n, p", [(1, 1), (3, 50), (191, 20), (193, 300), (500, 700)])
def test_it_is_the_sum_over_the_chosen_columns(n, p, storage, centred):
    design, A, root_w = problem(n, p, storage, centred)
    rng = np.random.default_rng(3)
    which = np.flatnonzero(rng.random(p) < 0.8).astype(np.intc)
    scale = rng.random(len(which)) + 0.1
    gram = wide_gram(design, which, scale, root_w)
    expected = (A[:, which] * scale) @ A[:, which].T
    assert np.abs(gram - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())
    assert np.array_equal(gram, gram.T)


@pytest.mark.parametrize("storage", sorted(STORAGES))
def test_threads_do_not_change_a_bit(storage):
    design, _, root_w = problem(450, 600, storage)
    which, scale = np.arange(600, dtype=np.intc), np.linspace(1, 2, 600)
    one = wide_gram(design, which, scale, root_w, 1)
    for threads in (2, 5):
        assert np.array_equal(one, wide_gram(design, which, scale, root_w, threads))


def test_no_columns_make_zero():
    design, _, root_w = problem(7, 4, "dense")
    assert not wide_gram(design, np.empty(0, np.intc), np.empty(0), root_w).any()
