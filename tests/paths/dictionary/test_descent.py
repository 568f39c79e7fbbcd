"""Coordinate descent where the homotopy ends early: atoms in the span of others."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.results.status import Status

RNG = np.random.default_rng(20)


def dependent(m=10, p=30, rank=4, noise=1e-9):
    """Atoms near a space of few dimensions, which the homotopy's basis does not tell apart."""
    D = RNG.standard_normal((m, rank)) @ RNG.standard_normal((rank, p))
    D += noise * RNG.standard_normal((m, p))
    return D / np.linalg.norm(D, axis=0)


def excess(D, Y, codes, lam, positive):
    """Objective minus that of a slow descent from 0, over |y|^2 / 2, per signal."""
    gram, slow = D.T @ D, np.zeros(codes.shape)
    rate = D.T @ Y
    for _ in range(4000):
        for j in range(len(gram)):
            u = rate[j] + gram[j, j] * slow[j]
            new = np.maximum(u - lam, 0.0)
            new = new if positive else new - np.maximum(-u - lam, 0.0)
            new = new / gram[j, j]
            rate -= np.outer(gram[:, j], new - slow[j])
            slow[j] = new
    size = np.sum(Y**2, axis=0) / 2
    own, least = (
        np.sum((Y - D @ a) ** 2, axis=0) / 2 + lam * np.abs(a).sum(axis=0) for a in (codes, slow)
    )
    return (own - least) / size


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-6])
def test_dependent_atoms_reach_the_optimum_of_a_slow_twin(noise, positive):
    D, Y = dependent(noise=noise), RNG.standard_normal((10, 5))
    found = ss.sparse_code(Y, D, lam=0.05, tol=1e-9, positive=positive)
    assert not found.status.any() and found.gaps.max() <= 1e-9
    codes = found.codes.toarray()
    assert excess(D, Y, codes, 0.05, positive).max() <= 1e-9
    assert not positive or (codes >= 0.0).all()


def test_a_spent_budget_is_said():
    D, Y = dependent(noise=1e-7), RNG.standard_normal((10, 40))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ss.sparse_code(Y, D, lam=1e-7, tol=1e-15, max_iter=1)
    missed = found.gaps > 1e-15
    assert missed.any() and (found.status[~missed] == Status.CONVERGED).all()
    assert set(found.status[missed]) <= {Status.MAX_ITER, Status.STALLED}
