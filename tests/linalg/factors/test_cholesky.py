"""Cholesky: a factor that grows by blocks, refuses what is dependent, and shrinks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sparsesolve.linalg.factors.cholesky import Cholesky


def positive(size, seed=0):
    A = np.random.default_rng(seed).standard_normal((size + 3, size))
    return A.T @ A


def grown(M, blocks):
    """A factor of M that came in by blocks of the given sizes."""
    factor, start = Cholesky(1), 0
    for count in blocks:
        accepted = factor.add(M[start : start + count, : start + count].copy())
        assert accepted.all()
        start += count
    return factor


@pytest.mark.parametrize("blocks", [[1], [9], [1] * 9, [4, 5], [2, 3, 4], [64, 70]])
def test_it_is_the_factor_of_the_matrix(blocks):
    M = positive(sum(blocks))
    factor = grown(M, blocks)
    assert factor.size == len(M)
    L = factor.lower()
    assert np.abs(L @ L.T - M).max() <= 1e-12 * np.abs(M).max()
    assert L == pytest.approx(np.linalg.cholesky(M), rel=1e-8, abs=1e-10)
    rhs = np.arange(1.0, len(M) + 1)
    assert M @ factor.solution(rhs) == pytest.approx(rhs, rel=1e-6)


@pytest.mark.parametrize("position", [0, 3, 7])
def test_a_row_that_is_dropped_leaves_the_factor_of_the_rest(position):
    M = positive(8)
    factor = grown(M, [8])
    factor.drop(position)
    rest = np.delete(np.delete(M, position, 0), position, 1)
    assert factor.lower() == pytest.approx(np.linalg.cholesky(rest), rel=1e-9, abs=1e-11)


@given(st.data())
def test_any_sequence_of_growth_and_removal(data):
    M = positive(24, 5)
    factor, members, waiting = Cholesky(1), [], list(range(24))
    for _ in range(data.draw(st.integers(1, 12))):
        if members and data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(members) - 1))
            factor.drop(at)
            waiting.append(members.pop(at))
        elif waiting:
            new = waiting[: data.draw(st.integers(1, len(waiting)))]
            waiting = waiting[len(new) :]
            assert factor.add(M[np.ix_(new, members + new)]).all()
            members += new
    part = M[np.ix_(members, members)]
    L = factor.lower()
    assert L.shape == part.shape and (np.diag(L) > 0).all()
    assert np.abs(L @ L.T - part).max(initial=0.0) <= 1e-11 * np.abs(M).max()


def test_dependent_rows_are_refused_and_leave_no_trace():
    A = np.random.default_rng(1).standard_normal((20, 6))
    A[:, 2], A[:, 4], A[:, 5] = A[:, 0], A[:, 0] + A[:, 1], 0.0
    M = A.T @ A
    expected = [True, True, False, True, False, False]
    one, single = Cholesky(), Cholesky()
    assert one.add(M.copy()).tolist() == expected
    members = []
    for k in range(6):
        accepted = single.add(M[[k]][:, [*members, k]])
        assert accepted.tolist() == [expected[k]]
        members += [k] if accepted[0] else []
    kept = M[np.ix_(expected, expected)]
    for factor in (one, single):
        assert factor.size == 3
        assert factor.lower() == pytest.approx(np.linalg.cholesky(kept), rel=1e-12, abs=1e-13)


def test_a_pivot_is_judged_against_its_own_diagonal():
    scale = np.diag([1e-100, 1e150])
    assert Cholesky().add(scale @ np.array([[1.0, 0.5], [0.5, 1.0]]) @ scale).all()
    nearly = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-13]])
    assert Cholesky().add(nearly.copy(), tiny=1e-12).tolist() == [True, False]
    assert Cholesky().add(nearly, tiny=1e-14).tolist() == [True, True]


def test_an_empty_factor_solves_nothing():
    factor = Cholesky()
    assert factor.solution(np.empty(0)).shape == (0,)
    factor.add(np.ones((1, 1)))
    factor.drop(0)
    assert factor.size == 0 and factor.lower().shape == (0, 0)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 23, 70])
def test_solutions_of_any_size_have_a_residual_of_rounding(size):
    M = positive(size) + np.eye(size)
    rhs = np.random.default_rng(size).standard_normal(size)
    x = grown(M, [size]).solution(rhs)
    assert np.abs(M @ x - rhs).max() <= 1e-13 * size * np.abs(M).max() * np.abs(x).max()
