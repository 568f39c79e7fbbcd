"""Information criteria against their formulas."""

import numpy as np
import pytest
from scipy import special, stats

import sparsesolve as ss
from sparsesolve import penalties

RNG = np.random.default_rng(61)
N, P = 100, 12
X = RNG.standard_normal((N, P))
ETA = X[:, 0] - X[:, 1]
Y = ETA + RNG.standard_normal(N)
KIND = (X[:, :3] + RNG.gumbel(size=(N, 3))).argmax(axis=1)


def test_squared_error():
    fit = ss.path(X, Y, n_lambdas=30)
    found = ss.criteria(fit, X, Y, gamma=1.0)
    rss = ((Y[:, None] - fit.predict(X)) ** 2).sum(axis=0)
    df = fit.df + 1
    assert found["aic"] == pytest.approx(N * np.log(rss / N) + 2 * df)
    assert found["aicc"] == pytest.approx(found["aic"] + 2 * df * (df + 1) / (N - df - 1))
    assert found["bic"] == pytest.approx(N * np.log(rss / N) + np.log(N) * df)
    assert found["ebic"] == pytest.approx(
        found["bic"] + 2 * np.log([special.comb(P, k) for k in fit.df]))  # fmt: skip
    assert found["gcv"] == pytest.approx(rss / N / (1 - df / N) ** 2)
    ebic, bic, aic = (
        set(fit.nonzero(fit.lambdas[found[name].argmin()])) for name in ("ebic", "bic", "aic")
    )
    assert {0, 1} <= ebic <= bic <= aic


def test_several_real_responses_are_as_many_numbers():
    Z = np.column_stack([Y, RNG.standard_normal((N, 2))])
    fit = ss.path(X, Z, family="multigaussian", n_lambdas=20)
    found = ss.criteria(fit, X, Z)
    residuals = Z[:, :, None] - fit.predict(X)
    # at the variance that is likeliest; the constants that every model shares left out
    twice = -2 * stats.norm.logpdf(residuals, scale=np.sqrt((residuals**2).mean(axis=(0, 1))))
    df = 3 * (fit.df + 1)
    aic = twice.sum(axis=(0, 1)) - 3 * N * (np.log(2 * np.pi) + 1) + 2 * df
    assert found["aic"] == pytest.approx(aic)
    assert found["bic"] == pytest.approx(aic + (np.log(3 * N) - 2) * df)
    rss = (residuals**2).sum(axis=(0, 1))
    assert found["gcv"] == pytest.approx(rss / (3 * N) / (1 - df / (3 * N)) ** 2)


def test_counts_are_as_many_rows():
    trials = RNG.integers(1, 20, size=N)
    won = RNG.binomial(trials, special.expit(ETA))
    tallies = {
        "binomial": np.column_stack([trials - won, won]),
        "multinomial": np.array([RNG.multinomial(m, [0.2, 0.3, 0.5]) for m in trials]),
    }
    w = RNG.uniform(0.5, 2.0, N)
    for family, counts in tallies.items():
        rows = np.repeat(np.arange(N), trials)
        labels = np.concatenate([np.repeat(np.arange(counts.shape[1]), row) for row in counts])
        one = ss.path(X, counts, family=family, weights=w, n_lambdas=10, tol=1e-10)
        other = ss.path(X[rows], labels, family=family, weights=w[rows], lambdas=one.lambdas,
                        tol=1e-10)  # fmt: skip
        of_counts, of_rows = ss.criteria(one, X, counts), ss.criteria(other, X[rows], labels)
        # differences alone, as a perfect fit of the counts is another than one of the rows
        for name in ("aic", "aicc", "bic", "ebic"):
            assert np.diff(of_counts[name]) == pytest.approx(np.diff(of_rows[name]), abs=1e-4)


