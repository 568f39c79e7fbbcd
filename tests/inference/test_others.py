"""Splits, thinning, knockoffs and the debiased lasso: identities, R's numbers, laws, refusals."""

import numpy as np
import pytest
from scipy import sparse, stats
from sparsesolve.inference.nodewise import Nodewise

import sparsesolve as ss
from sparsesolve import families, inference
from sparsesolve.inference.knockoff_design import (
    distances,
    fixed_copies,
    ledoit_wolf,
    model_copies,
)
from sparsesolve.inference.knockoff_filter import _threshold, q_values_of
from sparsesolve.inference.splitting import aggregated

RNG = np.random.default_rng(21)
N, P = 90, 24
X = RNG.normal(size=(N, P)) + 0.4 * RNG.normal(size=(N, 1))
ETA = X[:, :3] @ [1.0, -0.8, 0.6]
Y = ETA + RNG.normal(size=N)
YB = (RNG.random(N) < 1 / (1 + np.exp(-ETA))).astype(int)
WIDE = np.random.default_rng(30).normal(size=(60, 80))
WIDE[:, 1:] += 0.6 * WIDE[:, :-1]
WIDE = (WIDE - WIDE.mean(0)) / WIDE.std(0)
AR = 0.5 ** np.abs(np.subtract.outer(np.arange(60), np.arange(60)))


# Splits.


def test_splits_are_refits_of_the_other_rows():
    """One has intervals; of two, p-values times the number chosen are combined."""
    seen = []

    def choose(columns, y, weights):
        seen.append(weights > 0)
        return [2, 0]

    one, two = (inference.split(X, Y, choose, n_splits=n, share=0.6, level=0.9) for n in (1, 2))
    p = []
    for rest in ~np.array(seen):
        assert rest.sum() == N - round(0.6 * N)
        fit = ss.path(X[rest][:, [0, 2]], Y[rest], lambdas=[0.0])
        other = ss.refit(fit, X[rest][:, [0, 2]], Y[rest], 0.0, level=0.9)
        p.append(np.minimum(1.0, 2 * other.p_values[1:]))
        if len(p) == 1:
            assert one.features.tolist() == [0, 2] and one.names == ["x0", "x2"]
            assert one.p_values == pytest.approx(other.p_values[1:], rel=1e-6)
            assert one.lower == pytest.approx(other.lower[1:])
    assert "however the choice was made" in " ".join(str(one).split())
    assert two.p_values == pytest.approx(np.sort(aggregated(np.array(p[1:]))), rel=1e-6)
    assert np.isnan(two.lower).all() and "[90%" not in str(two)


def test_p_values_of_splits_are_those_of_the_formula():
    p = np.random.default_rng(0).random((40, 5)) ** 3
    grid = np.linspace(0.05, 1.0, 20001)
    for j in range(5):
        ordered = np.sort(p[:, j])
        Q = [min(1.0, ordered[int(np.ceil(g * 40 - 1e-9)) - 1] / g) for g in grid]
        expected = min(1.0, (1 - np.log(0.05)) * min(Q))
        assert aggregated(p)[j] == pytest.approx(expected, rel=1e-3)
    assert (aggregated(np.ones((7, 2))) == 1.0).all()


# Thinning.

M = 40_000
THINNED = {
    "gaussian": (lambda r: r.normal(2.0, 1.5, M), "gaussian", {"sigma": 1.5},
                 lambda s: stats.norm(2.0, 1.5 / np.sqrt(s)).cdf),
    "gamma": (lambda r: r.gamma(3.0, 0.5, M), families.gamma(), {"shape": 3.0},
              lambda s: stats.gamma(3.0 * s, scale=0.5).cdf),
    "poisson": (lambda r: r.poisson(4.0, M), "poisson", {}, lambda s: stats.poisson(4.0 * s)),
    "negative_binomial": (lambda r: r.negative_binomial(3, 0.4, M), families.negative_binomial(3),
                          {}, lambda s: stats.nbinom(3 * s, 0.4)),
    "binomial": (lambda r: np.column_stack([10 - (k := r.binomial(10, 0.3, M)), k]), "binomial",
                 {}, lambda s: stats.binom(round(10 * s), 0.3)),
}  # fmt: skip


