"""Sparse codes against optimality conditions, naive pursuits and scikit-learn; like atoms."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import lars_path, orthogonal_mp

import sparsesolve as ss
from sparsesolve.paths.dictionary.encoding import Atoms, pursue_columns, read_columns
from sparsesolve.results.status import Status


def problem(m=20, p=50, n=30, seed=0):
    rng = np.random.default_rng(seed)
    D = rng.standard_normal((m, p))
    return rng.standard_normal((m, n)), D / np.linalg.norm(D, axis=0)


def violation(Y, D, A, lam, alpha=1.0, positive=False):
    """Largest violation of the lasso's optimality conditions, relative to that of a = 0."""
    G = D.T @ (Y - D @ A) - lam * (1 - alpha) * A
    level = lam * alpha
    off = G - level if positive else np.abs(G) - level
    worst = np.where(A != 0, np.abs(G - level * np.sign(A)), off).max()
    return max(worst, -A.min() if positive else 0.0) / max(np.abs(D.T @ Y).max(), 1e-300)


def naive_omp(y, D, n_nonzero):
    """Take the largest |d_j'r|, solve least squares anew, again."""
    chosen, r = [], y
    a = np.zeros(D.shape[1])
    for _ in range(n_nonzero):
        chosen.append(int(np.abs(D.T @ r).argmax()))
        b = np.linalg.lstsq(D[:, chosen], y, rcond=None)[0]
        r = y - D[:, chosen] @ b
    a[chosen] = b
    return a


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.6])
@pytest.mark.parametrize("lam", [2.0, 0.3, 1e-3])
def test_lasso_meets_the_optimality_conditions(lam, alpha, positive):
    Y, D = problem()
    found = ss.sparse_code(Y, D, lam=lam, alpha=alpha, positive=positive)
    A = found.codes.toarray()
    assert violation(Y, D, A, lam, alpha, positive) < 1e-12
    assert found.gaps.max() < 1e-12 and not found.status.any()
    np.testing.assert_allclose(found.lambdas, lam)
    np.testing.assert_allclose(found.residuals, np.linalg.norm(Y - D @ A, axis=0), atol=1e-7)


def test_every_signal_its_own_lambda_and_lambda_0_fits_exactly():
    Y, D = problem()
    lam = np.linspace(0.0, 1.0, Y.shape[1])
    A = ss.sparse_code(Y, D, lam=lam).codes.toarray()
    assert violation(Y, D, A, lam) < 1e-10
    np.testing.assert_allclose(D @ A[:, 0], Y[:, 0], atol=1e-10)


def test_omp_is_the_naive_pursuit_and_scikit_learns():
    Y, D = problem()
    found = ss.sparse_code(Y, D, method="omp", n_nonzero=7)
    A = found.codes.toarray()
    np.testing.assert_allclose(A, np.array([naive_omp(y, D, 7) for y in Y.T]).T, atol=1e-12)
    np.testing.assert_allclose(A, orthogonal_mp(D, Y, n_nonzero_coefs=7), atol=1e-12)
    on_code = np.abs(np.where(A != 0, D.T @ (Y - D @ A), 0.0)).max()
    assert on_code < 1e-13 and found.gaps.max() < 1e-13
    np.testing.assert_allclose(found.residuals, np.linalg.norm(Y - D @ A, axis=0))


def test_omp_stops_by_the_residual():
    Y, D = problem()
    bound = np.linspace(0.5, 4.0, Y.shape[1])
    found = ss.sparse_code(Y, D, method="omp", residual=bound)
    assert (found.residuals <= bound).all()
    counts = np.diff(found.codes.indptr)
    for i in np.flatnonzero(counts):
        before = naive_omp(Y[:, i], D, counts[i] - 1) if counts[i] > 1 else np.zeros(D.shape[1])
        assert np.linalg.norm(Y[:, i] - D @ before) > bound[i]
    both = ss.sparse_code(Y, D, method="omp", residual=bound, n_nonzero=2)
    np.testing.assert_array_equal(np.diff(both.codes.indptr), np.minimum(counts, 2))


