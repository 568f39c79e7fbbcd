"""Selective inference, carving: R's numbers, the line oracle, invariance, refusals."""

import numpy as np
import pytest
from scipy import special, stats

import sparsesolve as ss
from sparsesolve import inference
from sparsesolve.data import read_design
from sparsesolve.inference.carving import carved
from sparsesolve.inference.event import Selection, _third, certified, without_intercept
from sparsesolve.inference.polyhedral import limits, noise_level
from sparsesolve.inference.truncated import Truncated, intervals, p_values
from sparsesolve.selection.information import inverse

rng = np.random.default_rng(0)
N, P = 100, 40
L = np.linalg.cholesky(0.5 ** np.abs(np.subtract.outer(np.arange(P), np.arange(P))))
X = rng.normal(size=(N, P)) @ L.T
X -= X.mean(0)
X = X.round(6)
ETA = X[:, 0] - 0.7 * X[:, 1] + 0.5 * X[:, 5]
Y = (ETA + rng.normal(size=N)).round(6)
YB = (rng.random(N) < 1 / (1 + np.exp(-1.5 * ETA))).astype(int)
M = read_design(X)[0]
# selectiveInference 1.2.5, with p to 60 digits: one-sided there, two-sided here.
R = [
    (0, 1.04153316, 1.18332819535e-13, 0.83288000, 1.25935898, 0.3948557, 1.3960031),
    (1, -0.57730788, 7.2261131e-4, -1.10544791, -0.31973269, -0.7096155, -0.2163995),
    (5, 0.49958371, 8.0284188e-5, 0.30618335, 0.71923305, 0.1685276, 0.7287582),
    (12, 0.28865990, 3.2079990e-2, 0.03758110, 0.45416631, 0.1656788, 0.5474893),
    (30, -0.15052068, 5.2865775e-1, -0.28337832, 0.70168230, -0.6612779, -0.1140619),
]


def test_numbers_of_r():
    fit = ss.path(X, Y, lambdas=[0.16], standardize=False)
    table = inference.selective(fit, X, Y, 0.16, sigma=1.0, level=0.9)
    assert table.event == "certified" and table.features.tolist() == [0, 1, 2, 5, 9, 12, 30]
    for j, estimate, p, *rest in R:
        k = table.features.tolist().index(j)
        two_sided = 2 * min(p, 1 - p)
        found = [table.lower[k], table.upper[k], *table.truncation[k]]
        assert table.p_values[k] == pytest.approx(two_sided, rel=1e-7)
        assert table.estimates[k] == pytest.approx(estimate, abs=1e-8)
        assert found == pytest.approx(rest, abs=1e-7)


def test_numbers_of_r_with_the_information_at_the_lasso():
    fit = ss.path(X, YB, family="binomial", lambdas=[0.05], standardize=False, tol=1e-12)
    one = Selection(fit, 0, M, YB)
    J, q = one.information(one.eta), len(one.support)
    step = inverse(J) @ (one.data.total * (one.columns[0].T @ one.data.loss.at(one.eta)[1]))
    H, power = without_intercept(J, q), one.columns[1]
    beta = np.ldexp(one.b[one.support], power) + step[-q:]
    C = inverse(H)
    law = Truncated(beta, np.diag(C), *limits(C, beta, *one.rows(H)))
    tail = special.expit(-one.signs * law.logit(np.zeros(q))[0])
    found = {j: (b, p) for j, b, p in zip(one.support, np.ldexp(beta, -power), tail, strict=True)}
    for j, b, p in ((0, 0.8611838, 3.43272e-2), (1, -0.8105803, 2.24042e-2),
                    (7, 0.9554629, 5.50679e-3)):  # fmt: skip
        assert found[j] == pytest.approx((b, p), rel=1e-5)


def test_numbers_of_lassoinf():
    """It takes the covariance of all rows to be a share of that of the selecting rows."""
    fit = ss.path(X, Y, lambdas=[0.16], standardize=False, weights=np.arange(N) % 5 != 0)
    one = Selection(fit, 0, M, Y)
    C1, power = inverse(one.between()), one.columns[1]
    A = np.column_stack([np.ones(N), X[:, one.support]])
    beta = np.ldexp(np.linalg.lstsq(A, Y, rcond=None)[0][1:], power)
    law = carved(beta, 0.8 * C1, one.unpenalised[1], C1, *one.event())
    lower, upper = (np.ldexp(end, -power) for end in intervals(law, 0.9))
    p, at = p_values(law), one.support.tolist().index
    assert [p[at(0)], lower[at(0)], upper[at(0)]] == pytest.approx(
        [3.720272e-9, 0.827155751, 1.304641922], rel=1e-6)  # fmt: skip
    assert [p[at(1)], lower[at(1)], upper[at(1)]] == pytest.approx(
        [0.003612773, -0.982402402, -0.285288593], rel=1e-6)  # fmt: skip
    assert [p[at(5)], lower[at(5)], upper[at(5)]] == pytest.approx(
        [4.347657e-4, 0.270809531, 0.691050491], rel=1e-6)  # fmt: skip


