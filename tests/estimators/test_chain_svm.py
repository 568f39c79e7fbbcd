"""ChainSVM: averaged steps, Frank-Wolfe with a gap, partial_fit, copies."""

import pickle

import numpy as np
import pytest

from sparsesolve.estimators import ChainSVM

RNG = np.random.default_rng(0)
X = [RNG.standard_normal((12, 3)) for _ in range(6)]
Y = [np.where(part[:, 0] > 0, "b", "a") for part in X]


def test_one_epoch_of_fit_is_one_partial_fit():
    whole = ChainSVM(epochs=1).fit(X, Y)
    part = ChainSVM().partial_fit(X, Y, classes=["b", "a"])
    assert (whole.coef_ == part.coef_).all() and (whole.transitions_ == part.transitions_).all()
    assert part.classes_.tolist() == ["a", "b"]


def test_frank_wolfe_has_a_gap_that_closes_and_averaged_steps_have_none():
    gaps = [ChainSVM(0.05, algorithm="frank_wolfe", epochs=n).fit(X, Y).gap_ for n in (2, 40)]
    assert gaps[1] < 0.5 * gaps[0] and gaps[1] >= 0.0
    assert ChainSVM().fit(X, Y).gap_ == np.inf


def test_a_copy_predicts_the_same():
    model = ChainSVM().fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    for one, other in zip(model.predict(X), copy.predict(X), strict=True):
        assert (one == other).all()
    assert model.score(X, Y) > 0.9


def test_the_first_part_names_the_classes():
    with pytest.raises(ValueError, match="classes, all labels that there may be, is needed"):
        ChainSVM().partial_fit(X, Y)
