"""KnotPath: exact between its knots, followed on below the last, a Path in all else."""

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(3)
X = RNG.standard_normal((25, 15))
Y = X[:, 0] - X[:, 2] + RNG.standard_normal(25)
WHOLE = ss.lars_path(X, Y)
SHORT = ss.lars_path(X, Y, max_steps=5)


def test_between_knots_it_is_the_solution():
    s = np.random.default_rng(0).uniform(0, WHOLE.lambdas[0], 20)
    grid = ss.path(X, Y, lambdas=s, tol=1e-15)
    assert WHOLE.coef(grid.lambdas) == pytest.approx(grid.coefs.toarray(), abs=1e-7)
    assert WHOLE.intercept(grid.lambdas) == pytest.approx(grid.intercepts, abs=1e-7)
    assert WHOLE.predict(X, s=0.3) == pytest.approx(X @ WHOLE.coef(0.3) + WHOLE.intercept(0.3))


def test_exact_needs_the_data_only_below_the_last_knot():
    s = 0.5 * SHORT.lambdas[-1]
    assert SHORT.coef(SHORT.lambdas[2], exact=True) == pytest.approx(WHOLE.coef(SHORT.lambdas[2]))
    assert WHOLE.coef(0.0, exact=True).shape == (15,)
    with pytest.raises(ValueError, match="below the last lambda"):
        SHORT.coef(s, exact=True)
    assert SHORT.coef(s) == pytest.approx(SHORT.coef(SHORT.lambdas[-1]))
    assert SHORT.coef(s, exact=True, X=X, y=Y) == pytest.approx(WHOLE.coef(s), abs=1e-12)
    assert SHORT.intercept(s, exact=True, X=X, y=Y) == pytest.approx(WHOLE.intercept(s))
    assert SHORT.coef([s, 1.0], exact=True, X=X, y=Y).shape == (15, 2)


def test_it_is_extended_by_knots():
    longer = SHORT.extend(X, Y, n_lambdas=3)
    assert longer.lambdas == pytest.approx(WHOLE.lambdas[:9])
    assert SHORT.extend(X, Y).lambdas == pytest.approx(WHOLE.lambdas)
    ratio = SHORT.extend(X, Y, lambda_min_ratio=0.01)
    assert ratio.lambdas[-1] == pytest.approx(0.01 * WHOLE.lambdas[0])
    assert longer.extend(X, Y, n_lambdas=1).lambdas == pytest.approx(WHOLE.lambdas[:10])
    few = ss.lars_path(X, Y, max_features=2).extend(X, Y, n_lambdas=1)
    assert few.df.max() == 3
    for bad, match in ((lambda: WHOLE.extend(X, Y), "complete"),
                       (lambda: SHORT.extend(X, Y, lambda_min_ratio=0.99), "already reaches"),
                       (lambda: SHORT.extend(X, 2 * Y), "of the fit: their null deviance"),
                       (lambda: SHORT.extend(X[::-1], Y), "fit: their first lambda is"),
                       (lambda: SHORT.extend(X[:, :3], Y), "columns")):  # fmt: skip
        with pytest.raises(ValueError, match=match):
            bad()


def test_iterations_are_the_features_that_came_and_went():
    assert WHOLE.n_iters[0] == 0
    assert WHOLE.n_iters.sum() >= WHOLE.df[-1]
    changes = np.abs(np.diff((WHOLE.coefs.toarray() != 0).astype(int), axis=1)).sum(axis=0)
    assert (WHOLE.n_iters[1:] >= (changes > 0)).all()


def test_spacing_tests_are_those_of_r():
    """larInf of selectiveInference, sigma = 1; features and numbers of its first steps."""
    rng = np.random.default_rng(0)
    L = np.linalg.cholesky(0.5 ** np.abs(np.subtract.outer(np.arange(40), np.arange(40))))
    A = rng.normal(size=(100, 40)) @ L.T
    A = (A - A.mean(0)).round(6)
    y = (A[:, 0] - 0.7 * A[:, 1] + 0.5 * A[:, 5] + rng.normal(size=100)).round(6)
    fit = ss.lars_path(A, y, method="lar")
    found = fit.spacing(A, y, sigma=1.0)
    assert list(found["feature"][:5]) == [0, 5, 2, 1, 12]
    assert np.array(found["spacing"][:5]) == pytest.approx(
        [1.18359e-4, 0.023269046, 0.167766852, 0.004721964, 0.830157431], rel=1e-5)  # fmt: skip
    assert np.array(found["covariance"][:5]) == pytest.approx(
        [4.56084e-5, 0.0204706, 0.170695, 0.00332239, 0.847217], rel=1e-5)  # fmt: skip
    residual = y - A @ np.linalg.lstsq(np.c_[np.ones(100), A], y, rcond=None)[0][1:]
    residual -= residual.mean()
    own = fit.spacing(A, y, sigma=np.sqrt(residual @ residual / 59))
    assert np.allclose(fit.spacing(A, y)["spacing"], own["spacing"])
    with pytest.raises(ValueError, match="method='lar'"):
        ss.lars_path(A, y).spacing(A, y, sigma=1.0)
