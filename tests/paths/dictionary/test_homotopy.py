"""The lasso of one signal by its homotopy: the path, ties, least angles, and what ends it."""

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(19)
D = RNG.standard_normal((15, 25))
Y = RNG.standard_normal((15, 6))


def certified(D, Y, codes, lam, alpha=1.0):
    """The largest violation of the conditions of optimality."""
    codes = codes.toarray()
    slopes = D.T @ (Y - D @ codes) - lam * (1.0 - alpha) * codes
    used = codes != 0.0
    inside = np.abs(slopes[~used]).max(initial=0.0) - lam * alpha
    on = np.abs(slopes[used] - lam * alpha * np.sign(codes[used])).max(initial=0.0)
    return max(inside, on)


@pytest.mark.parametrize("lam", [8.0, 2.0, 0.3, 1e-3])
@pytest.mark.parametrize("alpha", [1.0, 0.6])
def test_codes_are_optimal_down_the_path(lam, alpha):
    found = ss.sparse_code(Y, D, lam=lam, alpha=alpha, tol=1e-12)
    assert not found.status.any()
    assert certified(D, Y, found.codes, lam, alpha) < 1e-6


def test_it_is_the_lasso_path_of_the_same_problem():
    knots = ss.lars_path(D, Y[:, 0], intercept=False, standardize=False)
    for lam in (0.7, 0.2):
        code = ss.sparse_code(Y[:, :1], D, lam=15 * lam, tol=1e-13).codes.toarray()[:, 0]
        assert code == pytest.approx(knots.coef(lam), abs=1e-8)


def test_nothing_from_the_largest_product_on():
    top = np.abs(D.T @ Y).max(axis=0)
    assert not ss.sparse_code(Y, D, lam=top).codes.nnz
    below = ss.sparse_code(Y, D, lam=0.999 * top).codes
    assert np.diff(below.indptr).tolist() == [1] * 6


def test_ties_of_integers_and_of_equal_atoms():
    D = np.array([[1.0, 1, 0, 1, -1], [1, -1, 2, 1, 1], [0, 1, 1, 0, 2]])
    Y = np.array([[3.0, 1.0], [3.0, 1.0], [3.0, 0.0]])
    for lam in (4.0, 2.0, 1.0, 0.25):
        found = ss.sparse_code(Y, D, lam=lam, tol=1e-12)
        assert not found.status.any() and certified(D, Y, found.codes, lam) < 1e-6


def test_a_limit_of_atoms_ends_the_piece_of_the_path():
    found = ss.sparse_code(Y, D, lam=1e-6, n_nonzero=4, tol=1e-10)
    counts = np.diff(found.codes.indptr)
    assert counts.max() <= 4
    for i in range(6):  # each code is optimal at the lambda that ended its path
        part = found.codes[:, [i]]
        assert certified(D, Y[:, [i]], part, found.lambdas[i]) < 1e-6


def test_least_angles_keep_all_correlations_equal():
    found = ss.sparse_code(Y, D, method="lars", n_nonzero=5)
    codes = found.codes.toarray()
    slopes = np.abs(D.T @ (Y - D @ codes))
    for i in range(6):
        used = codes[:, i] != 0.0
        assert used.sum() == 5
        assert slopes[used, i] == pytest.approx(found.lambdas[i], rel=1e-9)
        assert slopes[:, i].max() <= found.lambdas[i] * (1 + 1e-9)
