"""Losses with kinks against linear programmes: objective, certificate and the largest lambda."""

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog

import sparsesolve as ss

KINDS = ("hinge", "quantile", "epsilon_insensitive")


def pieces(kind, y, q=0.3, epsilon=0.2):
    """Slopes and constants (k, n) of which the loss is the largest line."""
    one = np.ones(len(y))
    if kind == "hinge":
        return np.stack([-y, 0 * y]), np.stack([one, 0 * one])
    if kind == "quantile":
        return np.stack([-q * one, (1 - q) * one]), np.stack([q * y, (q - 1) * y])
    return np.stack([-one, one, 0 * one]), np.stack([y - epsilon, -y - epsilon, 0 * one])


def programme(kind, X, y, w, lam, intercept=True):
    """min over b of sum w f + lam |b|_1, by the simplex method."""
    n, p = X.shape
    slopes, constants = pieces(kind, y)
    E = np.column_stack([X, -X, np.ones(n)])
    A = np.vstack([np.column_stack([s[:, None] * E, -np.eye(n)]) for s in slopes])
    free = (None, None) if intercept else (0, 0)
    found = linprog(
        np.r_[np.full(2 * p, lam), 0.0, w], A_ub=A, b_ub=-constants.ravel(),
        bounds=[*[(0, None)] * (2 * p), free, *[(None, None)] * n],
    )  # fmt: skip
    return found.fun


def objective(kind, X, y, w, b, b0):
    slopes, constants = pieces(kind, y)
    return w @ (slopes * (X @ b + b0) + constants).max(axis=0)


def data(seed, kind):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 50)), int(rng.integers(1, 12))
    X = rng.normal(size=(n, p))
    X = X.round() if seed % 3 == 0 else X
    w = rng.random(n) if seed % 2 else np.ones(n)
    y = X[:, 0] + rng.normal(size=n)
    y = np.where(y > 0.4, 1.0, -1.0) if kind == "hinge" else y.round(1)
    y[:2] = [1.0, -1.0]
    return X, y, w / w.sum()


def family(kind):
    value = {"quantile": (0.3,), "epsilon_insensitive": (0.2,)}.get(kind, ())
    return getattr(ss.families, kind)(*value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_gaps_bound_the_distance_from_the_linear_programme(kind, seed):
    X, y, w = data(seed, kind)
    options = {"weights": w, "standardize": False, "n_lambdas": 5, "stop": None}
    fit = ss.path(X, y, family=family(kind), intercept=seed % 4 > 0, **options)
    null = fit.null_deviance / 2
    for lam, gap in zip(fit.lambdas, fit.gaps, strict=True):
        b, b0 = fit.coef(lam), fit.intercept(lam)
        above = objective(kind, X, y, w, b, b0) + lam * np.abs(b).sum()
        above -= programme(kind, X, y, w, lam, seed % 4 > 0)
        assert -1e-9 * null <= above <= (gap + 1e-9) * null
        assert gap <= 1e-7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_first_lambda_is_the_least_without_coefficients(kind, seed):
    X, y, w = data(seed, kind)
    fit = ss.path(X, y, family=family(kind), weights=w, standardize=False, n_lambdas=3)
    null, lam = fit.null_deviance / 2, fit.lambdas[0]
    assert programme(kind, X, y, w, lam * 1.00001) == pytest.approx(null, rel=1e-9)
    assert programme(kind, X, y, w, lam * 0.999) < null * (1 - 1e-8)


def test_unbalanced_classes_have_a_linear_programme_for_their_first_lambda():
    """min |X'(y a)|_inf over a: the minority at its weight, the majority free in sum."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 8)), np.where(np.arange(60) < 18, 1.0, -1.0)
    w = np.full(60, 1 / 60)
    fixed = X[:18].sum(axis=0) / 60
    rest = X[18:].T
    found = linprog(
        np.r_[np.zeros(42), 1.0],
        A_ub=np.vstack([np.column_stack([s * rest, -np.ones(8)]) for s in (1.0, -1.0)]),
        b_ub=np.concatenate([fixed, -fixed]), A_eq=[[*np.ones(42), 0.0]], b_eq=[18 / 60],
        bounds=[*[(0, 1 / 60)] * 42, (0, None)],
    )  # fmt: skip
    fit = ss.path(X, y, family=ss.families.hinge(), weights=w, standardize=False, n_lambdas=2)
    assert fit.lambdas[0] == pytest.approx(found.fun, rel=1e-6)
    guess = np.abs(X.T @ np.where(y > 0, 1 / 60, -18 / 60 / 42)).max()
    assert fit.lambdas[0] < 0.95 * guess


def test_above_the_knot_the_support_vector_machine_is_known():
    """Without an intercept a = 1/n, w = X'y / (n lam) exactly down to max_i y_i x_i'X'y / n."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 6))
    y = np.sign(X[:, 0] + 0.3 * rng.normal(size=50))
    mean = X.T @ y / 50
    knot = (y * (X @ mean)).max()
    options = {"family": ss.families.hinge(), "alpha": 0, "intercept": False, "tol": 1e-12}
    fit = ss.path(X, y, standardize=False, lambdas=[3 * knot, 0.5 * knot], **options)
    assert fit.coef(3 * knot) == pytest.approx(mean / (3 * knot), rel=1e-6)
    assert not np.allclose(fit.coef(0.5 * knot), mean / (0.5 * knot), rtol=1e-3)


OTHERS = {
    "net": {"alpha": 0.5},
    "ridge": {"alpha": 0.0},
    "limits": {"lower": 0.0, "upper": 0.3},
    "factors": {"penalty_factor": [0.0, 0.0, 1.0, 1.0, 2.0, np.inf]},
    "groups": {"penalty": ss.penalties.GroupL2([0, 0, 1, 1, 2, 2])},
    "sparse_group": {"penalty": ss.penalties.SparseGroup([0, 0, 1, 1, 2, 2], 0.5)},
    "linf": {"penalty": ss.penalties.GroupLinf([0, 0, 1, 1, 2, 2])},
    "offset": {"offset": np.linspace(-1, 1, 80)},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OTHERS)
def test_every_penalty_is_certified_and_no_trial_is_better(name, kind):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 6))
    y = X[:, 0] - X[:, 3] + rng.normal(size=80)
    y = np.sign(y) if kind == "hinge" else y
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.path(X, y, family=family(kind), n_lambdas=6, stop=None, **OTHERS[name])
    assert fit.gaps.max() <= 1e-7 and len(fit.lambdas) == 6
    assert (np.diff(fit.dev_ratio) >= -1e-6).all() and fit.dev_ratio[-1] > 0.002


