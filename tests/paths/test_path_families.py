"""glmnet's rules and degenerate data, for paths of all families."""

import glm_oracle
import numpy as np
import numpy_losses
import pytest

import sparsesolve as ss
from sparsesolve import families

N, P = 70, 12
RNG = np.random.default_rng(21)
X = RNG.standard_normal((N, P)) * np.resize([1.0, 4.0, 0.3], P) + np.resize([0.0, 2.0], P)
ETA = 0.7 * X[:, 0] - 0.3 * (X[:, 1] - 2)
TIME = np.ceil(6 * RNG.exponential(np.exp(-ETA)))
DIED = RNG.random(N) < 0.7
Y = {
    "binomial": (ETA + RNG.logistic(size=N) > 0.3) * 1,
    "poisson": RNG.poisson(np.exp(ETA)),
    "cox": np.column_stack([TIME, DIED]),
}
WEIGHTS = RNG.uniform(0.2, 2.0, N)
BINARY = {
    "binomial": "binomial",
    "probit": families.probit(),
    "cloglog": families.cloglog(),
    "squared_hinge": families.squared_hinge(),
}


# Weights, counts, repeated rows


def test_events_and_sides_whose_weights_are_all_zero_are_refused():
    """One lambda, 0, had been the path."""
    with pytest.raises(ValueError, match="no event in a row of positive weight"):
        ss.path(X, (TIME, DIED), family="cox", weights=1.0 - DIED)
    with pytest.raises(ValueError, match="y has no row of class 1 with a positive weight"):
        ss.path(X, np.arange(N) % 2, family=families.squared_hinge(), weights=1 - np.arange(N) % 2)


@pytest.mark.parametrize("family", ["binomial", families.probit(), families.cloglog()], ids=str)
def test_counts_equal_expanded_rows_all_along_the_path(family):
    rng = np.random.default_rng(22)
    trials = rng.integers(1, 5, N)
    won = rng.binomial(trials, 1 / (1 + np.exp(-ETA)))
    each = np.concatenate([np.arange(t) < k for t, k in zip(trials, won, strict=True)])
    given = {"family": family, "tol": 1e-11, "n_lambdas": 30, "stop": None,
             "lambda_min_ratio": 0.01}  # fmt: skip
    fit = ss.path(X, np.column_stack([trials - won, won]), **given)
    other = ss.path(X[np.repeat(np.arange(N), trials)], each, **given)
    assert fit.lambdas == pytest.approx(other.lambdas, rel=1e-9)
    assert abs(fit.coefs - other.coefs).max() <= 1e-4 * abs(fit.coefs).max()
    # the deviance of shares is measured from the best that a row of them can be, not from 0
    explained = fit.dev_ratio * fit.null_deviance
    assert explained == pytest.approx(other.dev_ratio * other.null_deviance, rel=1e-7)
    assert fit.null_deviance <= other.null_deviance


# The grid, and where it ends; tests/reference has R's of the other families


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_the_default_grid_of_cox(alpha):
    u = DIED / N
    for t in np.unique(TIME[DIED]):  # each death is shared by those at risk
        at_risk = TIME >= t
        u = u - at_risk * (DIED & (TIME == t)).sum() / at_risk.sum() / N
    fit = ss.path(X, Y["cox"], family="cox", alpha=alpha, stop=None, tol=1e-6)
    largest = abs((X / X.std(axis=0)).T @ u).max() / max(alpha, 1e-3)
    assert fit.lambdas == pytest.approx(largest * np.geomspace(1, 1e-4, 100), rel=1e-9)
    assert fit.df[0] == (P if alpha == 0 else 0)
    few = ss.path(X[:10], Y["cox"][:10], family="cox", stop=None, tol=1e-3)
    assert few.lambdas[-1] / few.lambdas[0] == pytest.approx(1e-2)


