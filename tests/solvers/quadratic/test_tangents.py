"""Steps along the directions in which a penalty on groups is smooth, by what they are for."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup


@pytest.mark.parametrize("n", [60, 400], ids=["by columns", "by inner products"])
@pytest.mark.parametrize("make", [GroupL2, GroupLinf, lambda groups: SparseGroup(groups, 0.5)],
                         ids=["l2", "linf", "sparse"])  # fmt: skip
def test_correlated_groups_need_few_rounds(make, n):
    """Newton steps along the directions finish what sweeps alone would take thousands for."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, 40)) + 10.0 * rng.standard_normal((n, 1))
    y = X[:, :6] @ rng.standard_normal(6) + rng.standard_normal(n)
    penalty = make(np.arange(40) // 4)
    fit = ss.path(X, y, penalty=penalty, lambda_min_ratio=1e-4, n_lambdas=20, stop=None, tol=1e-10)
    assert not fit.status.any()
    assert fit.n_iters.sum() < 20 * 120
