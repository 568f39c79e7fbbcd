"""Machines solved by the rows of X alone: certificates, formats, and numbers beyond them."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import estimators
from sparsesolve.estimators.margin import read_rows
from sparsesolve.estimators.svm import squared_insensitive
from sparsesolve.losses import KINKED, LOSSES
from sparsesolve.solvers.margin import dual_descent
from sparsesolve.solvers.margin.dual_descent import solve_rows

LOSSES_OF = {
    "hinge": ("LinearSVC", {}, ss.families.hinge()),
    "squared_hinge": ("LinearSVC", {}, ss.families.squared_hinge()),
    "epsilon_insensitive": ("LinearSVR", {"epsilon": 0.1}, ss.families.epsilon_insensitive(0.1)),
    "squared_epsilon_insensitive": ("LinearSVR", {"epsilon": 0.1}, squared_insensitive(0.1)),
}
SHAPES = {"sparse": (60, 200), "wide": (40, 90), "square": (60, 50), "tall": (300, 6)}


def data(shape, kind):
    rng = np.random.default_rng(5)
    X = rng.standard_normal(SHAPES[shape])
    X = X * (rng.random(X.shape) < 0.1) if shape == "sparse" else X + 3.0
    y = X[:, :3].sum(axis=1) + rng.standard_normal(len(X))
    y = np.sign(y - np.median(y)) if "hinge" in kind else y + 20.0
    return sparse.csr_array(X) if shape == "sparse" else X, y


def losses_at(kind, y, eta):
    size = np.maximum(1.0 - y * eta, 0.0) if "hinge" in kind else (
        np.maximum(np.abs(y - eta) - 0.1, 0.0))  # fmt: skip
    return 0.5 * size**2 if kind.startswith("squared") else size


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 10.0])
@pytest.mark.parametrize("kind", LOSSES_OF)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_gap_bounds_what_is_left_of_the_objective(shape, kind, C, intercept):
    X, y = data(shape, kind)
    n, lam = len(y), 1.0 / (C * len(y))
    kinds, name = (KINKED, kind) if kind in KINKED else (LOSSES, kind)
    more = {} if "hinge" in kind else {"epsilon": 0.1}
    shares = np.full(n, 1.0 / n)
    mean = float(y.mean()) if intercept and more else 0.0
    loss = kinds[name](y - mean, shares, **more)
    best = ss.path(X, y, family=LOSSES_OF[kind][2], alpha=0.0, lambdas=[lam], tol=1e-11,
                   standardize=False, intercept=intercept)  # fmt: skip

    def J(b, b0):
        return losses_at(kind, y, X @ b + b0).mean() + 0.5 * lam * (b @ b)

    least = J(best.coefs[:, [0]].toarray().ravel(), best.intercepts[0])
    constants = [*np.linspace(y.min(), y.max(), 4001), *y] if intercept else [0.0]
    for tol in (1e-2, 1e-8):
        found = solve_rows(read_rows(X, shares, intercept), loss, lam, tol, 100_000, mean)
        assert found is not None and 0.0 <= found.gap <= tol
        left = J(found.coef, found.intercept) - least
        null = min(losses_at(kind, y, b0).mean() for b0 in constants)
        assert left <= found.gap * null + 1e-11 * null
        apart = X.T @ found.dual - found.coef  # a part of the gap
        assert 0.5 * lam * (apart @ apart) <= found.gap * null + 1e-11 * null


@pytest.mark.parametrize("kind", LOSSES_OF)
def test_formats_of_the_same_numbers_have_the_same_machine(kind):
    X, y = data("sparse", kind)
    who, more, _ = LOSSES_OF[kind]
    # the last entry of each row once more, in two halves, and out of order
    parts = [np.r_[X.data[a:b][::-1] * 0.5, X.data[a:b] * 0.5] for a, b in
             zip(X.indptr[:-1], X.indptr[1:], strict=True)]  # fmt: skip
    places = [np.r_[X.indices[a:b][::-1], X.indices[a:b]] for a, b in
              zip(X.indptr[:-1], X.indptr[1:], strict=True)]  # fmt: skip
    twice = sparse.csr_array((np.concatenate(parts), np.concatenate(places), 2 * X.indptr),
                             shape=X.shape)  # fmt: skip
    dense = X.toarray()
    for form in (X.tocsc(), sparse.csr_matrix(X), twice, dense, np.asfortranarray(dense)):
        models = [getattr(estimators, who)(loss=kind, tol=1e-10, **more).fit(each, y)
                  for each in (X, form)]  # fmt: skip
        np.testing.assert_allclose(*(model.coef_ for model in models), atol=1e-5)
        np.testing.assert_allclose(*(model.intercept_ for model in models), atol=1e-5)


@pytest.mark.parametrize("kind", LOSSES_OF)
def test_numbers_near_the_ends_of_floats_are_left_to_paths(kind):
    X, y = data("square", kind)
    who, more, _ = LOSSES_OF[kind]
    given = read_rows(X * 2.0**300, np.full(len(y), 1.0 / len(y)), True)
    loss = {**KINKED, **LOSSES}[kind](y, np.full(len(y), 1.0 / len(y)), **more)
    assert solve_rows(given, loss, 1.0 / len(y), 1e-8, 1000) is None
    big = 2.0**30
    near = getattr(estimators, who)(loss=kind, C=1.0, tol=1e-9, **more).fit(X, y)
    far = getattr(estimators, who)(loss=kind, C=big**-2, tol=1e-9, **more).fit(X * big, y)
    np.testing.assert_allclose(far.coef_ * big, near.coef_, atol=1e-5)


def test_a_hessian_without_digits_is_left_to_paths(monkeypatch):
    X, y = data("tall", "squared_hinge")  # for which a path takes Newton steps on columns
    expected = estimators.LinearSVC(tol=1e-10).fit(X, y).coef_

    def lost(self, lam, target, budget):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(dual_descent.DualDescent, "solve", lost)
    found = estimators.LinearSVC(tol=1e-10).fit(X, y)
    np.testing.assert_allclose(found.coef_, expected, atol=1e-5)
