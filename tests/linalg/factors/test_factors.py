"""Factors against numpy's: Cholesky's, tiled, of low rank, semiseparable; sums over intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sparsesolve.linalg.factors.cholesky import Cholesky
from sparsesolve.linalg.factors.intervals import Intervals
from sparsesolve.linalg.factors.low_rank import distance, low_rank_rows
from sparsesolve.linalg.factors.root import Semiseparable

from sparsesolve.linalg.factors import tiled_cholesky

# A factor that grows by blocks, refuses what is dependent, and shrinks

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


# The tiled factor is the factor, on any number of threads to the last bit

def definite(n, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A @ A.T + np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 159, 160, 161, 400])
def test_factor_and_solutions(n):
    A = definite(n)
    L = A.copy()
    assert tiled_cholesky.factorise(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), rtol=1e-9, atol=1e-9)
    rhs = np.random.default_rng(1).normal(size=(11, n))
    whole = rhs.copy()
    tiled_cholesky.solve(L, whole)
    np.testing.assert_allclose(whole @ A, rhs, atol=1e-7)


def test_threads_change_no_bit():
    one, two = definite(500), definite(500)
    tiled_cholesky.factorise(one, 1)
    tiled_cholesky.factorise(two, 2)
    assert (np.tril(one) == np.tril(two)).all()
    a, b = np.ones((9, 500)), np.ones((9, 500))
    tiled_cholesky.solve(one, a, 1)
    tiled_cholesky.solve(one, b, 2)
    assert (a == b).all()


def test_the_upper_triangle_is_neither_read_nor_needed():
    A = definite(200)
    L = np.tril(A) + np.triu(np.full((200, 200), np.nan), 1)
    assert tiled_cholesky.factorise(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("place", [0, 170, 399])
def test_what_is_not_definite_is_told(place):
    A = definite(400)
    A[place, place] = -1.0
    assert not tiled_cholesky.factorise(A)


def test_nothing_is_fine():
    assert tiled_cholesky.factorise(np.empty((0, 0)))


@pytest.mark.parametrize("n", [1, 7, 400])
def test_scaled_and_shifted_below_the_diagonal(n):
    rng = np.random.default_rng(n)
    A, root = rng.standard_normal((n, n)), rng.uniform(0.1, 2.0, n)
    for threads in (1, 3):
        out = A.copy()
        tiled_cholesky.scale(out, root, 0.5, threads)
        expected = root[:, None] * A * root + 0.5 * np.eye(n)
        np.testing.assert_allclose(np.tril(out), np.tril(expected), rtol=1e-13, atol=1e-14)
        assert (np.triu(out, 1) == np.triu(A, 1)).all()


# Pivoted Cholesky of few rows: what is left is small, known, and of no use where it is not

def kernel(n, width=1.0, seed=0):
    x = np.random.default_rng(seed).normal(size=n)
    return np.exp(-width * np.subtract.outer(x, x) ** 2)


@pytest.mark.parametrize("n", [1, 5, 200])
def test_rows_come_as_near_as_asked(n):
    K = kernel(n)
    for tiny in (0.1, 1e-6, 1e-12):
        L = low_rank_rows(K, n, tiny)
        rest = K - L.T @ L
        assert np.diagonal(rest).max() <= tiny + 1e-14
        assert np.linalg.eigvalsh(rest)[0] >= -1e-13
        assert distance(K.copy(), L) == pytest.approx(np.linalg.norm(rest), rel=1e-9, abs=1e-15)
    assert len(low_rank_rows(K, n, 1e-6)) <= min(n, 40)


def test_only_the_lower_triangle_is_read():
    K = kernel(30)
    spoilt = np.tril(K) + np.triu(np.full((30, 30), np.nan), 1)
    assert (low_rank_rows(spoilt, 30, 1e-8) == low_rank_rows(K, 30, 1e-8)).all()
    L = low_rank_rows(K, 3, 1.0)
    assert distance(spoilt, L) == pytest.approx(np.linalg.norm(K - L.T @ L))


def test_the_rank_of_what_has_one():
    Z = np.random.default_rng(1).normal(size=(50, 4))
    assert len(low_rank_rows(Z @ Z.T, 10, 1e-10)) == 4
    assert len(low_rank_rows(np.zeros((6, 6)), 3, 0.0)) == 0


def test_too_many_are_not_made():
    assert low_rank_rows(np.eye(20), 19, 1e-3) is None
    assert len(low_rank_rows(np.eye(20), 20, 1e-3)) == 20
    assert low_rank_rows(np.eye(20), 0, 1e-3) is None


def test_what_is_indefinite_is_far():
    """A negative eigenvalue stays in the rest, however few pivots are left."""
    K = kernel(40)
    values, vectors = np.linalg.eigh(K)
    K -= 1e-3 * np.outer(vectors[:, 0], vectors[:, 0])
    L = low_rank_rows(K, 40, 1e-9)
    assert L is None or distance(K.copy(), L) >= 1e-3 - 1e-9
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert distance(swap.copy(), low_rank_rows(swap, 2, 0.0)) == pytest.approx(np.sqrt(2))


# Matrices of rank one below the diagonal

N = 30


def draw(seed):
    """A positive definite matrix of three blocks, where it stands, and its factor."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(N)[:24]
    first = np.isin(np.arange(24), [0, 7, 8])
    x = rng.uniform(0.1, 2.0, 24)
    block = np.cumsum(first)
    A = np.zeros((24, 24))
    bend = np.zeros(24)
    fade = rng.uniform(0.0, 1.0, 24)
    fade[12] = 0.0
    for k in range(1, 4):
        rows = np.flatnonzero(block == k)
        bend[rows] = np.cumsum(rng.random(len(rows)))
        for i in rows:
            for j in rows[rows <= i]:
                A[i, j] = A[j, i] = -x[i] * x[j] * bend[j] * fade[j + 1 : i + 1].prod()
    diagonal = np.abs(A).sum(axis=1) + 0.1
    A += np.diag(diagonal)
    factor = Semiseparable(order, first, N)
    factor.factor_of(diagonal, x, bend, fade, np.full(24, 1e-12))
    return rng, order, A, factor


