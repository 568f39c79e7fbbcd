"""lars_path: knots solve their problems, in all forms of data, from X'X, with free columns."""

import numpy as np
import oracle
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import sparsesolve as ss
from sparsesolve import ConvergenceWarning
from sparsesolve.paths import lars_path_gram
from sparsesolve.paths.lars import read_moments
from sparsesolve.solvers.homotopy import path as homotopy_path


def made(n, p, seed=0, k=5):
    """A design that float32 holds exactly, and a response of a few of its columns with noise."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, p)) + 1.0).astype(np.float32).astype(float)
    return X, X[:, : min(k, p)].sum(axis=1) + rng.standard_normal(n)


SHAPES = [(40, 8), (20, 21), (12, 40), (1, 3), (2, 2), (5, 1)]


@pytest.mark.parametrize("shape, free", [
    *((shape, ()) for shape in SHAPES), *((shape, (0, 2)) for shape in [(40, 8), (12, 30), (6, 3)])
], ids=str)  # fmt: skip
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("standardize", [True, False])
def test_every_knot_and_midpoint_solves_the_lasso(shape, free, intercept, standardize):
    X, y = made(*shape)
    options = {"intercept": intercept, "standardize": standardize}
    if free:
        factors = np.random.default_rng(1).uniform(0.5, 2.0, shape[1])
        factors[list(free)] = 0.0
        options["penalty_factor"] = factors
    fit = oracle.solved(ss.lars_path(X, y, **options), X, y, **options)
    first = oracle.lambda_max(X, y, **options)
    assert fit.lambdas[0] == pytest.approx(first, rel=1e-12, abs=1e-15)
    assert fit.lambdas[-1] == 0.0 and fit.nonzero()[0].tolist() == list(free)
    if shape[0] > 2:
        assert fit.stop_reason == "lambda = 0 was reached"
    assert fit.df.tolist() == [len(which) for which in fit.nonzero()]


def test_weights_offset_and_penalty_factors():
    X, y = made(30, 12, seed=2)
    rng = np.random.default_rng(5)
    options = {"weights": rng.uniform(0.0, 2.0, 30) * (rng.random(30) > 0.2),
               "offset": rng.standard_normal(30), "penalty_factor": rng.uniform(0.3, 3.0, 12)}
    options["penalty_factor"][[0, 3, 5]] = 0.0, np.inf, 0.0
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
    factors = np.random.default_rng(0).uniform(0.5, 2.0, shape[1]) * (np.arange(shape[1]) % 4 > 0)
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
                    {"lambda_min": 0.1}, {"penalty_factor": np.r_[np.inf, 1.0:12]}], ids=str
    )  # fmt: skip
    def test_options_mean_the_same(self, options):
        direct = ss.lars_path(self.X, self.y, intercept=False, standardize=False, **options)
        fit = lars_path_gram(self.gram, self.xty, 30, **options)
        assert fit.lambdas == pytest.approx(direct.lambdas, rel=1e-7, abs=1e-10)
        assert fit.stop_reason == direct.stop_reason
        assert fit.coefs.toarray() == pytest.approx(direct.coefs.toarray(), abs=1e-9)

    def test_a_column_of_zeros_stays_out(self):
        gram, xty = np.pad(self.gram, (0, 1)), np.append(self.xty, 0.0)
        assert lars_path_gram(gram, xty, 30).df[-1] == 12
        assert lars_path_gram(np.zeros((2, 2)), np.zeros(2), 3, yty=1.0).df.tolist() == [0]

    def test_it_is_followed_on(self):
        short = lars_path_gram(self.gram, self.xty, 30, max_steps=3)
        assert short.coef(0.0, exact=True, X=self.gram, y=self.xty) == pytest.approx(
            self.direct.coef(0.0), abs=1e-10
        )


RNG = np.random.default_rng(4)
X = RNG.standard_normal((30, 4))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(30)


def test_no_data_no_certificate_at_lambda_0():
    """Two columns that are one cannot have different products with y."""
    with pytest.warns(ConvergenceWarning, match="gap is inf at lambda = 0"):
        fit = ss.paths.lars_path_gram(np.ones((2, 2)), [1.0, 0.5], 1)
    assert fit.gaps.tolist() == [0.0, np.inf]
    assert ss.paths.lars_path_gram(np.ones((2, 2)), [1.0, 1.0], 1).gaps.max() == 0.0


def test_the_columns_of_a_frame_keep_their_names():
    frame = pandas.DataFrame(X, columns=list("abcd"))
    fit = ss.paths.lars_path_gram(frame.T @ frame, frame.T @ Y, 30)
    assert fit.feature_names.tolist() == list("abcd")


@pytest.mark.parametrize("copies", [1, 40])
def test_dependent_columns_are_certified_however_many_there_are(copies):
    """1,200 columns of rank 30: those that are not active are added to the projection in turn."""
    low = RNG.standard_normal((60, 30))
    wide = np.repeat(low, 40, axis=1) if copies > 1 else low @ RNG.standard_normal((30, 1200))
    fit = ss.lars_path(wide, RNG.standard_normal(60))
    assert fit.lambdas[-1] == 0.0 and fit.gaps.max() <= 1e-12


@pytest.mark.parametrize("other", [(X, -Y), (X[:, ::-1], Y), (X, Y + 1.0)])
def test_a_path_goes_on_with_its_own_data_alone(other):
    fit = ss.lars_path(X, Y, max_steps=2)
    assert len(fit.extend(X, Y).lambdas) > 3
    with pytest.raises(ValueError, match="not the data of the fit"):
        fit.extend(*other)
    with pytest.raises(ValueError, match="not the data of the fit"):
        fit.coef(0.0, exact=True, X=other[0], y=other[1])


X_MOMENTS = np.array([[1.0, 2], [3, 4], [5, 7]])
Y_MOMENTS = np.array([1.0, 2, 4])
GRAM, XTY = X_MOMENTS.T @ X_MOMENTS, X_MOMENTS.T @ Y_MOMENTS


def test_without_the_square_of_y_one_column_bounds_it():
    known = read_moments(GRAM, XTY, 3, Y_MOMENTS @ Y_MOMENTS, None, False)[1]
    bound = read_moments(GRAM, XTY, 3, None, None, False)[1]
    size = [q.null_value * 4.0**q.exponent for q in (known, bound)]
    assert size[0] == pytest.approx(Y_MOMENTS @ Y_MOMENTS / 6) and size[1] <= size[0]


def test_sizes_beyond_floats_are_refused():
    with pytest.raises(ValueError, match="rescale"):
        read_moments(np.array([[1e-300]]), np.array([1e-300]), 1, 1e300, None, False)


@pytest.mark.parametrize("form", ["sparse", "windows", "gram"])
def test_sparse_columns_windows_and_gram_matrices(form, monkeypatch):
    X, y = made(25, 60, seed=4)
    X = X * (np.abs(X) > 1.5)
    options = {"intercept": False, "standardize": False, "penalty_factor": np.ones(60)}
    options["penalty_factor"][[5, 50]] = 0.0
    if form == "windows":
        monkeypatch.setattr(homotopy_path, "FEW_COLUMNS", 0)
        monkeypatch.setattr(homotopy_path, "COLUMNS_PER_KNOT", 0.1)
    if form == "gram":
        fit = ss.paths.lars_path_gram(X.T @ X, X.T @ y, 25, yty=y @ y,
                                penalty_factor=options["penalty_factor"])  # fmt: skip
    else:
        fit = ss.lars_path(sparse.csc_array(X) if form == "sparse" else X, y, **options)
    oracle.solved(fit, X, y, 1e-11, **options)


@settings(max_examples=30)
@given(st.data())
def test_dependent_and_tied_ones(data):
    """Small integers: duplicates among the free columns, penalised copies of them, ties."""
    n, p = data.draw(st.integers(2, 7)), data.draw(st.integers(2, 7))
    draw = st.lists(st.integers(-2, 2), min_size=n, max_size=n)
    X = np.array([data.draw(draw) for _ in range(p)], dtype=float).T
    X = np.hstack([X, X[:, : data.draw(st.integers(0, 2))]])
    y = np.array(data.draw(draw), dtype=float)
    factors = np.array([float(data.draw(st.booleans())) for _ in range(X.shape[1])])
    options = {"standardize": False, "penalty_factor": factors}
    fit = ss.lars_path(X, y, **options)
    assert not fit.status.any() and (np.diff(fit.lambdas) < 0).all()
    if fit.stop_reason == "no feature correlates with y":  # the only lambda is rounding
        residual = y - fit.intercept(fit.lambdas[0]) - X @ fit.coef(fit.lambdas[0])
        assert X.T @ residual == pytest.approx(np.zeros(X.shape[1]), abs=1e-12)
        return
    middle = 0.5 * (fit.lambdas[1:] + fit.lambdas[:-1])
    for s in [*fit.lambdas[fit.lambdas > 0], *middle]:
        assert oracle.certificate(X, y, fit.intercept(s), fit.coef(s), s, **options) <= 1e-10


def test_least_angle_regression_starts_from_them():
    """By Frisch, Waugh and Lovell, the path of the columns less what these explain."""
    X, y = made(30, 9, seed=6)
    X, y = X - X.mean(axis=0), y - y.mean()
    free, rest = [1, 7], [0, 2, 3, 4, 5, 6, 8]
    Q = np.linalg.qr(X[:, free])[0]
    factors = np.ones(9)
    factors[free] = 0.0
    plain = {"intercept": False, "standardize": False, "method": "lar"}
    fit = ss.lars_path(X, y, penalty_factor=factors, **plain)
    part = ss.lars_path(X[:, rest] - Q @ (Q.T @ X[:, rest]), y - Q @ (Q.T @ y), **plain)
    assert fit.lambdas * 9 / 7 == pytest.approx(part.lambdas, abs=1e-12)
    assert fit.coefs.toarray()[rest] == pytest.approx(part.coefs.toarray(), abs=1e-11)
    assert fit.gaps.max() <= 1e-13


def test_where_nothing_is_penalised_the_path_is_a_point():
    X, y = made(20, 3, seed=7)
    fit = ss.lars_path(X, y, penalty_factor=[0.0, 0.0, np.inf])
    assert fit.lambdas.tolist() == [0.0]
    assert fit.stop_reason == "every feature is excluded or without a penalty"
    ones = np.column_stack([np.ones(20), X[:, :2]])
    assert fit.coef(0.0)[:2] == pytest.approx(np.linalg.lstsq(ones, y, rcond=None)[0][1:])


def test_a_coefficient_that_lacks_its_fit_is_certified_as_such():
    """The certificate bounds what is lost by a free coefficient that is not the best."""
    from sparsesolve.solvers.homotopy.knot_certificate import Certificate, Rules
    from sparsesolve.solvers.homotopy.path import GramData

    X, y = made(20, 6, seed=8)
    data, free = GramData(X.T @ X / 20, X.T @ y / 20, float(y @ y) / 20), np.array([2], np.intc)
    v, every = np.array([1.0, 1, 0, 1, 1, 1]), np.arange(6, dtype=np.intc)
    rules = Rules(v, 0.0, v > 0, free, True, False, 0.0, 6, 99)
    judge = Certificate(data, rules, 1.0, np.sqrt(data.squares), free,
                        np.sqrt(data.gram[2:3, 2:3]))  # fmt: skip
    plain = {"intercept": False, "standardize": False, "penalty_factor": v}
    lam = 0.2
    best = oracle.solve(X, y, lam * 5 / 6, **plain)[1]  # the factors are scaled to sum to 6

    def objective(b):
        return 0.5 * np.sum((y - X @ b) ** 2) / 20 + lam * v @ np.abs(b)

    for size in (0.0, 1e-3, 0.1):
        b = best + size * np.random.default_rng(9).standard_normal(6)
        C, squares = data.measure(every, b[None])
        gap = judge.batch(np.array([lam]), every, b[None], C, squares).gaps[0]
        lost = (objective(b) - objective(best)) / (0.5 * y @ y / 20)
        assert lost - 1e-14 <= gap and (size or gap <= 1e-7)
