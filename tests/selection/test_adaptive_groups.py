"""Adaptive factors of groups, and criteria with the variance of the noise."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 12)) * RNG.uniform(0.5, 2.0, 12)
Y = X[:, :3].sum(axis=1) + RNG.normal(size=100)
LABELS = np.arange(12) // 3


@pytest.mark.parametrize("groups", [LABELS, ss.penalties.GroupL2(LABELS)])
@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_factors_are_of_the_norms_of_groups(groups, power):
    b = RNG.normal(size=12)
    b[3:6] = 0.0
    factors = ss.selection.adaptive_factors(X, Y, coefs=b, groups=groups, power=power)
    norms = np.array([np.linalg.norm((b * X.std(axis=0))[LABELS == g]) for g in range(4)])
    expected = np.where(norms > 0, (norms.max() / np.where(norms > 0, norms, 1)) ** power, np.inf)
    assert factors == pytest.approx(expected)


def test_a_group_penalty_takes_them():
    penalty = ss.penalties.GroupL2(LABELS)
    factors = ss.selection.adaptive_factors(X, Y, groups=penalty, seed=0)
    fit = ss.path(X, Y, penalty=penalty, penalty_factor=factors)
    assert factors.shape == (4,) and fit.nonzero(0.3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_a_known_variance_charges_for_every_feature(seed):
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(20, 60))
    y = wide[:, 0] + 0.1 * rng.normal(size=20)
    fit = ss.lars_path(wide, y)
    with pytest.warns(UserWarning, match="noise_variance"):
        ss.criteria(fit, wide, y)
    found = ss.criteria(fit, wide, y, noise_variance=0.01)
    assert fit.df[found["ebic"].argmin()] <= 4 and fit.df[found["bic"].argmin()] <= 10
    r = y[:, None] - fit.predict(wide, s=fit.lambdas)
    assert found["aic"] == pytest.approx((r**2).sum(axis=0) / 0.01 + 2 * (fit.df + 1), rel=1e-6)
    with pytest.raises(ValueError, match="squared error"):
        ss.criteria(ss.path(wide, y > 0, family="binomial"), wide, y > 0, noise_variance=1.0)


def test_the_estimator_of_dictionaries_takes_sparse_rows():
    from sparsesolve.estimators import DictionaryLearning

    rows = sparse.random(60, 10, 0.3, random_state=0, format="csr")
    model = DictionaryLearning(3, alpha=0.1, random_state=0).fit(rows)
    dense = DictionaryLearning(3, alpha=0.1, random_state=0).fit(rows.toarray())
    assert model.components_ == pytest.approx(dense.components_, abs=1e-12)
    assert model.transform(rows) == pytest.approx(dense.transform(rows.toarray()), abs=1e-12)