@pytest.mark.filterwarnings("ignore:Regressors in active set")  # of scikit-learn, further down
@pytest.mark.parametrize("method", ["lar", "lasso"])
def test_paths_stop_where_scikit_learn_says(method):
    Y, D = problem(n=5)
    ours = "lars" if method == "lar" else "lasso"
    found = ss.sparse_code(Y, D, method=ours, lam=0.0, n_nonzero=6)
    for i, y in enumerate(Y.T):
        levels, _, coefs = lars_path(D, y, method=method)
        k = np.argmax((coefs != 0).sum(axis=0) == 6)
        np.testing.assert_allclose(found.lambdas[i], levels[k] * len(y))
        np.testing.assert_allclose(found.codes[:, [i]].toarray().ravel(), coefs[:, k], atol=1e-12)


def test_least_angles_at_a_level():
    Y, D = problem()
    found = ss.sparse_code(Y, D, method="lars", lam=0.2)
    A = found.codes.toarray()
    C = np.abs(D.T @ (Y - D @ A))
    np.testing.assert_allclose(C[A != 0], 0.2)
    assert C.max() < 0.2 + 1e-12 and found.gaps.max() < 1e-12
    np.testing.assert_allclose(found.residuals, np.linalg.norm(Y - D @ A, axis=0), atol=1e-7)


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.25, 1.0]), st.booleans())
def test_ties_duplicates_and_collinear_atoms(seed, lam, positive):
    rng = np.random.default_rng(seed)
    D = rng.integers(-1, 2, (5, 12)).astype(float)
    D[:, 3], D[:, 4], D[:, 5] = D[:, 0], -D[:, 1], 0.0
    Y = rng.integers(-2, 3, (5, 8)).astype(float)
    found = ss.sparse_code(Y, D, lam=lam, positive=positive)
    assert not found.status.any()
    A = found.codes.toarray()
    assert violation(Y, D, A, lam, positive=positive) < 1e-10
    omp = ss.sparse_code(Y, D, method="omp", n_nonzero=5)
    assert omp.gaps.max() < 1e-10
    for k in range(8):  # atoms of a code are independent: none was taken twice
        taken = D[:, omp.codes[:, [k]].toarray().ravel() != 0]
        assert np.linalg.matrix_rank(taken) == taken.shape[1]


def test_long_codes_outgrow_the_room_they_were_given():
    Y, D = problem(150, 200, 3)
    found = ss.sparse_code(Y, D, lam=1e-3)
    assert np.diff(found.codes.indptr).min() > 64
    assert violation(Y, D, found.codes.toarray(), 1e-3) < 1e-10
    assert (np.diff(ss.sparse_code(Y, D, method="omp", residual=0.0).codes.indptr) == 150).all()


@pytest.mark.parametrize("method", ["lasso", "lars", "omp"])
def test_threads_do_not_change_a_bit(method):
    Y, D = problem(n=5000)
    stop = {"n_nonzero": 4} if method == "omp" else {"lam": 0.5}
    one = ss.sparse_code(Y, D, method=method, **stop)
    three = ss.sparse_code(Y, D, method=method, n_threads=3, **stop)
    assert (one.codes != three.codes).nnz == 0
    np.testing.assert_array_equal(one.gaps, three.gaps)


def test_storage_does_not_matter_and_nothing_is_changed(tmp_path):
    Y, D = problem()
    Y, D = Y.astype(np.float32), D.astype(np.float32)
    Y[np.abs(Y) < 0.5] = 0.0
    file = np.memmap(tmp_path / "Y", np.float32, "w+", shape=Y.shape)
    file[:] = Y
    expected = ss.sparse_code(Y.astype(float), D.astype(float), lam=0.2).codes.toarray()
    before = Y.copy(), D.copy()
    for form in (Y, file, np.asfortranarray(Y), sparse.csr_array(Y), pd.DataFrame(Y)):
        for atoms in (D, sparse.csc_matrix(D)):
            found = ss.sparse_code(form, atoms, lam=0.2).codes.toarray()
            np.testing.assert_allclose(found, expected, atol=1e-13)
    np.testing.assert_array_equal(Y, before[0])
    np.testing.assert_array_equal(D, before[1])


