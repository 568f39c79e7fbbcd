"""Free scores: finite where the data decide, told by name where they do not."""

import warnings

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.results.status import Status

rng = np.random.default_rng(0)


def every_pair(K, repeats, length=9):
    """Labels in which every start, stop and transition occurs, and features that say little."""
    y = rng.integers(K, size=(repeats, length))
    return rng.normal(size=(repeats * length, 2)), y.ravel(), [length] * repeats


def test_where_everything_occurs_the_optimum_is_free():
    X, y, lengths = every_pair(2, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ss.crf_path(X, y, lengths=lengths, transitions="free", lambdas=[0.1], tol=1e-9)
    assert fit.status[0] is Status.CONVERGED and fit.unbounded is None
    parts = fit.parts()
    assert max(np.abs(parts[name]).max() for name in ("transitions", "start", "stop")) < 5.0
    nodes, pairs = fit.marginals(X, lengths, pairs=True)
    labels = y.reshape(-1, 9)
    for a in (0, 1):  # free parameters reproduce their counts
        for b in (0, 1):
            count = np.sum((labels[:, :-1] == a) & (labels[:, 1:] == b))
            assert pairs[:, a, b].sum() == pytest.approx(count, abs=1e-2)
        assert nodes[::9, a].sum() == pytest.approx(np.sum(labels[:, 0] == a), abs=1e-2)


def test_what_never_occurs_is_named(tmp_path):
    X, y, lengths = every_pair(3, 60)
    y = np.array(["a", "b", "c"])[y]
    y[1:][(y[:-1] == "a") & (y[1:] == "b")] = "c"
    y[::9][y[::9] == "c"] = "a"
    y[1:][(y[:-1] == "a") & (y[1:] == "b")] = "c"
    with pytest.warns(UserWarning, match="'a -> b', 'start -> c': the data never take them"):
        fit = ss.crf_path(X, y, lengths=lengths, transitions="free", lambdas=[0.1], tol=1e-4)
    assert fit.status[0] is Status.UNBOUNDED and fit.gaps[0] <= 1e-4
    assert fit.unbounded == ["a -> b", "start -> c"]
    assert fit.transitions()[0, 1] < -5.0
    ss.save(fit, tmp_path / "free.npz")
    assert ss.load(tmp_path / "free.npz").unbounded == fit.unbounded


@pytest.mark.parametrize("transitions", ["ridge", "free"])
def test_features_that_tell_every_label_are_announced_without_a_penalty(transitions):
    X, y, lengths = every_pair(2, 20)
    told = {"lengths": lengths, "lambdas": [0.1, 0.0], "transitions": transitions, "tol": 1e-3}
    with pytest.warns(UserWarning, match="No finite coefficients are best at lambda = 0: feat"):
        fit = ss.crf_path(np.c_[X, 2.0 * y - 1.0], y, **told)
    assert fit.status.tolist() == [Status.CONVERGED, Status.UNBOUNDED] and fit.unbounded is None
    for seed in range(5):  # labels that they do not tell, and there is a best
        wrong = y ^ (np.random.default_rng(seed).random(len(y)) < 0.1)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            fit = ss.crf_path(np.c_[X, 2.0 * y - 1.0], wrong, **told)
        assert Status.UNBOUNDED not in fit.status and "No finite" not in str([*map(str, said)])


def test_a_forbidden_transition_is_not_named():
    X, y, lengths = every_pair(2, 30)
    y[1:][(y[:-1] == 1) & (y[1:] == 1)] = 0
    allowed = [[True, True], [True, False]]
    fit = ss.crf_path(X, y, lengths=lengths, transitions="free", lambdas=[0.1], allowed=allowed)
    assert fit.unbounded is None and fit.status[0] is Status.CONVERGED


def test_penalised_scores_are_never_unbounded():
    X, y, lengths = every_pair(2, 5)
    y[:] = np.arange(len(y)) % 2
    fit = ss.crf_path(X, y, lengths=lengths, transitions="ridge", lambdas=[0.1])
    assert fit.unbounded is None and fit.status[0] is Status.CONVERGED
