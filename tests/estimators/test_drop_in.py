"""The jobs of scikit-learn's gallery with estimators of both packages: the same numbers."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn import linear_model as theirs  # noqa: E402
from sklearn.datasets import load_diabetes, make_regression, make_sparse_coded_signal  # noqa: E402
from sklearn.metrics import r2_score  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

EXACT = {"tol": 1e-12, "max_iter": 10**6}  # of theirs, which stops early else


def both(name, **options):
    """The estimator of that name from both packages, theirs to rounding."""
    kind = getattr(theirs, name)
    exact = EXACT if set(EXACT) <= set(kind().get_params()) else {}
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
    ("Lasso", {"alpha": 0.14}), ("ElasticNet", {"alpha": 0.08, "l1_ratio": 0.5}),
    ("LassoLars", {"alpha": 0.02}), ("OrthogonalMatchingPursuit", {"n_nonzero_coefs": 6}),
])  # fmt: skip
def test_a_sparse_signal_is_recovered(name, options):
    X, X_new, y, y_new = waves()
    one, two = (model.fit(X, y) for model in both(name, **options))
    same(one, two)
    assert r2_score(y_new, one.predict(X_new)) == pytest.approx(two.score(X_new, y_new), abs=1e-7)
    assert np.count_nonzero(one.coef_) < 40


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


def test_tasks_share_the_features_that_matter():
    rng = np.random.default_rng(42)
    n, p, tasks, relevant = 100, 30, 40, 5
    times = np.linspace(0, 2 * np.pi, tasks)
    W = np.zeros((tasks, p))
    for k in range(relevant):
        W[:, k] = np.sin((1.0 + rng.normal()) * times + 3 * rng.normal())
    X = rng.normal(size=(n, p))
    Y = X @ W.T + rng.normal(size=(n, tasks))
    one, two = (model.fit(X, Y) for model in both("MultiTaskLasso", alpha=1.0))
    same(one, two, rel=1e-5)
    assert np.flatnonzero(one.coef_.any(axis=0)).tolist() == list(range(relevant))
    alone = np.array([model.fit(X, Y[:, 3]).coef_ for model in both("Lasso", alpha=0.5)])
    assert alone[0] == pytest.approx(alone[1], rel=1e-6, abs=1e-7)
    chosen = [model.fit(X, Y) for model in both("MultiTaskLassoCV", alphas=20, cv=3)]
    assert chosen[0].alpha_ == pytest.approx(chosen[1].alpha_)


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


@pytest.mark.parametrize("name", ["OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV"])
def test_atoms_of_a_coded_signal_are_found(name):
    y, X, w = make_sparse_coded_signal(n_samples=1, n_components=128, n_features=60,
                                       n_nonzero_coefs=7, random_state=0)  # fmt: skip
    options = {"n_nonzero_coefs": 7} if name == "OrthogonalMatchingPursuit" else {}
    y = y.ravel() + 0.01 * np.random.default_rng(0).normal(size=60)
    one, two = (model.fit(X.T, y) for model in both(name, **options))
    same(one, two)
    assert set(np.flatnonzero(w.ravel())) <= set(np.flatnonzero(one.coef_))


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
