"""Points: the function that norms and a dual vector stand for, and sizes that are rounding."""

import numpy as np
import pytest

from sparsesolve.families import read_family
from sparsesolve.mkl.assembly import read_problem
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.low_rank_cache import LowRankCache
from sparsesolve.mkl.norms import read_norm
from sparsesolve.mkl.point import make_point, sizes_of

N, M = 10, 3
RNG = np.random.default_rng(41)
Z = RNG.normal(size=(M, N, 4))
K = Z @ Z.transpose(0, 2, 1)
K[2] = np.ones((N, N))  # of which a vector that sums to 0 sees nothing
BOUNDS = np.sqrt([np.linalg.eigvalsh(k)[-1] for k in K])


def made(y, family="gaussian"):
    kernels = Kernels(list(K), BOUNDS, LowRankCache([None] * M, N))
    return read_problem(kernels, y, read_family(family), read_norm("l1"), kernel_weights=[1, 2, 1],
                        weights=None, offset=None, intercept=True)[0]  # fmt: skip


def point_of(problem, which, n, u):
    products = problem.kernels.times(which, u)
    return make_point(problem, np.array(which), np.array(n), u, products, np.zeros(len(u)))


def test_sizes_are_roots_of_quadratic_forms_over_all_responses():
    u = RNG.normal(size=(2, N))
    wanted = [np.sqrt(sum(row @ k @ row for row in u)) for k in K]
    assert sizes_of(u @ K, u) == pytest.approx(np.array(wanted))
    assert sizes_of(-(u @ K), u).tolist() == [0.0] * M  # where rounding makes a square negative


@pytest.mark.parametrize("family", ["gaussian", "multigaussian"])
def test_a_point_is_what_its_norms_and_its_dual_vector_say(family):
    q = 1 if family == "gaussian" else 2
    y, u = RNG.normal(size=(N, q)), RNG.normal(size=(q, N))
    problem = made(y if q > 1 else y[:, 0], family)
    point = point_of(problem, [1, 0], [0.5, 2.0], u)
    sizes = [np.sqrt(np.sum(u * (u @ k))) for k in K]
    f = 0.5 * u @ K[1] / sizes[1] + 2.0 * u @ K[0] / sizes[0]
    assert point.s == pytest.approx(np.array([sizes[1], sizes[0]]))
    assert point.f == pytest.approx(f) and point.eta == pytest.approx(
        f + point.intercepts[:, None])  # fmt: skip
    inner = (y - y.mean(axis=0)).T / 2.0**problem.exponent
    assert point.intercepts == pytest.approx((inner - f).mean(axis=1))
    assert point.residual == pytest.approx((inner - point.eta) / N)
    assert point.loss_value == pytest.approx(0.5 * np.sum((inner - point.eta) ** 2) / N)
    for lam in (0.0, 0.3):
        wanted = point.loss_value + lam * (2 * 0.5 + 1 * 2.0)
        assert point.objective(problem, lam) == pytest.approx(wanted)


def test_a_size_that_is_rounding_is_none():
    y = RNG.normal(size=N)
    u = (y - y.mean())[None] / N
    point = point_of(made(y), [0, 2], [1.0, 1.0], u)
    assert point.n.tolist() == [1.0, 0.0] and point.s[1] == 0.0 < point.s[0]
    small = u + 1e-9 * np.abs(u).max()  # a sum that is small, but less small than rounding
    assert point_of(made(y), [2], [1.0], small).n.tolist() == [0.0]
    large = u + 1e-3 * np.abs(u).max()
    assert point_of(made(y), [2], [1.0], large).n.tolist() == [1.0]


def test_a_dual_vector_of_nothing_is_the_null_model():
    problem = made(RNG.normal(size=N))
    point = point_of(problem, [0, 1], [1.0, 1.0], np.zeros((1, N)))
    assert (point.n == 0.0).all() and (point.f == 0.0).all() and (point.s == 0.0).all()
    assert point.loss_value == pytest.approx(problem.null_value)