def glmnets_end(family, ratios):
    """Where glmnet's rule ends a path, of the deviance ratios of all its lambdas."""
    for k in range(4, len(ratios)):
        if ratios[k] > (0.99 if family == "cox" else 0.999):
            return k
        if family == "gaussian" and ratios[k] - ratios[k - 1] < 1e-5 * ratios[k]:
            return k
        if family == "binomial" and ratios[k] - ratios[k - 1] < 1e-5:
            return k
        if family == "poisson" and ratios[k] - ratios[k - 4] < 1e-4 * ratios[k]:
            return k
        if family == "cox" and ratios[k] - ratios[k - 4] < 1e-3 * ratios[k]:
            return k
    return len(ratios) - 1


@pytest.mark.parametrize("signal", [0.0, 1.0])
@pytest.mark.parametrize("family", ["gaussian", *Y])
def test_the_stopping_rule_of_each_family(family, signal):
    y = Y["poisson"] if family == "gaussian" else Y[family]
    y = y if signal else RNG.permutation(y)
    whole = ss.path(X, y, family=family, stop=None, tol=1e-9)
    fit = ss.path(X, y, family=family, tol=1e-9)
    end = glmnets_end(family, whole.dev_ratio)
    assert 4 < end < 99 and len(fit.lambdas) == end + 1
    assert "explained deviance gained less than" in fit.stop_reason
    own = ss.path(X, y, family=family, lambdas=whole.lambdas, tol=1e-9)
    assert len(own.lambdas) == 100 and own.stop_reason == "every lambda was solved"


# Data without an optimum at lambda = 0


SIDE = X[:, 0] > 0
SMALL = np.geomspace(0.1, 1e-8, 30)


@pytest.mark.parametrize("name", BINARY)
def test_a_path_of_separable_data_ends_with_a_reason(name):
    fit = ss.path(X, SIDE, family=BINARY[name])
    assert len(fit.lambdas) < 100 and "99.9% of the deviance is explained" in fit.stop_reason
    assert (fit.gaps <= 1e-7).all() and abs(fit.coefs).max() < 1000
    assert (np.diff(fit.dev_ratio) > 0).all()
    assert (fit.predict(X, fit.lambdas[-1], kind="class") == SIDE).all()


@pytest.mark.parametrize("name", BINARY)
def test_separable_data_at_given_lambdas(name):
    fit = ss.path(X, SIDE, family=BINARY[name], lambdas=SMALL)
    assert len(fit.lambdas) == 30 and (fit.gaps <= 1e-7).all()
    assert 1 - fit.dev_ratio[-1] < 1e-4 and np.isfinite(fit.coefs.data).all()
    if name == "binomial":
        for k in (0, 10, 29):
            b = fit.coefs[:, [k]].toarray().ravel()
            rest = {"loss": numpy_losses.BINOMIAL}
            assert glm_oracle.certificate(X, SIDE * 1.0, fit.intercepts[k], b, SMALL[k],
                                          **rest) <= 1.1e-7  # fmt: skip


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("lambdas", [None, [0.1, 1e-4]], ids=["grid", "given"])
@pytest.mark.parametrize("name", BINARY)
def test_a_separating_column_without_penalty_has_no_optimum_and_comes_near_it(name, lambdas):
    """The infimum is 0: a certificate relative to the null objective can be met all the same."""
    free = np.r_[0.0, np.ones(P - 1)]
    fit = ss.path(X, SIDE, family=BINARY[name], penalty_factor=free, lambdas=lambdas,
                  max_iter=2000)  # fmt: skip
    assert np.isfinite(fit.coefs.data).all() and np.isfinite(fit.intercepts).all()
    assert (fit.dev_ratio > 0.999).all() and (fit.gaps <= 1e-6).all()
    if name == "squared_hinge":  # whose infimum is reached
        assert [status == ss.Status.CONVERGED for status in fit.status] == (
            fit.gaps <= 1e-7).tolist()  # fmt: skip
    else:
        assert (fit.status == ss.Status.UNBOUNDED).all() and fit.unbounded.tolist() == [0]


