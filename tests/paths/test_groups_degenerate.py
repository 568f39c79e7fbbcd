"""Groups in data at the edge: nothing to choose from, nothing to explain, too much of either."""


import group_oracle
import numpy as np
import numpy_losses
import pytest

import sparsesolve as ss
from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup

MAKERS = {"l2": GroupL2, "sparse": SparseGroup, "linf": GroupLinf}
LOSSES = {"gaussian": numpy_losses.GAUSSIAN, "binomial": numpy_losses.BINOMIAL}
GROUPS = [0, 1, 0, 2, 1, 2, 0, None]


@pytest.fixture(params=sorted(MAKERS))
def kind(request):
    return request.param


@pytest.fixture(params=sorted(LOSSES))
def family(request):
    return request.param


def data(family="gaussian", n=40, p=8, seed=7):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * (rng.random((n, p)) < 0.7)
    signal = X[:, 0] - X[:, 3]
    return X, {"gaussian": signal + rng.standard_normal(n),
               "binomial": (signal > rng.logistic(size=n)) * 1.0}[family]  # fmt: skip


def certified(fit, X, y, kind, groups, family="gaussian", tol=1e-7, **options):
    """Every lambda reaches tol, by a certificate that is recomputed.

    It stands at the gradient of the coefficients, where binomial paths stand from tol = 1e-9 on.
    """
    assert not fit.status.any() and np.isfinite(fit.coefs.data).all()
    q = group_oracle.problem(X, y, kind=kind, groups=groups, loss=LOSSES[family], **options)
    for k, lam in enumerate(fit.lambdas):
        point = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel()
        assert group_oracle.certificate(q, *point, lam) <= 1.5 * tol + 1e-11, k


@pytest.mark.parametrize("how", ["factors", "weights"])
def test_all_groups_excluded(kind, family, store, how):
    X, y = data(family)
    groups = [g if g is not None else 3 for g in GROUPS]
    inf = np.full(4, np.inf)
    penalty = MAKERS[kind](groups, weights=inf if how == "weights" else None)
    fit = ss.path(store(X), y, family=family, penalty=penalty,
                  penalty_factor=inf if how == "factors" else None)  # fmt: skip
    assert not fit.df.any() and (fit.gaps <= 1e-30).all()
    given = ss.path(store(X), y, family=family, penalty=penalty, lambdas=[1.0, 0.1],
                    penalty_factor=inf if how == "factors" else None)  # fmt: skip
    assert not given.df.any() and not given.status.any()


def test_all_groups_unpenalised(kind, family, store):
    X, y = data(family)
    free = ss.path(store(X), y, family=family, lambdas=0.0, tol=1e-12)
    for options in ({"penalty": MAKERS[kind](GROUPS), "penalty_factor": np.zeros(4)},
                    {"penalty": MAKERS[kind](GROUPS), "lambdas": 0.0}):  # fmt: skip
        fit = ss.path(store(X), y, family=family, tol=1e-12, **options)
        assert fit.coefs.toarray()[:, -1] == pytest.approx(free.coefs.toarray()[:, 0], abs=1e-5)


def test_some_unpenalised_some_excluded_by_weight(kind, family, store):
    X, y = data(family)
    weights = [0.0, np.inf, 2.0]
    fit = ss.path(store(X), y, family=family, penalty=MAKERS[kind](GROUPS, weights=weights),
                  n_lambdas=5, tol=1e-9)  # fmt: skip
    b = fit.coefs.toarray()
    assert not b[[1, 4]].any()
    assert kind == "sparse" or b[[0, 2, 6], 0].all()
    certified(fit, X, y, kind, GROUPS, family, 1e-9, group_weights=weights)


@pytest.mark.parametrize("limits", [{}, {"lower": 0.0, "upper": 0.01}], ids=["free", "boxes"])
def test_one_group_far_larger_than_the_number_of_rows(kind, limits):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 400)), rng.standard_normal(30)
    groups = ["all"] * 400
    fit = ss.path(X, y, penalty=MAKERS[kind](groups), n_lambdas=3, lambda_min_ratio=0.3, **limits)
    certified(fit, X, y, kind, groups, **limits)


@pytest.mark.parametrize("nearness", [1e-3, 1e-6, 0.0])
def test_groups_that_are_nearly_one_direction(kind, family, nearness):
    """Within a group and between two: columns that differ by little or nothing.

    Newton steps turn whole groups there, and once were refused for it.
    """
    X, y = data(family)
    rng = np.random.default_rng(1)
    X[:, 2] = X[:, 0] + nearness * rng.standard_normal(40)
    X[:, [1, 4]] = X[:, [0, 6]] + nearness * rng.standard_normal((40, 2))
    fit = ss.path(X, y, family=family, penalty=MAKERS[kind](GROUPS), n_lambdas=12, stop=None,
                  tol=1e-9, max_iter=500)  # fmt: skip
    certified(fit, X, y, kind, GROUPS, family, tol=1e-9)


