"""Where a path starts and ends: lambdas, ratios, dfmax, pmax, stop, max_iter, tol, progress."""

import warnings

import numpy as np
import oracle
import pytest
from scipy import sparse

import sparsesolve as ss


def data(n=40, p=60, seed=1, noise=1.0):
    """A sparse signal among correlated columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 1:] += X[:, :-1]
    return X, X[:, ::7].sum(axis=1) + noise * rng.standard_normal(n)


STORAGES = {"dense": np.asfortranarray, "sparse": sparse.csc_array,
            "single": lambda X: X.astype(np.float32)}


@pytest.fixture(params=sorted(STORAGES))
def storage(request):
    return STORAGES[request.param]


def test_the_deviance_rule_stops_after_five_points_and_keeps_the_last(storage):
    X, y = data(60, 20)
    X = storage(X)
    full = ss.path(X, y, stop=None)
    assert len(full.lambdas) == 100
    fit = ss.path(X, y)
    r = full.dev_ratio
    met = [(k >= 4) and (r[k] - r[k - 1] < 1e-5 * r[k] or r[k] > 0.999) for k in range(100)]
    assert len(fit.lambdas) == met.index(True) + 1
    assert np.array_equal(fit.lambdas, full.lambdas[:len(fit.lambdas)])
    assert fit.stop_reason != full.stop_reason


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_limits_that_hold_every_coefficient_do_not_end_the_path(storage, family):
    X, _ = data(60, 5)
    y = -3 * X[:, 0] + X[:, 2] + X[:, 4]
    y = y > 0 if family == "binomial" else y
    options = {"family": family, "n_lambdas": 200}
    # the largest correlation is that of a coefficient which must not be negative
    fit = ss.path(storage(X), y, lower=0.0, **options)
    full = ss.path(storage(X), y, lower=0.0, **options, stop=None)
    assert (fit.df[:5] == 0).all() and fit.dev_ratio[-1] > 0.99 * full.dev_ratio[-1] > 0.01
    # the first coefficient is at its limit long before the second is to come
    boxed = ss.path(storage(X), y, lower=-0.02, upper=0.02, **options)
    assert set(boxed.nonzero()[-1]) >= {0, 2, 4}


def test_the_deviance_rule_leaves_given_lambdas_alone(storage):
    X, y = data(60, 20)
    lambdas = np.geomspace(1, 1e-6, 40)
    fit = ss.path(storage(X), y, lambdas=lambdas)
    assert fit.lambdas == pytest.approx(lambdas, rel=1e-15)


def test_given_lambdas_are_sorted_and_freed_of_duplicates(storage):
    X, y = data()
    fit = ss.path(storage(X), y, lambdas=[0.1, 3.0, 0.5, 0.1])
    assert fit.lambdas.tolist() == [3.0, 0.5, 0.1]
    one = ss.path(storage(X), y, lambdas=0.5)
    assert np.allclose(one.coefs.toarray().ravel(), fit.coefs[:, [1]].toarray().ravel(), atol=1e-3)


def test_a_callable_stops_the_path_at_the_point_it_saw(storage):
    X, y = data()
    seen = []

    def enough(step):
        seen.append(step)
        return len(seen) == 4

    fit = ss.path(storage(X), y, stop=enough)
    assert len(fit.lambdas) == 4 and len(seen) == 4
    never = ss.path(storage(X), y, n_lambdas=9, stop=lambda step: False)
    assert len(never.lambdas) == 9


def test_an_error_in_the_callable_comes_through():
    X, y = data()

    def broken(step):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ss.path(X, y, stop=broken)


@pytest.mark.parametrize("given", [False, True], ids=["own", "given"])
def test_dfmax_ends_the_path_at_the_first_point_beyond_it(storage, given):
    X, y = data()
    full = ss.path(storage(X), y, stop=None, n_lambdas=50)
    lambdas = full.lambdas if given else None
    fit = ss.path(storage(X), y, lambdas=lambdas, n_lambdas=50, dfmax=9)
    assert (fit.df[:-1] <= 9).all()
    assert len(fit.lambdas) == np.argmax(full.df > 9) + 1
    assert "dfmax" in fit.stop_reason


@pytest.mark.parametrize("given", [False, True], ids=["own", "given"])
def test_pmax_bounds_the_columns_that_ever_enter(storage, given):
    X, y = data()
    full = ss.path(storage(X), y, stop=None, n_lambdas=50)
    ever = (np.cumsum(full.coefs.toarray() != 0, axis=1) > 0).sum(axis=0)
    lambdas = full.lambdas if given else None
    fit = ss.path(storage(X), y, lambdas=lambdas, n_lambdas=50, pmax=9)
    assert len(fit.lambdas) == (ever <= 9).sum()
    assert (fit.coefs.toarray() != 0).any(axis=1).sum() <= 9
    assert "pmax" in fit.stop_reason


def test_dfmax_and_pmax_that_are_not_reached_change_nothing(storage):
    X, y = data(50, 12)
    plain = ss.path(storage(X), y)
    fit = ss.path(storage(X), y, dfmax=12, pmax=12)
    assert np.array_equal(plain.lambdas, fit.lambdas)
    assert np.array_equal(plain.coefs.toarray(), fit.coefs.toarray())


def test_max_iter_warns_once_and_names_lambdas(storage):
    """What falls short is said, in the warning, in status and in honest gaps."""
    X, y = data(60, 100, noise=0.1)
    X = storage(X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = ss.path(X, y, lambdas=[0.02, 0.01], tol=1e-12, max_iter=1)
    short = np.flatnonzero(fit.gaps > 1e-12)
    assert short.size
    assert [w.category for w in caught] == [ss.ConvergenceWarning]
    text = str(caught[0].message)
    assert f"{fit.lambdas[short[0]]:.3g}" in text and "max_iter" in text
    assert [int(fit.status[k]) for k in short] == [1] * short.size
    dense = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=float)
    null = oracle.null_objective(dense, y)
    for k in range(2):
        b = fit.coefs[:, [k]].toarray().ravel()
        value = oracle.objective(dense, y, fit.intercepts[k], b, fit.lambdas[k])
        least = oracle.objective(dense, y, *oracle.solve(dense, y, fit.lambdas[k]), fit.lambdas[k])
        assert (value - least) / null <= fit.gaps[k] + 1e-13


def test_nothing_is_printed(capfd, storage):
    X, y = data()
    ss.path(storage(X), y)
    assert capfd.readouterr() == ("", "")
    quiet = ss.path(storage(X), y, progress=False)
    shown = ss.path(storage(X), y, progress=True)  # standard error is no terminal here
    assert np.array_equal(quiet.coefs.toarray(), shown.coefs.toarray())
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("options", [
    {"alpha": 1.5}, {"alpha": -0.1}, {"alpha": np.nan}, {"tol": -1.0},
    {"max_iter": -1}, {"n_lambdas": 0}, {"lambda_min_ratio": 0.0}, {"lambda_min_ratio": 2.0},
    {"dfmax": -1}, {"pmax": -1}, {"n_threads": -3}, {"stop": "sometimes"}, {"solver": "magic"},
    {"family": "gauss"}, {"lambdas": []}, {"lambdas": [-1.0]}, {"lambdas": [np.nan]},
    {"weights": -np.ones(40)}, {"weights": np.zeros(40)}, {"weights": np.ones(39)},
    {"offset": np.ones(41)}, {"penalty_factor": -np.ones(60)}, {"penalty_factor": np.ones(3)},
    {"lower": 0.5}, {"upper": -0.5}, {"lower": np.zeros(5)}, {"intercept": "maybe"},
], ids=str)
def test_bad_options_are_refused_by_name(options):
    X, y = data()
    name = next(iter(options))
    with pytest.raises((ValueError, TypeError), match=name):
        ss.path(X, y, **options)


@pytest.mark.parametrize("stop, kind", [(5, TypeError), ("never", ValueError)])
def test_what_stop_can_be_is_said(stop, kind):
    with pytest.raises(kind, match="stop must be 'deviance', None or a function of a point, not"):
        ss.path(np.eye(3), [1.0, 2.0, 3.0], stop=stop)
