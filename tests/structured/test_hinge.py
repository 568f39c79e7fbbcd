"""The hinge pass: its objective by enumeration, and a step that leaves a right labelling alone."""

import numpy as np
import pytest
from chain_enumeration import labellings

from sparsesolve.paths import bundle
from sparsesolve.structured.margin_learner import MaxMargin

LENGTHS, K, P = np.array([3, 1, 4]), 3, 2


def drawn(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, P))
    y = np.array([0, 1, 2, 2, 1, 0, 0, 2])
    return X, y, rng.normal(size=(P + 3 + K) * K)


@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_that_of_all_labellings(seed):
    X, y, w = drawn(seed)
    B, bias, T, start, stop = np.split(w, np.cumsum([P * K, K, K * K, K]))
    total, ptr = 0.0, np.r_[0, LENGTHS.cumsum()]
    for i, j in zip(ptr[:-1], ptr[1:], strict=True):
        scores = dict(labellings(X[i:j] @ B.reshape(P, K) + bias, T.reshape(K, K), start, stop))
        costs = {path: np.sum(np.array(path) != y[i:j]) for path in scores}
        total += max(scores[path] + costs[path] for path in scores) - scores[tuple(y[i:j])]
    learner = MaxMargin(X, y, LENGTHS)
    found = learner.step.objective(w, 0.2)
    assert found == pytest.approx(0.1 * w @ w + total / 3, rel=1e-12)


def test_no_step_where_the_margin_is_kept():
    X, y, _ = drawn(0)
    X = np.eye(3)[y]  # each label has a feature of its own
    learner = MaxMargin(X, y, LENGTHS)
    learner.w[:9] = 5.0 * np.eye(3).ravel()
    before = learner.w.copy()
    lost, count = learner.step.averaged_epoch(np.arange(3, dtype=np.intc), learner.w,
                                              learner.total, 1.0)  # fmt: skip
    assert (lost, count) == (0.0, 4.0)
    np.testing.assert_array_equal(learner.w, before)


def test_the_risk_is_a_maximum_of_planes_which_a_bundle_method_minimises():
    X, y, w = drawn(1)
    learner, rng, lam = MaxMargin(X, y, LENGTHS), np.random.default_rng(2), 0.2
    value, slope = learner.step.risk(w)
    assert learner.step.objective(w, 0.0) == pytest.approx(value, rel=1e-12)
    for _ in range(20):
        other = w + rng.normal(size=len(w))
        assert learner.step.risk(other)[0] >= value + slope @ (other - w) - 1e-10
    trace = bundle.bmrm(learner.step.risk, lam, 200, start=np.zeros(len(w)))
    dual = MaxMargin(X, y, LENGTHS, dual=True)
    for _ in range(300):
        dual.step.frank_wolfe_epoch(rng.permutation(3).astype(np.intc), dual.w, lam)
    gap = dual.step.frank_wolfe_gap(dual.w, lam)
    floor = dual.step.objective(dual.w, lam) - gap
    assert floor - 1e-9 <= trace.objectives.min() <= floor + gap + trace.gap + 1e-9
