"""Factors of the adaptive lasso, of features and groups; criteria with a known variance."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve.selection import adaptive_factors

RNG = np.random.default_rng(71)
X = RNG.standard_normal((90, 7)) * np.resize([1.0, 5.0], 7)
Y = X[:, 0] - 0.5 * X[:, 1] + RNG.standard_normal(90)
W = RNG.uniform(0.2, 2.0, 90)
START = np.array([2.0, -0.5, 0.1, 0.0, 0.05, 0.01, 0.02])


def proportional(found, expected):
    finite = np.isfinite(expected)
    assert np.array_equal(np.isfinite(found), finite)
    ratio = found[finite] / expected[finite]
    assert ratio == pytest.approx(ratio[0])


def test_factors_are_powers_of_a_first_fit():
    spread = np.sqrt(np.average((X - np.average(X, axis=0, weights=W)) ** 2, axis=0, weights=W))
    with np.errstate(divide="ignore"):
        expected = 1 / abs(START * spread) ** 0.5
        proportional(adaptive_factors(X, Y, coefs=START, power=0.5, weights=W), expected)
        plain = adaptive_factors(X, Y, coefs=START, standardize=False)
        proportional(plain, 1 / abs(START))
        several = adaptive_factors(X, Y, coefs=[START, 2 * START], standardize=False)
        proportional(several, 1 / abs(START))


def test_the_first_fit_is_ridge_by_cross_validation():
    ids = np.resize([0, 1, 2], 90)
    far = {"alpha": 0.0, "lambda_min_ratio": 1e-6}  # to a thousandth of the lasso's first lambda
    ridge = ss.cv_path(X, Y, folds=ids, **far).coef("lambda_min")
    found = adaptive_factors(X, Y, folds=ids)
    proportional(found, 1 / abs(ridge * X.std(axis=0)))
    yes = Y + RNG.logistic(size=90) > 0
    assert adaptive_factors(X, yes, family="binomial", folds=ids).argmin() in (0, 1)


@pytest.mark.parametrize("given, words", [
    ({"power": 0.0}, "power must be greater than 0"),
    ({"coefs": START[:3]}, "coefs must hold 7 finite numbers"),
    ({"coefs": np.zeros(7)}, "no feature would be left"),
    ({"alpha": 0.5}, "alpha is not for the first fit"),
    ({"coefs": START, "seed": 0}, "seed is for a first fit, which coefs stand for; leave one out"),
])  # fmt: skip
def test_bad_input_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        adaptive_factors(X, Y, **given)


@pytest.mark.parametrize("standardize", [True, False])
def test_given_coefficients_do_not_hide_other_faults(standardize):
    options = {"coefs": START, "standardize": standardize}
    hole = X.copy()
    hole[3, 2] = np.nan
    with pytest.raises(ValueError, match="X holds nan at row 3, column 2"):
        adaptive_factors(hole, Y, **options)
    with pytest.raises(TypeError, match="adaptive_factors.. has no argument 'foo'"):
        adaptive_factors(X, Y, foo=1, **options)
    with pytest.raises(TypeError, match="standardize must be True or False"):
        adaptive_factors(X, Y, coefs=START, standardize="no")


def test_coefficients_that_are_no_numbers_are_refused():
    with pytest.raises(TypeError, match="^coefs .* holds text"):
        adaptive_factors(X, Y, coefs=["large"] * 7)


def test_trials_count_as_rows_do():
    rng = np.random.default_rng(3)
    X, counts = rng.normal(size=(30, 4)), rng.integers(1, 9, size=(30, 2))
    rows = np.repeat(np.arange(30), counts.sum(axis=1))
    y = np.concatenate([np.repeat([0, 1], pair) for pair in counts])
    one = adaptive_factors(X, counts, family="binomial", coefs=np.ones(4))
    each = adaptive_factors(X[rows], y, family="binomial", coefs=np.ones(4))
    np.testing.assert_allclose(one, each, rtol=1e-12)


def test_the_first_fit_may_be_a_ridge_of_little_weight():
    """Of strong signals the best ridge lies below where a path of ridge ends by itself."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((60, 100))
    y = x[:, :5] @ np.full(5, 3.0) + 0.1 * rng.standard_normal(60)
    ids = np.arange(60) % 5
    end = 10 * ss.path(x, y, n_lambdas=2).lambdas[0]
    grid = np.geomspace(end * 100, end * 1e-4, 100)
    best = ss.cv_path(x, y, alpha=0.0, lambdas=grid, folds=ids)
    assert best.lambda_min < end / 10
    near, far = (adaptive_factors(x, y, folds=ids, **options)
                 for options in ({}, {"lambda_min_ratio": 1e-2}))  # fmt: skip
    wanted = np.log(adaptive_factors(x, y, coefs=best.coef("lambda_min")))
    alike = [np.corrcoef(np.log(factors), wanted)[0, 1] for factors in (near, far)]
    assert alike[0] > alike[1]


