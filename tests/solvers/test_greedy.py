"""Hard thresholding: its operator, its steps, and supports against all of their size."""

import itertools

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.solvers.greedy import kept

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 8))
X -= X.mean(axis=0)
Y = X @ [3.0, 0, -2, 0, 0, 1, 0, 0] + 0.5 * RNG.standard_normal(60)
Y -= Y.mean()
METHODS = ("iht", "niht", "cosamp")


def fit(method, X=X, y=Y, **options):
    options = {"intercept": False, "standardize": False, **options}
    return ss.paths.hard_threshold_path(X, y, method=method, **options)


@pytest.mark.parametrize("b, k, wanted", [
    ([3.0, -4, 1], 1, [0, -4, 0]),
    ([3.0, -4, 1], 2, [3, -4, 0]),
    ([3.0, -4, 1], 3, [3, -4, 1]),
    ([3.0, -4, 1], 9, [3, -4, 1]),
    ([3.0, -4, 1], 0, [0, 0, 0]),
    ([1.0, -2, 2, -2], 2, [0, -2, 2, 0]),  # the first of equal ones
    ([0.0, 0], 1, [0, 0]),
])  # fmt: skip
def test_the_largest_are_kept(b, k, wanted):
    b = np.array(b)
    before = b.copy()
    assert kept(b, k).tolist() == wanted
    assert (b == before).all()


@pytest.mark.parametrize("method", METHODS)
def test_points_are_least_squares_on_the_best_supports(method):
    path = fit(method, n_nonzero=5)
    assert path.df.tolist() == [0, 1, 2, 3, 4, 5]
    assert path.lambdas[0] == pytest.approx(np.sqrt(np.mean(Y**2)))
    for k in range(1, 6):
        b = path.coefs[:, [k]].toarray().ravel()
        which = np.flatnonzero(b)
        best = np.linalg.lstsq(X[:, which], Y, rcond=None)[0]
        assert b[which] == pytest.approx(best, abs=1e-3)
        assert path.lambdas[k] == pytest.approx(np.sqrt(np.mean((Y - X @ b) ** 2)))
        excess = np.sum((Y - X @ b) ** 2) - np.sum((Y - X[:, which] @ best) ** 2)
        assert excess / np.sum(Y**2) <= path.gaps[k] + 1e-12 and path.gaps[k] <= 1e-7
        if k <= 3:  # designs as good as orthogonal: no support of that size is better
            losses = {
                some: np.linalg.lstsq(X[:, some], Y, rcond=None)[1][0]
                for some in itertools.combinations(range(8), k)
            }
            assert tuple(which.tolist()) == min(losses, key=losses.get)


def test_steps_of_iht_are_thresholded_gradient_steps():
    """A design of orthogonal columns is solved by one step; its largest eigenvalue is all."""
    Q = np.linalg.qr(X)[0] * np.sqrt(60)
    for method in ("iht", "niht"):
        path = fit(method, Q, Y, n_nonzero=3, max_iter=2)
        assert path.coefs[:, [3]].toarray().ravel() == pytest.approx(
            kept(Q.T @ Y / 60, 3), rel=1e-3, abs=1e-12)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_where_a_path_ends(method):
    exact = X @ [0.0, 2, 0, 0, 1, 0, 0, 0]
    path = fit(method, X, exact, n_nonzero=8)
    assert path.lambdas[2] < 1e-5 and (np.diff(path.lambdas) < 0).all()
    assert set(path.nonzero(path.lambdas[2])) == {1, 4}
    some = fit(method, n_nonzero=3)
    assert some.df[-1] == 3 and some.stop_reason == "sizes up to 3 were tried"
    share = fit(method, n_nonzero=8, tol=0.1)
    assert share.dev_ratio[-1] >= 0.9 > share.dev_ratio[-2]
    assert share.stop_reason == "at most 0.1 of the deviance is left"
    nothing = fit(method, X, np.zeros(60), n_nonzero=2)
    assert nothing.df.tolist() == [0]


@pytest.mark.parametrize("method", ["iht", "niht"])
def test_a_budget_that_is_too_small_is_told(method):
    correlated = X + 5.0 * X[:, [0]]
    with pytest.warns(ss.ConvergenceWarning):
        path = fit(method, correlated, Y, n_nonzero=4, max_iter=1)
    assert path.n_iters.max() == 1 and path.gaps.max() > 1e-7
    assert (path.status != 0).tolist() == (path.gaps > 1e-7).tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("copies", [2, 4])
def test_copies_of_columns_do_not_hide_what_is_left(method, copies):
    """The certificate is about the span of the support, of which copies are no second basis."""
    wide = np.repeat(X, copies, axis=1)
    path = fit(method, wide, n_nonzero=12)
    assert path.gaps.max() <= 1e-7
    for k in range(len(path.lambdas)):
        which = path.nonzero()[k]
        r = Y - wide @ path.coefs[:, [k]].toarray()[:, 0]
        best = Y - wide[:, which] @ np.linalg.lstsq(wide[:, which], Y, rcond=None)[0]
        excess = (r @ r - best @ best) / (Y @ Y)
        assert path.gaps[k] == pytest.approx(excess, abs=1e-12)
