"""Sequences of dicts and of texts."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.structured.sequences import read_rows

WORDS = ["the dog runs", "a cat sleeps", "the cat runs away"]
DICTS = [[{"w": w, "size": len(w), "last": [w[-1:], w[-2:]], "long": len(w) > 3}
          for w in text.split()] for text in WORDS]  # fmt: skip
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["D", "N", "V", "A"]]


def test_dicts_of_features_are_those_of_scikit_learn():
    vectorizer = pytest.importorskip("sklearn.feature_extraction").DictVectorizer()
    flat = [position for part in DICTS for position in part]
    Z = vectorizer.fit_transform(flat)
    rows = read_rows(DICTS)
    names = rows.names.tolist()
    order = [names.index(name) for name in vectorizer.get_feature_names_out()]
    assert (rows.rows[:, order] != Z).nnz == 0 and (rows.columns != rows.rows.T).nnz == 0
    assert rows.ptr.tolist() == [0, 3, 6, 10] == read_rows(flat, [3, 3, 4]).ptr.tolist()
    texts = [[[f"{name}={value}" for name, value in position.items()] for position in part]
             for part in [[{"w": w} for w in text.split()] for text in WORDS]]  # fmt: skip
    assert (read_rows(texts).rows != read_rows([[{"w": w} for w in text.split()]
                                                for text in WORDS]).rows).nnz == 0  # fmt: skip


def test_models_take_dicts_and_remember_their_features(tmp_path):
    chains = pytest.importorskip("sparsesolve.estimators")
    fit = ss.crf_path(DICTS, TAGS, lambdas=[1e-2])
    ss.save(fit, tmp_path / "fit.npz")
    flat = [tag for part in TAGS for tag in part]
    for model in (fit, ss.load(tmp_path / "fit.npz"),
                  ss.structured.max_margin(DICTS, TAGS, epochs=5)):  # fmt: skip
        assert model.predict(DICTS).tolist() == flat
        assert len(model.predict([[{"w": "new", "unseen": 3.0}, {}]])) == 2
    known = chains.ChainClassifier(alpha=1e-2).fit(DICTS, TAGS)
    assert known.score(DICTS, TAGS) == 1.0 == known.partial_fit(DICTS, TAGS).score(DICTS, TAGS)
    assert known.n_features_in_ == fit.n_features


@pytest.mark.parametrize("X, found", [
    ([[{"w": None}]], "feature 'w' of position 0 is None"),
    ([[{"w": "a"}, {"w": {"a": 1}}]], "feature 'w' of position 1 is {'a': 1}"),
    ([[{"w": np.nan}]], "X holds nan at row 0 of column 'w'"),
    ([[{}]], "X holds no feature"), ([[{"w": "a"}], []], "empty sequence at position 1"),
    (ss.structured.Sentences({"form": ["a"]}, [1]), "X holds Sentences"),
])  # fmt: skip
def test_features_that_are_none_are_told(X, found):
    with pytest.raises((TypeError, ValueError), match=found):
        read_rows(X)
    fit = ss.crf_path(np.eye(2), ["a", "b"], lambdas=[0.1])
    with pytest.raises(ValueError, match="fitted to a matrix without names"):
        fit.predict(DICTS)
