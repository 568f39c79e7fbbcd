"""Estimators of label sequences: lists, tables with lengths, routing, partial fits, searches."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import config_context  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import sparsesolve as ss  # noqa: E402
from sparsesolve.estimators import ChainClassifier, ChainSVM, SPOMClassifier  # noqa: E402

RNG = np.random.default_rng(0)
LENGTHS = RNG.integers(2, 9, size=24)
X = RNG.normal(size=(LENGTHS.sum(), 5))
Y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.3 * RNG.gumbel(size=(len(X), 3)), axis=1)]
CUTS = np.cumsum(LENGTHS)[:-1]
PARTS, TAGS = np.split(X, CUTS), np.split(Y, CUTS)


def test_the_classifier_is_the_path_at_one_lambda():
    model = ChainClassifier(0.01, l1_ratio=0.5, tol=1e-6).fit(X, Y, lengths=LENGTHS)
    fit = ss.crf_path(X, Y, lengths=LENGTHS, lambdas=[0.01], alpha=0.5, tol=1e-6)
    np.testing.assert_array_equal(model.coef_, fit.coef().T)
    np.testing.assert_array_equal(model.predict_proba(X, LENGTHS), fit.marginals(X, LENGTHS))
    assert model.gap_ <= 1e-6 and model.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("kind", [ChainClassifier, ChainSVM, SPOMClassifier])
def test_lists_are_answered_with_lists(kind):
    model, table = kind().fit(PARTS, TAGS), kind().fit(X, Y, lengths=LENGTHS)
    found = model.predict(PARTS)
    assert [len(part) for part in found] == LENGTHS.tolist()
    assert (np.concatenate(found) == table.predict(X, lengths=LENGTHS)).all()
    assert model.score(PARTS, TAGS) == table.score(X, Y, lengths=LENGTHS) > 0.7


@pytest.mark.parametrize("kind", [ChainClassifier, ChainSVM, SPOMClassifier])
def test_lengths_are_routed_through_a_pipeline(kind):
    with config_context(enable_metadata_routing=True):
        model = kind().set_fit_request(lengths=True).set_predict_request(lengths=True)
        pipe = make_pipeline(StandardScaler(), model).fit(X, Y, lengths=LENGTHS)
        assert (pipe.predict(X, lengths=LENGTHS) == Y).mean() > 0.7


def test_a_search_over_sequences():
    search = GridSearchCV(ChainClassifier(), {"alpha": [1e-3, 10.0]}, cv=3).fit(PARTS, TAGS)
    assert search.best_params_ == {"alpha": 1e-3}


def test_partial_fits_go_on_with_the_same_mean():
    once = ChainSVM(epochs=1).fit(PARTS, TAGS)
    parts = ChainSVM().partial_fit(PARTS, TAGS, classes=["a", "b", "c"])
    np.testing.assert_array_equal(once.coef_, parts.coef_)
    more = parts.partial_fit(PARTS[:3], TAGS[:3])
    assert not np.array_equal(more.coef_, once.coef_)
    copy = pickle.loads(pickle.dumps(more))
    assert (copy.predict(X, LENGTHS) == more.predict(X, LENGTHS)).all()
    with pytest.raises(ValueError, match="never saw"):
        parts.partial_fit(PARTS[:1], [["new"] * len(TAGS[0])])
    with pytest.raises(ValueError, match="classes"):
        ChainSVM().partial_fit(PARTS, TAGS)


def test_frank_wolfe_says_its_gap():
    model = ChainSVM(0.1, algorithm="frank_wolfe", epochs=60).fit(PARTS, TAGS)
    assert 0.0 < model.gap_ < 0.3 and ChainSVM().fit(PARTS, TAGS).gap_ == np.inf


def test_a_classifier_learns_from_a_stream_and_goes_on_from_a_fit():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = ChainClassifier(alpha=0.0)
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(X, y, lengths=[10] * 40)
    for _ in range(4):
        model.partial_fit(X, y, classes=["no", "yes"], lengths=[10] * 40)
    assert model.n_sequences_seen_ == 160 and model.gap_ == np.inf
    assert model.score(X, y, lengths=[10] * 40) > 0.9
    fitted = ChainClassifier(alpha=1e-2).fit(X, y, lengths=[10] * 40)
    before = fitted.coef_.copy()
    fitted.partial_fit(X[:10], y[:10])
    assert fitted.n_sequences_seen_ == 41
    assert 0.0 < np.abs(fitted.coef_ - before).max() < 0.5
    with pytest.raises(ValueError, match="partial_fit takes no groups"):
        ChainClassifier(groups=[0, 0, 1]).partial_fit(X, y, classes=["no", "yes"])


def test_online_kernel_learning_is_the_function():
    groups = ["a", "a", "b", "b", "b"]
    model = SPOMClassifier(5.0, groups=groups, loss="log", certify=5).fit(X, Y, lengths=LENGTHS)
    fit = ss.spom(X, Y, lengths=LENGTHS, groups=groups, loss="log", C=5.0, certify=5)
    np.testing.assert_array_equal(model.coef_, fit.coef().T)
    assert model.gap_ == fit.relative_gap < 0.1 and model.classes_.tolist() == ["a", "b", "c"]
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(X, LENGTHS) == model.predict(X, LENGTHS)).all()


def test_a_spom_learns_bit_by_bit():
    rng = np.random.default_rng(3)
    X = [rng.normal(size=(10, 4)) for _ in range(12)]
    y = [np.where(part[:, 0] > 0, "up", "down") for part in X]
    model = SPOMClassifier(C=10.0, eta0=0.5, groups=["a", "a", "b", "b"])
    with pytest.raises(ValueError, match="classes, all labels"):
        model.partial_fit(X[:6], y[:6])
    model.partial_fit(X[:6], y[:6], classes=["up", "down"]).partial_fit(X[6:], y[6:])
    whole = ss.spom(X, y, groups=["a", "a", "b", "b"], lam=model.model_.lam, eta0=0.5, epochs=1,
                    shuffle=False)  # fmt: skip
    np.testing.assert_allclose(model.coef_.T, whole.coef(), atol=1e-12)
    assert model.gap_ == np.inf and model.model_.lam == 1.0 / (10.0 * 6)
    before = model.fit(X, y).coef_
    assert not np.allclose(model.partial_fit(X, y).coef_, before)
