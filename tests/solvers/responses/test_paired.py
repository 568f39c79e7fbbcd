"""The curvature between single coefficients of sparse columns: the matrix written out."""

from types import SimpleNamespace

import numpy as np
import pytest
from random_sparse import random_csc
from sparsesolve.losses.multigaussian import Multigaussian
from sparsesolve.losses.multinomial import Multinomial

from sparsesolve.solvers.responses.direction import PairedCurvature

N, M, K = 40, 12, 3
RNG = np.random.default_rng(8)
WEIGHTS = RNG.uniform(size=N) * (RNG.random(N) < 0.9) / N


@pytest.mark.parametrize("loss", [
    Multinomial(RNG.dirichlet(np.ones(K), N), WEIGHTS),
    Multigaussian(RNG.standard_normal((N, K)), WEIGHTS),
], ids=["multinomial", "multigaussian"])  # fmt: skip
def test_products_and_diagonal_are_those_of_the_matrix(loss):
    X, offset = random_csc((N, M), 0.2, RNG), RNG.standard_normal(M)
    Z, mask = X.toarray() - offset, RNG.random((K, M)) < 0.5
    eta = RNG.standard_normal((K, N))
    A, r = loss.curvature_parts(loss.at(eta)[1])
    columns = np.zeros((mask.sum(), K, N))  # one a coefficient, as (K, n)
    for t, (k, j) in enumerate(zip(*np.nonzero(mask), strict=True)):
        columns[t, k] = Z[:, j]
    images = np.array([loss.curvature_product(eta, column) for column in columns])
    matrix = np.einsum("skn,tkn->st", columns, images)
    curvature = PairedCurvature(SimpleNamespace(matrix=X, offset=offset), mask, A, r)
    x = RNG.standard_normal(mask.sum())
    assert curvature.product(x) == pytest.approx(matrix @ x, abs=1e-14)
    assert curvature.diagonal() == pytest.approx(matrix.diagonal(), abs=1e-14)
