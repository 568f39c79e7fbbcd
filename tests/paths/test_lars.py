"""lars_path: every knot solves its problem, in all forms of data and with all options."""

import numpy as np
import oracle
import pytest
from random_sparse import random_csc
from scipy import sparse
from sklearn import linear_model

import sparsesolve as ss
from sparsesolve.paths import lars_path_gram


def made(n, p, seed=0, k=5):
    """A design that float32 holds exactly, and a response of a few of its columns with noise."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, p)) + 1.0).astype(np.float32).astype(float)
    return X, X[:, : min(k, p)].sum(axis=1) + rng.standard_normal(n)


SHAPES = [(40, 8), (20, 21), (12, 40), (1, 3), (2, 2), (5, 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_every_knot_and_midpoint_solves_the_lasso(shape, intercept, standardize):
    X, y = made(*shape)
    options = {"intercept": intercept, "standardize": standardize}
    fit = oracle.solved(ss.lars_path(X, y, **options), X, y, **options)
    first = oracle.lambda_max(X, y, **options)
    assert fit.lambdas[0] == pytest.approx(first, rel=1e-12, abs=1e-15)
    assert fit.lambdas[-1] == 0.0 and fit.df[0] == 0
    if shape[0] > 2:
        assert fit.stop_reason == "lambda = 0 was reached"
    assert fit.df.tolist() == [len(which) for which in fit.nonzero()]


@pytest.mark.parametrize("form", ["sparse", "single", "frame", "rows", "memmap", "integer"])
def test_the_form_of_the_data_changes_nothing(form, tmp_path):
    X, y = made(25, 40, seed=1)
    if form == "integer":
        X = np.round(3 * X)
    expected = ss.lars_path(X, y)
    if form == "frame":
        pandas = pytest.importorskip("pandas")
        given = pandas.DataFrame(X, columns=[f"f{j}" for j in range(40)])
    elif form == "memmap":
        given = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=X.shape)
        given[:] = X
    else:
        given = {"sparse": sparse.csr_array, "single": lambda X: X.astype(np.float32),
                 "rows": np.ascontiguousarray, "integer": lambda X: X.astype(np.int8)}[form](X)
    fit = ss.lars_path(given, y)
    assert fit.lambdas == pytest.approx(expected.lambdas, rel=1e-9, abs=1e-13)
    assert fit.coefs.toarray() == pytest.approx(expected.coefs.toarray(), rel=1e-8, abs=1e-10)
    assert (fit.feature_names is not None) == (form == "frame")


def test_sparse_columns_keep_to_their_storage():
    rng = np.random.default_rng(4)
    X = random_csc((60, 300), 0.05, rng)
    y = X @ rng.standard_normal(300) + 0.1 * rng.standard_normal(60)
    fit = oracle.solved(ss.lars_path(X, y, lambda_min=1e-3), X.toarray(), y)
    assert len(fit.lambdas) > 20


def test_weights_offset_and_penalty_factors():
    X, y = made(30, 12, seed=2)
    rng = np.random.default_rng(5)
    options = {"weights": rng.uniform(0.0, 2.0, 30) * (rng.random(30) > 0.2),
               "offset": rng.standard_normal(30), "penalty_factor": rng.uniform(0.3, 3.0, 12)}
    options["penalty_factor"][3] = np.inf
    fit = oracle.solved(ss.lars_path(X, y, **options), X, y, **options)
    assert 3 not in fit.nonzero(0.0)
    grid = ss.path(X, y, lambdas=fit.lambdas[1:6], tol=1e-14, **options)
    assert fit.coef(grid.lambdas) == pytest.approx(grid.coefs.toarray(), abs=1e-6)
    assert fit.null_deviance == pytest.approx(grid.null_deviance, rel=1e-12)
    assert fit.dev_ratio[1:6] == pytest.approx(grid.dev_ratio, rel=1e-6)


@pytest.mark.parametrize("shape", [(30, 8), (15, 40)], ids=str)
def test_positive_coefficients(shape):
    X, y = made(*shape, seed=3)
    y = y - 3 * X[:, 1]
    fit = ss.lars_path(X, y, positive=True)
    assert fit.coefs.data.min() > 0.0
    oracle.solved(fit, X, y, lower=0.0)
    assert ss.lars_path(X, -np.abs(X[:, 0]) - 9 * X[:, 0], positive=True).lambdas[0] >= 0.0


@pytest.mark.parametrize("ridge", [1e-3, 0.5])
@pytest.mark.parametrize("shape", [(30, 8), (15, 40)], ids=str)
def test_a_ridge_that_does_not_change_with_lambda(ridge, shape):
    X, y = made(*shape, seed=6)
    factors = np.random.default_rng(0).uniform(0.5, 2.0, shape[1])
    fit = ss.lars_path(X, y, ridge=ridge, penalty_factor=factors)
    assert not fit.status.any() and fit.df[-1] == shape[1]
    for lam in 0.5 * (fit.lambdas[1:] + fit.lambdas[:-1])[::7]:
        whole = lam + ridge
        gap = oracle.certificate(X, y, fit.intercept(lam), fit.coef(lam), whole,
                                 alpha=lam / whole, penalty_factor=factors)
        assert gap <= 1e-13


def test_least_angle_regression_keeps_what_joined():
    """A signal whose lasso path drops a feature; LAR's own conditions hold at every knot."""
    X, y = made(14, 60, seed=8)
    lasso, lar = ss.lars_path(X, y), ss.lars_path(X, y, method="lar")
    left, kept = ((np.diff((fit.coefs.toarray() != 0).astype(int), axis=1) < 0).any()
                  for fit in (lasso, lar))
    assert left and not kept
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for k, lam in enumerate(lar.lambdas):
        b = lar.coefs[:, [k]].toarray().ravel()
        c = Z.T @ (y - y.mean() - Z @ (b * X.std(axis=0))) / 14
        assert np.abs(c).max() <= lam + 1e-12
        assert np.abs(c[b != 0]) == pytest.approx(lam, abs=1e-12)
    assert lar.gaps.max() <= 1e-12