@pytest.mark.parametrize("name", THINNED)
def test_halves_have_their_law_and_are_independent(name):
    draw, family, given, law = THINNED[name]
    y = draw(np.random.default_rng(4))
    first, second = inference.thin(y, family, share=0.3, seed=5, **given)
    halves = [half.y[:, 1] if half.y.ndim == 2 else half.y for half in (first, second)]
    for half, share in zip(halves, (0.3, 0.7), strict=True):
        expected = law(share)
        if callable(expected):
            assert stats.kstest(half, expected).pvalue > 1e-4
        else:
            seen = np.bincount(half.astype(int))
            p = expected.pmf(np.arange(len(seen)))
            kept = p * M > 5
            chi = ((seen - M * p)[kept] ** 2 / (M * p[kept])).sum()
            assert stats.chi2(kept.sum()).sf(chi) > 1e-4
    for power in (1, 2):
        assert abs(np.corrcoef(halves[0] ** power, halves[1] ** power)[0, 1]) < 4 / np.sqrt(M)
    mu = {"binomial": 0.3, "poisson": 4.0, "negative_binomial": 4.5, "gamma": 1.5,
          "gaussian": 2.0}[name]  # fmt: skip
    assert abs(first.check(np.full(M, mu))) < 4 / np.sqrt(M)
    if name != "gaussian":
        assert np.asarray(first.y + second.y) == pytest.approx(np.asarray(y, float))


