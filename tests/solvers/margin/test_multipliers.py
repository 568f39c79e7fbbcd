"""Losses with kinks against linear programmes: objective, certificate and the largest lambda."""

import warnings

import kinked_oracle as twin
import numpy as np
import pytest
from kinked_oracle import pieces
from scipy.optimize import linprog

import sparsesolve as ss

KINDS = ("hinge", "quantile", "epsilon_insensitive")


def programme(kind, X, y, w, lam, intercept=True):
    """min over b of sum w f + sum_j lam_j |b_j|, by the simplex method; lam (p,) or a number."""
    n, p = X.shape
    slopes, constants = pieces(kind, y)
    E = np.column_stack([X, -X, np.ones(n)])
    A = np.vstack([np.column_stack([s[:, None] * E, -np.eye(n)]) for s in slopes])
    free, lam = (None, None) if intercept else (0, 0), np.broadcast_to(lam, p)
    found = linprog(
        np.r_[lam, lam, 0.0, w], A_ub=A, b_ub=-constants.ravel(),
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


def check(kind, X, y, w, levels, intercept, fit):
    """Gaps bound the distance from the programme, and the first lambda is the least with b = 0."""
    null = programme(kind, X, y, w, 1e3 * levels, intercept)
    size, first = fit.null_deviance / 2, fit.lambdas[0]
    assert programme(kind, X, y, w, 1.00001 * first * levels, intercept) >= null - 1e-9 * size
    if first > 1e-12:  # else no column can lower the loss
        assert programme(kind, X, y, w, 0.9999 * first * levels, intercept) < null - 1e-9 * size
    for lam, gap in zip(fit.lambdas, fit.gaps, strict=True):
        b, b0 = fit.coef(lam), fit.intercept(lam)
        above = objective(kind, X, y, w, b, b0) + lam * levels @ np.abs(b)
        above -= programme(kind, X, y, w, lam * levels, intercept)
        assert -1e-9 * size <= above <= (gap + 1e-9) * size and gap <= 1e-7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_gaps_and_the_first_lambda_are_those_of_linear_programmes(kind, seed):
    X, y, w = data(seed, kind)
    options = {"weights": w, "standardize": False, "n_lambdas": 5, "intercept": seed % 4 > 0}
    fit = ss.path(X, y, family=family(kind), **options)
    check(kind, X, y, w, np.ones(X.shape[1]), seed % 4 > 0, fit)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", [1001, 1017, 1049, 1071, 1113, 1121])
def test_unpenalised_columns_are_certified_and_known_to_the_first_lambda(kind, intercept, seed):
    """Seeds of which the null model was once missed, or a dual point not orthogonal to them."""
    X, y, w = data(seed, kind)
    factor = np.random.default_rng(seed - 1000).choice([0.0, 1.0, 2.0], X.shape[1])
    options = {"weights": w, "standardize": False, "n_lambdas": 3, "intercept": intercept}
    fit = ss.path(X, y, family=family(kind), penalty_factor=factor, **options)
    check(kind, X, y, w, factor * len(factor) / factor.sum(), intercept, fit)


def test_columns_that_cannot_lower_the_loss_are_certified_at_zero():
    """The linear programme of the first lambda has the value 0 then: the path starts near it."""
    X, y, w = data(1042, "hinge")
    smaller = min(w[y < 0].sum(), w[y > 0].sum())
    assert programme("hinge", X, y, w, 0.0) == pytest.approx(2 * smaller, rel=1e-12)
    fit = ss.path(X, y, family=ss.families.hinge(), weights=w, standardize=False, n_lambdas=4,
                  lambda_min_ratio=0.1)  # fmt: skip
    assert fit.lambdas[0] < 1e-4 * np.abs(X.T @ (w * y)).max()
    assert np.abs(fit.dev_ratio).max() <= 1e-7 and fit.gaps.max() <= 1e-7


def test_a_path_goes_on_where_solutions_stay_the_same_for_a_while():
    """A step without gain, at which paths of smooth losses end, says nothing of the next."""
    rng = np.random.default_rng(1)
    X = (rng.random((300, 8)) < 0.3).astype(float)
    y = np.where(X @ np.linspace(0.2, 1, 8) + 0.7 * rng.normal(size=300) > 1.9, 1.0, -1.0)
    fit = ss.path(X, y, family=ss.families.hinge(), n_lambdas=40)
    idle = np.flatnonzero(np.diff(fit.dev_ratio) < 1e-5)
    assert len(fit.lambdas) == 40 and idle[0] < 8
    assert fit.dev_ratio[-1] > fit.dev_ratio[idle[0]] + 0.1


OTHERS = {  # beside those of test_the_elastic_net_and_groups
    "limits": {"lower": 0.0, "upper": 0.3},
    "factors": {"penalty_factor": [0.0, 0.0, 1.0, 1.0, 2.0, np.inf]},
    "linf": {"penalty": ss.penalties.GroupLinf([0, 0, 1, 1, 2, 2])},
    "offset": {"offset": np.linspace(-1, 1, 80)},
}
GROUPS = [[0, 1], [2, 3], [4, 5]]
FREE = np.array([0.0, 0.0, 1.0, 1.0, 2.0])  # factors of the columns that can enter
PENALTIES = {  # what each of OTHERS is, written down again
    "limits": lambda b: np.abs(b).sum() if b.min() >= 0.0 and b.max() <= 0.3 else np.inf,
    "factors": lambda b: np.abs(b[:5]) @ (FREE * 6 / 5) if b[5] == 0.0 else np.inf,
    "linf": lambda b: sum(np.sqrt(2) * np.abs(b[g]).max() for g in GROUPS),
    "offset": lambda b: np.abs(b).sum(),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OTHERS)
def test_every_penalty_is_certified_and_no_trial_is_better(name, kind):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 6))
    y = X[:, 0] - X[:, 3] + rng.normal(size=80)
    y = np.sign(y) if kind == "hinge" else y
    offset = OTHERS[name].get("offset", np.zeros(80))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.path(X, y, family=family(kind), n_lambdas=6, standardize=False, **OTHERS[name])
    assert fit.gaps.max() <= 1e-7 and len(fit.lambdas) == 6
    assert (np.diff(fit.dev_ratio) >= -1e-6).all() and fit.dev_ratio[-1] > 0.002
    slopes, constants = pieces(kind, y)

    def value(lam, b, b0):
        loss = (slopes * (offset + X @ b + b0) + constants).max(axis=0).mean()
        return loss + lam * PENALTIES[name](b)

    null = value(1.0, np.zeros(6), fit.intercept(fit.lambdas[0]))
    for lam, gap in zip(fit.lambdas, fit.gaps, strict=True):
        b, b0 = fit.coef(lam), fit.intercept(lam)
        here = value(lam, b, b0)
        assert np.isfinite(here)
        for size in np.geomspace(1e-6, 1.0, 40):
            step = size * rng.normal(size=6) * (rng.random(6) < 0.5)
            step = step if name != "limits" else np.clip(b + step, 0.0, 0.3) - b
            step = step * (np.arange(6) < 5) if name == "factors" else step
            trial = value(lam, b + step, b0 + size * rng.normal())
            assert here <= trial + (gap + 1e-12) * null


