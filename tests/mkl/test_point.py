"""Points: the function that norms and a dual vector stand for, and sizes that are rounding."""

import numpy as np

from sparsesolve.families import read_family
from sparsesolve.mkl.assembly import read_problem
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.norms import read_norm
from sparsesolve.mkl.problem import make_point
from sparsesolve.mkl.screening import LowRankCache

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


def test_a_size_that_is_rounding_is_none():
    y = RNG.normal(size=N)
    u = (y - y.mean())[None] / N
    point = point_of(made(y), [0, 2], [1.0, 1.0], u)
    assert point.n.tolist() == [1.0, 0.0] and point.s[1] == 0.0 < point.s[0]
    small = u + 1e-9 * np.abs(u).max()  # a sum that is small, but less small than rounding
    assert point_of(made(y), [2], [1.0], small).n.tolist() == [0.0]
    large = u + 1e-3 * np.abs(u).max()
    assert point_of(made(y), [2], [1.0], large).n.tolist() == [1.0]
