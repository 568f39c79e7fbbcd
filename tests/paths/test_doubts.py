"""What is hardly meant is said before work starts."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] + RNG.normal(size=40)


def said(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in seen]


@pytest.mark.parametrize("fit", [
    lambda y, **options: ss.path(X, y, n_lambdas=3, **options),
    lambda y, **options: ss.cv_path(X, y, n_lambdas=3, n_folds=3, seed=0, **options),
])  # fmt: skip
def test_a_boolean_response_of_squared_error_is_said_once(fit):
    for y in (Y > 0, (Y > 0).tolist()):
        found = said(lambda y=y: fit(y))
        assert len(found) == 1 and "family='binomial'" in found[0]
    assert not said(lambda: fit(Y > 0, family="binomial")) and not said(lambda: fit(Y))


def test_rows_that_are_named_otherwise():
    pandas = pytest.importorskip("pandas")
    frame, y = pandas.DataFrame(X), pandas.Series(Y)
    assert not said(lambda: ss.path(frame, y, n_lambdas=3))
    assert not said(lambda: ss.path(frame, Y, n_lambdas=3))
    assert not said(lambda: ss.path(X, y[::-1], n_lambdas=3))
    with pytest.raises(ValueError, match="reindex"):
        ss.path(frame, y[::-1])
    found = said(lambda: ss.path(frame, y.set_axis(np.arange(40) + 100), n_lambdas=3))
    assert len(found) == 1 and "taken by position" in found[0]


def test_the_end_of_a_grid_is_said():
    cv = ss.cv_path(X, 10 * Y, n_folds=4, seed=0, lambdas=[5.0, 4.0])
    assert cv.index_min == 1 and "smaller ones may predict better" in str(cv)
    further = ss.cv_path(X, 10 * Y, n_folds=4, seed=0, lambdas=[20.0, 4.0, 1e-9])
    assert bool(further.end_of_grid) == (further.index_min == 2)


def test_kernels_of_other_orders_of_size():
    K = [np.outer(x, x) for x in (X - X.mean(axis=0)).T]
    assert not said(lambda: ss.mkl_path(K, Y, n_lambdas=3))
    found = said(lambda: ss.mkl_path([K[0], 1e-24 * K[1]], Y, n_lambdas=3))
    assert len(found) == 1 and "scale='trace'" in found[0]


def test_signals_as_rows():
    signals = RNG.normal(size=(100, 12))
    found = said(lambda: ss.DictionaryLearning(20, lam=0.1, seed=0, n_epochs=1).fit(signals))
    assert len(found) == 1 and "give Y.T" in found[0]
    assert not said(lambda: ss.DictionaryLearning(20, lam=0.1, seed=0, n_epochs=1).fit(signals.T))


def test_no_overflow_of_numpy_is_heard():
    wide = np.array([[604298762.8442276, -1115225873.055916, -710015866.282013],
                     [1096062852.3606818, 77081382.91531879, -771463853.754821]])  # fmt: skip
    y = np.array([1797717758.5725923, 230003989.31700206])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        for solver in ("auto", "pass_newton"):
            ss.path(wide, y, penalty_factor=[2, 0, 1], lower=[0, -5, -0.1], intercept=False,
                    n_lambdas=5, weights=[1, 1e-12], alpha=1e-6, solver=solver)  # fmt: skip
