"""Rates of groups: between reach times the largest singular value, and reach times the trace."""

import numpy as np
import pytest
from random_sparse import random_csc
from sparsesolve.linalg.design.design import Design
from sparsesolve.solvers.screening.inactive import group_rates

from sparsesolve.penalties import GroupL2, GroupLinf

N, P = 60, 90
GROUPS = np.random.default_rng(3).choice(20, P)


def standardised(X):
    design, w = Design(X), np.full(len(X) if hasattr(X, "flags") else X.shape[0], 1.0)
    w /= len(w)
    assert design.moments(w)
    mean, spread = np.asarray(design.mean), np.asarray(design.spread)
    design.standardise(True, 1 / spread)
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    return design, np.sqrt(w), np.sqrt(w)[:, None] * (dense - mean) / spread


def designs():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, P))
    X[:, 1:] += 0.9 * X[:, :-1]
    yield np.asfortranarray(X)
    sparse = random_csc((N, P), 0.1, rng)
    sparse.indices = sparse.indices.astype(np.intc)
    yield sparse


@pytest.mark.parametrize("maker", [GroupL2, GroupLinf])
@pytest.mark.parametrize("X", list(designs()), ids=["dense", "sparse"])
def test_rates_are_bounds_and_no_worse_than_the_trace(maker, X):
    design, root_w, A = standardised(X)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, GROUPS.max() + 1)
    weights[4] = 0.0
    penalty = maker(GROUPS, dict(enumerate(weights))).over(P)
    rate = group_rates(design, root_w, penalty, 1)
    for g in range(penalty.n_groups):
        columns = np.asarray(penalty.member)[penalty.start[g]:penalty.start[g + 1]]
        if penalty.weight[g] == 0.0:
            assert rate[g] == 0.0
            continue
        reach = 1.0 / penalty.weight[g] * (len(columns) ** 0.5 if maker is GroupLinf else 1.0)
        assert rate[g] >= reach * np.linalg.norm(A[:, columns], 2) * (1 - 1e-12)
        assert rate[g] <= reach * np.linalg.norm(A[:, columns]) * (1 + 1e-11)