@pytest.mark.parametrize("stop", [{"lam": 0.1}, {"method": "omp", "n_nonzero": 3}])
def test_signals_and_atoms_of_zeros(stop):
    Y, D = problem()
    Y[:, 2], D[:, 4] = 0.0, 0.0
    found = ss.sparse_code(Y, D, **stop)
    A = found.codes.toarray()
    assert not A[:, 2].any() and not A[4].any() and not found.status.any()


def test_signals_that_miss_the_tolerance_are_told_of_once():
    Y, D = problem()
    D = np.hstack([D, D + 1e-8 * np.random.default_rng(1).standard_normal(D.shape)])
    with pytest.warns(ss.ConvergenceWarning, match="of 30 signals miss tol = 1e-14;") as caught:
        found = ss.sparse_code(Y, D, lam=0.1, tol=1e-14, max_iter=3)
    missed = found.gaps > 1e-14
    assert len(caught) == 1 and (found.status[~missed] == Status.CONVERGED).all()
    assert set(found.status[missed]) <= {Status.MAX_ITER, Status.STALLED}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ss.sparse_code(Y, D, lam=0.1, max_iter=0)


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_the_gap_is_the_duality_gap_and_bounds_what_is_left_to_gain():
    Y, D = problem()
    D = np.hstack([D, D + 1e-7 * np.random.default_rng(1).standard_normal(D.shape)])
    found = ss.sparse_code(Y, D, lam=0.1, tol=1e-15, max_iter=3)
    A = found.codes.toarray()
    R = Y - D @ A
    t = np.minimum(1.0, 0.1 / np.abs(D.T @ R).max(axis=0))  # makes t R feasible
    primal = 0.5 * (R**2).sum(axis=0) + 0.1 * np.abs(A).sum(axis=0)
    dual = t * (Y * R).sum(axis=0) - 0.5 * t**2 * (R**2).sum(axis=0)
    null = 0.5 * (Y**2).sum(axis=0)
    np.testing.assert_allclose(found.gaps, (primal - dual) / null, rtol=1e-5, atol=1e-14)
    assert found.gaps.max() > 1e-10
    best = ss.sparse_code(Y, D, lam=0.1, tol=1e-15, max_iter=5000).codes.toarray()
    least = 0.5 * ((Y - D @ best) ** 2).sum(axis=0) + 0.1 * np.abs(best).sum(axis=0)
    assert (primal - least <= (found.gaps + 1e-14) * null).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({}, "needs to know where to stop; give lam"),
        ({"n_nonzero": 2}, "give lam, or method='omp' for a number of atoms"),
        ({"method": "omp"}, "give n_nonzero, residual or both"),
        ({"method": "omp", "lam": 1.0}, "lam does not stop method='omp'"),
        ({"lam": 1.0, "residual": 1.0}, "residual does not stop"),
        ({"lam": -1.0}, "lam must be"),
        ({"lam": [1.0, 2.0]}, "one for each of 30 signals"),
        ({"lam": np.ones(30) * np.arange(30), "alpha": 0.5}, "one lam for all"),
        ({"method": "omp", "n_nonzero": 2, "positive": True}, "belong to method='lasso'"),
        ({"method": "homotopy"}, "method"),
        ({"lam": 1.0, "alpha": 0.0}, "alpha must be"),
        ({"lam": 1.0, "alpha": 0.5, "n_nonzero": 3}, "leave out alpha"),
        ({"method": "omp", "n_nonzero": 0}, "n_nonzero must be"),
    ],
)
def test_bad_options_are_refused(options, message):
    Y, D = problem()
    with pytest.raises(ValueError, match=message):
        ss.sparse_code(Y, D, **options)


