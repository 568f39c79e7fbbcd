"""Block Frank-Wolfe: coefficients are those of the dual point, and the gap theirs."""

import numpy as np
import pytest

from sparsesolve.structured.margin_learner import MaxMargin

LENGTHS, K, P, LAM = np.array([3, 1, 4, 2]), 3, 2, 0.2


def features(D, E, X):
    """phi of labels less mixture, one after the other as CRFPath holds coefficients."""
    ends = np.cumsum(LENGTHS)
    first, last = D[ends - LENGTHS].sum(axis=0), D[ends - 1].sum(axis=0)
    parts = (X.T @ D, D.sum(axis=0), E.sum(axis=0), first, last)
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize("epochs", [1, 5])
def test_the_dual_point_makes_the_coefficients_and_the_gap(epochs):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(10, P)), rng.integers(K, size=10)
    learner = MaxMargin(X, y, LENGTHS, dual=True)
    for _ in range(epochs):
        learner.step.frank_wolfe_epoch(rng.permutation(4).astype(np.intc), learner.w, LAM)
    D, E, lost = (np.asarray(part) for part in (learner.step.D, learner.step.E, learner.step.loss))
    np.testing.assert_allclose(learner.w, features(D, E, X) / (LAM * 4), atol=1e-12)
    np.testing.assert_allclose(D.sum(axis=1), 0.0, atol=1e-12)  # mixtures have mass one
    dual = lost.mean() - 0.5 * LAM * learner.w @ learner.w
    gap = learner.step.frank_wolfe_gap(learner.w, LAM)
    assert learner.step.objective(learner.w, LAM) - dual == pytest.approx(gap, abs=1e-12)
    assert gap >= 0.0
