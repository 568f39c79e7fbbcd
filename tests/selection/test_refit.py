"""refit: estimates and standard errors against likelihoods written out, and the warning."""

import numpy as np
import pytest
from scipy import stats

import sparsesolve as ss
from sparsesolve import families

RNG = np.random.default_rng(51)
N = 120
X = RNG.standard_normal((N, 8)) * np.resize([1.0, 4.0], 8) + 1.0
ETA = 0.8 * (X[:, 0] - 1) - 0.2 * (X[:, 1] - 1)
Y = ETA + RNG.standard_normal(N)
W = RNG.uniform(0.3, 2.0, N)
OFFSET = 0.2 * RNG.standard_normal(N)
TIME, DIED = np.ceil(9 * RNG.exponential(np.exp(-ETA))), RNG.random(N) < 0.7


def hessian(function, b, step=1e-4):
    """Second differences of a function of several variables."""
    eye = step * np.eye(len(b))
    return np.array([[
        (function(b + d + e) - function(b + d - e) - function(b - d + e) + function(b - d - e))
        / (4 * step**2) for e in eye] for d in eye])  # fmt: skip


def test_least_squares():
    fit = ss.path(X, Y, weights=W, offset=OFFSET, n_lambdas=20)
    table = ss.refit(fit, X, Y, s=0.2, level=0.9)
    support = fit.nonzero(0.2)
    assert table.features.tolist() == [-1, *support]
    A = np.column_stack([np.ones(N), X[:, support]])
    b = np.linalg.solve(A.T @ (W[:, None] * A), A.T @ (W * (Y - OFFSET)))
    residual = Y - OFFSET - A @ b
    degrees = N - len(b)
    variance = (W * residual**2).sum() / degrees
    covariance = variance * np.linalg.inv(A.T @ (W[:, None] * A))
    assert table.estimates == pytest.approx(b) and table.dispersion == pytest.approx(variance)
    assert table.covariance == pytest.approx(covariance, rel=1e-6, abs=1e-12)
    assert table.errors == pytest.approx(np.sqrt(np.diag(covariance)))
    t = b / table.errors
    assert table.p_values == pytest.approx(2 * stats.t.sf(abs(t), degrees))
    half = stats.t.ppf(0.95, degrees) * table.errors
    assert table.lower == pytest.approx(b - half) and table.upper == pytest.approx(b + half)
    twice = ss.refit(ss.path(X, Y, weights=2 * W, offset=OFFSET, n_lambdas=20), X, Y, s=0.2)
    assert twice.errors == pytest.approx(table.errors)


def binomial(eta, w):
    y = np.where(Y > 0, 1.0, -1.0)
    return (w * np.logaddexp(0, -y * eta)).sum()


def poisson(eta, w):
    return (w * (np.exp(eta) - np.floor(np.exp(ETA)) * eta)).sum()


def cox(eta, w):
    """Breslow's ties."""
    at_risk = TIME[None, :] >= TIME[:, None]
    sums = np.log((at_risk * w * np.exp(eta)).sum(axis=1))
    return (w * DIED * (sums - eta)).sum()


@pytest.mark.parametrize("family, y, loss", [
    ("binomial", Y > 0, binomial),
    ("poisson", np.floor(np.exp(ETA)), poisson),
    ("cox", (TIME, DIED), cox),
])  # fmt: skip
def test_information_of_likelihoods(family, y, loss):
    fit = ss.path(X, y, family=family, weights=W, offset=OFFSET, n_lambdas=20, tol=1e-12)
    table = ss.refit(fit, X, y, s=fit.lambdas[6])
    support = fit.nonzero(fit.lambdas[6])
    A = X[:, support] if family == "cox" else np.column_stack([np.ones(N), X[:, support]])
    information = hessian(lambda b: loss(A @ b + OFFSET, W), table.estimates)
    assert table.covariance == pytest.approx(np.linalg.inv(information), rel=1e-3, abs=1e-6)
    slope = [loss(A @ (table.estimates + d) + OFFSET, W) - loss(A @ (table.estimates - d) + OFFSET,
             W) for d in 1e-4 * np.eye(A.shape[1])]  # fmt: skip
    assert np.abs(slope).max() < 1e-6
    assert table.p_values == pytest.approx(2 * stats.norm.sf(abs(table.statistics)))
    assert table.upper - table.estimates == pytest.approx(1.959964 * table.errors, rel=1e-6)


