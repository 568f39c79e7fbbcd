"""The factor of a support: directions solve the system of the free columns, from any support and
lambda to any other; columns that depend on others are left out."""

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.gram.gram import Gram
from sparsesolve.linalg.working.columns import pack
from sparsesolve.solvers.quadratic.gram_active_set import GramActiveSet

from sparsesolve.penalties import ElasticNet

N, P = 60, 150  # columns enter the factor by 64


@pytest.fixture(params=[np.asfortranarray, sparse.csc_array], ids=["dense", "sparse"])
def made(request):
    rng = np.random.default_rng(4)
    A = np.where(rng.random((N, P)) < 0.5, rng.standard_normal((N, P)), 0.0)
    A[:, 7] = A[:, 2] - 0.5 * A[:, 5]
    design, w = Design(request.param(A)), np.full(N, 1.0 / N)
    design.moments(w)
    design.standardise(False, np.ones(P))
    quadratic = GramActiveSet(Gram(P), pack(design, np.sqrt(w), False, n_threads=1))
    return A / np.sqrt(N), design, quadratic


def enter(quadratic, design, net, which, start):
    quadratic.append(design, net, which.astype(np.intc), start, np.cos(which))


def test_an_old_factor_follows_columns_and_lambdas(made):
    Z, design, quadratic = made
    net, rng = ElasticNet(P, 0.5), np.random.default_rng(0)
    for first, lam in ((0, 1.0), (20, 1.0), (40, 0.15), (110, 0.02)):
        which = np.arange(first, {0: 20, 20: 40, 40: 110, 110: P}[first])
        enter(quadratic, design, net, which, np.where(rng.random(len(which)) < 0.8, 1.0, 0.0))
        free, rhs, step = quadratic.newton_direction(lam)
        assert len(free) == np.count_nonzero(quadratic.members()[1])
        system = Z[:, free].T @ Z[:, free] + lam * np.diag(np.asarray(net.l2)[free])
        np.testing.assert_allclose(step, np.linalg.solve(system, rhs), rtol=1e-9, atol=1e-9)
        assert quadratic.cholesky.size == len(free)


def test_dependent_columns_are_refused(made):
    Z, design, quadratic = made
    enter(quadratic, design, ElasticNet(P), np.arange(10), np.ones(10))
    free, rhs, step = quadratic.newton_direction(0.1)
    assert list(free) == list(range(10)) and quadratic.cholesky.size == 9
    kept = np.delete(np.arange(10), 7)
    answer = np.linalg.solve(Z[:, kept].T @ Z[:, kept], rhs[kept])
    np.testing.assert_allclose(step[kept], answer, rtol=1e-9)
    assert step[7] == 0.0
