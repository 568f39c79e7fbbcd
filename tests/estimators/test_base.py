"""What estimators make of their parameters, and of a path."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators.base import Net  # noqa: E402

RNG = np.random.default_rng(23)
X = RNG.standard_normal((30, 4))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(30)


class Made(Net):
    """An estimator of these parameters alone."""

    def __init__(self, tol=1e-10, max_iter=None, **parameters):
        self.tol, self.max_iter = tol, max_iter
        vars(self).update(parameters)

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self._solve(X, y, None)
        return self


PLAIN = {"family": "gaussian", "alpha": 1.0, "standardize": False, "grouped": False,
         "intercept": False, "tol": 1e-10, "max_iter": None}  # fmt: skip


@pytest.mark.parametrize("parameters, options", [
    ({}, {}),
    ({"l1_ratio": 0.25}, {"alpha": 0.25}),
    ({"positive": True}, {"lower": 0.0}),
    ({"positive": False}, {}),
    ({"fit_intercept": True}, {"intercept": True}),
    ({"standardize": True}, {"standardize": True}),
    ({"grouped": True}, {"grouped": True}),
    ({"penalty_factor": [1, 2]}, {"penalty_factor": [1, 2]}),
    ({"_family": "poisson"}, {"family": "poisson"}),
    ({"tol": 1e-3, "max_iter": 9}, {"tol": 1e-3, "max_iter": 9}),
])  # fmt: skip
def test_parameters_are_options_of_path(parameters, options):
    assert Made(**parameters)._options() == {**PLAIN, **options}


def test_a_point_of_a_path_is_kept():
    fit = ss.path(X, Y, lambdas=[0.5, 0.1, 0.01])
    model = Made()
    for k in range(3):
        model._keep(fit, k)
        assert model.coef_.tolist() == fit.coefs[:, [k]].toarray().ravel().tolist()
        assert model.intercept_ == fit.intercepts[k] and type(model.intercept_) is float
        assert model.gap_ == fit.gaps[k] and model.n_iter_ == max(fit.n_iters[k], 1)
        assert isinstance(model.sparse_coef_, sparse.csr_array)
        assert model.sparse_coef_.toarray().tolist() == [model.coef_.tolist()]
    several = ss.path(X, np.column_stack([Y, -Y]), family="multigaussian", lambdas=[0.5, 0.1])
    model._keep(several, 1)
    assert model.coef_ == pytest.approx(several.coef(0.1)) and model.coef_.shape == (2, 4)
    assert model.intercept_ == pytest.approx(several.intercept(0.1))


def test_solving_at_alpha():
    model = Made(alpha=0.1, fit_intercept=True).fit(X, Y)
    fit = ss.path(X, Y, lambdas=[0.1], standardize=False, tol=1e-10)
    assert model.coef_ == pytest.approx(fit.coef(0.1))
    for rows in (X[:5], sparse.csr_array(X[:5]), X[:5].astype(np.float32)):
        assert model._link(rows) == pytest.approx(fit.predict(X[:5], 0.1), abs=1e-6)
    for alpha, words in ((-0.1, "alpha must be at least 0, not -0.1"), (np.nan, "alpha"),
                         (np.inf, "alpha")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            Made(alpha=alpha).fit(X, Y)


def test_nothing_is_predicted_before_the_fit():
    with pytest.raises(Exception, match="not fitted yet"):
        Made()._link(X)


def test_other_columns_are_refused():
    model = Made(alpha=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but Made is expecting 4 features"):
        model._link(X[:, :3])
