"""Where a path of knots ends, which options it refuses, what it warns of and shows on the way."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.solvers.homotopy.path import UNCLEAR, FollowedPath


def made(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 1.0
    return X, X[:, : min(5, p)].sum(axis=1) + rng.standard_normal(n)


def test_the_path_ends_where_it_is_told_to():
    X, y = made(30, 20, seed=11)
    whole = ss.lars_path(X, y)
    lam = 0.5 * (whole.lambdas[4] + whole.lambdas[5])
    short = ss.lars_path(X, y, lambda_min=lam)
    assert short.stop_reason == "lambda_min was reached"
    assert short.lambdas == pytest.approx([*whole.lambdas[:5], lam], rel=1e-12)
    assert short.coef(lam) == pytest.approx(whole.coef(lam), abs=1e-12)
    few = ss.lars_path(X, y, max_features=3)
    assert few.df.max() == 3 and "max_features = 3" in few.stop_reason
    assert few.lambdas == pytest.approx(whole.lambdas[: len(few.lambdas)])
    assert whole.df[len(few.lambdas)] > 3 or whole.df[len(few.lambdas) - 1] == 3
    steps = ss.lars_path(X, y, max_steps=4)
    assert steps.lambdas == pytest.approx(whole.lambdas[:5]) and "max_steps" in steps.stop_reason
    for none in ({"max_features": 0}, {"max_steps": 0}, {"lambda_min": 2 * whole.lambdas[0]}):
        assert ss.lars_path(X, y, **none).lambdas == pytest.approx(whole.lambdas[:1])


@pytest.mark.parametrize(
    "options, error, match",
    [
        ({"method": "lars"}, ValueError, "did you mean"),
        ({"ridge": -1}, ValueError, "ridge must be at least 0"),
        ({"lambda_min": np.nan}, ValueError, "lambda_min"),
        ({"max_features": 1.5}, ValueError, "max_features must be a whole number"),
        ({"max_steps": -1}, ValueError, "max_steps"),
        ({"positive": "yes"}, TypeError, "positive must be True or False"),
        ({"positive": True, "method": "lar"}, ValueError, "coefficients may turn negative"),
        ({"penalty_factor": [0, 1, 1], "positive": True}, ValueError, "is 0 for column 0"),
        ({"weights": np.zeros(10)}, ValueError, "weights are all zero"),
        ({"tol": -1.0}, ValueError, "tol"),
        ({"n_threads": 0}, ValueError, "n_threads"),
    ],
)
def test_bad_options_are_refused(options, error, match):
    X, y = made(10, 3)
    with pytest.raises(error, match=match):
        ss.lars_path(X, y, **options)


def test_a_knot_that_misses_tol_is_named():
    X, y = made(10, 3)
    with pytest.warns(ss.ConvergenceWarning, match="knots miss tol = 0"):
        fit = ss.lars_path(X, y, tol=0.0)
    assert ss.Status.STALLED in fit.status
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ss.lars_path(X, y)


def test_a_path_that_cannot_go_on_says_so(monkeypatch):
    monkeypatch.setattr(FollowedPath, "why", UNCLEAR)
    with pytest.warns(ss.ConvergenceWarning, match="ends early, at lambda = 0.*rounding hides"):
        ss.lars_path(*made(10, 3))


def test_progress_goes_to_stderr(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tqdm", None)
    ss.lars_path(*made(10, 3), progress=True)
    assert "100/100" in capsys.readouterr().err