RNG_GROUPS = np.random.default_rng(0)
X_GROUPS = RNG_GROUPS.normal(size=(100, 12)) * RNG_GROUPS.uniform(0.5, 2.0, 12)
Y_GROUPS = X_GROUPS[:, :3].sum(axis=1) + RNG_GROUPS.normal(size=100)
LABELS = np.arange(12) // 3


@pytest.mark.parametrize("groups", [LABELS, ss.penalties.GroupL2(LABELS)])
@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_factors_are_of_the_norms_of_groups(groups, power):
    b = RNG_GROUPS.normal(size=12)
    b[3:6] = 0.0
    factors = ss.selection.adaptive_factors(X_GROUPS, Y_GROUPS, coefs=b, groups=groups,
                                            power=power)
    norms = np.array([np.linalg.norm((b * X_GROUPS.std(axis=0))[LABELS == g]) for g in range(4)])
    expected = np.where(norms > 0, (norms.max() / np.where(norms > 0, norms, 1)) ** power, np.inf)
    assert factors == pytest.approx(expected)


def test_a_group_penalty_takes_them():
    penalty = ss.penalties.GroupL2(LABELS)
    factors = ss.selection.adaptive_factors(X_GROUPS, Y_GROUPS, groups=penalty, seed=0)
    fit = ss.path(X_GROUPS, Y_GROUPS, penalty=penalty, penalty_factor=factors)
    assert factors.shape == (4,) and fit.nonzero(0.3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_a_known_variance_charges_for_every_feature(seed):
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(20, 60))
    y = wide[:, 0] + 0.1 * rng.normal(size=20)
    fit = ss.lars_path(wide, y)
    with pytest.warns(UserWarning, match="noise_variance"):
        ss.criteria(fit, wide, y)
    found = ss.criteria(fit, wide, y, noise_variance=0.01)
    assert fit.df[found["ebic"].argmin()] <= 4 and fit.df[found["bic"].argmin()] <= 10
    r = y[:, None] - fit.predict(wide, s=fit.lambdas)
    assert found["aic"] == pytest.approx((r**2).sum(axis=0) / 0.01 + 2 * (fit.df + 1), rel=1e-6)
    with pytest.raises(ValueError, match="squared error"):
        ss.criteria(ss.path(wide, y > 0, family="binomial"), wide, y > 0, noise_variance=1.0)


def test_the_estimator_of_dictionaries_takes_sparse_rows():
    from sparsesolve.estimators import DictionaryLearning

    rows = sparse.random(60, 10, 0.3, random_state=0, format="csr")
    model = DictionaryLearning(3, alpha=0.1, random_state=0).fit(rows)
    dense = DictionaryLearning(3, alpha=0.1, random_state=0).fit(rows.toarray())
    assert model.components_ == pytest.approx(dense.components_, abs=1e-12)
    assert model.transform(rows) == pytest.approx(dense.transform(rows.toarray()), abs=1e-12)
