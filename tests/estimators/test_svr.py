"""LinearSVR against liblinear, and its dual coefficients."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import svm  # noqa: E402

from sparsesolve.estimators import LinearSVR  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = X[:, 0] + 0.3 * RNG.normal(size=80)
LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


def objective(model, C, loss, epsilon, s=1.0):
    beyond = np.maximum(np.abs(Y - X @ np.ravel(model.coef_) - model.intercept_) - epsilon, 0.0)
    beyond = beyond**2 if loss.startswith("squared") else beyond
    return 0.5 * np.sum(np.square(model.coef_)) + C * np.sum(s * beyond)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("loss", LOSSES)
def test_without_an_intercept_it_is_liblinears_objective(loss, epsilon):
    options = {"loss": loss, "epsilon": epsilon, "C": 2.0, "fit_intercept": False}
    own = LinearSVR(**options).fit(X, Y)
    theirs = svm.LinearSVR(**options, dual=True, tol=1e-7, max_iter=50_000).fit(X, Y)
    value, other = (objective(model, 2.0, loss, epsilon) for model in (own, theirs))
    assert value <= other * (1 + 1e-9) and value == pytest.approx(other, rel=1e-4)


def test_the_intercept_is_that_of_libsvm():
    own = LinearSVR(epsilon=0.2).fit(X, Y)
    theirs = svm.SVR(kernel="linear", epsilon=0.2, tol=1e-10).fit(X, Y)
    assert own.coef_ == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert own.intercept_ == pytest.approx(theirs.intercept_[0], abs=1e-5)
    assert own.to_sklearn().predict(X) == pytest.approx(own.predict(X))


@pytest.mark.parametrize("loss", LOSSES)
def test_dual_coefficients_make_the_primal_ones(loss):
    s = RNG.random(80) + 0.5
    model = LinearSVR(loss=loss, epsilon=0.2, C=2.0).fit(X, Y, s)
    dual, support = model.dual_coef_[0], model.support_
    assert dual @ X[support] == pytest.approx(model.coef_, abs=1e-4)
    bound = Y[support] @ dual - 0.2 * np.abs(dual).sum() - 0.5 * model.coef_ @ model.coef_
    if loss.startswith("squared"):
        bound -= np.sum(dual**2 / (4 * 2.0 * s[support]))
    value = objective(model, 2.0, loss, 0.2, s)
    assert value - bound == pytest.approx(0.0, abs=1e-4 * value)
    assert len(support) < 80


@pytest.mark.parametrize(("options", "message"), [
    ({"epsilon": -0.1}, "epsilon must be"), ({"C": 0.0}, "C must be"),
    ({"loss": "huber"}, "loss must be"), ({"l1_ratio": -1}, "l1_ratio must be"),
])  # fmt: skip
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LinearSVR(**options).fit(X, Y)


def test_l1_selects_features():
    model = LinearSVR(l1_ratio=1.0, C=0.1, epsilon=0.1).fit(X, Y)
    assert 0 < np.count_nonzero(model.coef_) < 4 and not hasattr(model, "dual_coef_")
    assert (np.abs(Y - model.predict(X))[model.support_] >= 0.1).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_squared_errors_of_wide_sparse_data_are_swept_in_the_dual(intercept):
    """Hundreds of Newton steps were made here; liblinear's dual method tells the objective."""
    from scipy import sparse

    rng = np.random.default_rng(7005)
    wide = sparse.random(150, 400, 0.05, format="csr", random_state=7005)
    y = wide @ rng.normal(size=400) + 0.1 * rng.normal(size=150)
    options = {"loss": "squared_epsilon_insensitive", "epsilon": 0.1, "C": 50.0}
    model = LinearSVR(**options, fit_intercept=intercept, tol=1e-12).fit(wide, y)
    assert model.gap_ <= 1e-12
    v = y - wide @ model.coef_ - model.intercept_
    dual = 100.0 * np.sign(v) * np.maximum(np.abs(v) - 0.1, 0.0)  # -F' at the end
    # a gap of 1e-12 leaves v off by 1e-5, and the dual by 100 times that
    assert wide.T @ dual == pytest.approx(model.coef_, abs=5e-3)
    assert not intercept or dual.sum() == pytest.approx(0.0, abs=1e-6 * np.abs(dual).sum())
    if not intercept:
        other = svm.LinearSVR(**options, fit_intercept=False, dual=True, tol=1e-8,
                              max_iter=200_000).fit(wide, y)  # fmt: skip
        assert model.coef_ == pytest.approx(other.coef_, abs=1e-3)
