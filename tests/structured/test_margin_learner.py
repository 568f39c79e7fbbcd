"""Structured hinge: the dual certificate by enumeration, and what averaging averages."""

import numpy as np
import pytest
from chain_enumeration import labellings
from scipy.optimize import minimize

import sparsesolve as ss
from sparsesolve import structured
from sparsesolve.paths import bundle
from sparsesolve.structured.margin_learner import MaxMargin

LENGTHS, K, P = np.array([3, 1, 4, 2, 4]), 3, 4


def draw(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(LENGTHS.sum(), P)) * (rng.random((LENGTHS.sum(), P)) < 0.8)
    return X, np.argmax(X[:, :3] + 0.5 * rng.gumbel(size=(len(X), 3)), axis=1)


def slow_hinge(w, X, y):
    """Sum over sequences of the loss-augmented hinge, by listing all labellings."""
    B, bias, T, start, stop = np.split(w, np.cumsum([P * K, K, K * K, K]))
    S, T, total, ptr = X @ B.reshape(P, K) + bias, T.reshape(K, K), 0.0, np.r_[0, LENGTHS.cumsum()]
    for i, j in zip(ptr[:-1], ptr[1:], strict=True):
        gold = tuple(y[i:j])
        scores = dict(labellings(S[i:j], T, start, stop))
        total += max(v + sum(a != b for a, b in zip(path, gold, strict=True))
                     for path, v in scores.items()) - scores[gold]  # fmt: skip
    return total


def test_averaged_steps_say_that_they_have_no_certificate(tmp_path):
    fit = structured.max_margin(*draw(), lengths=LENGTHS, epochs=2)
    ss.save(fit, tmp_path / "m.npz")
    for one in (fit, ss.load(tmp_path / "m.npz")):
        assert repr(one).endswith("features at the end, no certificate>")
        assert one.status[0].sentence == "the method has no certificate"
        for text in (repr(one), str(one), one.summary(), one._repr_html_()):
            assert "certificate" in text and not any(
                word in text for word in ("inf", "nan", "tolerance", "missed", "gap inf"))
    certified = structured.max_margin(*draw(), lengths=LENGTHS, algorithm="frank_wolfe", lam=0.1,
                                      epochs=2)  # fmt: skip
    assert "certified gap" in certified.summary() and "worst gap" in repr(certified)


@pytest.mark.parametrize("lam", [0.03, 0.3])
def test_the_gap_of_frank_wolfe_bounds_what_is_lost(lam):
    """The objective by enumeration less its gap is below every objective, and the gap closes."""
    X, y = draw()
    null = LENGTHS.sum() / len(LENGTHS)

    def objective(w):
        return 0.5 * lam * w @ w + slow_hinge(w, X, y) / len(LENGTHS)

    gaps = []
    for epochs in (1, 10, 400):
        fit = structured.max_margin(X, y, lengths=LENGTHS, algorithm="frank_wolfe", lam=lam,
                                    epochs=epochs)  # fmt: skip
        w = fit.coefs.toarray()[:, 0]
        gaps.append(fit.gaps[0] * null)
        floor = objective(w) - gaps[-1]
        best = minimize(objective, w, method="Nelder-Mead", options={"maxfev": 100}).fun
        assert floor <= best + 1e-9
    assert gaps[2] < 0.05 * gaps[0]
    assert gaps[2] < 0.02 * null


def test_frank_wolfe_stops_at_its_tolerance():
    X, y = draw(1)
    fit = structured.max_margin(X, y, lengths=LENGTHS, algorithm="frank_wolfe", lam=0.3,
                                epochs=500, tol=0.05)  # fmt: skip
    assert fit.gaps[0] <= 0.05 and fit.status[0] == 0


@pytest.mark.parametrize("epochs", [1, 5])
def test_the_dual_point_of_frank_wolfe_makes_the_coefficients_and_the_gap(epochs):
    X, y = draw(1)
    learner, rng, lam = MaxMargin(X, y, LENGTHS, dual=True), np.random.default_rng(1), 0.2
    for _ in range(epochs):
        learner.step.frank_wolfe_epoch(rng.permutation(5).astype(np.intc), learner.w, lam)
    D, E, lost = (np.asarray(part) for part in (learner.step.D, learner.step.E, learner.step.loss))
    ends = np.cumsum(LENGTHS)  # phi of labels less mixture, as CRFPath holds coefficients
    first, last = D[ends - LENGTHS].sum(axis=0), D[ends - 1].sum(axis=0)
    parts = [np.ravel(part) for part in (X.T @ D, D.sum(axis=0), E.sum(axis=0), first, last)]
    np.testing.assert_allclose(learner.w, np.concatenate(parts) / (lam * 5), atol=1e-12)
    np.testing.assert_allclose(D.sum(axis=1), 0.0, atol=1e-12)  # mixtures have mass one
    dual = lost.mean() - 0.5 * lam * learner.w @ learner.w
    gap = learner.step.frank_wolfe_gap(learner.w, lam)
    value = learner.step.objective(learner.w, lam)
    assert value - dual == pytest.approx(gap, abs=1e-12) and gap >= 0.0
    slow = 0.5 * lam * learner.w @ learner.w + slow_hinge(learner.w, X, y) / 5
    assert value == pytest.approx(slow, rel=1e-12)