def test_noise_is_not_that_of_the_data():
    """Data of default_rng(0), and the default seed, must not share their random numbers."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal(200)
    first, second = inference.thin(y, "gaussian", sigma=1.0, seed=0)
    assert abs(np.corrcoef(first.y, second.y)[0, 1]) < 0.3
    Z = np.random.default_rng(0).normal(size=(200, 40))
    target = Z[:, :10] @ np.ones(10) + np.random.default_rng(1).normal(size=200)
    assert set(range(10)) <= set(inference.knockoffs(Z, target, 0.2, seed=0).selected)


def test_a_wrong_size_is_found():
    counts = np.random.default_rng(4).negative_binomial(3, 0.4, 4000)
    first, _ = inference.thin(counts, "poisson")
    with pytest.warns(UserWarning, match="overdispersed"):
        assert first.check(np.full(4000, 4.5)) > 0.3


def test_offsets_make_means_the_same():
    y = np.random.default_rng(0).poisson(np.exp(1.0 + 0.3 * X[:, 0]))
    base = 0.1 * X[:, 1]
    first, second = inference.thin(y, "poisson", share=0.25, offset=base)
    assert first.options["offset"] == pytest.approx(base + np.log(0.25))
    assert second.options["offset"] == pytest.approx(base + np.log(0.75))
    fit = ss.path(X[:, [0]], second.y, lambdas=[0.0], **second.options)
    assert abs(fit.intercepts[0] - 1.0) < 0.4


# Knockoffs.


@pytest.mark.parametrize("construct", ["mvr", "equi"])
def test_fixed_copies_have_the_inner_products(construct):
    Z = np.random.default_rng(0).normal(size=(180, 60)) @ np.linalg.cholesky(AR).T
    others = np.column_stack([np.ones(180), np.random.default_rng(2).normal(size=180)])
    A, draw = fixed_copies(Z, others, construct)
    K, G = draw(np.random.default_rng(1)), A.T @ A
    s = distances(G, construct)
    assert np.abs(K.T @ K - G).max() < 1e-13 and np.abs(A.T @ K - G + np.diag(s)).max() < 1e-13
    assert np.abs(others.T @ np.column_stack([A, K])).max() < 1e-12


def test_mvr_is_feasible_and_stationary():
    s = distances(AR)
    assert np.linalg.eigvalsh(2 * AR - np.diag(s))[0] > 0 and (s > 0).all()
    P = np.linalg.inv(2 * AR - np.diag(s))  # d/ds_j: -1/s_j^2 + |P e_j|^2
    assert (P * P).sum(axis=0) == pytest.approx(1 / s**2, rel=1e-4)
    assert distances(np.eye(3)) == pytest.approx(np.ones(3), rel=1e-5)


def test_model_copies_have_the_joint_covariance():
    S, n = AR[:5, :5], 200_000
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(n, 5)) @ np.linalg.cholesky(S).T
    s = distances(S)
    K = model_copies(Z, S, s)(rng)
    assert np.abs(K.T @ K / n - S).max() < 0.02
    assert np.abs(Z.T @ K / n - S + np.diag(s)).max() < 0.02


def test_ledoit_wolf_is_that_of_scikit_learn():
    covariance = pytest.importorskip("sklearn.covariance")
    Z = (X - X.mean(0)) / X.std(0)
    S, share = ledoit_wolf(Z)
    expected, shrinkage = covariance.ledoit_wolf(Z, assume_centered=True)
    assert S == pytest.approx(expected) and share == pytest.approx(shrinkage)


def test_thresholds_are_those_of_r():
    W = np.array([3, 2.5, 2, -1.5, 1.2, 1, 0.8, -0.5, 0.4, 0])
    assert _threshold(W, 0.3) == np.inf  # knockoff.threshold of R; without the 1 it is 0.4
    more = np.append(W, [2.2, 2.1, 1.9, 1.8])
    passing = [t for t in np.abs(more) if t > 0
               and (1 + (more <= -t).sum()) / max(1, (more >= t).sum()) <= 0.3]  # fmt: skip
    assert _threshold(more, 0.3) == min(passing) < np.inf
    q = q_values_of(W)
    for fdr in (0.2, 0.3, 0.34, 0.4, 0.5, 0.6):
        assert np.array_equal(np.flatnonzero(q <= fdr), np.flatnonzero(W >= _threshold(W, fdr)))


def test_false_discovery_rate():
    """At .1 and .2, within two standard errors; benchmarks/inference/knockoffs.py has more."""
    false, stricter, power = [], [], []
    for seed in range(12):
        rng = np.random.default_rng([12, seed])
        Z = rng.normal(size=(150, 30)) @ np.linalg.cholesky(AR[:30, :30]).T
        y = Z[:, ::3] @ np.resize([0.6, -0.6], 10) + rng.normal(size=150)
        found = inference.knockoffs(Z, y, 0.2, seed=seed, n_folds=4, n_lambdas=30)
        few = np.flatnonzero(found.q_values <= 0.1)
        stricter.append((few % 3 != 0).sum() / max(1, len(few)))
        chosen = found.selected
        hits = (chosen % 3 == 0).sum()
        false.append((len(chosen) - hits) / max(1, len(chosen)))
        power.append(hits / 10)
    for found, target in ((false, 0.2), (stricter, 0.1)):
        assert np.mean(found) < target + 2 * max(np.std(found), 0.1) / np.sqrt(12)
    assert np.mean(power) > 0.6


def test_knockoffs_say_what_they_found(tmp_path):
    Z = np.random.default_rng(1).normal(size=(150, 30))
    y = Z[:, :12] @ np.ones(12) + np.random.default_rng(2).normal(size=150)
    found = inference.knockoffs(Z, y, 0.2)
    again = inference.knockoffs(sparse.csc_array(Z), y, 0.2)
    assert np.array_equal(again.W, found.W)
    text = " ".join(str(found).split())
    assert "the expected share of false ones among them is at most 0.2" in text
    assert set(range(12)) <= set(found.selected) and found.to_frame()["selected"][:12].all()
    ss.save(found, tmp_path / "found.npz")
    assert str(ss.load(tmp_path / "found.npz")) == str(found)
    assert found.plot().get_ylabel() == "|W|"
    many = inference.knockoffs(Z, y, 0.2, draws=3)
    assert set(range(12)) <= set(many.selected) and np.isnan(many.threshold)
    none = inference.knockoffs(Z, np.random.default_rng(3).normal(size=150), 0.1)
    assert "at least 10 features must pass" in " ".join(str(none).split())
    entry = inference.knockoffs(Z, y, 0.2, covariance="fixed")
    assert entry.statistic == "entry" and set(range(12)) <= set(entry.selected)
    other = inference.knockoffs(Z * 3 + 1, (y > 0).astype(int), 0.3, family="binomial",
                                covariance=9 * np.eye(30), n_folds=3, n_lambdas=20)  # fmt: skip
    assert other.covariance_rule == "features are jointly normal with that covariance"


# The debiased lasso.


def test_with_many_rows_it_is_least_squares():
    w = np.linspace(0.5, 2.0, N)
    for options in ({}, {"weights": w}, {"intercept": False}, {"offset": np.sin(np.arange(N))}):
        table = inference.debiased(X, Y, level=0.9, **options)
        fit = ss.refit(ss.path(X, Y, lambdas=[0.0], **options), X, Y, 0.0, level=0.9)
        kept = fit.features >= 0
        assert table.estimates == pytest.approx(fit.estimates[kept], rel=1e-5, abs=1e-7)
        assert table.errors == pytest.approx(fit.errors[kept], rel=1e-6)


def test_numbers_of_lasso_proj():
    """The formula of hdi is this one without df: an estimate by hand, from the same z and b."""
    from sparsesolve.inference.desparsified import _corrected, _working
    from sparsesolve.results.fitted_data import FittedData

    Z, y = X[:40], Y[:40]
    fit = ss.path(Z, y, lambdas=[0.2])
    data, b = FittedData(fit, Z, y), fit.coef(0.2)
    work = _working(Z, b, fit.intercepts[0], data)
    estimates, factors, leakage, unit = _corrected(work, np.array([0, 7]))
    for k, j in enumerate((0, 7)):
        z, A = unit[:, k], Z - Z.mean(0)
        r = y - fit.predict(Z, 0.2)
        assert estimates[k] == pytest.approx(b[j] + z @ r / (z @ A[:, j]))
        assert factors[k] == pytest.approx(1 / abs(z @ A[:, j]))
        M = z @ (A / A.std(0))
        assert leakage[k] == pytest.approx(np.abs(np.delete(M, j)).max() / abs(M[j]))


@pytest.mark.parametrize("many", [True, False])
def test_nodewise_lassos_are_those_of_path(many):
    """With their gap, and the least lambda whose variance factor is within the bound."""
    A = np.asfortranarray(WIDE[:, :70])
    lams, n = np.geomspace(0.3, 0.06, 10), len(A)
    nodewise = Nodewise(A, many)
    for j in (0, 33, 69):
        z, expected, factors = nodewise.residual(j, lams, 1.25), None, []
        for lam in lams:
            fit = ss.path(A, A[:, j], lambdas=[lam], exclude=[j], intercept=False,
                          standardize=False, tol=1e-11)  # fmt: skip
            other = A[:, j] - fit.predict(A, lam)
            factors.append(other @ other / (other @ A[:, j]) ** 2)
            if factors[-1] > 1.25 * factors[0]:
                break
            expected, last = other, lam
        assert z == pytest.approx(expected, abs=2e-3) and last < lams[0]
        inner = np.delete(A.T @ z / n, j)
        assert np.abs(inner).max() < last * (1 + 1e-2)
        exact = nodewise.residual(j, lams[:1], 1.25)
        assert np.abs(np.delete(A.T @ exact / n, j)).max() < lams[0] * (1 + 1e-2)


def test_simultaneous_intervals_are_wider_and_stepdown_is_between():
    one = inference.debiased(X, Y, level=0.9)
    all_ = inference.debiased(X, Y, level=0.9, simultaneous=True)
    assert (all_.upper - all_.lower > 1.3 * (one.upper - one.lower)).all()
    assert (all_.p_values >= one.p_values - 1e-3).all()
    assert (all_.p_values <= one.adjusted("holm") + 0.05).all()


@pytest.mark.parametrize("family, y", [("binomial", YB), ("poisson", np.floor(np.exp(ETA / 2)))])
def test_debiased_glms(family, y):
    table = inference.debiased(X, y, [0, 1, 9], family=family, n_folds=4, n_lambdas=20)
    assert table.p_values[0] < 0.05 < table.p_values[2] and "optimistic" in str(table)


def test_names_of_features():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).add_prefix("f")
    table = inference.debiased(frame, Y, ["f3", "f0"])
    assert table.names == ["f3", "f0"] and table.features.tolist() == [3, 0]


@pytest.mark.parametrize("ask, words", [
    (lambda: inference.split(X, Y, lambda X, y, w: [99]), "from 0 to 23"),
    (lambda: inference.split(X, Y, share=0.0), "share"),
    (lambda: inference.thin(Y), "negative|whole|count|y holds"),
    (lambda: inference.thin(np.arange(5) + 0.5), "fractions"),
    (lambda: inference.thin(Y, "gaussian"), "sigma is not given"),
    (lambda: inference.thin(np.exp(Y), "gamma"), "shape is not given"),
    (lambda: inference.thin(YB, "binomial"), "yes or no"),
    (lambda: inference.thin(np.column_stack([YB, 1 - YB]), "binomial"), "1 trials"),
    (lambda: inference.thin(np.ones((5, 2)), "cox"), "inference.split"),
    (lambda: inference.thin(np.arange(6) % 3, "multinomial"), "inference.split"),
    (lambda: inference.thin(np.arange(6), "negative_binomial"), "takes a parameter"),
    (lambda: inference.thin(np.arange(6), share=1.0), "share"),
    (lambda: inference.split(X, np.arange(N) % 3, family="multinomial"), "choose= may choose"),
    *((lambda ask=ask: ask(np.where(X == X[3, 4], np.nan, X), Y), "nan at row 3, column 4")
      for ask in (inference.split, inference.knockoffs, inference.debiased)),
    (lambda: inference.debiased(np.column_stack([X, np.ones(N)]), Y, [24]), "is constant"),
    (lambda: inference.debiased(X, Y, family="huber"), "knockoffs takes every family"),
    (lambda: inference.debiased(X, Y, penalty="mcp"), "split holds for it"),
    (lambda: inference.split(X, Y, level=0.0), "level"),
    (lambda: inference.knockoffs(np.column_stack([X, X[:, 0] + X[:, 1]]), Y, covariance="fixed"),
     "least eigenvalue.*combinations"),
    (lambda: inference.knockoffs(X, Y, 1.5), "fdr"),
    (lambda: inference.knockoffs(np.column_stack([X, np.ones(N)]), Y), "'x24' is constant"),
    (lambda: inference.knockoffs(X, Y, covariance=np.ones((P, P))), "not positive definite"),
    (lambda: inference.knockoffs(X, Y, covariance=np.eye(3)), "symmetric"),
    (lambda: inference.knockoffs(X[:29], Y[:29], covariance="fixed"), "49 rows, or 30"),
    (lambda: inference.knockoffs(X, Y, covariance="fixed", statistic="difference"), "entry"),
    (lambda: inference.knockoffs(X, YB, family="binomial", statistic="entry"), "gaussian"),
    (lambda: inference.knockoffs(X, Y, exclude=[1]), "come in pairs"),
    (lambda: inference.knockoffs(X, Y, penalty_factor=np.zeros(P)), "nothing to test"),
    (lambda: inference.knockoffs(X, Y, penalty_factor=[np.inf] * P), "holds inf|nothing|inf"),
    (lambda: inference.knockoffs(np.column_stack([X, X[:, 0] - X[:, 1]]), Y, penalty_factor=[
        0.0, 0.0, *[1.0] * (P - 1)]), "'x24' is a combination of the covariates"),
    (lambda: inference.knockoffs(np.column_stack([X, X[:, 0]]), Y, penalty_factor=[
        0.0, *[1.0] * P], covariance="fixed"), "'x24' is a combination of the covariates"),
    (lambda: inference.knockoffs(X, Y, covariance="fixed", weights=np.arange(N) + 1.0),
     "equal weight"),
    (lambda: inference.debiased(X, np.column_stack([np.exp(Y), YB]), family="cox"), "split"),
    (lambda: inference.debiased(X, Y, ["zz"]), "not a column"),
    (lambda: inference.debiased(X, Y, [24]), "from 0 to 23"),
    (lambda: inference.debiased(X, YB, [0], family="binomial", sigma=1.0), "knows its own"),
])  # fmt: skip
def test_refusals(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_columns_of_few_values_are_named():
    with pytest.warns(UserWarning, match="'x0', 'x1'.*few different values"):
        inference.knockoffs(np.column_stack([X[:, :2] > 0, X]).astype(float), Y, n_folds=3,
                            n_lambdas=5)  # fmt: skip


TOGETHER = {"n_folds": 4, "tol": 1e-11}


@pytest.mark.parametrize("options", [
    TOGETHER, {**TOGETHER, "intercept": False}, {"covariance": "fixed"}, {"statistic": "entry"},
    {**TOGETHER, "covariance": np.eye(P) + 0.16}, {**TOGETHER, "weights": np.linspace(1, 2, N)},
])  # fmt: skip
def test_covariates_are_not_tested_and_features_are_tested_given_them(options):
    """What covariates explain of the features has no effect on the statistics."""
    factor = [0.0, 0.0, *[1.0] * (P - 2)]
    Z = X.copy()
    Z[:, 0] = X[:, 0] > 0  # one with two values, of which no law is asked
    found = inference.knockoffs(Z, Y, 0.5, penalty_factor=factor, **options)
    assert np.isnan(found.W[:2]).all() and (found.q_values[:2] == 1.0).all()
    assert "None of 22" in str(found) or "of 22 features" in str(found)
    assert "given 2 covariates" in found.covariance_rule
    if not np.ndim(options.get("covariance", 0.0)):
        moved = Z.copy()
        moved[:, 2:] += Z[:, :2] @ np.random.default_rng(0).normal(size=(2, P - 2))
        again = inference.knockoffs(moved, Y, 0.5, penalty_factor=factor, **options)
        assert again.W[2:] == pytest.approx(found.W[2:], abs=1e-6)


def test_fixed_knockoffs_of_few_rows_add_some():
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(60, 40))
    y = Z[:, :8] @ np.full(8, 2.0) + rng.normal(size=60)
    found = inference.knockoffs(Z, y, 0.2, covariance="fixed")
    assert "21 were added" in found.covariance_rule and set(range(8)) <= set(found.selected)


def test_levels_of_categories_have_their_rows():
    """All levels stand in an encoded table: carve gives intervals of those chosen."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X[:, 0], "c": np.where(X[:, 1] > 0, "u", np.where(
        X[:, 2] > 0, "v", "w"))})  # fmt: skip
    table = inference.carve(ss.make_design(frame), Y, 0.02, sigma=1.0)
    assert set(table.names) <= {"a", "c=u", "c=v", "c=w"} and len(table.names) >= 2
    with pytest.raises(ValueError, match="'c=w' is a combination .* one level of a category"):
        inference.debiased(ss.make_design(frame), Y)
    with pytest.warns(UserWarning, match="'c=u', 'c=v', 'c=w' have few different values"):
        inference.knockoffs(ss.make_design(frame), Y, 0.5, n_folds=3, n_lambdas=5)


