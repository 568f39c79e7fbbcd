"""Suitability: the names and thresholds that "auto" goes by, asked without a fit."""

from types import SimpleNamespace

import numpy as np
import pytest

from sparsesolve.solvers import SOLVERS, costs
from sparsesolve.solvers.suitability import few_eigenvalues, suitable


def design(n, p, stored=None):
    return SimpleNamespace(n=n, p=p, stored=n * p if stored is None else stored)


@pytest.mark.parametrize("n, p", [(1000, 40), (40, 1000)])
def test_the_smaller_side_decides_on_eigenvalues(n, p):
    assert few_eigenvalues(design(n, p), 40)
    assert not few_eigenvalues(design(n, p), 39)


def test_a_sparse_design_may_have_fewer_eigenvalues():
    most = costs.MOST_SPARSE_EIGENVALUES
    side = most + 1
    thin = side * side // costs.EIGENVALUE_SPARSITY
    assert few_eigenvalues(design(side, side), side)
    assert not few_eigenvalues(design(side, side, thin), side)


def test_a_giant_group_goes_to_first_order_steps_whatever_the_rest():
    most = costs.MOST_GROUP_COEFFICIENTS
    for size, name in ((most, "response_groups"), (most + 1, "sparsa")):
        penalty = SimpleNamespace(start=np.array([0, size]), evens_out=False)
        problem = SimpleNamespace(has_groups=True, n_responses=2, penalty=penalty)
        assert suitable(problem, None) == name
        assert name in SOLVERS