def test_without_standardising_the_columns_are_taken_as_they_are():
    X, y = made(30, 6, seed=10)
    X = X * np.geomspace(0.1, 100, 6)
    fit = ss.lars_path(X, y, intercept=False, standardize=False)
    lams, _, coefs = linear_model.lars_path(X, y, method="lasso")
    assert fit.lambdas == pytest.approx(lams, rel=1e-9, abs=1e-10 * lams[0])
    assert fit.coefs.toarray() == pytest.approx(coefs, rel=1e-8, abs=1e-10)


def test_long_paths_go_through_many_windows():
    """Enough features and knots that some join which no window foresaw."""
    rng = np.random.default_rng(12)
    X = rng.standard_normal((60, 900))
    y = X @ (rng.standard_normal(900) * (rng.random(900) < 0.05)) + rng.standard_normal(60)
    fit = ss.lars_path(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    B = fit.coefs.toarray() * X.std(axis=0)[:, None]
    C = Z.T @ ((y - y.mean())[:, None] - Z @ B) / 60
    on = B != 0
    assert (np.abs(C) - fit.lambdas).max() <= 1e-12 * fit.lambdas[0]
    assert np.abs(C - np.sign(B) * fit.lambdas)[on].max() <= 1e-12 * fit.lambdas[0]
    assert len(fit.lambdas) > 80 and fit.df[-1] == 59


def test_where_a_feature_leaves_its_coefficient_is_zero():
    ties = 0
    for seed in range(60):  # integers: one joins where another leaves, and neither is rounding
        rng = np.random.default_rng(seed)
        n, p = rng.integers(4, 15), rng.integers(3, 12)
        X, y = rng.integers(0, 2, size=(n, p)) * 1.0, rng.integers(-2, 3, n) * 1.0
        fit = ss.lars_path(X, y, intercept=False, standardize=False)
        sizes = np.abs(fit.coefs.data)
        ties += len(fit.lambdas) > 2
        assert not len(sizes) or sizes.min() > 1e-10
    assert ties > 30


def test_nothing_to_explain_and_nothing_to_explain_it_with():
    X, y = made(10, 4)
    for response in (np.zeros(10), np.full(10, 3.0)):
        fit = ss.lars_path(X, response)
        assert fit.lambdas.tolist() == [0.0] and not fit.status.any()
        assert fit.intercepts == pytest.approx(response[:1])
        assert fit.stop_reason == "no feature correlates with y"
    constant = ss.lars_path(np.ones((10, 3)), y)
    assert constant.df.tolist() == [0] and constant.predict(np.ones((2, 3))).shape == (2, 1)
    assert ss.lars_path(X, y, penalty_factor=np.full(4, np.inf)).df.tolist() == [0]


@pytest.mark.parametrize("power", [-500, -60, 60, 400])
def test_the_users_units_do_not_matter(power):
    X, y = made(20, 8, seed=14)
    plain, scaled = ss.lars_path(X, y), ss.lars_path(X, np.ldexp(y, power))
    assert np.array_equal(scaled.lambdas, np.ldexp(plain.lambdas, power))
    assert np.array_equal(scaled.coefs.toarray(), np.ldexp(plain.coefs.toarray(), power))
    scaled = ss.lars_path(np.ldexp(X, power), y)
    assert np.array_equal(scaled.lambdas, plain.lambdas)


class TestGram:
    """X'X and X'y in place of the data."""

    X, y = made(30, 12, seed=15)
    gram, xty, yty = X.T @ X, X.T @ y, y @ y
    direct = ss.lars_path(X, y, intercept=False, standardize=False)

    @pytest.mark.parametrize("yty", [None, yty])
    def test_the_path_is_that_of_the_data(self, yty):
        fit = lars_path_gram(self.gram, self.xty, 30, yty=yty)
        assert fit.lambdas == pytest.approx(self.direct.lambdas, rel=1e-8, abs=1e-11)
        assert fit.coefs.toarray() == pytest.approx(self.direct.coefs.toarray(), abs=1e-10)
        assert not fit.status.any() and (fit.gaps >= 0).all()
        if yty is None:
            assert np.isnan(fit.dev_ratio).all() and np.isnan(fit.null_deviance)
        else:
            assert fit.dev_ratio == pytest.approx(self.direct.dev_ratio, abs=1e-10)
            assert fit.null_deviance == pytest.approx(self.direct.null_deviance)

    @pytest.mark.parametrize(
        "options", [{"positive": True}, {"ridge": 0.3}, {"method": "lar"}, {"max_features": 4},
                    {"lambda_min": 0.1}, {"penalty_factor": np.arange(1.0, 13)}], ids=str
    )  # fmt: skip
    def test_options_mean_the_same(self, options):
        direct = ss.lars_path(self.X, self.y, intercept=False, standardize=False, **options)
        fit = lars_path_gram(self.gram, self.xty, 30, **options)
        assert fit.lambdas == pytest.approx(direct.lambdas, rel=1e-7, abs=1e-10)
        assert fit.stop_reason == direct.stop_reason
        assert fit.coefs.toarray() == pytest.approx(direct.coefs.toarray(), abs=1e-9)

    def test_scales_do_not_matter(self):
        fit = lars_path_gram(np.ldexp(self.gram, -200), np.ldexp(self.xty, -180), 30)
        lambdas = np.ldexp(self.direct.lambdas, -180)
        assert fit.lambdas == pytest.approx(lambdas, rel=1e-8, abs=1e-65)
        assert fit.coefs.toarray() == pytest.approx(np.ldexp(self.direct.coefs.toarray(), 20))

    def test_a_column_of_zeros_stays_out(self):
        gram, xty = np.pad(self.gram, (0, 1)), np.append(self.xty, 0.0)
        assert lars_path_gram(gram, xty, 30).df[-1] == 12
        assert lars_path_gram(np.zeros((2, 2)), np.zeros(2), 3, yty=1.0).df.tolist() == [0]

    def test_it_is_followed_on(self):
        short = lars_path_gram(self.gram, self.xty, 30, max_steps=3)
        assert short.coef(0.0, exact=True, X=self.gram, y=self.xty) == pytest.approx(
            self.direct.coef(0.0), abs=1e-10
        )