def test_cross_validation_and_files(tmp_path):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 5))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=90) > 0, "yes", "no")
    for kind, measure in [("hinge", "class"), ("hinge", "auc"), ("hinge", "hinge"),
                          ("quantile", "pinball"), ("epsilon_insensitive",) * 2]:  # fmt: skip
        cv = ss.cv_path(X, y if kind == "hinge" else X[:, 0], family=family(kind), n_lambdas=6,
                        measure=measure, n_folds=3)  # fmt: skip
        assert np.isfinite(cv.mean).all() and cv.mean[-1] != cv.mean[0]
        ss.save(cv.path, tmp_path / "model.npz")
        again = ss.load(tmp_path / "model.npz")
        assert again.family == cv.path.family
        assert np.array_equal(again.predict(X, s=0.1), cv.path.predict(X, s=0.1))


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


@pytest.mark.parametrize("family", [ss.families.hinge(), ss.families.quantile(0.3),
                                    ss.families.epsilon_insensitive(0.2)])  # fmt: skip
@pytest.mark.parametrize("options", [
    {}, {"alpha": 0.5}, {"penalty_factor": [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]}, {"upper": 9.0},
    {"penalty": ss.penalties.GroupL2([0, 0, 1, 1, 2, 2])}, {"penalty": ss.penalties.Slope()},
    {"penalty": ss.penalties.GraphTV([(0, 1), (1, 2), (0, 2), (3, 4)])},
    {"penalty": ss.penalties.TotalVariation()}, {"intercept": False},
], ids=str)  # fmt: skip
def test_the_first_point_is_the_null_model_and_the_next_is_not(family, options):
    """Where others are as good, 0 is the answer: it is there at the first lambda."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 6))
    y = X[:, 0] - X[:, 1] + X[:, 5] + rng.logistic(size=50)
    y = y > 0 if family.name == "hinge" else y
    fit = ss.path(X, y, family=family, n_lambdas=3, lambda_min_ratio=0.98, stop=None, **options)
    assert not fit.status.any()
    charged = _charged(options, fit.coefs.toarray())
    assert charged[0] <= 1e-9 * charged[1] and charged[1] > 0.0


@pytest.mark.parametrize("seed, family", [(0, "hinge"), (0, "quantile(0.3)"),
                                          (3, "epsilon_insensitive(0.2)")])  # fmt: skip
def test_the_lower_bound_of_another_solution_proves_the_null_model(seed, family):
    """Its own dual point, cleared along the intercept, does not."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 8))
    y = X[:, 0] - X[:, 1] + rng.normal(size=60)
    y = y > 0 if family == "hinge" else y
    fit = ss.path(X, y, family=family, n_lambdas=3, lambda_min_ratio=0.3, stop=None)
    assert fit.df[0] == 0 and fit.df[1] > 0 and fit.gaps.max() <= 1e-7


