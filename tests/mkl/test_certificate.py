"""The gap of any point against dual objectives of the data, and against the least objective."""

import mkl_oracle
import numpy as np
import numpy_losses
import pytest

from sparsesolve.families import read_family
from sparsesolve.mkl import elastic, lp
from sparsesolve.mkl.assembly import read_problem
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.norms import read_norm
from sparsesolve.mkl.problem import make_point
from sparsesolve.mkl.screening import LowRankCache

M, N = 4, 25
W = np.full(N, 1 / N)
_, K, SIGNAL = mkl_oracle.problem(3, n=N, M=M)
SIGNAL = 3.2 * (SIGNAL - SIGNAL.mean()) / np.abs(SIGNAL).max()  # in inner units as it is
NORMS = {"l1": read_norm("l1"), "l1_squared": read_norm("l1_squared"), "lp": lp(2.0),
         "elastic": elastic(0.5)}  # fmt: skip
RESPONSES = {"gaussian": SIGNAL, "binomial": (SIGNAL > 0).astype(float)}
LOSSES = {"gaussian": numpy_losses.GAUSSIAN, "binomial": numpy_losses.BINOMIAL}


def made(family, norm, factors, K=K):
    kernels = Kernels(list(K), np.full(M, np.sqrt(N)), LowRankCache([None] * M, N))
    return read_problem(
        kernels, RESPONSES[family], read_family(family), NORMS[norm], kernel_weights=factors,
        weights=None, offset=None, intercept=True,
    )[0]  # fmt: skip


def random_point(problem, y, seed, which=None):
    """A Point of norms, one of them 0, and of a dual vector that is feasible for both losses."""
    rng = np.random.default_rng(seed)
    which = np.arange(M) if which is None else which
    u = W * (0.3 * (y - y.mean()) + 0.02 * rng.uniform(-1, 1, N))
    u = (u - u.mean())[None]
    n = rng.exponential(size=len(which)) * (np.arange(len(which)) > 0)
    return make_point(problem, which, n, u, problem.kernels.times(which, u), np.zeros(1))


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("lam", [0.02, 0.3])
def test_the_gap_is_the_objective_less_that_of_its_dual_point(norm, family, lam):
    """Written in two parts, Fenchel-Young of F and of phi, it is the same number."""
    factors, y, loss = np.array([1.0, 0.5, 2.0, 1.0]), RESPONSES[family], LOSSES[family]
    problem = made(family, norm, factors)
    assert problem.exponent == 0 == problem.unit
    for seed in range(5):
        point = random_point(problem, y, seed)
        u = point.u[0]
        assert point.s == pytest.approx(np.sqrt([u @ k @ u for k in K]))
        f = sum(n / s * k @ u for n, s, k in zip(point.n, point.s, K, strict=True))
        assert point.f[0] == pytest.approx(f) and point.n[0] == 0.0 < point.n[1]
        eta = f + point.intercepts[0]
        assert point.eta[0] == pytest.approx(eta)
        assert point.residual[0] == pytest.approx(-W * loss.slope(y, eta), abs=1e-12)
        assert abs(point.residual.sum()) < 1e-12  # of the best intercept
        primal = W @ loss.value(y, eta) + lam * mkl_oracle.phi(norm, point.n, factors)
        assert point.objective(problem, lam) == pytest.approx(primal - W @ loss.saturated(y))
        dual = mkl_oracle.dual(u, K, y, lam, loss, norm, factors, W, 0.0)
        assert point.gap(problem, lam) == pytest.approx(primal - dual, rel=1e-9)


def test_a_size_that_is_rounding_is_none():
    """A vector that sums to 0 sees nothing of a constant kernel."""
    problem = made("gaussian", "l1", None, [*K[:-1], np.ones((N, N))])
    u = (SIGNAL - SIGNAL.mean())[None] / N
    which = np.array([0, M - 1])
    for more, norms in ((0.0, [1.0, 0.0]), (1e-9, [1.0, 0.0]), (1e-3, [1.0, 1.0])):
        v = u + more * np.abs(u).max()
        point = make_point(problem, which, np.ones(2), v, problem.kernels.times(which, v),
                           np.zeros(1))  # fmt: skip
        assert point.n.tolist() == norms and (point.s > 0.0).tolist() == [n > 0 for n in norms]


def test_a_kernel_beyond_those_at_work_makes_the_gap_larger():
    problem = made("gaussian", "l1", None)
    point = random_point(problem, SIGNAL, 0, np.arange(2))
    lam = 0.5 * point.s.max()  # where the dual vector has to be shortened
    alone = point.gap(problem, lam)
    assert point.gap(problem, lam, others=0.5 * point.s.max()) == pytest.approx(alone)
    c = lam / (2.0 * point.s.max())  # by which the kernel beyond lets it go
    shorter = mkl_oracle.dual(c * point.u[0], K[:2], SIGNAL, lam, LOSSES["gaussian"], "l1",
                              np.ones(2), W, 0.0)  # fmt: skip
    wanted = point.objective(problem, lam) - shorter
    assert point.gap(problem, lam, others=2.0 * point.s.max()) == pytest.approx(wanted)
    assert wanted > alone