def test_sparse_dense_single_and_permuted_rows_agree():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(70, 10)) * (rng.random((70, 10)) < 0.3)
    X = X.astype(np.float32)
    y = np.sign(X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=70))
    options = {"family": ss.families.hinge(), "lambdas": [0.05], "tol": 1e-9}
    order = rng.permutation(70)
    from scipy.sparse import csc_array

    fits = [ss.path(M, v, **options) for M, v in [
        (X.astype(float), y), (X, y), (csc_array(X), y), (X[order], y[order])]]  # fmt: skip
    for fit in fits[1:]:
        assert fit.dev_ratio == pytest.approx(fits[0].dev_ratio, abs=1e-7)


def test_cross_validation_prediction_and_files(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 5))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=90) > 0, "yes", "no")
    for measure in ("class", "auc", "hinge"):
        cv = ss.cv_path(X, y, family=ss.families.hinge(), n_lambdas=6, measure=measure, n_folds=3)
        assert np.isfinite(cv.mean).all()
    shown = cv.path.predict(X, s=cv.lambda_min, kind="class")
    assert np.mean(shown == y) > 0.8
    ss.save(cv.path, tmp_path / "model.npz")
    again = ss.load(tmp_path / "model.npz")
    assert np.array_equal(again.predict(X, s=0.1), cv.path.predict(X, s=0.1))
    for kind, measure in (("quantile", "pinball"), ("epsilon_insensitive",) * 2):
        made = family(kind)
        cv = ss.cv_path(X, X[:, 0], family=made, n_lambdas=6, measure=measure, n_folds=3)
        assert cv.mean[-1] < cv.mean[0]
        ss.save(cv.path, tmp_path / "model.npz")
        assert ss.load(tmp_path / "model.npz").family == cv.path.family


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([1.0] * 6, {}, "class"),
        ([1, 2, 3, 1, 2, 3], {}, "3 different labels"),
        ([1, -1] * 3, {"solver": "working_set"}, "takes no loss with kinks"),
        ([1, -1] * 3, {"weights": [1, 0] * 3}, "class|weight"),
    ],
)
def test_what_has_no_solution_is_refused(y, options, message):
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match=message):
        ss.path(X, y, family=ss.families.hinge(), **options)


@pytest.mark.parametrize(("make", "value"), [("quantile", 0.0), ("quantile", 1.0),
                                             ("epsilon_insensitive", -0.1)])  # fmt: skip
def test_parameters_out_of_range_are_refused(make, value):
    with pytest.raises(ValueError, match="must be"):
        getattr(ss.families, make)(value)