def _charged(options, coefs):
    """Sizes of what is penalised, by hand, one a lambda."""
    coefs = coefs.T if coefs.shape[0] == 6 else coefs
    penalty = options.get("penalty")
    if penalty is None:
        return np.abs(coefs) @ options.get("penalty_factor", np.ones(6))
    return [penalty.over(6).value(b) if hasattr(penalty, "over") else np.abs(b).sum()
            for b in coefs]  # fmt: skip


@pytest.mark.parametrize("seed", [5, 6])
def test_groups_beside_free_dummies_keep_the_best_dual_point_of_all_rounds(seed):
    """The last round's gap was .011 at the value of the optimum, with seed 5."""
    rng = np.random.default_rng(seed)
    x, D = rng.normal(size=(200, 2)), np.eye(4)[rng.integers(0, 4, 200)]
    y = x.sum(axis=1) + D @ np.arange(4) + rng.normal(size=200)
    y = np.sign(y - np.median(y) - 0.3 * rng.normal(size=200))
    penalty = ss.penalties.GroupL2([0, 0, 1, 2, 3, 4], weights=[1.0, 0.0, 0.0, 0.0, 0.0])
    fit = ss.path(np.column_stack([x, D]), y, family="hinge", penalty=penalty, lambdas=[0.1, 0.01],
                  standardize=False)  # fmt: skip
    assert fit.gaps.max() <= 1e-7


PAIRS = [[0, 1], [2, 3]]
FACTORS = np.array([0.5, 1.5, 1.0, 1.0])
TWINS = {
    "net": ({"alpha": 0.3, "penalty_factor": FACTORS},
            lambda lam: twin.sizes(0.3 * lam * FACTORS) + twin.squares(0.7 * lam * FACTORS)),
    "ridge": ({"alpha": 0.0, "solver": "multipliers"}, lambda lam: twin.squares(lam * np.ones(4))),
    "groups": ({"penalty": ss.penalties.GroupL2(PAIRS)},
               lambda lam: twin.lengths(PAIRS, [lam * 2**0.5] * 2)),
    "sparse_groups": ({"penalty": ss.penalties.SparseGroup(PAIRS, 0.4)},
                      lambda lam: twin.sizes(0.4 * lam * np.ones(4))
                      + twin.lengths(PAIRS, [0.6 * lam * 2**0.5] * 2)),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TWINS)
def test_the_elastic_net_and_groups_lie_between_bounds_of_cuts(kind, name):
    rng = np.random.default_rng(len(name))
    X = rng.normal(size=(24, 4))
    y = X[:, 0] - X[:, 2] + rng.normal(size=24)
    y = np.where(y > 0.3, 1.0, -1.0) if kind == "hinge" else y.round(1)
    w = rng.random(24)
    w /= w.sum()
    options, terms = TWINS[name]
    options = {"weights": w, "standardize": False, "tol": 1e-8, **options}
    first = ss.path(X, y, family=family(kind), n_lambdas=2, **options).lambdas[0]
    lam = 0.3 * first if name != "ridge" else 0.02
    fit = ss.path(X, y, family=family(kind), lambdas=[lam], **options)
    low, high = twin.bounds(kind, X, y, w, terms(lam))
    b, b0 = fit.coef(lam), fit.intercept(lam)
    here = twin.loss(kind, y, w, X @ b + b0) + sum(term(b)[0] for term in terms(lam))
    null = fit.null_deviance / 2
    assert high - low <= 1e-6
    assert low - 1e-9 <= here <= low + fit.gaps[0] * null + 1e-6 and fit.gaps[0] <= 1e-8
