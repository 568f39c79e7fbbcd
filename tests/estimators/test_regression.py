"""Lasso, ElasticNet and their relatives against scikit-learn's own, on its own problems too."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as theirs
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_regression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsesolve import estimators as ours
from sparsesolve.estimators import ElasticNet, Lasso

X, Y = load_diabetes(return_X_y=True)
W = np.random.default_rng(1).uniform(size=len(Y))
EXACT = {"tol": 1e-12, "max_iter": 10**6}  # of theirs, which stops early else


@pytest.mark.parametrize("options", [
    {}, {"fit_intercept": False}, {"positive": True}, {"l1_ratio": 0.1}, {"alpha": 1e-3},
])  # fmt: skip
@pytest.mark.parametrize("weights", [None, W])
def test_one_alpha(options, weights):
    options = {"alpha": 0.05, **options}
    model = ours.ElasticNet(**options).fit(X, Y, weights)
    other = theirs.ElasticNet(**options, **EXACT).fit(X, Y, weights)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-6, abs=1e-4)
    assert model.intercept_ == pytest.approx(other.intercept_)
    assert model.predict(X) == pytest.approx(other.predict(X))


def test_sparse_designs_and_sparse_coefficients():
    rare = np.where(X > 0.03, X, 0.0)
    dense, stored = (ours.Lasso(0.1).fit(kind(rare), Y) for kind in (np.array, sparse.csr_array))
    assert stored.coef_ == pytest.approx(dense.coef_, rel=1e-6)
    assert stored.predict(sparse.csr_array(rare)) == pytest.approx(dense.predict(rare))
    assert np.array_equal(stored.sparse_coef_.toarray()[0], stored.coef_)


def test_columns_of_y_are_fitted_each_by_itself():
    both = np.column_stack([Y, -2 * Y + X[:, 0]])
    model = ours.Lasso(0.1).fit(X, both)
    alone = [ours.Lasso(0.1).fit(X, y) for y in both.T]
    assert np.array_equal(model.coef_, [one.coef_ for one in alone])
    assert np.array_equal(model.intercept_, [one.intercept_ for one in alone])
    assert np.array_equal(model.dual_gap_, [one.dual_gap_ for one in alone])
    assert model.predict(X).shape == both.shape
    one = ours.Lasso(0.1).fit(X, Y[:, None])
    assert np.array_equal(one.coef_, alone[0].coef_)


def test_cv_of_other_responses_is_the_other_estimators_job():
    with pytest.raises(ValueError, match="use MultiTaskLassoCV"):
        ours.LassoCV().fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="use LassoCV"):
        ours.MultiTaskLassoCV().fit(X, Y)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"l1_ratio": 0.2}])
def test_tasks(options):
    name = "MultiTaskElasticNet" if "l1_ratio" in options else "MultiTaskLasso"
    both = np.column_stack([Y, Y[::-1], X[:, 2] - 0.5 * Y])
    model = getattr(ours, name)(alpha=0.1, **options).fit(X, both)
    other = getattr(theirs, name)(alpha=0.1, **options, **EXACT).fit(X, both)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-6, abs=1e-3)
    assert model.intercept_ == pytest.approx(other.intercept_)
    assert model.predict(X) == pytest.approx(other.predict(X), rel=1e-6)


MODELS = [ours.Lasso(0.1), ours.ElasticNet(0.1), ours.MultiTaskLasso(0.1)]


@pytest.mark.parametrize("model", MODELS)
def test_warm_start_begins_at_the_last_fit(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 60))
    y = X[:, :2] @ [[1.0, 2.0], [-1.0, 0.5]] + 0.3 * rng.normal(size=(40, 2))
    y = y if isinstance(model, ours.MultiTaskLasso) else y[:, 0]
    cold = clone(model).fit(X, y)
    warm = clone(model).set_params(warm_start=True).fit(X, y)
    assert warm.n_iter_ == cold.n_iter_ >= 1
    kept = warm.coef_.copy()
    warm.fit(X, y)
    assert warm.n_iter_ == 0 and warm.gap_ <= 1e-10
    np.testing.assert_allclose(warm.coef_, kept, rtol=1e-9)
    near = clone(model).set_params(alpha=0.099).fit(X, y)
    np.testing.assert_allclose(warm.set_params(alpha=0.099).fit(X, y).coef_, near.coef_, atol=1e-5)
    warm.fit(X[:, :30], y)  # of other columns: it starts cold
    np.testing.assert_allclose(
        warm.coef_, clone(near).fit(X[:, :30], y).coef_, rtol=1e-9, atol=1e-12
    )


RNG = np.random.default_rng(29)
X_LINEAR = RNG.standard_normal((40, 5))
Y_LINEAR = X_LINEAR @ RNG.standard_normal((5, 3)) + RNG.standard_normal((40, 3))
W_LINEAR = RNG.uniform(0.5, 2.0, 40)
WIDE = np.hstack([X_LINEAR, X_LINEAR[:, :1] + 0.1 * RNG.standard_normal((40, 60))])


@pytest.mark.parametrize("weights", [None, W_LINEAR])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_dual_gap_is_the_gap_times_the_loss_of_the_empty_model(weights, fit_intercept):
    y = Y_LINEAR[:, 0] + 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is to miss its tolerance
        model = ours.Lasso(0.01, fit_intercept=fit_intercept, max_iter=1).fit(WIDE, y, weights)
    w = np.full(40, 1 / 40) if weights is None else weights / weights.sum()
    empty = 0.5 * w @ (y - fit_intercept * (w @ y)) ** 2
    assert model.dual_gap_ == pytest.approx(model.gap_ * empty, rel=1e-9) and model.gap_ > 1e-6
    exact = ours.Lasso(0.01, fit_intercept=fit_intercept, tol=1e-10).fit(WIDE, y, weights)

    def objective(m):
        loss = 0.5 * w @ (y - m.predict(WIDE)) ** 2
        return loss + 0.01 * np.abs(m.coef_).sum()

    assert objective(model) - objective(exact) <= model.dual_gap_ + 1e-12


def test_weights_are_checked():
    for weights, words in ((np.ones(39), "sample_weight has 39"), (-W_LINEAR,
                                                                   "sample_weight holds")):
        with pytest.raises(ValueError, match=words):
            ours.Lasso(0.1).fit(X_LINEAR, Y_LINEAR[:, 0], weights)


RNG_GRAM = np.random.default_rng(0)
X_GRAM = RNG_GRAM.normal(size=(30, 4))
X_GRAM -= X_GRAM.mean(axis=0)
Y_GRAM = X_GRAM[:, 0] + RNG_GRAM.normal(size=30)


@pytest.mark.parametrize("estimator", [ElasticNet, Lasso])
@pytest.mark.parametrize("store", [np.asarray, sparse.csc_array, np.float32])
def test_the_right_one_changes_nothing(estimator, store):
    made, kind = store(X_GRAM), {} if store is not np.float32 else {"dtype": np.float32}
    gram = (made.T @ made).astype(**kind) if kind else X_GRAM.T @ X_GRAM
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = estimator(0.1, precompute=gram).fit(made, Y_GRAM)
        plain = estimator(0.1).fit(made, Y_GRAM)
    assert np.array_equal(given.coef_, plain.coef_)


def spoiled(at):
    gram = X_GRAM.T @ X_GRAM
    gram[at] += 1e-3
    return gram


@pytest.mark.parametrize("gram, words", [
    (spoiled((2, 2)), "differs in row 2"), (spoiled((3, 0)), "differs in row 3"),
    (np.eye(3), r"shape \(3, 3\), and X has 4 columns"), (2 * X_GRAM.T @ X_GRAM,
                                                          "differs in row 0"),
])  # fmt: skip
def test_another_one_is_refused(gram, words):
    with pytest.raises(ValueError, match=words):
        Lasso(0.1, precompute=gram).fit(X_GRAM, Y_GRAM)


def test_columns_off_centre_are_said_and_weights_change_what_it_should_be():
    far = X_GRAM + [0.0, 5.0, 0.0, 0.0]
    with pytest.warns(UserWarning, match="column 1 of X is not centred"):
        fit = Lasso(0.1, precompute=far.T @ far).fit(far, Y_GRAM)
    assert np.allclose(fit.coef_, Lasso(0.1).fit(far, Y_GRAM).coef_, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="not the Gram matrix"):
        Lasso(0.1, precompute=X_GRAM.T @ X_GRAM, fit_intercept=False).fit(far, Y_GRAM)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Lasso(0.1, precompute=np.eye(4)).fit(X_GRAM, Y_GRAM, sample_weight=np.arange(30.0))


EXACT_DROP_IN = {"tol": 1e-12, "max_iter": 10**6}  # of theirs, which stops early else


def both(name, **options):
    """The estimator of that name from both packages, theirs to rounding."""
    kind = getattr(theirs, name)
    exact = EXACT_DROP_IN if set(EXACT_DROP_IN) <= set(kind().get_params()) else {}
    return getattr(ours, name)(**options), kind(**options, **exact)


def same(one, two, rel=1e-6, **kind):
    assert one.coef_ == pytest.approx(two.coef_, rel=rel, **({"abs": 1e-6} | kind))
    assert one.intercept_ == pytest.approx(two.intercept_, rel=rel, abs=1e-6)


def waves(n=50, p=100, informative=10, seed=0):
    """Features that are noisy waves, some of which make up the response."""
    rng = np.random.default_rng(seed)
    time = np.linspace(-2, 2, n)
    frequencies = np.sort(rng.uniform(0.01, 12, size=p))
    X = np.sin(np.outer(time, frequencies)) + 0.2 * rng.normal(size=(n, p))
    b, j = np.zeros(p), np.arange(informative)
    b[j] = (-1.0) ** j * np.exp(-j / 10)
    return train_test_split(X, X @ b + 0.2 * rng.normal(size=n), test_size=0.5, shuffle=False)


@pytest.mark.parametrize("name, options", [
    ("LassoCV", {}), ("LassoLarsCV", {}), ("ElasticNetCV", {"l1_ratio": [0.5, 0.9, 1.0]}),
])  # fmt: skip
def test_alpha_is_chosen_for_patients_with_useless_columns_beside_theirs(name, options):
    X, y = load_diabetes(return_X_y=True)
    X = np.c_[X, np.random.default_rng(42).normal(size=(len(y), 14))]
    one, two = (make_pipeline(StandardScaler(), model).fit(X, y)[-1]
                for model in both(name, cv=20, **options))  # fmt: skip
    assert one.alpha_ == pytest.approx(two.alpha_, rel=1e-7)
    same(one, two, rel=1e-5, abs=1e-4)
    if name != "LassoLarsCV":
        assert one.alphas_ == pytest.approx(two.alphas_)
        assert one.mse_path_ == pytest.approx(two.mse_path_, rel=1e-5)
    if "l1_ratio" in options:
        assert one.l1_ratio_ == two.l1_ratio_


def test_a_gram_matrix_of_weighted_rows_is_taken():
    X, y = make_regression(n_samples=1000, n_features=30, noise=0.5, random_state=0)
    weights = np.random.default_rng(0).lognormal(size=len(y))
    weights *= len(y) / weights.sum()
    centred = X - np.average(X, axis=0, weights=weights)
    scaled = centred * np.sqrt(weights)[:, None]
    for one in both("ElasticNet", alpha=0.01, precompute=scaled.T @ scaled):
        one.fit(centred, y, sample_weight=weights)
        plain = ours.ElasticNet(alpha=0.01).fit(centred, y, sample_weight=weights)
        same(plain, one)


@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csc_array])
@pytest.mark.parametrize("name, options", [
    ("Lasso", {"alpha": 0.05}), ("ElasticNet", {"alpha": 0.05}), ("LassoCV", {"cv": 3}),
    ("MultiTaskLasso", {"alpha": 0.05}), ("LassoLars", {"alpha": 0.05}),
    ("OrthogonalMatchingPursuit", {"n_nonzero_coefs": 3}),
])  # fmt: skip
def test_a_column_of_ones_in_place_of_an_intercept(name, options, store):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 5))
    X[:, 2] = 1.0
    y = 5 + X[:, 0] - X[:, 1] + rng.normal(size=60)
    y = np.column_stack([y, X[:, 3] - y]) if name == "MultiTaskLasso" else y
    one, two = both(name, fit_intercept=False, **options)
    two.fit(X, y)  # not all of theirs take a sparse X
    assert np.abs(np.atleast_2d(two.coef_)[0, 2]) > 3
    same(one.fit(store(X), y), two, rel=1e-5)