def test_bad_data_is_refused_by_its_name():
    Y, D = problem()
    with pytest.raises(TypeError, match="^lam .* holds text"):
        ss.sparse_code(Y, D, lam=["a"] * 30)
    with pytest.raises(ValueError, match="Y has 19 rows and D has 20"):
        ss.sparse_code(Y[1:], D, lam=1.0)
    for name, bad in (("Y", (np.where(Y == Y[3, 4], np.nan, Y), D)), ("D", (Y, D * np.inf))):
        with pytest.raises(ValueError, match=f"^{name} holds"):
            ss.sparse_code(*bad, lam=1.0)


@pytest.mark.parametrize("method, options", [
    ("omp", {"n_nonzero": 3}), ("lars", {"n_nonzero": 3}), ("lasso", {"lam": 1e-9}),
    ("lasso", {"lam": 1e-9, "alpha": 0.5}),
])  # fmt: skip
def test_residuals_that_are_all_but_0_have_their_digits(method, options):
    """They are differences of squares on the way, good to 1e-8 of a signal's length."""
    rng = np.random.default_rng(0)
    D, Y = rng.normal(size=(3, 3)), rng.normal(size=(3, 200))
    found = ss.sparse_code(Y, D, method=method, **options)
    true = np.linalg.norm(Y - D @ found.codes.toarray(), axis=0)
    np.testing.assert_allclose(found.residuals, true, rtol=1e-6, atol=1e-14)


RNG = np.random.default_rng(20)


def dependent(m=10, p=30, rank=4, noise=1e-9):
    """Atoms near a space of few dimensions, which the homotopy's basis does not tell apart."""
    D = RNG.standard_normal((m, rank)) @ RNG.standard_normal((rank, p))
    D += noise * RNG.standard_normal((m, p))
    return D / np.linalg.norm(D, axis=0)


def excess(D, Y, codes, lam, positive):
    """Objective minus that of a slow descent from 0, over |y|^2 / 2, per signal."""
    gram, slow = D.T @ D, np.zeros(codes.shape)
    rate = D.T @ Y
    for _ in range(4000):
        for j in range(len(gram)):
            u = rate[j] + gram[j, j] * slow[j]
            new = np.maximum(u - lam, 0.0)
            new = new if positive else new - np.maximum(-u - lam, 0.0)
            new = new / gram[j, j]
            rate -= np.outer(gram[:, j], new - slow[j])
            slow[j] = new
    size = np.sum(Y**2, axis=0) / 2
    own, least = (
        np.sum((Y - D @ a) ** 2, axis=0) / 2 + lam * np.abs(a).sum(axis=0) for a in (codes, slow)
    )
    return (own - least) / size


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-6])
def test_dependent_atoms_reach_the_optimum_of_a_slow_twin(noise, positive):
    D, Y = dependent(noise=noise), RNG.standard_normal((10, 5))
    found = ss.sparse_code(Y, D, lam=0.05, tol=1e-9, positive=positive)
    assert not found.status.any() and found.gaps.max() <= 1e-9
    codes = found.codes.toarray()
    assert excess(D, Y, codes, 0.05, positive).max() <= 1e-9
    assert not positive or (codes >= 0.0).all()


@pytest.mark.parametrize("matrix, error, sentence", [
    ([[1.0, np.nan]], ValueError, "^Y holds nan at row 0, column 1"),
    ([[1.0, np.inf]], ValueError, "^Y holds inf at row 0, column 1"),
    ([[np.nan, 1.0]], ValueError, "^Y holds nan at row 0, column 0"),
    (sparse.csc_array([[0.0, -np.inf]]), ValueError, "^Y holds -inf at row 0, column 1"),
    ([1.0, 2.0], ValueError, "^Y is one-dimensional"),
    ([["a"]], TypeError, "^Y .*holds text"),
    ([[1e76, 1.0]], ValueError, "^the largest entry of Y is 1e.76; rescale Y$"),
    ([[-1e76, 1.0]], ValueError, "^the largest entry of Y is 1e.76; rescale Y$"),
    ([[1e-76, -3e-80]], ValueError, "^the largest entry of Y is 1e-76; rescale Y$"),
])  # fmt: skip
def test_what_is_refused_bears_its_name(matrix, error, sentence):
    with pytest.raises(error, match=sentence):
        read_columns("Y", matrix)


