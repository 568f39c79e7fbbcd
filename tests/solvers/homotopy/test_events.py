"""The homotopy where events coincide, and where there are as many as there can be."""

import numpy as np
import oracle
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import nnls

import sparsesolve as ss

SMALL = st.integers(-2, 2).map(float)


@st.composite
def tied_designs(draw):
    """Small integers: ties, duplicated, opposite and dependent columns, constants, zeros."""
    n, p = draw(st.integers(2, 7)), draw(st.integers(1, 9))
    X = draw(hnp.arrays(float, (n, p), elements=SMALL))
    y = draw(hnp.arrays(float, n, elements=SMALL))
    for _ in range(draw(st.integers(0, 2))):
        i, j, k = (draw(st.integers(0, p - 1)) for _ in range(3))
        X[:, i] = draw(st.sampled_from([X[:, j], -X[:, j], X[:, j] + X[:, k]]))
    return X, y


def agrees(fit, X, y, **options):
    """Knots and midpoints solve it: by the oracle's certificate, at 0 by least squares."""
    assert (np.diff(fit.lambdas) < 0).all() and not fit.status.any()
    middle = 0.5 * (fit.lambdas[1:] + fit.lambdas[:-1])
    for s in [*fit.lambdas[:-1], *middle]:
        assert oracle.certificate(X, y, fit.intercept(s), fit.coef(s), s, **options) <= 1e-10
    assert fit.lambdas[-1] == 0.0 or len(fit.lambdas) == 1
    if fit.lambdas[-1] == 0.0:
        q = oracle.standard_form(X, y, **options)
        A, low = q.A[:, ~q.dead], q.lo[~q.dead]
        positive = low.size and low.max() == 0.0
        best = nnls(A, q.c)[0] if positive else np.linalg.lstsq(A, q.c, rcond=1e-10)[0]
        least = np.linalg.norm(q.c - A @ best)  # where A'c is rounding nnls tells of another
        ours = np.linalg.norm(q.c - q.A @ (fit.coef(0.0) * q.scale))
        assert ours <= least + 1e-9 * np.linalg.norm(q.c)
        assert fit.intercept(0.0) == pytest.approx(q.y_mean - q.mean @ fit.coef(0.0), abs=1e-9)


@settings(max_examples=40)
@given(tied_designs(), st.booleans(), st.booleans(), st.booleans())
@example((np.ones((3, 2)) * [[1], [0], [-1]], np.array([1.0, 0, 2])), True, True, False)
@example((np.eye(5), np.ones(5)), False, False, False)
@example((np.array([[0.0, 2], [1, 1], [1, 0], [2, 0], [-2, 0], [1, -2], [0, 0]]),
          np.array([1.0, 2, 0, -2, 0, 2, 0])), False, True, True)  # fmt: skip
@example((np.hstack([np.eye(4), -np.eye(4)]), np.arange(4.0)), False, False, True)
def test_designs_full_of_ties(data, intercept, standardize, positive):
    X, y = data
    options = {"intercept": intercept, "standardize": standardize}
    fit = ss.lars_path(X, y, positive=positive, **options)
    agrees(fit, X, y, **options, **({"lower": 0.0} if positive else {}))


@settings(max_examples=25)
@given(tied_designs(), st.sampled_from([("lasso", False), ("lasso", True), ("lar", False)]))
def test_x_and_its_gram_matrix_give_one_path(data, kind):
    """X b and the objective agree where the coefficients need not."""
    X, y = data
    method, positive = kind
    options = {"method": method, "positive": positive}
    fit = ss.lars_path(X, y, intercept=False, standardize=False, **options)
    gram = ss.paths.lars_path_gram(X.T @ X, X.T @ y, len(y), yty=y @ y, **options)
    if len(fit.lambdas) == 1 or method == "lar":  # LAR goes on by an order of joins
        return
    s = np.linspace(0, fit.lambdas[0], 7)
    assert X @ gram.coef(s) == pytest.approx(X @ fit.coef(s), abs=1e-6)


def test_columns_that_are_all_tied_join_together():
    fit = ss.lars_path(np.eye(6), np.ones(6), intercept=False, standardize=False)
    assert fit.df.tolist() == [0, 6] and fit.coef(0.0) == pytest.approx(np.ones(6))
    assert fit.n_iters[0] == 0 and fit.n_iters[1] >= 6


@pytest.mark.parametrize("method", ["lasso", "lar"])
def test_duplicates_share_nothing_and_cost_nothing(method):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 6))
    y = X @ [3.0, -2, 1, 0, 0, 0] + rng.standard_normal(30)
    one = ss.lars_path(X, y, method=method)
    two = ss.lars_path(np.hstack([X, -X, X]), y, method=method)
    assert two.lambdas == pytest.approx(one.lambdas, abs=1e-12)
    B = two.coefs.toarray()
    assert B[:6] - B[6:12] + B[12:] == pytest.approx(one.coefs.toarray(), abs=1e-11)
    assert (two.df == one.df).all()


def test_nearly_dependent_columns():
    """Squared distances of 1e-8: the factor still tells the columns apart."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 5))
    X = np.hstack([X, X + 1e-4 * rng.standard_normal((40, 5))])
    y = X @ rng.standard_normal(10) + rng.standard_normal(40)
    fit = ss.lars_path(X, y, lambda_min=1e-6, tol=1e-8)
    assert fit.df[-1] > 5 and not fit.status.any()
    for lam in fit.lambdas:
        assert oracle.certificate(X, y, fit.intercept(lam), fit.coef(lam), lam) <= 1e-8


def worst_case(p):
    """A design of p columns with (3^p + 1) / 2 knots, lambda = 0 among them.

    Mairal and Yu (2012), "Complexity analysis of the lasso regularization path", theorem 1: a
    column 2 a y and a row for it alone, a small, triple the number of linear pieces less one.
    """
    X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    for _ in range(p - 1):
        last = ss.lars_path(X, y, intercept=False, standardize=False).lambdas[-2] * len(y)
        a = 0.5 * last / (2 * y @ y + 1)
        X = np.block([[X, 2 * a * y[:, None]], [np.zeros((1, X.shape[1])), np.full((1, 1), a)]])
        y = np.append(y, 1.0)
    return X, y


@pytest.mark.parametrize("p", [1, 2, 3, 4, 5])
def test_the_worst_case_has_all_its_knots(p):
    X, y = worst_case(p)
    options = {"intercept": False, "standardize": False}
    fit = ss.lars_path(X, y, tol=1e-8, **options)
    assert len(fit.lambdas) == (3**p + 1) // 2
    signs = {tuple(np.sign(b)) for b in fit.coefs.toarray().T}
    middle = 0.5 * (fit.lambdas[1:] + fit.lambdas[:-1])
    pieces = {tuple(np.sign(fit.coef(s))) for s in middle}
    assert len(pieces) == len(middle) and len(signs) > len(middle) // 2  # every sign pattern once
    for s in [*fit.lambdas, *middle]:
        assert oracle.certificate(X, y, 0.0, fit.coef(s), s, **options) <= 1e-9