@pytest.mark.parametrize("seed", range(5))
def test_products_and_solutions_are_those_of_the_dense_factor(seed):
    rng, order, A, factor = draw(seed)
    L = np.linalg.cholesky(A)
    z = rng.standard_normal(N)
    rest = np.setdiff1d(np.arange(N), order)
    for mine, wanted in (
        (factor.product(z), L.T @ z[order]),
        (factor.solution(z), np.linalg.solve(L, z[order])),
        (factor.solution(z, transposed=True), np.linalg.solve(L.T, z[order])),
    ):
        assert mine[order] == pytest.approx(wanted, rel=1e-11, abs=1e-13)
        assert mine[rest].tolist() == z[rest].tolist()


def test_pivots_have_a_floor():
    """A matrix without full rank: [[1, -1], [-1, 1]]."""
    factor = Semiseparable([0, 1], [True, False], 2)
    factor.factor_of([2.0, 2.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.25, 0.25])
    assert factor.product([3.0, 2.0]).tolist() == [1.0, 1.0]  # 3 - 2, 2 / 2
    assert factor.solution([1.0, 0.0]).tolist() == [1.0, 2.0]
    assert factor.solution([1.0, 0.0], transposed=True).tolist() == [1.0, 0.0]


# Sums over intervals against sums over a matrix of zeros and ones

def draw_of_intervals(rng, ranges, n):
    """Intervals inside consecutive ranges of the positions, their roots, and who holds what."""
    ends = np.cumsum(ranges)
    which = rng.integers(len(ranges), size=n)
    root, end = (ends - ranges)[which], ends[which]
    first = np.where(rng.random(n) < 0.3, root, rng.integers(root, end + 1))
    stop = rng.integers(root, end + 1)
    holds = (first[:, None] <= np.arange(ends[-1])) & (np.arange(ends[-1]) < stop[:, None])
    return Intervals(first, stop, root, end, ends[-1]), holds


RANGES = st.lists(st.integers(1, 20), min_size=1, max_size=4)


@given(st.integers(0, 10**6), RANGES, st.integers(1, 50))
def test_sums_are_those_of_the_matrix(seed, ranges, n):
    rng = np.random.default_rng(seed)
    intervals, holds = draw_of_intervals(rng, np.array(ranges), n)
    x, z = rng.standard_normal(n), rng.standard_normal(holds.shape[1])
    assert intervals.holding(x) == pytest.approx(holds.T @ x, rel=1e-12, abs=1e-13)
    assert intervals.inside(z) == pytest.approx(holds @ z, rel=1e-12, abs=1e-13)


def test_nothing_is_lost_beside_large_neighbours():
    """1 beside 2^60: a difference of prefix sums would leave nothing of it."""
    ends = [(0, 17), (3, 17), (18, 40), (18, 31)] + [(a, b) for a in range(18) for b in (18, 25)]
    first, stop = np.array(ends).T
    intervals = Intervals(first, stop, np.zeros(40), np.full(40, 40), 40)
    x = np.array([2.0**60] * 4 + [1.0] * 36)
    assert intervals.holding(x)[17] == 36.0
    z = np.full(40, 2.0**60)
    z[17:25] = 1.0
    assert intervals.inside(z)[ends.index((17, 25))] == 8.0
    assert intervals.inside(z)[ends.index((17, 18))] == 1.0


def test_no_positions_and_no_intervals():
    none = np.zeros(0, dtype=int)
    assert Intervals(none, none, none, none, 3).holding([]).tolist() == [0, 0, 0]
    zero = np.zeros(2, dtype=int)
    assert Intervals(zero, zero, zero, zero, 0).inside([]).tolist() == [0, 0]