@pytest.mark.parametrize("options", [
    {}, {"alpha": 0.6}, {"standardize": False}, {"lower": 0.0}, {"intercept": False},
    {"penalty_factor": [0.0, 3.0, *[1.0] * (P - 2)]},
    {"weights": np.linspace(0.5, 2.0, N)}, {"offset": np.sin(np.arange(N))},
])  # fmt: skip
def test_the_line_oracle(options):
    """Along y(t) the estimate is t: active set and signs are the same inside the limits alone."""
    lam, w = 0.2, np.asarray(options.get("weights", np.ones(N)))
    fit = ss.path(X, Y, lambdas=[lam], **options)
    table = inference.selective(fit, X, Y, lam, sigma=1.0)
    E = table.features
    A = X[:, E] if options.get("intercept") is False else np.column_stack([np.ones(N), X[:, E]])
    G = np.linalg.inv(A.T @ (w[:, None] * A))
    given = {"tol": 1e-14, "lambdas": [lam], **options}
    for k in range(len(E)):
        row = G[len(A.T) - len(E) + k] @ (A.T * w)  # estimate = row @ (y - offset)
        direction = row / w / (row @ (row / w))
        assert row @ (Y - options.get("offset", 0.0)) == pytest.approx(table.estimates[k])
        for end, side in zip(table.truncation[k], (-1.0, 1.0), strict=True):
            for inside in (1e-4, -1e-4):
                if np.isinf(end):
                    continue
                t = end - side * inside
                there = ss.path(X, Y + (t - table.estimates[k]) * direction, **given)
                b = there.coef(lam)[E]
                penalised = np.ones(P) if "penalty_factor" not in options else np.sign(
                    options["penalty_factor"])  # fmt: skip
                same = (np.sign(b) == np.sign(fit.coef(lam)[E]))[penalised[E] > 0]
                assert same.all() == (inside > 0)


@pytest.mark.parametrize("family, y", [
    ("gaussian", Y), ("binomial", YB), ("poisson", np.floor(np.exp(ETA))),
    ("cox", np.column_stack([np.exp(-Y), YB])), ("probit", YB), ("cloglog", YB),
    ("negative_binomial(2)", np.floor(np.exp(ETA))),
])  # fmt: skip
def test_a_loose_fit_is_solved_again_and_every_gap_certifies(family, y):
    fit = ss.path(X, y, family=family, n_lambdas=12)
    lam = fit.lambdas[4]
    loose = ss.path(X, y, family=family, lambdas=[lam], tol=1e-2)
    one = Selection(loose, 0, M, y)
    exact = certified(loose, lam, M, y)
    truth = ss.path(X, y, family=family, lambdas=[lam], tol=1e-13)
    object.__setattr__(one, "gap", 1e-2)
    assert one.doubts() and not exact.doubts()
    assert np.array_equal(np.sign(exact.b), np.sign(truth.coef(lam)))
    q, _ = exact._radius()  # the bound holds for the distance to the solution
    step = np.ldexp((exact.b - truth.coef(lam))[exact.support], exact.columns[1])
    H = without_intercept(exact.information(exact.eta), len(step)) / exact.data.total
    assert np.sqrt(step @ H @ step) <= q * (1 + 1e-6)


SLOPES = [  # f' of one row, as a function of its predictor
    ("gaussian", lambda x: x - 1.0), ("binomial", special.expit), ("poisson", np.exp),
    ("cox", np.tanh), ("negative_binomial(2)", lambda x: 2.0 * np.exp(x) / (2.0 + np.exp(x))),
    ("probit", lambda x: -np.exp(stats.norm.logpdf(x) - special.log_ndtr(x))),
    ("cloglog", np.exp), ("cloglog", lambda x: -np.exp(x) / np.expm1(np.exp(x))),
]  # fmt: skip


@pytest.mark.parametrize("family, slope", SLOPES)
def test_third_derivatives_are_within_their_bound(family, slope):
    """By differences, for the largest of several predictors and up to 1 from it."""
    h = 1e-3
    for eta in np.linspace(-5.0, 5.0, 11):
        x = eta + np.linspace(-1.0, 1.0, 21)
        before, at, after = slope(x - h), slope(x), slope(x + h)
        second, third = (after - before) / (2.0 * h), (after - 2.0 * at + before) / h**2
        bound = _third(family, np.array([0.0, eta]))
        assert (np.abs(third) <= bound * second * (1.0 + 1e-4) + 1e-8).all(), eta


