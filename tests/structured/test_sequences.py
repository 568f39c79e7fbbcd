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


def _doors(X, y):
    """Return what takes labels of these sequences, by name."""
    S, fit, model = ss.structured, ss.crf_path(X, y, lambdas=[0.1]), ss.spom(X, y, epochs=1)
    doors = {
        "crf_path": ss.crf_path, "cv_crf_path": S.cv_crf_path, "spom": ss.spom,
        "cv_spom": S.cv_spom, "max_margin": S.max_margin, "pegasos": S.pegasos,
        "wrapped_mkl": S.wrapped_mkl, "score": fit.score, "report": fit.report,
        "log_likelihood": fit.log_likelihood, "assess": lambda X, y: ss.assess(fit, X, y),
        "spom.score": model.score, "more": model.more,
        "kernels": lambda X, y: ss.spom([np.eye(6)] * 2, y, lengths=[3, 2, 1]),
        "viterbi": lambda X, y: S.viterbi(X, np.eye(2), y=y),
        "found": lambda X, y: S.tag_report([[0] * 3, [0] * 2, [0]], y),
    }
    try:
        from sparsesolve import estimators as E
    except ImportError:
        return doors
    for kind in (E.ChainClassifier, E.ChainSVM, E.SPOMClassifier):
        for name in ("fit", "partial_fit", "score"):
            known, flat = getattr(kind().fit(X, y), name), np.concatenate(X)
            doors[f"{kind.__name__}.{name}"] = known
            doors[f"table {kind.__name__}.{name}"] = (
                lambda X, y, known=known, flat=flat: known(flat, y, lengths=[3, 2, 1]))
    return doors


def test_every_door_tells_which_sequences_of_labels_do_not_fit():
    X = list(np.split(np.random.default_rng(0).normal(size=(6, 2)), [3, 5]))
    y, wrong = [["a", "b", "a"], ["b", "a"], ["b"]], []
    cases = [(y[:2], "2 sequences"), ([*y, ["a"]], "4 sequences"),
             ([y[1], y[0], y[2]], "2 labels for sequence 0, which has 3 rows"),
             (np.array([*y, ["a"]], dtype=object), "4 sequences"),
             (tuple(np.array(part) for part in y[:2]), "2 sequences")]  # fmt: skip
    for name, door in _doors(X, y).items():
        for labels, found in cases:
            try:
                door(X, labels)
                told = "nothing"
            except ValueError as error:
                told = str(error)
            if found not in told:
                wrong.append((name, found, told))
    assert not wrong, wrong
