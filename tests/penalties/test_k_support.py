"""The k-support norm against its definition, its ends, and a path."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from sparsesolve import penalties as P


def _by_definition(b, k):
    """The least sum of l2 norms of vectors on k places each that sum to b: a slow minimisation."""
    sets = list(combinations(range(len(b)), k))
    rows = np.concatenate([np.eye(len(b))[list(own)] for own in sets]).T

    def lengths(v):
        parts = v.reshape(len(sets), k)
        size = np.sqrt((parts**2).sum(axis=1) + 1e-16)
        return size.sum(), (parts / size[:, None]).ravel()

    start = rows.T @ (b / rows.sum(axis=1))
    sums = {"type": "eq", "fun": lambda v: rows @ v - b, "jac": lambda v: rows}
    return minimize(lengths, start, jac=True, constraints=[sums], method="SLSQP",
                    options={"maxiter": 500, "ftol": 1e-12}).fun  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_the_value_by_definition(seed):
    b = np.random.default_rng(seed).standard_normal(4)
    assert P.KSupport(2).value(b) == pytest.approx(_by_definition(b, 2), abs=1e-5)