def test_what_is_in_doubt_is_named():
    first = ss.lars_path(X, Y).lambdas[3]  # a knot, where a feature meets its threshold
    with pytest.raises(ValueError, match=r"not certain, in spite of a gap.*: 'x\d+' \("):
        inference.selective(ss.path(X, Y), X, Y, first, sigma=1.0)


def test_units_signs_order_rows_and_kinds_of_matrices():
    from scipy import sparse

    table = inference.carve(X, Y, 0.2, sigma=1.0)
    unit = np.where(np.arange(P) % 2 == 0, -8.0, 0.25)
    other = inference.carve(X * unit + 3.0, 4.0 * Y - 1.0, 0.8, sigma=4.0)
    scale = 4.0 / unit[table.features]
    ends = np.sort([other.lower, other.upper], axis=0)
    assert other.p_values == pytest.approx(table.p_values, rel=1e-6)
    assert ends == pytest.approx(np.sort([table.lower * scale, table.upper * scale], axis=0))
    order = np.random.default_rng(1).permutation(P)
    moved = inference.carve(X[:, order], Y, 0.2, sigma=1.0)
    assert np.sort(moved.p_values) == pytest.approx(np.sort(table.p_values))
    thin = inference.carve(sparse.csc_array(X), Y, 0.2, sigma=1.0)
    assert thin.lower == pytest.approx(table.lower) and thin.names == table.names
    pandas = pytest.importorskip("pandas")
    named = inference.carve(pandas.DataFrame(X).add_prefix("f"), Y, 0.2, sigma=1.0)
    assert named.names == [f"f{j}" for j in table.features]