def test_a_covariance_has_any_unit_and_few_rows_are_shrunk():
    S, unit = np.eye(P) + 0.16, np.linspace(0.1, 5.0, P)
    one = inference.knockoffs(X, Y, covariance=S, n_folds=3, n_lambdas=20)
    two = inference.knockoffs(X * unit, Y, covariance=S * np.outer(unit, unit), n_folds=3,
                              n_lambdas=20)  # fmt: skip
    assert two.W == pytest.approx(one.W, abs=1e-6)
    few = inference.knockoffs(X[:20], Y[:20], n_folds=3, n_lambdas=5)
    share = few.covariance_rule.split("Wolf, ")[1].split(" %")[0]
    assert float(share) > 20 and "must pass together" in str(few)


FEW = {"n_folds": 3, "n_lambdas": 20, "tol": 1e-10}


@pytest.mark.parametrize("ask", [
    lambda y, **o: inference.carve(X, y, 0.1, **o),
    lambda y, **o: inference.carve(X, y, **o),
    lambda y, **o: inference.split(X, y, n_splits=2, n_lambdas=20, tol=1e-10, **o),
    lambda y, **o: inference.debiased(X, y, **o),
    lambda y, **o: inference.debiased(X[:30], y[:30], [0, 3], **FEW, **{
        name: value[:30] for name, value in o.items()}),
    lambda y, **o: inference.knockoffs(X, y, alpha=0.7, **FEW, **o),
    lambda y, **o: inference.knockoffs(X, y, statistic="entry", **o),
    lambda y, **o: inference.knockoffs(X, y, covariance="fixed", **o),
])  # fmt: skip
def test_an_offset_of_gaussian_is_taken_from_y(ask):
    offset = np.sin(np.arange(N)) + 2.0 * X[:, 3]
    one, two = ask(Y, offset=offset), ask(Y - offset)
    name = "W" if hasattr(one, "W") else "p_values"
    assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-5, abs=1e-7)


