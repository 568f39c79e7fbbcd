"""Newton directions of groups by products with their columns, against those by inner products."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup


@pytest.mark.parametrize("make", [GroupL2, GroupLinf, lambda groups: SparseGroup(groups, 0.5)],
                         ids=["l2", "linf", "sparse"])  # fmt: skip
def test_sparse_columns_that_are_alike(make):
    """Groups of columns that are nearly those of others: sweeps alone take 1,400 to 37,000."""
    rng = np.random.default_rng(4)
    base = sparse.random_array((90, 8), density=0.3, rng=rng).toarray()
    X = np.tile(base, (1, 15)) * (1.0 + 0.02 * rng.standard_normal((90, 120)))
    y = X[:, :12] @ rng.standard_normal(12) + 0.3 * rng.standard_normal(90)
    given = {"penalty": make(np.arange(120) // 4), "tol": 1e-10, "stop": None, "n_lambdas": 8,
             "lambda_min_ratio": 1e-2}  # fmt: skip
    columns, whole = ss.path(sparse.csc_array(X), y, **given), ss.path(X, y, **given)
    assert not columns.status.any() and not whole.status.any()
    assert columns.n_iters.sum() < 1000
    for lam in columns.lambdas:
        assert X @ columns.coef(lam) == pytest.approx(X @ whole.coef(lam), abs=1e-3)