def test_a_carved_lasso_takes_the_lambda_of_noise_by_default():
    """The mean of the largest correlation with noise, of half the rows, whichever they are."""
    found = inference.carve(X, Y, sigma=2.0, share=0.5, seed=0).lam
    draws = np.random.default_rng(3)

    def largest():
        rows = draws.permutation(N)[: N // 2]
        noise, Z = 2.0 * draws.normal(size=N // 2), X[rows] - X[rows].mean(axis=0)
        return np.abs(Z.T @ (noise - noise.mean()) / Z.std(axis=0)).max() / (N // 2)

    assert found == pytest.approx(np.mean([largest() for _ in range(2000)]), rel=0.07)


def test_weights_count_rows():
    twice = np.repeat(np.arange(N), 1 + (np.arange(N) % 2))
    weights = 1.0 + (np.arange(N) % 2)
    for family, y in (("binomial", YB), ("poisson", np.floor(np.exp(ETA)))):
        lam = 0.07 if family == "binomial" else 0.3
        one = inference.selective(ss.path(X[twice], y[twice], family=family), X[twice], y[twice],
                                  lam)  # fmt: skip
        two = inference.selective(ss.path(X, y, family=family, weights=weights), X, y, lam)
        assert two.p_values == pytest.approx(one.p_values, rel=1e-4)
        assert two.errors == pytest.approx(one.errors, rel=1e-4)


def test_strata_and_offsets():
    y, strata = np.column_stack([np.exp(-Y), YB]), np.arange(N) % 3
    family = ss.families.cox(strata=strata)
    offset = np.sin(np.arange(N))
    table = inference.carve(X, y, 0.15, family=family, offset=offset)
    assert len(table.names) and table.event == "certified"
    shifted = inference.carve(X + strata[:, None], y, 0.15, family=family, offset=offset + strata,
                              standardize=False)  # fmt: skip
    same = inference.carve(X, y, 0.15, family=family, offset=offset, standardize=False)
    assert shifted.p_values == pytest.approx(same.p_values, rel=1e-5)


def test_words_pictures_and_files(tmp_path):
    table = inference.carve(X, Y, 0.2, level=0.9)
    text = str(table)
    flat = " ".join(text.split())
    assert "Given that the lasso at lambda = 0.2 chose" in text and "80 % of the rows" in flat
    assert "with probability 90 %" in flat
    assert "sigma = " in text and "from the residuals of all features" in flat
    frame = table.to_frame()
    assert list(frame)[:2] == ["feature", "estimate"]
    ss.save(table, tmp_path / "table.npz")
    back = ss.load(tmp_path / "table.npz")
    assert str(back) == text and np.array_equal(back.truncation, table.truncation)
    ax = table.plot(ss.refit(ss.path(X, Y), X, Y, 0.2))
    assert len(ax.get_legend().get_texts()) == 2
    p = table.p_values
    holm, bh, by = (table.adjusted(method) for method in ("holm", "bh", "by"))
    assert holm == pytest.approx(stats_holm(p)) and (bh <= holm + 1e-15).all()
    assert bh == pytest.approx(stats.false_discovery_control(p)) and (by >= bh).all()


def stats_holm(p):
    order, found, worst = np.argsort(p), np.empty(len(p)), 0.0
    for k, j in enumerate(order):
        worst = max(worst, p[j] * (len(p) - k))
        found[j] = min(worst, 1.0)
    return found


def test_words_of_wrong_noise_and_overdispersion():
    table = inference.carve(X, Y, 0.2, sigma=0.5)
    assert "times the variance with this sigma" in str(table)
    counts = np.random.default_rng(1).poisson(np.exp(ETA) * np.random.default_rng(2).gamma(
        0.5, 2.0, N))  # fmt: skip
    table = inference.carve(X, counts, 0.5, family="poisson")
    assert "times the variance of the poisson family" in str(table)


def test_a_cross_validated_lambda_is_said_to_come_from_the_same_rows():
    cv = ss.cv_path(X, Y, seed=0)
    for s in (None, "lambda_min", cv.lambda_min):
        with pytest.warns(UserWarning, match="lambda came from the same rows"):
            table = inference.selective(cv, X, Y, s, sigma=1.0)
        assert "no theorem exists" in " ".join(str(table).split())


def test_nothing_chosen():
    noise = np.random.default_rng(5).normal(size=N)
    table = inference.carve(X, noise, 5.0)
    assert not table.names and "chose no feature" in str(table)


@pytest.mark.parametrize("ask, words", [
    (lambda: inference.selective(ss.path(X, Y), X, Y), "s is missing"),
    (lambda: inference.selective(ss.path(X, Y), X, Y, 9.0), "no feature is selected"),
    (lambda: inference.selective(ss.path(X, Y, upper=2.0), X, Y, 0.1), "limits other than 0"),
    (lambda: inference.selective(ss.path(X, Y, family="huber"), X, Y, 0.1), "choose=.*knockoffs"),
    (lambda: inference.selective(ss.path(X, Y, alpha=0), X, Y, 0.1), "selects nothing"),
    (lambda: inference.selective(ss.path(X, Y), X[::-1], Y, 0.1), "not that of the fit"),
    (lambda: inference.selective(ss.lars_path(X, Y, method="lar"), X, Y, 0.1), "not of the lasso"),
    *((lambda family=family, y=y: inference.carve(X, y, 0.05, family=family),
       rf"family {family}.* is not a polyhedron; .*knockoffs takes every family")
      for family, y in (("multinomial", np.arange(N) % 3), ("hinge", YB), ("quantile", Y))),
    *((lambda penalty=penalty: inference.carve(X, Y, 0.05, penalty=penalty),
       "is not a polyhedron; inference.split holds for it")
      for penalty in ("mcp", "scad", ss.penalties.GroupL2(np.arange(P) // 2),
                      ss.penalties.Slope(np.linspace(2, 1, P)), ss.penalties.TotalVariation())),
    (lambda: inference.selective(ss.path(X, Y, penalty="mcp"), X, Y, 0.05),
     "is not a polyhedron; inference.split holds for it"),
    (lambda: inference.carve(X, Y, 0.1, lower=-1.0), "limits other than 0"),
    (lambda: inference.carve(np.column_stack([X, X[:, 0]]), Y, 0.1, sigma=1.0),
     "collinear: 'x40' is a combination of 'x0'|not certain.*'x40'"),  # as rounding has it
    (lambda: inference.carve(X[:30], Y[:30], 0.001, sigma=1.0), "of 24 rows; choose another"),
    (lambda: inference.selective(ss.path(X[:12], Y[:12]), X[:12], Y[:12], 0.3), "give sigma="),
    (lambda: inference.carve(np.where(X == X[3, 4], np.nan, X), Y), "nan at row 3, column 4"),
    (lambda: inference.carve(X, Y, level=1.0), "level"),
    (lambda: inference.carve(X, Y, 0.1, sigma=0.0), "sigma"),
    (lambda: inference.carve(X, Y, share=1.0), "share"),
    (lambda: inference.carve(X, Y, lambdas=[0.1]), "give lam="),
    (lambda: inference.carve(X, YB, family="binomial", sigma=1.0), "knows its variance"),
    (lambda: inference.carve(X, Y, 0.02, share=0.8, sigma=1.0), "took no part"),
])  # fmt: skip
def test_refusals(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


@pytest.mark.parametrize("p", [10, 150])
def test_the_noise_level_is_that_of_all_columns_or_of_a_lasso(p):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, p))
    y = 4.0 * X[:, 0] + 2.0 * rng.normal(size=100)
    options = ss.path(X, y, n_lambdas=2).options | {"n_lambdas": 40}
    sigma, source = noise_level(X, y, options)
    assert 1.5 < sigma < 2.5 and ("all features" in source) == (p == 10)