def test_no_step_where_the_margin_is_kept():
    _, y = draw(0)
    learner = MaxMargin(np.eye(3)[y], y, LENGTHS)  # each label has a feature of its own
    learner.w[:9] = 5.0 * np.eye(3).ravel()
    before = learner.w.copy()
    lost, count = learner.step.averaged_epoch(np.arange(3, dtype=np.intc), learner.w,
                                              learner.total, 1.0)  # fmt: skip
    assert (lost, count) == (0.0, 4.0)
    np.testing.assert_array_equal(learner.w, before)


def test_the_risk_is_a_maximum_of_planes_which_a_bundle_method_minimises():
    X, y = draw(1)
    learner, rng, lam = MaxMargin(X, y, LENGTHS), np.random.default_rng(2), 0.2
    w = rng.normal(size=len(learner.w))
    value, slope = learner.step.risk(w)
    assert learner.step.objective(w, 0.0) == pytest.approx(value, rel=1e-12)
    assert value == pytest.approx(slow_hinge(w, X, y) / 5, rel=1e-12)
    for _ in range(20):
        other = w + rng.normal(size=len(w))
        assert learner.step.risk(other)[0] >= value + slope @ (other - w) - 1e-10
    trace = bundle.bmrm(learner.step.risk, lam, 200, start=np.zeros(len(w)))
    dual = MaxMargin(X, y, LENGTHS, dual=True)
    for _ in range(300):
        dual.step.frank_wolfe_epoch(rng.permutation(5).astype(np.intc), dual.w, lam)
    gap = dual.step.frank_wolfe_gap(dual.w, lam)
    floor = dual.step.objective(dual.w, lam) - gap
    assert floor - 1e-9 <= trace.objectives.min() <= floor + gap + trace.gap + 1e-9


def test_the_average_is_that_of_all_iterates():
    X, y = draw(2)
    learner = MaxMargin(X, y, LENGTHS)
    seen = [learner.w.copy()]
    for s in [0, 3, 1, 2, 4, 2, 0]:
        learner.step.averaged_epoch(np.array([s], dtype=np.intc), learner.w, learner.total,
                                    learner.count)  # fmt: skip
        learner.count += 1.0
        seen.append(learner.w.copy())
    # after a step at count c the iterate stands for one term of the mean
    mean = np.mean(seen[:-1], axis=0)
    found = learner.averaged().coefs.toarray()[:, 0] * learner.count
    np.testing.assert_allclose(found, mean * (learner.count - 1) + seen[-1], atol=1e-12)


def test_a_forbidden_transition_is_never_learnt_from():
    X, _ = draw(4)
    y = np.concatenate([[0, 1, 2, 2][:n] for n in LENGTHS])
    allowed = np.triu(np.ones((K, K), dtype=bool))
    fit = structured.max_margin(X, y, lengths=LENGTHS, allowed=allowed)
    for path in np.split(fit.predict(X, LENGTHS), LENGTHS.cumsum()[:-1]):
        assert (np.diff(path) >= 0).all()


@pytest.mark.parametrize("algorithm", ["averaged", "frank_wolfe", "pragam"])
def test_costs_of_wrong_labels(algorithm):
    """One position a sequence: by enumeration; and costs of 1 are the default."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.integers(3, size=60)
    ones = np.ones(60, dtype=int)
    cost = np.array([[0.0, 1.0, 5.0], [0.5, 0.0, 2.0], [3.0, 0.0, 0.0]])
    options = {"lengths": ones, "algorithm": algorithm, "epochs": 30, "lam": 0.5}
    plain = structured.max_margin(X, y, **options)
    same = structured.max_margin(X, y, cost=1.0 - np.eye(3), **options)
    np.testing.assert_array_equal(plain.coef(), same.coef())
    fit = structured.max_margin(X, y, cost=cost, **options)
    assert fit.null_value == pytest.approx(cost.max(axis=1)[y].mean())
    assert not np.allclose(fit.coef(), plain.coef())
    if algorithm != "averaged":
        def objective(w):
            W, b = w[:12].reshape(4, 3), w[12:15] + w[15:18] + w[18:21]
            scores = X @ W + b
            worst = (scores + cost[y]).max(axis=1) - scores[np.arange(60), y]
            return worst.mean() + 0.25 * w @ w

        parts = fit.parts()
        w = np.concatenate([parts["coef"].ravel(), parts["intercept"], parts["start"],
                            parts["stop"]])  # fmt: skip
        bound = objective(w) - fit.gaps[0] * fit.null_value
        for scale in (0.01, 0.1, 0.5):
            for _ in range(20):
                assert objective(w + scale * rng.normal(size=21)) >= bound - 1e-9
        assert 0.0 <= fit.gaps[0] < 0.05
    with pytest.raises(ValueError, match="cost has shape"):
        structured.max_margin(X, y, cost=np.zeros((2, 2)), **options)