def test_strata_of_knockoffs_have_their_own_level():
    y, strata = np.column_stack([np.exp(-Y), YB]), np.arange(N) % 3
    given = {"family": families.cox(strata=strata), **FEW}
    one = inference.knockoffs(X, y, **given)
    two = inference.knockoffs(X, y, offset=2.0 * strata, **given)
    assert one.W == pytest.approx(two.W, abs=1e-5) and (one.W > 0.0).any()


def test_weights_of_splits_and_debiased_count_rows_or_are_precisions():
    """Precisions of one size do not matter for gaussian; counts of two halve variances."""
    two = np.full(N, 2.0)
    one, other = inference.debiased(X, Y), inference.debiased(X, Y, weights=two)
    assert other.errors == pytest.approx(one.errors)

    def choose(columns, response, weights):
        return [0, 1]

    tables = [inference.split(X, YB, choose, n_splits=1, family="binomial", weights=w)
              for w in (None, two)]  # fmt: skip
    assert tables[1].errors * np.sqrt(2.0) == pytest.approx(tables[0].errors, rel=1e-5)


def test_splits_at_the_same_time_are_those_one_after_the_other():
    one, two = (inference.split(X, Y, n_splits=6, n_lambdas=15, n_jobs=k) for k in (1, 2))
    assert np.array_equal(one.p_values, two.p_values)


