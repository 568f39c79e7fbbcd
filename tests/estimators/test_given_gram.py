"""A Gram matrix handed over as `precompute` is compared with X, and changes no coefficient."""

import warnings

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("sklearn")

from sparsesolve.estimators import ElasticNet, Lasso  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
X -= X.mean(axis=0)
Y = X[:, 0] + RNG.normal(size=30)


@pytest.mark.parametrize("estimator", [ElasticNet, Lasso])
@pytest.mark.parametrize("store", [np.asarray, sparse.csc_array, np.float32])
def test_the_right_one_changes_nothing(estimator, store):
    made, kind = store(X), {} if store is not np.float32 else {"dtype": np.float32}
    gram = (made.T @ made).astype(**kind) if kind else X.T @ X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = estimator(0.1, precompute=gram).fit(made, Y)
        plain = estimator(0.1).fit(made, Y)
    assert np.array_equal(given.coef_, plain.coef_)


def spoiled(at):
    gram = X.T @ X
    gram[at] += 1e-3
    return gram


@pytest.mark.parametrize("gram, words", [
    (spoiled((2, 2)), "differs in row 2"), (spoiled((3, 0)), "differs in row 3"),
    (np.eye(3), r"shape \(3, 3\), and X has 4 columns"), (2 * X.T @ X, "differs in row 0"),
])  # fmt: skip
def test_another_one_is_refused(gram, words):
    with pytest.raises(ValueError, match=words):
        Lasso(0.1, precompute=gram).fit(X, Y)


def test_columns_off_centre_are_said_and_weights_change_what_it_should_be():
    far = X + [0.0, 5.0, 0.0, 0.0]
    with pytest.warns(UserWarning, match="column 1 of X is not centred"):
        fit = Lasso(0.1, precompute=far.T @ far).fit(far, Y)
    assert np.allclose(fit.coef_, Lasso(0.1).fit(far, Y).coef_, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="not the Gram matrix"):
        Lasso(0.1, precompute=X.T @ X, fit_intercept=False).fit(far, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Lasso(0.1, precompute=np.eye(4)).fit(X, Y, sample_weight=np.arange(30.0))