@pytest.mark.parametrize("family, y", [("gaussian", Y), ("binomial", Y > 0)])
@pytest.mark.parametrize("as_frame", [False, True])
def test_an_offset_given_as_a_column(family, y, as_frame):
    column = OFFSET[:, None]
    if as_frame:
        column = pytest.importorskip("pandas").DataFrame({"exposure": OFFSET})
    expected = ss.refit(ss.path(X, y, family=family, offset=OFFSET), X, y, s=0.1)
    found = ss.refit(ss.path(X, y, family=family, offset=column), X, y, s=0.1)
    assert str(found) == str(expected)
    assert np.array_equal(found.covariance, expected.covariance)


def test_a_cross_validated_fit_and_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdefgh"))
    cv = ss.cv_path(frame, Y, n_folds=5, seed=0)
    table = ss.refit(cv, frame, Y)
    assert table.names == ["(Intercept)", *(list("abcdefgh")[j] for j in cv.nonzero())]
    lines = str(table).splitlines()
    assert lines[0].split() == ["Estimate", "Std.", "error", "t", "P>|t|", "[95%", "interval]"]
    assert lines[1].split()[0] == "(Intercept)" and "The same data chose" in str(table)
    wider = ss.refit(cv, frame, Y, "lambda_min")
    assert len(wider.names) >= len(table.names)


def test_intervals_hold_what_they_say_where_nothing_was_chosen():
    """Of features that are always selected, 90% intervals cover the truth in about 90%."""
    covered = []
    for _ in range(200):
        y = ETA + RNG.standard_normal(N)
        fit = ss.path(X[:, :2], y, lambdas=[1e-3])
        table = ss.refit(fit, X[:, :2], y, s=1e-3, level=0.9)
        truth = np.array([0.8, -0.2])
        covered += list((table.lower[1:] < truth) & (truth < table.upper[1:]))
    assert 0.85 < np.mean(covered) < 0.95


@pytest.mark.parametrize("ask, words", [
    (lambda: ss.refit(ss.path(X, Y), X, Y), "s is missing"),
    (lambda: ss.refit(ss.path(X, Y), X, Y, s=[0.1, 0.2]), "s is missing or a list"),
    (lambda: ss.refit(ss.path(X, Y), X, Y, s=100.0), "no feature is selected"),
    (lambda: ss.refit(ss.path(X, Y, lower=0.0), X, Y, 0.1), "fit without bounds"),
    (lambda: ss.refit(ss.path(X, Y, family=families.huber()), X, Y, 0.1), "no standard errors"),
    (lambda: ss.refit(ss.path(X, Y), X[::-1], Y, 0.1), "not that of the fit"),
    (lambda: ss.refit(ss.path(X, X[:, 0] > 1, family="binomial"), X, X[:, 0] > 1, 0.01),
     "no finite coefficients are best"),
])  # fmt: skip
def test_what_has_no_table_is_refused(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_knots_and_steps_have_tables_too():
    fit = ss.path(X, Y, weights=W, offset=OFFSET)
    expected = ss.refit(fit, X, Y, s=0.2)
    lars = ss.refit(ss.lars_path(X, Y, weights=W, offset=OFFSET), X, Y, s=0.2)
    assert lars.names == expected.names
    assert lars.errors == pytest.approx(expected.errors, rel=1e-6)
    steps = ss.omp_path(X, Y, weights=W, offset=OFFSET, n_nonzero=2)
    table = ss.refit(steps, X, Y, s=float(steps.lambdas[-1]))
    assert table.names[0] == "(Intercept)" and len(table.names) == 3
    with pytest.raises(ValueError, match="within bounds"):
        ss.refit(ss.lars_path(X, Y, positive=True), X, Y, s=0.2)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson", "cox"])
def test_a_row_of_no_weight_may_hold_anything(family):
    y = {"gaussian": Y, "binomial": Y > 0, "poisson": np.ceil(np.exp(ETA)),
         "cox": np.column_stack([TIME, DIED])}[family]  # fmt: skip
    far, w = X.copy(), np.where(np.arange(N) == 5, 0.0, 1.0)
    far[5], kept = 1e12, w > 0
    with_it = ss.path(far, y, family=family, weights=w, n_lambdas=8)
    without = ss.path(X[kept], y[kept], family=family, n_lambdas=8)
    found = ss.refit(with_it, far, y, s=with_it.lambdas[-1])
    expected = ss.refit(without, X[kept], y[kept], s=without.lambdas[-1])
    np.testing.assert_allclose(found.estimates, expected.estimates, rtol=1e-9)
    np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-9)