def test_debiased_tables_tell_a_wrong_noise_level_and_overdispersion():
    table = inference.debiased(X, Y, [0], sigma=0.4)
    assert "times the variance with this sigma" in " ".join(str(table).split())
    assert "times" not in str(inference.debiased(X, Y, [0], sigma=1.0))
    rng = np.random.default_rng(3)
    mixed = rng.poisson(np.exp(1 + ETA / 2) * rng.gamma(0.5, 2.0, N))
    for y, told in ((mixed, True), (rng.poisson(np.exp(1 + ETA / 2)), False)):
        table = inference.debiased(X, y, [0], family="poisson", n_folds=4, n_lambdas=20)
        assert ("of the poisson family" in " ".join(str(table).split())) == told


@pytest.mark.parametrize("ask", [
    lambda X, **o: inference.split(X, Y, n_splits=2, n_lambdas=20, **o),
    lambda X, **o: inference.knockoffs(X, Y, 0.3, n_folds=3, n_lambdas=20, **o),
    lambda X, **o: inference.debiased(X, Y, **o),
    lambda X, **o: inference.debiased(X[:40], Y[:40], features=range(3), n_folds=3, **o),
])  # fmt: skip
def test_sparse_dense_and_frames_are_the_same(ask):
    pandas = pytest.importorskip("pandas")
    thin = X * (np.abs(X) > 0.3)
    tables = [ask(kind(thin)) for kind in (np.asarray, sparse.csr_array, pandas.DataFrame)]
    for name in ("estimates", "p_values") if hasattr(tables[0], "estimates") else ("W",):
        first, *others = (getattr(table, name) for table in tables)
        for other in others:
            assert other == pytest.approx(first, rel=1e-6, abs=1e-9, nan_ok=True)
    assert [name.removeprefix("x") for name in tables[0].names] == tables[2].names


