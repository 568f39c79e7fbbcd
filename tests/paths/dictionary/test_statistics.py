"""Sums over coded signals: outer products, forgetting, and the mean objective."""

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.paths.dictionary.statistics import Statistics, mean_objective

RNG = np.random.default_rng(16)


def batch(n):
    Y = RNG.standard_normal((4, n))
    return Y, sparse.random_array((3, n), density=0.5, format="csc", rng=RNG)


def test_sums_are_those_of_outer_products():
    (Y, a), own = batch(5), Statistics(4, 3)
    own.add(Y, a)
    a = a.toarray()
    assert own.A == pytest.approx(sum(np.outer(a[:, i], a[:, i]) for i in range(5)))
    assert own.B == pytest.approx(sum(np.outer(Y[:, i], a[:, i]) for i in range(5)))
    assert own.count == 5 and own.A.flags.f_contiguous and own.B.flags.f_contiguous


def test_batches_add_up():
    (Y, a), own, parts = batch(6), Statistics(4, 3), Statistics(4, 3)
    own.add(Y, a)
    parts.add(Y[:, :2], a[:, :2])
    parts.add(Y[:, 2:], a[:, 2:])
    assert parts.A == pytest.approx(own.A) and parts.B == pytest.approx(own.B)


@pytest.mark.parametrize("forgetting, share", [(0.0, 1.0), (1.0, 0.75), (2.0, 0.5625)])
def test_older_sums_count_less(forgetting, share):
    old, now = Statistics(4, 3), Statistics(4, 3)
    old.add(*batch(4))
    now.add(*batch(2))
    total = old.after(now, 4, forgetting)
    assert total.A == pytest.approx(share * old.A + now.A)
    assert total.B == pytest.approx(share * old.B + now.B)
    assert total.count == pytest.approx(4 * share + 2)


def test_the_first_step_forgets_everything():
    old, now = Statistics(4, 3), Statistics(4, 3)
    old.add(*batch(4))
    now.add(*batch(2))
    assert (old.after(now, 1, 10.0).A == now.A).all() and old.after(now, 1, 0.0).count == 6


def test_the_mean_objective_is_that_of_each_signal():
    (Y, codes), D = batch(5), RNG.standard_normal((4, 3))
    each = [
        0.5 * np.sum((y - D @ a) ** 2) + 0.3 * (0.8 * np.abs(a).sum() + 0.1 * a @ a)
        for y, a in zip(Y.T, codes.toarray().T, strict=True)
    ]
    assert mean_objective(Y, D, codes, 0.3, 0.8) == pytest.approx(np.mean(each))
