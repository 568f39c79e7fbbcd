"""The extrapolation of the last two solutions is the next one where the path is linear."""

import numpy as np
import pytest
from scipy import sparse
from states import problem_of

from sparsesolve.solvers import SOLVERS
from sparsesolve.solvers.newton import working_set

N, P = 4000, 600


@pytest.fixture
def state(monkeypatch):
    """A sparse design whose columns are read one by one: its path starts by extrapolation."""
    rng = np.random.default_rng(1)
    A = sparse.random_array((N, P), density=0.01, rng=rng, data_sampler=rng.standard_normal)
    made = problem_of(sparse.csc_array(A), A @ np.ones(P), intercept=False, standardize=False)
    monkeypatch.setattr(working_set, "WORKING_ROOM", 10)  # more sparse columns go one by one
    return SOLVERS["working_set"].state(made, 1)


def iterations(state, lams):
    """Newton steps and sweeps at each of these lambdas."""
    counts = [state.iterations]
    for lam in lams:
        outcome, gap = state.solve(lam, 1e-12, 1000)
        assert outcome == 0 and gap <= 1e-12
        counts.append(state.iterations)
    return np.diff(counts)


def test_no_step_is_left_where_signs_stay(state):
    """Nearly all columns are active: the third of three lambdas is on the line of two."""
    lam = 1e-5 * np.array([3.0, 2.0, 1.0])
    counts = iterations(state, lam)
    assert len(state.coefficients()[0]) > 0.9 * P
    assert counts[0] > 0 and counts[1] > 0 and counts[2] == 0


def test_a_start_elsewhere_leaves_no_history(state):
    iterations(state, 1e-5 * np.array([3.0, 2.0]))
    state.start_at(np.arange(P), np.zeros(P), 0.0)
    assert iterations(state, [1e-5])[0] > 0
