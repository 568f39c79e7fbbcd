"""ProbitNet: two classes, likeliest and with their probabilities; paths in test_amounts.py."""

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sparsesolve.estimators import ProbitNet, ProbitNetCV  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
TWO = np.where(X[:, 0] + RNG.normal(size=90) > 0, "b", "a")


def test_it_is_of_two_classes():
    for model in (ProbitNet(), ProbitNetCV()):
        with pytest.raises(ValueError, match="Only binary classification is supported: .* 3"):
            model.fit(X, np.arange(90) % 3)


def test_the_likeliest_class_is_predicted():
    model = ProbitNet(0.01, class_weight="balanced").fit(X, TWO)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (model.predict(X) == model.classes_[shares.argmax(axis=1)]).all()
    far = model.predict_log_proba(1e3 * X)  # where a share itself underflows
    assert np.isfinite(far).all()