def alike(apart, seed=1, m=60):
    a, z = np.random.default_rng(seed).normal(size=(2, m))
    return np.c_[a, a + apart * z], z


@pytest.mark.parametrize("apart", [1e-5, 1e-6, 1e-7, 1e-8])
@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_a_small_difference_that_explains_the_signal_is_found(apart):
    D, z = alike(apart)
    found = ss.sparse_code(z[:, None], D, method="omp", n_nonzero=2)
    left = z - D @ found.codes.toarray()[:, 0]
    assert found.codes.nnz == 2 and np.linalg.norm(left) <= 1e-6 * np.linalg.norm(z)
    assert found.residuals[0] == pytest.approx(np.linalg.norm(left), abs=1e-5)
    exact = D.astype(np.longdouble).T @ (z - D.astype(np.longdouble) @ found.codes.toarray()[:, 0])
    assert np.abs(exact).max() / np.abs(D.T @ z).max() <= found.gaps[0] + 1e-15


def test_other_signals_keep_their_codes():
    """Among many signals only those that inner products fail are coded with the atoms."""
    rng = np.random.default_rng(0)
    D = rng.normal(size=(40, 12))
    D /= np.linalg.norm(D, axis=0)
    D[:, 7] = D[:, 3] + 1e-7 * rng.normal(size=40)
    Y = D[:, [0, 1, 2, 8, 9]] @ rng.normal(size=(5, 150))
    Y[:, 70] = D[:, 3] + 1e7 * (D[:, 7] - D[:, 3])
    found = ss.sparse_code(Y, D, method="omp", n_nonzero=12)
    assert found.codes[:, [70]].toarray().ravel()[[3, 7]].all()
    assert found.residuals[70] <= 1e-6 * np.linalg.norm(Y[:, 70])
    for i in (0, 69, 71, 149):
        assert found.codes[:, [i]].toarray().ravel() == pytest.approx(
            orthogonal_mp(D, Y[:, i], n_nonzero_coefs=5), abs=1e-8)  # fmt: skip


def test_it_stops_at_the_residual_asked_for():
    rng = np.random.default_rng(3)
    D, y = rng.normal(size=(30, 50)), rng.normal(size=30)
    which, _, _, square, *_ = pursue_columns(Atoms(D), y, 30, 4.0, 1e-7)
    fewer = pursue_columns(Atoms(D), y, len(which) - 1, 0.0, 1e-7)
    assert square <= 4.0 < fewer[3]


@pytest.mark.parametrize("method", ["omp", "forward"])
@pytest.mark.parametrize("apart", [1e-5, 1e-6, 1e-7])
def test_a_path_finds_it_too(apart, method):
    X, z = alike(apart)
    rng = np.random.default_rng(4)
    y = X[:, 0] + z + 0.3 * rng.normal(size=60)
    fit = ss.omp_path(np.c_[X, X[:, 0]], y, method=method)
    design = np.c_[np.ones(60), X[:, 0], z]
    r = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert fit.dev_ratio[-1] == pytest.approx(1 - (r @ r) / (60 * y.var()), abs=1e-6)
    assert fit.df[-1] == 2 and fit.stop_reason == "nothing is left to explain"


def test_hard_thresholding_certifies_columns_of_any_size():
    """Least squares on a support is no matter of units, without standardisation."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    y = X @ [1.0, 2.0] + 0.1 * rng.normal(size=30)
    fit = ss.paths.hard_threshold_path(
        X * [1e-17, 1.0], y, method="cosamp", n_nonzero=2, standardize=False, intercept=False
    )
    assert fit.dev_ratio[-1] == pytest.approx(1 - np.linalg.lstsq(X, y)[1][0] / (y @ y), abs=1e-9)
