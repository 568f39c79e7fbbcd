"""What holds of a path of every family, penalty and function: it goes on, is solved between its
lambdas, fits again by its options, comes back from a file, and folds are fits of their rows."""

import pickle
from functools import partial

import numpy as np
import numpy_losses
import pytest
from cases import every
from python_penalties import Largest

import sparsesolve as ss
from sparsesolve import families, paths
from sparsesolve.penalties import GroupL2, SparseGroup

N, P, TOL = 60, 8, 1e-11
RNG = np.random.default_rng(12)
X = RNG.standard_normal((N, P)) * np.resize([1.0, 3.0, 0.2], P) + [0, 1, 0, 0, -2, 0, 0, 0]
ETA = 0.6 * X[:, 0] - 0.2 * X[:, 1] + 0.4 * X[:, 3]
REAL = ETA + RNG.standard_t(4, N)
COUNT = RNG.poisson(np.exp(ETA))
SIDES = np.array(["no", "yes"])[(ETA + RNG.logistic(size=N) > 0) * 1]
TIMES = np.column_stack([np.ceil(6 * RNG.exponential(np.exp(-ETA))), RNG.random(N) < 0.7])
SEVERAL = np.column_stack([REAL, RNG.standard_normal(N) - ETA, RNG.standard_normal(N)])
THIRD = np.array(["ash", "beech", "oak"])[SEVERAL.argmax(axis=1)]
FAMILIES = {
    "gaussian": REAL, "binomial": SIDES, "poisson": COUNT, "cox": TIMES, "multinomial": THIRD,
    "multigaussian": SEVERAL, families.huber(0.7): REAL, families.squared_hinge(): SIDES,
    families.probit(): SIDES, families.cloglog(): SIDES, families.gamma(): np.exp(REAL / 4),
    families.negative_binomial(2.0): COUNT, families.tweedie(1.4): COUNT,
    families.cox("efron", strata=np.arange(N) % 2): TIMES,
    families.from_object(numpy_losses.LogCosh()): REAL, numpy_losses.CertifiedLogCosh(): REAL,
}  # fmt: skip
LABELS = [0, 1, 0, 2, 1, 2, 0, None]
OPTIONS = {
    "net": {"alpha": 0.4}, "ridge": {"alpha": 0.0}, "limits": {"lower": 0.0, "upper": 0.5},
    "rows": {"weights": np.arange(1.0, N + 1), "offset": np.sin(np.arange(N))},
    "factors": {"penalty_factor": np.r_[0.0, np.inf, np.linspace(0.5, 2, P - 2)]},
    "raw": {"intercept": False, "standardize": False}, "groups": {"penalty": GroupL2(LABELS)},
    "group bases": {"penalty": GroupL2(LABELS), "standardize": "group"},
    "sparse groups": {"penalty": SparseGroup(LABELS), "alpha": 0.7},
    "a user's": {"penalty": Largest()},
}  # fmt: skip
MANY = ss.cv_path(X + 0.1, REAL + 0.5, folds=np.arange(N) % 3, n_lambdas=20)
WAYS = {
    "uni_lasso_path": paths.uni_lasso_path,
    "pretrained_path": partial(paths.pretrained_path, pretrained=MANY, trust=0.6),
    "cooperative_path": partial(paths.cooperative_path, views=list("uuuvvvvv"), rho=0.4),
}


def kinds():
    """Yield a function of X, y and lambdas, a response, and its options."""
    for family, y in FAMILIES.items():
        yield pytest.param(ss.path, y, {"family": family}, id=str(family))
    for family in ("multinomial", "multigaussian"):
        more = {"family": family, "penalty": GroupL2(LABELS)}
        yield pytest.param(ss.path, FAMILIES[family], more, id=f"{family} of groups")
    tied = {"family": "multinomial", "grouped": True}
    yield pytest.param(ss.path, THIRD, tied, id="tied classes")
    for name, options in OPTIONS.items():
        yield pytest.param(ss.path, REAL, options, id=name)
    for name, fit in WAYS.items():
        yield pytest.param(fit, REAL, {}, id=name)


def coefs(fit):
    return np.array([c.toarray() for c in np.atleast_1d(np.array(fit.coefs, dtype=object))])


def near(found, expected, share=1e-4):
    np.testing.assert_allclose(found, expected, atol=share * max(1.0, np.abs(expected).max()))


@every("fit, y, options", kinds())
def test_a_path_goes_on_and_fits_again(fit, y, options, store, tmp_path):
    Z, options = store(X), {"tol": TOL, "stop": None, **options}
    known = {"offset": options["offset"]} if "offset" in options else {}
    whole = fit(Z, y, n_lambdas=12, lambda_min_ratio=0.05, **options)
    part = fit(Z, y, lambdas=whole.lambdas[:8], **options)
    joined = part.extend(Z, y, n_lambdas=4)
    np.testing.assert_allclose(joined.lambdas, whole.lambdas)
    assert joined.gaps.max() <= TOL and not joined.status.any()
    near(coefs(joined), coefs(whole))
    near(joined.predict(X, **known), whole.predict(X, **known))
    near(joined.dev_ratio, whole.dev_ratio, 1e-8)
    s = np.sqrt(whole.lambdas[4] * whole.lambdas[5])
    alone = fit(Z, y, lambdas=[s], **options)
    near(part.coef(s, exact=True, X=Z, y=y), alone.coef(s))
    near(part.intercept(s, exact=True, X=Z, y=y), alone.intercept(s))
    assert np.array_equal(coefs(part.fitter(Z, y, **part.options)), coefs(part))
    back = [pickle.loads(pickle.dumps(part))]
    if "LogCosh" not in part.family:  # of users
        ss.save(part, tmp_path / "fit.npz")
        back.append(ss.load(tmp_path / "fit.npz"))
    for other in back:
        assert np.array_equal(other.predict(X, **known), part.predict(X, **known))


@every("fit, options", [
    *((fit, {}) for fit in (*WAYS.values(), paths.interaction_path)),
    (ss.path, OPTIONS["group bases"]),
])  # fmt: skip
def test_a_fold_is_a_fit_of_its_rows(fit, options):
    folds = np.arange(N) % 4
    if fit is paths.interaction_path:  # whose products hang on its lambdas
        options = {"lambdas": [0.6, 0.3, 0.1]}
    options = {"n_lambdas": 10, "tol": TOL, **options}
    cv = ss.cv_path(X, REAL, fit=None if fit is ss.path else fit, folds=folds, **options)
    for k in range(4):
        train = folds != k
        own = fit(X[train], REAL[train], **options)
        errors = np.mean((REAL[~train, None] - own.predict(X[~train], cv.lambdas)) ** 2, axis=0)
        np.testing.assert_allclose(cv.fold_scores[k], errors, rtol=1e-4)