def test_more_groups_of_one_feature_than_rows_and_a_giant_beside_them(kind, store):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20, 50)) * (rng.random((20, 50)) < 0.5)
    y = X[:, :5].sum(axis=1) + rng.standard_normal(20)
    groups = ["giant" if j % 2 else None for j in range(50)]
    fit = ss.path(store(X), y, penalty=MAKERS[kind](groups), n_lambdas=6, stop=None)
    certified(fit, X, y, kind, groups)


def test_unpenalised_groups_that_explain_everything_leave_nothing_to_choose(kind):
    X, y = data(n=5)
    fit = ss.path(X, y, penalty=MAKERS[kind]([0, 0, 0, 0, 0, 1, 1, 1]), penalty_factor=[0.0, 1.0])
    assert fit.dev_ratio[-1] == pytest.approx(1.0) and not fit.coefs.toarray()[5:, 0].any()


@pytest.mark.parametrize("values", [lambda y: y + 1e8, lambda y: 1e-9 * y], ids=["far", "small"])
def test_responses_far_from_zero_and_small(kind, values):
    X, y = data()
    fit = ss.path(X, values(y), penalty=MAKERS[kind](GROUPS), n_lambdas=6)
    certified(fit, X, values(y), kind, GROUPS, tol=1e-6)


@pytest.mark.parametrize("seed", [21, 27, 31])
def test_without_a_penalty_dependent_columns_stay_near(seed):
    """More columns than their rank, none held at lambda = 0: lengths are no way to go there."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 10)) @ rng.standard_normal((10, 46))
    y = X[:, :3].sum(axis=1) / 3 + rng.standard_normal(30)
    fit = ss.path(X, y, penalty=GroupL2(rng.integers(15, size=46)), lambdas=[0.0])
    assert not fit.status.any() and np.abs(fit.coefs).max() < 10


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson"])
def test_a_factor_without_a_penalty_beside_the_intercept_stays_small(family):
    """Its columns add up to the intercept's: nothing tells their common level, which must stay."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 40))
    X[:, :5] = np.eye(5)[rng.integers(5, size=200)]
    eta = (X[:, :3].sum(axis=1) + X[:, 20:23].sum(axis=1)) / 2
    y = {"gaussian": eta + rng.standard_normal(200), "binomial": eta + rng.logistic(size=200) > 0,
         "poisson": rng.poisson(np.exp(np.clip(eta, -3, 3)))}[family]  # fmt: skip
    groups, factors = np.r_[np.zeros(5, int), 1 + np.arange(35) // 5], np.r_[0.0, np.ones(7)]
    options = {"family": family, "penalty": GroupL2(groups), "penalty_factor": factors}
    fit = ss.path(X, y, **options, n_lambdas=150, lambda_min_ratio=0.05, stop=None)
    assert not fit.status.any() and np.abs(fit.coefs).max() < 5


def test_columns_nearly_alike_need_no_more_sweeps_for_a_looser_gap():
    """Lengths that are not told apart are left to sweeps and Newton steps.

    How many there are hangs on the last digits of all that is computed: of five draws together.
    """
    sweeps = np.zeros(2)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = rng.random(20)
        X = np.asfortranarray(x[:, None] ** (1 + np.arange(112) % 8))
        options = {"penalty": GroupL2(rng.integers(5, size=112)), "n_lambdas": 10, "stop": None}
        y = x + 0.1 * rng.standard_normal(20)
        fits = [ss.path(X, y, **options, lambda_min_ratio=1e-5, tol=tol) for tol in (1e-7, 1e-9)]
        assert not fits[0].status.any() and not fits[1].status.any()
        sweeps += [fit.n_iters.sum() for fit in fits]
    assert sweeps[0] < 3 * sweeps[1]


@pytest.mark.parametrize("lam", [1e-50, 1e-130, 1e-300])
@pytest.mark.parametrize("options", [
    {"penalty": ss.penalties.GroupL2([0, 0, 1, 1, 2, 2])},
    {"penalty": ss.penalties.GroupL2([0, 0, 1, 1, 2, 2]), "family": "binomial"},
    {"grouped": True, "family": "multinomial"},
])  # fmt: skip
def test_levels_all_but_zero_lead_to_the_fit_without_penalty(options, lam):
    """Their squares underflow: the empty model had been left, with a gap of 1 and a warning."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6))
    y = X[:, 0] + rng.normal(size=60)
    y = {"binomial": y > 0, "multinomial": np.digitize(y, [-1, 1])}.get(options.get("family"), y)
    fit = ss.path(X, y, lambdas=[lam, 0.0], **options)
    coefs = fit.coefs[0] if isinstance(fit.coefs, list) else fit.coefs
    assert (fit.gaps <= 1e-7).all() and fit.df[0] == 6
    np.testing.assert_allclose(*coefs.toarray().T, rtol=1e-3)
