"""SparseLogisticRegression against scikit-learn's, and against paths."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.ensemble import BaggingClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

from sparsesolve.estimators import SparseLogisticRegression  # noqa: E402

RNG = np.random.default_rng(3)
X = RNG.standard_normal((90, 6))
SICK = np.where(X[:, 0] - X[:, 1] + RNG.logistic(size=90) > 0.4, "sick", "healthy")
W = RNG.uniform(0.2, 2.0, 90)


def test_two_classes():
    """alpha = 1 / (C n); scikit-learn's saga leaves the intercept unpenalised as well."""
    model = SparseLogisticRegression(alpha=0.05).fit(X, SICK, W)
    total = W.sum()
    other = LogisticRegression(l1_ratio=1.0, C=1 / (0.05 * total), solver="saga", tol=1e-10,
                               max_iter=10**5).fit(X, SICK, W)  # fmt: skip
    assert model.classes_.tolist() == ["healthy", "sick"]
    assert model.coef_.shape == (1, 6) and model.coef_ == pytest.approx(other.coef_, abs=1e-5)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-5)
    assert model.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=1e-5)
    assert (model.predict(X) == other.predict(X)).all()
    assert np.log(model.predict_proba(X)) == pytest.approx(model.predict_log_proba(X))



def test_balanced_weights_count_rows():
    counts = np.random.default_rng(5).integers(0, 4, size=len(X)) + 2 * (SICK == "sick")
    made = SparseLogisticRegression(alpha=0.05, class_weight="balanced")
    one = clone(made).fit(np.repeat(X, counts, axis=0), np.repeat(SICK, counts))
    two = clone(made).fit(X, SICK, counts)
    assert two.coef_ == pytest.approx(one.coef_, abs=1e-5) and one.coef_.any()
    assert two.intercept_ == pytest.approx(one.intercept_, abs=1e-5)



def test_a_class_without_weight_counts_for_nothing():
    with pytest.raises(ValueError, match="holds one class only"):
        SparseLogisticRegression().fit(X, SICK, (SICK == "sick") * 1.0)
    three = np.where(np.arange(90) < 5, "new", SICK)
    kept = three != "new"
    model = SparseLogisticRegression().fit(X, three, kept * 1.0)
    fewer = SparseLogisticRegression().fit(X[kept], three[kept])
    assert model.classes_.tolist() == fewer.classes_.tolist() == ["healthy", "sick"]
    assert model.coef_ == pytest.approx(fewer.coef_, abs=1e-6)
    rare = np.where(np.arange(90) < 2, "new", SICK)  # which most bootstrap samples leave out
    bag = BaggingClassifier(SparseLogisticRegression(), n_estimators=12, random_state=0)
    found = bag.fit(X, rare).predict_proba(X)
    assert found.shape == (90, 3) and found.sum(axis=1) == pytest.approx(np.ones(90))
    with pytest.raises(ValueError, match="sample_weight is all zero"):
        SparseLogisticRegression().fit(X, SICK, np.zeros(90))


def test_a_class_weight_without_end_is_named():
    with pytest.raises(ValueError, match="class_weight gives class sick the weight inf"):
        SparseLogisticRegression(class_weight={"sick": np.inf}).fit(X, SICK)
