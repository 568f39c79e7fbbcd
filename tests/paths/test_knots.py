"""Paths of knots: their ends, options and warnings, and knots that rounding made inaccurate."""

import warnings

import numpy as np
import pytest
from scipy.linalg import hilbert
from sklearn.linear_model import lars_path

import sparsesolve as ss
from sparsesolve.paths import knots
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


def objective(X, y, b, lam):
    r = y.astype(np.longdouble) - X.astype(np.longdouble) @ b
    return float(r @ r / (2 * len(y)) + lam * np.abs(b).sum())


def hilbert_data(seed):
    y = np.random.default_rng(seed).normal(size=12)
    X = hilbert(12)
    return (X - X.mean(axis=0)) / X.std(axis=0), y - y.mean()


# Seed 0 is missed by 8e-8 of the null objective since sums between knots are made by numpy, and
# was in builds for sanitizers before: the order of these sums decides.
MISSED = pytest.param(0, marks=pytest.mark.xfail(reason="8e-8 above the peer", strict=False))


@pytest.mark.parametrize("seed", [MISSED, 1, 2, 3])
@pytest.mark.filterwarnings("ignore")
def test_a_hilbert_matrix_is_followed_as_far_as_scikit_learn_does(seed):
    X, y = hilbert_data(seed)
    alphas, _, coefs = lars_path(X, y, method="lasso")
    fit = ss.lars_path(X, y, standardize=False)
    assert (np.diff(fit.lambdas) < 0).all()
    for part in (1e-2, 1e-4, 1e-5, 3e-6, 1e-6):
        lam = part * alphas[0]
        peer = objective(X, y, np.array([np.interp(-lam, -alphas, c) for c in coefs]), lam)
        assert objective(X, y, fit.coef(lam), lam) <= peer + 1e-9 * (y @ y) / 24


@pytest.mark.filterwarnings("ignore")
def test_no_knot_gets_worse_and_good_ones_stay(monkeypatch):
    X, y = hilbert_data(0)
    fit = ss.lars_path(X, y, standardize=False)
    monkeypatch.setattr(knots, "MOST_VALUES", 0)
    once = ss.lars_path(X, y, standardize=False)
    good = int(np.argmax(once.gaps > 1e-7))
    assert 0 < good < len(once.gaps)
    assert np.array_equal(fit.coefs[:, :good].toarray(), once.coefs[:, :good].toarray())
    for lam, gap in zip(once.lambdas[good:], once.gaps[good:], strict=True):
        assert fit.gaps[np.abs(fit.lambdas - lam).argmin()] <= gap


@pytest.mark.filterwarnings("ignore:.*miss")
@pytest.mark.parametrize("seed", [1, 7, 68, 84, 113, 138])
def test_gaps_hold_between_knots_of_columns_that_all_but_agree(seed):
    """Knots certified to 1e-9 had pieces between them that were off by up to 1e-2."""
    rng = np.random.default_rng(seed)
    X, v = rng.normal(size=(21, 5)), np.array([1.0, 2.0, 1.0, 0.0, 2.0])
    X[:, 1] = X[:, 0] + 10.0 ** rng.uniform(-10, -3) * rng.normal(size=21)
    y = X[:, 2] + rng.normal(size=21)
    options = {"penalty_factor": v, "intercept": False, "standardize": False}
    fit = ss.lars_path(X, y, **options)
    assert fit.status.any() == (fit.gaps.max() > 1e-7)

    def value(b, lam):
        r = y - X @ b
        return float(r @ r / 42 + lam * (v * 5 / v.sum()) @ np.abs(b))

    for high, low in zip(fit.lambdas[:-1], fit.lambdas[1:], strict=True):
        lam = 0.5 * (high + low)
        best = ss.path(X, y, lambdas=[lam], tol=1e-13, **options).coef(lam)
        excess = (value(fit.coef(lam), lam) - value(best, lam)) / (y @ y / 42)
        assert excess <= fit.gaps.max() + 1e-14  # what these differences are rounded by


class Bent:
    """Solutions with a bend at lambda = 1, which two points on its sides miss by `missed`."""

    def __init__(self, missed):
        self.missed, self.asked = missed, []

    def at(self, lam, events=0):
        self.asked.append(lam)
        return lam, np.array([lam]), 1e-12, events

    def excess(self, point, b):
        """Only the piece over the bend is off."""
        near = self.low < point[0] < self.high
        return self.missed if near else 0.0


@pytest.mark.parametrize("ratio", [1.00005, 1.005])
def test_what_no_point_between_can_mend_is_in_the_gap(ratio):
    """Points closer than 1 % were taken without a look at what lies between them."""
    points = Bent(4e-7)
    points.high, points.low = ratio, 1.0
    first, second = ((lam, np.array([lam]), 1e-12, 0) for lam in (ratio, 1.0))
    found = knots._filled(points, first, [second], 1e-7)
    assert found[-1][0] == 1.0 and points.asked
    assert max(point[2] for point in found) == pytest.approx(4e-7, rel=1e-4)
    assert (len(found) > 1) == (ratio > knots.NEAR)