def test_counts_of_0_on_one_side_of_a_column_without_penalty():
    groups = np.column_stack([SIDE, X])
    fit = ss.path(groups, Y["poisson"] * SIDE, family="poisson", n_lambdas=10,
                  penalty_factor=np.r_[0.0, np.ones(P)])  # fmt: skip
    assert np.isfinite(fit.coefs.data).all() and (fit.gaps <= 1e-7).all()
    assert fit.predict(groups, kind="response")[~SIDE].max() < 1e-4


def test_deaths_in_the_order_of_a_column():
    """Risks far apart: certified, and where steps are too few said not to be."""
    y = np.column_stack([np.exp(-X[:, 0]), np.ones(N)])
    fit = ss.path(X, y, family="cox", n_lambdas=40)
    assert (fit.gaps <= 1e-7).all() and fit.n_iters.max() < 100
    assert fit.dev_ratio[-1] > 0.9 and fit.concordance(X, y, fit.lambdas[-1]) > 0.98
    with pytest.warns(ss.ConvergenceWarning, match="lambdas miss tol = 1e-07.*worst") as caught:
        short = ss.path(X, y, family="cox", n_lambdas=40, max_iter=3)
    assert len(caught) == 1
    missed = short.gaps > 1e-7
    assert [status != ss.Status.CONVERGED for status in short.status] == missed.tolist()
    assert missed.any() and not missed[0]
    assert np.isfinite(short.coefs.data).all() and np.isfinite(short.dev_ratio).all()


# Few rows, constant columns


@pytest.mark.parametrize("delta", [1.0, 0.01])
def test_a_robust_path_among_wild_responses_converges(delta):
    """Most samples have no curvature at first: their model leads astray, and is learnt."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(100, 1000))
    y = 3 * wide[:, 0] - 2 * wide[:, 1] + wide[:, 2] + rng.normal(size=100)
    y[::10] += 50
    fit = ss.path(wide, y, family=families.huber(delta), n_lambdas=40)
    assert not fit.status.any() and fit.gaps.max() <= 1e-7
    if delta == 1.0:
        cold = ss.path(wide, y, family=families.huber(delta), lambdas=[0.067])
        assert not cold.status.any()


# What can be asked of such paths


# What is refused


@pytest.mark.parametrize(
    "family, y, error, words",
    [
        ("binomial", X[:, 0], ValueError, r"shares in \[0, 1\]"),
        ("poisson", -np.ones(N), ValueError, "-1.0 at position 0 .*at least 0"),
        ("poisson", ["a", "b"] * (N // 2), TypeError, "holds text"),
        ("poisson", X[:, :2], ValueError, r"shape \(70, 2\)"),
        ("cox", np.c_[TIME, 0 * DIED], ValueError, "no event"),
        ("gaussian", ["a", "b"] * (N // 2), TypeError, "holds text"),
        (families.gamma(), np.zeros(N), ValueError, "must be positive"),
        (families.squared_hinge(), np.arange(N) % 3, ValueError, "3 different labels"),
        (families.huber(), ["a"] * N, TypeError, "holds text"),
        (families.hinge(), np.arange(N) % 3, ValueError, "3 different labels"),
    ],
)  # fmt: skip
def test_responses_of_the_wrong_kind(family, y, error, words):
    """A reader for each family; tests/data has what readers say."""
    with pytest.raises(error, match=words) as caught:
        ss.path(X, y, family=family)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("family", ["binomial", families.probit(), families.cloglog()], ids=str)
def test_a_class_whose_weights_are_all_zero_is_refused(family):
    y, weights = np.r_[1, np.zeros(N - 1)], np.r_[0.0, np.ones(N - 1)]
    with pytest.raises(ValueError, match="one extreme value only"):
        ss.path(X, y, family=family, weights=weights)
