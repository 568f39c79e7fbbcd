"""start=: what it may be, what it refuses, and that answers do not depend on it."""

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(3)
X = RNG.normal(size=(50, 120))
Y = X[:, :3] @ [2.0, -1.0, 1.0] + RNG.normal(size=50)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson", "multinomial"])
def test_a_start_changes_no_answer(family):
    y = {"gaussian": Y, "binomial": Y > 0, "poisson": np.round(np.exp(Y / 4)),
         "multinomial": np.digitize(Y, [-1, 1])}[family]  # fmt: skip
    first = ss.path(X, y, family=family, n_lambdas=1).lambdas[0]
    lambdas = first * np.array([0.5, 0.3])
    cold = ss.path(X, y, family=family, lambdas=lambdas, tol=1e-11)
    near = ss.path(X, y, family=family, lambdas=lambdas[:1] * 1.05, tol=1e-11)
    for start in (cold, near, (cold.coef(lambdas[0]), cold.intercept(lambdas[0]))):
        warm = ss.path(X, y, family=family, lambdas=lambdas, tol=1e-11, start=start)
        assert (warm.gaps <= 1e-11).all()
        np.testing.assert_allclose(warm.coef(lambdas), cold.coef(lambdas), atol=2e-5)
        assert warm.options["start"] is None


def test_where_the_start_is_the_solution_no_step_is_taken():
    lam = [0.3]
    cold = ss.path(X, Y, lambdas=lam)
    warm = ss.path(X, Y, lambdas=lam, start=cold)
    assert cold.n_iters[0] > 0 and warm.n_iters[0] == 0
    np.testing.assert_allclose(warm.coef(0.3), cold.coef(0.3), rtol=1e-10)


@pytest.mark.parametrize(
    "start, words",
    [
        ("yes", "a fitted path, an OnlineFit or a pair"),
        ((np.zeros(7), 0.0), r"have shape \(7,\); this problem has \(120,\)"),
        ((np.full(120, np.nan), 0.0), "hold nan or infinity"),
        ((np.zeros(120), np.zeros(2)), r"intercept of start have shape \(2,\)"),
    ],
)
def test_what_is_no_start_is_refused(start, words):
    with pytest.raises((ValueError, TypeError), match=words):
        ss.path(X, Y, lambdas=[0.3], start=start)


def test_a_grid_of_our_own_has_no_start():
    with pytest.raises(ValueError, match="start is given without lambdas"):
        ss.path(X, Y, start=(np.zeros(120), 0.0))


def test_a_start_serves_every_fold():
    kept = {"lambdas": [0.5, 0.2], "n_folds": 3, "seed": 0, "tol": 1e-10}
    cold = ss.cv_path(X, Y, **kept)
    warm = ss.cv_path(X, Y, start=cold.path, **kept)
    np.testing.assert_allclose(warm.fold_scores, cold.fold_scores, rtol=1e-6)


def test_a_path_from_a_start_can_be_extended_and_saved(tmp_path):
    warm = ss.path(X, Y, lambdas=[0.5, 0.3], start=ss.path(X, Y, lambdas=[0.5]))
    ss.save(warm, tmp_path / "fit.npz")
    np.testing.assert_array_equal(ss.load(tmp_path / "fit.npz").intercepts, warm.intercepts)
    assert len(warm.extend(X, Y, n_lambdas=2).lambdas) == 4
