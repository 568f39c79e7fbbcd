"""Suitability: the names and thresholds that "auto" goes by, asked without a fit."""

from types import SimpleNamespace

import numpy as np
import pytest

from sparsesolve.solvers import SOLVERS, suitability
from sparsesolve.solvers.suitability import few_eigenvalues, suitable


def design(n, p, stored=None):
    return SimpleNamespace(n=n, p=p, stored=n * p if stored is None else stored)


@pytest.mark.parametrize("n, p", [(1000, 40), (40, 1000)])
def test_the_smaller_side_decides_on_eigenvalues(n, p):
    assert few_eigenvalues(design(n, p), 40)
    assert not few_eigenvalues(design(n, p), 39)


def test_few_stored_values_are_worth_no_eigenvalues():
    side = 100
    enough = side**3 // suitability.EIGENVALUES_TO_A_STORED_VALUE
    assert few_eigenvalues(design(side, 10 * side, enough), side)
    assert not few_eigenvalues(design(side, 10 * side, enough - 1), side)


def test_a_giant_group_goes_to_first_order_steps_whatever_the_rest():
    most = suitability.MOST_GROUP_COEFFICIENTS
    for size, name in ((most, "response_groups"), (most + 1, "sparsa")):
        penalty = SimpleNamespace(start=np.array([0, size]), evens_out=False)
        problem = SimpleNamespace(has_groups=True, n_responses=2, penalty=penalty)
        assert suitable(problem, None) == name
        assert name in SOLVERS