def test_likelihoods():
    y = ETA + RNG.logistic(size=N) > 0
    fit = ss.path(X, y, family="binomial", n_lambdas=20, intercept=False)
    p = fit.predict(X, kind="response")
    deviance = -2 * np.log(np.where(y[:, None], p, 1 - p)).sum(axis=0)
    assert ss.criteria(fit, X, y)["bic"] == pytest.approx(deviance + np.log(N) * fit.df)
    fit = ss.path(X, KIND, family="multinomial", n_lambdas=20)
    p = np.take_along_axis(fit.predict(X, kind="response"), KIND[:, None, None], axis=1)
    df = sum(np.diff(m.indptr) for m in fit.coefs) + 2
    assert ss.criteria(fit, X, KIND)["aic"] == pytest.approx(
        -2 * np.log(p[:, 0]).sum(axis=0) + 2 * df)  # fmt: skip


def test_n_of_cox_is_the_deaths_and_weights_have_no_unit():
    y = np.column_stack([RNG.exponential(np.exp(-ETA)), RNG.random(N) < 0.6])
    w = RNG.uniform(0.5, 2.0, N)
    fits = [ss.path(X, y, family="cox", weights=c * w, n_lambdas=10) for c in (1.0, 5.0)]
    one, other = (ss.criteria(fit, X, y) for fit in fits)
    assert one["bic"] - one["aic"] == pytest.approx((np.log(y[:, 1].sum()) - 2) * fits[0].df)
    for name in one:
        assert one[name] == pytest.approx(other[name], rel=1e-6)


def test_where_nothing_is_left_to_estimate_from():
    wide = RNG.standard_normal((12, 40))
    y = RNG.standard_normal(12)
    fit = ss.path(wide, y, lambda_min_ratio=1e-3, stop=None)
    found = ss.criteria(fit, wide, y)
    full = fit.df + 1 >= 11
    assert full.any() and np.isinf(found["aicc"][full]).all()
    assert np.isfinite(found["aicc"][~full]).all()
    full = fit.df + 1 >= 12
    for name in ("aic", "bic", "ebic", "gcv"):
        assert full.any() and np.array_equal(np.isinf(found[name]), full)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ValueError, match="ridge path selects nothing"):
        ss.criteria(ss.path(X, Y, alpha=0.0), X, Y)
    with pytest.raises(ValueError, match="not that of the fit"):
        ss.criteria(ss.path(X, Y), X, Y[::-1])


def test_of_a_cross_validation_its_path_counts():
    cv = ss.cv_path(X, Y, n_folds=3, seed=0, n_lambdas=8)
    one, two = ss.criteria(cv, X, Y), ss.criteria(cv.path, X, Y)
    assert all(np.array_equal(one[name], two[name]) for name in two)


def test_degrees_of_freedom_of_structured_norms_and_latent_coefficients():
    X = RNG.standard_normal((60, 6))
    Y = X @ [1.0, 1, 1, 0, 0, 2] + RNG.standard_normal(60)
    fit = ss.path(X, Y, penalty=penalties.TotalVariation())
    found = ss.criteria(fit, X, Y)
    pieces = 1 + (np.abs(np.diff(fit.coefs.toarray(), axis=0)) > 1e-9).sum(axis=0)
    assert (found["bic"] - found["aic"]) / (np.log(60) - 2) == pytest.approx(pieces + 1.0)
    both = np.column_stack([Y, 2 * Y + 0.1 * RNG.standard_normal(60)])
    low = ss.path(X, both, family="multigaussian", penalty=penalties.TraceNorm(), n_lambdas=5)
    found = ss.criteria(low, X, both)
    assert ((found["bic"] - found["aic"]) / (np.log(120) - 2))[1] == pytest.approx(7 + 2)
    overlapping = penalties.LatentGroupL2([[0, 1, 2], [2, 3], [4, 5]])
    latent = ss.path(X, Y, penalty=overlapping, n_lambdas=5)
    assert sum(latent.latent_coefs) == pytest.approx(latent.coefs.toarray(), abs=1e-9)
    assert fit.latent_coefs is None
