"""What estimators make of their parameters, and of a path."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators.base import TYPES, Net, validate_data, validated  # noqa: E402

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


class Subclass(np.ndarray):
    """What a matrix of another package may be."""


ODD = X.copy()
ODD[3, 2] = np.inf
WAYS = {
    "plain": (X, Y), "fortran": (np.asfortranarray(X), Y), "every other": (X[::2], Y[::2]),
    "single": (X.astype(np.float32), Y), "whole": (X.round().astype(int), Y),
    "classes": (X, Y > 0), "words": (X, np.where(Y > 0, "a", "b")), "list": (X.tolist(), Y),
    "other bytes": (X.astype(">f8"), Y), "subclass": (X.view(Subclass), Y),
    "sparse": (sparse.csc_array(X), Y), "infinite": (ODD, Y), "y infinite": (X, ODD[:, 2]),
    "y has nan": (X, np.where(Y > 0, np.nan, Y)), "short": (X, Y[:-1]), "column": (X, Y[:, None]),
    "flat": (Y, Y), "empty": (X[:0], Y[:0]), "no columns": (X[:, :0], Y), "no y": (X, None),
    "complex": (X + 1j, Y), "huge": (np.full((30, 4), 1e308), Y),
    "y strided": (X, np.repeat(Y, 2)[::2]),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("order", [None, "F"])
def test_arrays_are_validated_as_scikit_learn_does(way, order):
    """Results, errors and what the estimator remembers are those of scikit-learn."""
    from sklearn.linear_model import Ridge

    found = []
    for check in (validated, validate_data):
        for at in (WAYS[way], WAYS[way][:1]):
            model = Ridge()
            try:
                out = check(model, *at, dtype=TYPES, order=order, accept_sparse="csc")
            except (ValueError, TypeError) as error:
                found.append((type(error), str(error)))
                continue
            parts = out if isinstance(out, tuple) else (out,)
            parts = [part.toarray() if sparse.issparse(part) else part for part in parts]
            found.append([(type(part), part.dtype, part.flags.f_contiguous, part.tolist())
                          for part in parts] + [model.n_features_in_])  # fmt: skip
    half = len(found) // 2
    assert found[:half] == found[half:]


def test_new_rows_are_validated_against_the_fit():
    model = ss.estimators.Lasso(0.1).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but Lasso is expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(ODD)
    pd = pytest.importorskip("pandas")
    named = ss.estimators.Lasso(0.1).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X)
    named.fit(X, Y)
    assert not hasattr(named, "feature_names_in_")
    assert named.predict(X) == pytest.approx(model.predict(X))