def test_a_shift_of_columns_does_not_matter_to_cox():
    rng, strata = np.random.default_rng(2), np.arange(100) % 2
    x = rng.standard_normal((100, 2))
    times = np.column_stack([rng.exponential(np.exp(x[:, 0] - x[:, 1])), rng.random(100) < 0.7])
    options = {"family": ss.families.cox(strata=strata), "lambdas": [0.001], "tol": 1e-12,
               "standardize": False}  # fmt: skip
    fit = ss.path(x, times, **options)
    table = ss.refit(fit, x, times, 0.001)
    for shift in (1e6, 1e8, np.where(strata[:, None] == 0, -1e4, 1e4)):
        moved = x + shift
        found = ss.refit(ss.path(moved, times, **options), moved, times, 0.001)
        assert found.estimates == pytest.approx(table.estimates, rel=1e-5)
        assert found.errors == pytest.approx(table.errors, rel=1e-5)


def test_a_table_as_frame_and_intervals_of_another_level():
    table = ss.refit(ss.path(X, Y), X, Y, s=0.2, level=0.9)
    frame = table.to_frame()
    np.testing.assert_array_equal(frame["std_error"], table.errors)
    assert frame["feature"].tolist() == table.names
    wider, same = table.conf_int(0.99), table.conf_int()
    np.testing.assert_allclose(same[["lower", "upper"]], frame[["lower", "upper"]])
    reach = stats.t.ppf(0.995, table.degrees_of_freedom) * table.errors
    np.testing.assert_allclose(wider["upper"], table.estimates + reach)
    with pytest.raises(ValueError, match="level"):
        table.conf_int(95)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "cox"])
def test_collinear_columns_are_named(family):
    rng = np.random.default_rng(0)
    dummies = np.eye(3)[np.arange(N) % 3]
    Z = np.column_stack([rng.normal(size=N), dummies, rng.normal(size=N)])
    eta = 1e-3 * Z[:, 0] + dummies @ [1.0, -1.0, 0.5] + Z[:, 4]
    y = {"gaussian": eta + rng.normal(size=N), "binomial": eta + rng.logistic(size=N) > 0,
         "cox": np.column_stack([rng.exponential(np.exp(-eta)), np.ones(N)])}[family]  # fmt: skip
    fit = ss.path(Z, y, family=family, alpha=0.01, lambdas=[1e-3],
                  feature_names=["age", "ward=a", "ward=b", "ward=c", "dose"])  # fmt: skip
    also = "" if family == "cox" else " and the intercept"
    with pytest.raises(ValueError) as caught:
        ss.refit(fit, Z, y, s=1e-3)
    assert str(caught.value) == (
        f"the columns selected are collinear: 'ward=c' is a combination of 'ward=a', 'ward=b'"
        f"{also}; leave it out of X, or choose a larger s"
    )
