"""What sleeps: nothing that reaches its threshold, and nearly all while r only gets shorter.

The class itself has no door to Python; features outside the working set of several responses are
what shows it most plainly, as every one candidates is multiplied.
"""

import numpy as np
import pytest
from sparsesolve.linalg.design.design import Design
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows
from sparsesolve.solvers.responses.certificate import InactiveRows

from sparsesolve.penalties import ElasticNet

N, P = 30, 400


@pytest.fixture(params=[False, True], ids=["largest", "together"])
def problem(request):
    X = np.random.default_rng(0).standard_normal((N, P))
    design = Design(np.asfortranarray(X))
    assert design.moments(np.full(N, 1 / N))
    design.standardise(True, np.ones(P))
    net = ElasticNetRows(ElasticNet(P), request.param)
    return InactiveRows(design, net, 2, 1), X - X.mean(axis=0), request.param


def sizes(Z, u, together):
    C = u @ Z
    return np.linalg.norm(C, axis=0) if together else abs(C).max(axis=0)


def seen(outside, size):
    """How many were multiplied, which is told by their sizes."""
    return np.isclose(outside.size, size, rtol=1e-12, atol=0.0).sum()


def test_a_residual_that_gets_shorter_wakes_hardly_any(problem):
    """By its own length it goes a long way; beside the last one, scaled, it does not move."""
    outside, Z, together = problem
    rng = np.random.default_rng(1)
    u = rng.standard_normal((2, N))
    lam = 1.1 * sizes(Z, u, together).max()
    outside.examine(u, lam)
    candidates = 0
    for _ in range(50):
        u = 0.9 * u + 1e-4 * np.abs(u).max() * rng.standard_normal(u.shape)
        lam *= 0.9
        size = sizes(Z, u, together)
        which, _, _ = outside.examine(u, lam)
        assert np.array_equal(which, np.flatnonzero(size > lam))
        candidates += seen(outside, size)
    assert candidates < 50  # of 20,000


@pytest.mark.parametrize(
    "factors",
    [[1e-12] * 12, [1e12] * 12, [-1.0] * 5, [0.0, 1.0, 1.0], [1.0, -0.3, 2.0, -1e-9, 1e9]],
    ids=["tiny", "huge", "turned", "zero", "to and fro"],
)
def test_none_is_missed_whatever_the_residual_does(problem, factors):
    outside, Z, together = problem
    rng = np.random.default_rng(2)
    u = rng.standard_normal((2, N))
    for factor in (1.0, *factors):
        u = factor * u + 0.05 * np.abs(factor * u).max() * rng.standard_normal(u.shape)
        size = sizes(Z, u, together)
        for share in (0.9, 0.5, 0.99):
            which, _, _ = outside.examine(u, share * size.max())
            assert np.array_equal(which, np.flatnonzero(size > share * size.max()))