@pytest.mark.parametrize("options", [
    {"family": "cox"}, {"family": "binomial", "offset": np.sin(np.arange(N))},
    {"family": "poisson", "offset": np.sin(np.arange(N))}, {"alpha": 0.5}, {"lower": 0.0},
    {"penalty_factor": [0.0, *[1.0] * (P - 1)]}, {"weights": np.linspace(1.0, 3.0, N)},
    {"family": families.cox(strata=np.arange(N) % 2)},
    {"penalty": ss.penalties.GroupL2(np.arange(P) // 2)},
])  # fmt: skip
def test_options_of_path_reach_every_split_and_its_refit(options):
    """The second half is refitted with the family, offset and weights, by hand the same."""
    name = str(options.get("family", "gaussian"))
    y = {"binomial": YB, "poisson": np.floor(np.exp(ETA / 2))}.get(
        name, np.column_stack([np.exp(-Y), YB]) if "cox" in name else Y)  # fmt: skip
    seen = []

    def choose(columns, response, weights):
        seen.append(weights > 0)
        return [0, 1]

    table = inference.split(X, y, choose, n_splits=1, **options)
    given = {key: value for key, value in options.items()
             if key in ("family", "offset", "weights")}  # fmt: skip
    given["weights"] = np.asarray(given.get("weights", np.ones(N))) * ~seen[0]
    fit = ss.path(X[:, :2], y, lambdas=[0.0], **given)
    other = ss.refit(fit, X[:, :2], y, 0.0)
    kept = other.features >= 0
    assert table.p_values == pytest.approx(other.p_values[kept], rel=1e-5)
    own = inference.split(X, y, n_splits=1, n_lambdas=20, **options)
    assert own.method == "split" and (options.get("lower") is None or len(own.names) <= 4)
    if "penalty" in options:
        assert set(own.features ^ 1) == set(own.features)  # whole pairs


def test_rows_of_weight_zero_are_absent():
    w = (np.arange(N) % 5 > 0).astype(float)
    kept = w > 0
    for family, y, lam in (("gaussian", Y, 0.2), ("binomial", YB, 0.08)):
        given = {"sigma": 1.0} if family == "gaussian" else {}
        one = inference.selective(ss.path(X, y, family=family, weights=w), X, y, lam, **given)
        two = inference.selective(ss.path(X[kept], y[kept], family=family), X[kept], y[kept], lam,
                                  **given)  # fmt: skip
        assert one.p_values == pytest.approx(two.p_values, rel=1e-5)
    fixed = inference.debiased(X, Y, weights=w)
    assert fixed.p_values == pytest.approx(inference.debiased(X[kept], Y[kept]).p_values)
