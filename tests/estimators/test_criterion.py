"""LassoLarsIC against scikit-learn's, and its noise variance."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy import sparse  # noqa: E402
from sklearn import linear_model  # noqa: E402
from sklearn.datasets import load_diabetes  # noqa: E402

from sparsesolve import estimators as ours  # noqa: E402

X, Y = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("criterion", ["aic", "bic"])
@pytest.mark.parametrize("options", [
    {}, {"positive": True}, {"fit_intercept": False}, {"noise_variance": 3000.0},
])  # fmt: skip
def test_the_choice_is_that_of_scikit_learn(criterion, options):
    model = ours.LassoLarsIC(criterion, **options).fit(X, Y)
    theirs = linear_model.LassoLarsIC(criterion, **options).fit(X, Y)
    assert model.noise_variance_ == pytest.approx(theirs.noise_variance_)
    if "positive" in options:  # whose path scikit-learn leaves where a feature would leave
        assert model.coef_.min() >= 0.0
        assert model.criterion_.min() <= theirs.criterion_.min() + 1e-6
        return
    assert model.alpha_ == pytest.approx(theirs.alpha_, rel=1e-6)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(model.criterion_, theirs.criterion_)


def test_a_sparse_design():
    S = sparse.csr_array(np.where(abs(X) > 0.03, X, 0.0))
    np.testing.assert_allclose(
        ours.LassoLarsIC().fit(S, Y).coef_, ours.LassoLarsIC().fit(S.toarray(), Y).coef_
    )


def test_more_features_than_rows_need_a_noise_variance():
    few, y = X[:10], Y[:10]
    with pytest.raises(ValueError, match="n_samples = 10 .* no residual .* give noise_variance"):
        ours.LassoLarsIC().fit(few, y)
    assert ours.LassoLarsIC(noise_variance=2000.0).fit(few, y).noise_variance_ == 2000.0


@pytest.mark.parametrize("options, words", [
    ({"criterion": "ebic"}, "criterion must be one of 'aic', 'bic'"),
    ({"noise_variance": 0.0}, "noise_variance must be greater than 0"),
])  # fmt: skip
def test_other_parameters_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        ours.LassoLarsIC(**options).fit(X, Y)
