"""SPOM fed bit by bit, bounds of its regret, costs of wrong labels, and weights of transitions."""

import pickle

import numpy as np
import pandas as pd
import pytest
from structured.test_spom import GROUPS, LENGTHS, PTR, K, N, against, draw, features

import sparsesolve as ss
from sparsesolve import penalties, structured

OPTIONS = {"lam": 0.1, "eta0": 0.4, "epochs": 1, "labels": range(K)}
NORMS = [{"norm": "l1_squared"}, {"norm": "l2", "schedule": "pegasos", "eta0": 10.0},
         {"penalty": [penalties.L1(), penalties.GroupL2([0, 0, 1, 1, 2, 2])]}]  # fmt: skip


@pytest.mark.parametrize("average", [False, True, "epoch"])
@pytest.mark.parametrize("options", NORMS)
def test_bit_by_bit_is_at_once(options, average):
    X, y = draw(1)
    options = {**OPTIONS, **options, "average": average}
    groups = {} if "penalty" in options else {"groups": GROUPS}
    whole = ss.spom(X, y, lengths=LENGTHS, shuffle=False, **groups, **options)
    model = ss.spom(X[:3], y[:3], lengths=LENGTHS[:1], shuffle=False, **groups, **options)
    first = model.coef().copy()
    for s in range(1, N):
        model = pickle.loads(pickle.dumps(model))
        model = model.more(X[PTR[s] : PTR[s + 1]], y[PTR[s] : PTR[s + 1]], [LENGTHS[s]])
    if average != "epoch":
        np.testing.assert_allclose(model.coef(), whole.coef(), atol=1e-12)
        np.testing.assert_allclose(model.tied, whole.tied, atol=1e-12)
    assert model.regret_bound(1.0) == pytest.approx(whole.regret_bound(1.0), rel=1e-6)
    assert len(model.objectives) == N and model.bound == -np.inf
    assert not np.array_equal(first, model.coef())


def test_orders_of_one_s_own():
    X, y = draw(2)
    given = {"lengths": LENGTHS, **OPTIONS}
    as_they_come = ss.spom(X, y, shuffle=False, **given)
    same = ss.spom(X, y, order=np.arange(N), **given)
    np.testing.assert_array_equal(as_they_come.coef(), same.coef())
    rng = np.random.default_rng(0)
    drawn = np.array([rng.permutation(N) for _ in range(2)])
    two = ss.spom(X, y, order=drawn, **{**given, "epochs": 2})
    np.testing.assert_array_equal(two.coef(), ss.spom(X, y, **{**given, "epochs": 2}).coef())
    for order, sentence in ((np.array([0, N]), "from 0 to 4"), (drawn, "2 rows for 1 epochs"),
                            (np.zeros(3), "numbers of sequences")):  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            ss.spom(X, y, order=order, **given)


def test_labels_told_beforehand():
    X, y = draw(3)
    model = ss.spom(X[:3], ["a", "b", "a"], lengths=[3], labels=["c", "b", "a"])
    assert model.labels.tolist() == ["a", "b", "c"] and model.coef().shape == (6, 3)
    model = model.more(X[3:5], ["c", "a"], [2])
    with pytest.raises(ValueError, match="'z'"):
        model.more(X[3:5], ["z", "a"], [2])
    with pytest.raises(ValueError, match="'b', which labels does not name"):
        ss.spom(X[:3], ["a", "b", "a"], lengths=[3], labels=["a", "c"])


def test_what_cannot_go_on_says_why(tmp_path):
    X, y = draw(4)
    blocks = ss.spom([X @ X.T], y, lengths=LENGTHS, eta0=0.1)
    with pytest.raises(ValueError, match="kernels stand between the positions"):
        blocks.more([X @ X.T], y, LENGTHS)
    table = ss.spom(X, y, lengths=LENGTHS, eta0=0.1)
    with pytest.raises(ValueError, match="2 columns, but the model was fitted to 6"):
        table.more(X[:, :2], y, LENGTHS)
    ss.save(table, tmp_path / "model.npz")
    read = ss.load(tmp_path / "model.npz")
    assert read.regret_bound(1.0) == table.regret_bound(1.0)
    with pytest.raises(ValueError, match="read from a file"):
        read.more(X, y, LENGTHS)


@pytest.mark.parametrize("options", [
    {"schedule": "constant"}, {"schedule": "sqrt"}, {"schedule": "sqrt", "norm": "l1"},
    {"schedule": "inverse", "norm": "l2", "eta0": 10.0},
    {"schedule": "inverse", "norm": "elastic"},
    {"schedule": "pegasos", "norm": "l2", "eta0": 10.0},
    {"penalty": [penalties.L1(), penalties.GroupL2([0, 0, 1, 1, 2, 2])]},
    {"penalty": penalties.L1(), "alpha": 0.5, "schedule": "inverse", "eta0": 20.0},
])  # fmt: skip
@pytest.mark.parametrize("group", [True, False])
def test_the_regret_is_within_its_bound(options, group):
    """Against the best of several fixed parameters, and the sum that the paper's proof bounds."""
    X, y = draw(5)
    options = {"lam": 0.1, "eta0": 0.5, "loss": "log", **options,
               "transitions": "group" if group else "fixed"}  # fmt: skip
    where = {"lengths": LENGTHS}
    if "penalty" not in options:
        where["groups"] = GROUPS
    order = np.tile(np.arange(N), 6)
    model = ss.spom(X, y, order=order[:1], epochs=1, **where, **options)
    paid = length_loss(0)
    for s in order[1:]:
        paid += loss_at(model, X, y, s) + 0.1 * omega(model, options, group)
        model = model.more(X, y, LENGTHS, order=[s])
    whole = ss.spom(X, y, order=order, epochs=1, **where, **options)
    np.testing.assert_allclose(whole.coef(), model.coef(), atol=1e-10)
    for rival in (whole, ss.spom(X, y, epochs=60, **where, **options)):
        size = np.hypot(np.linalg.norm(rival.coef()), np.linalg.norm(rival.tied))
        mean = sum(loss_at(rival, X, y, s) for s in order)
        regret = paid - mean - len(order) * 0.1 * omega(rival, options, group)
        assert regret <= whole.regret_bound(float(size))
    if np.isfinite(whole.radius):
        with pytest.raises(ValueError, match="longer ones are not compared"):
            whole.regret_bound(2.0 * whole.radius)


def length_loss(s):
    return LENGTHS[s] * np.log(K)


def loss_at(model, X, y, s):
    x, gold = X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]])
    return against(x, gold, model.coef(), model.tied, False)[1]


def omega(model, options, group):
    W, size = model.coef(), np.linalg.norm(model.tied)
    if "penalty" in options:
        own, alpha = np.abs(W).sum(), options.get("alpha", 1.0)
        if isinstance(options["penalty"], list):
            own += sum(2**0.5 * np.linalg.norm(W[[2 * g, 2 * g + 1]]) for g in range(3))
        own = alpha * own + (1 - alpha) * 0.5 * np.sum(W**2)
        return own + (np.sqrt(K + 2) * size if group else 0.5 * size**2)
    n = np.array([np.linalg.norm(W[g == GROUPS]) for g in range(3)])
    n = np.append(n, size) if group else n
    kind = options.get("norm", "l1_squared")
    own = {"l1_squared": 0.5 * n.sum() ** 2, "l1": n.sum(), "l2": 0.5 * n @ n,
           "elastic": 0.25 * n.sum() ** 2 + 0.25 * n @ n}[kind]  # fmt: skip
    return own + (0.0 if group else 0.5 * size**2)


def test_the_terms_of_the_bound_are_those_of_the_theorem():
    """Steps written out: eta |g|^2, and the changes of 1 / eta beyond strong convexity."""
    X, y = draw(6)
    lam, order = 0.2, np.tile(np.arange(N), 2)
    for schedule, norm in (("constant", "l2"), ("sqrt", "l2"), ("inverse", "l2"),
                           ("pegasos", "l2")):  # fmt: skip
        W, t, spent, longest, etas = np.zeros((6, K)), np.zeros(K * K + 2 * K), 0.0, 0.0, []
        for step, s in enumerate(order, 1):
            longest = max(longest, np.sqrt(np.sum(W**2) + t @ t))
            x, gold = X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]])
            (own, tied), _ = against(x, gold, W, t, True)
            eta = {"constant": 0.3, "sqrt": 0.3 / np.sqrt(step)}.get(schedule, 1 / (lam * step))
            true = features(x, gold)
            g, h = own - true[0], tied - true[1]
            if schedule == "pegasos":
                g, h = g + lam * W, h + lam * t
            spent += eta * (np.sum(g**2) + h @ h)
            W, t = W - eta * g, t - eta * h
            if schedule != "pegasos":
                W, t = W / (1 + eta * lam), t / (1 + eta * lam)
            etas.append(eta)
        rises = sum(max(1 / b - 1 / a - lam, 0.0) for a, b in zip(etas, etas[1:], strict=False))
        first = 0.0 if schedule == "pegasos" else 1 / etas[0]
        model = ss.spom(X, y, lengths=LENGTHS, norm=norm, schedule=schedule, lam=lam, order=order,
                        eta0=0.3 if schedule in ("constant", "sqrt") else 1 / lam, epochs=1,
                        radius=100.0)  # fmt: skip
        np.testing.assert_allclose(model.coef(), W, atol=1e-10)
        for size in (0.5, 2.0):
            bound = 0.5 * (size**2 * first + (size + longest) ** 2 * rises + spent)
            assert model.regret_bound(size) == pytest.approx(bound, rel=1e-6)


COST = np.array([[0.0, 1.0, 3.0], [0.5, 0.0, 2.0], [4.0, 0.0, 0.0]])


def test_steps_with_costs_of_wrong_labels():
    X, y = draw(7)
    W, t = np.zeros((6, K)), np.zeros(K * K + 2 * K)
    for step, s in enumerate(np.tile(np.arange(N), 2), 1):
        x, gold = X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]])
        (own, tied), _ = against(x, gold, W, t, True, COST)
        eta, true = 0.4 / np.sqrt(step), features(x, gold)
        W, t = W + eta * (true[0] - own), t + eta * (true[1] - tied)
        W, t = W / (1 + eta * 0.1), t / (1 + eta * 0.1)
    options = {"lengths": LENGTHS, "norm": "l2", "lam": 0.1, "eta0": 0.4, "cost": COST}
    model = ss.spom(X, y, epochs=2, shuffle=False, radius=50.0, **options)
    np.testing.assert_allclose(model.coef(), W, atol=1e-10)
    loss = np.mean([against(X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]]), W, t, True,
                            COST)[1] for s in range(N)])  # fmt: skip
    value = loss + 0.05 * (np.sum(W**2) + t @ t)
    assert model.objective == pytest.approx(value, rel=1e-9)
    assert model.null_objective == pytest.approx(COST.max(axis=1)[y].sum() / N)
    sure = ss.spom(X, y, epochs=60, certify=200, **options)
    assert 0.0 <= sure.relative_gap < 0.03 and sure.bound <= value
    one = ss.spom(X, y, lengths=LENGTHS, lam=0.1, eta0=0.4, cost=1.0 - np.eye(K))
    same = ss.spom(X, y, lengths=LENGTHS, lam=0.1, eta0=0.4)
    np.testing.assert_array_equal(one.coef(), same.coef())


def test_costs_by_labels_and_bad_costs():
    X, y = draw(8)
    names = np.array(["b", "a", "c"])[y]
    frame = pd.DataFrame(COST, index=list("bac"), columns=list("bac"))
    options = {"lengths": LENGTHS, "lam": 0.1, "eta0": 0.4}
    by_name = ss.spom(X, names, cost=frame, **options)
    sorted_ones = frame.loc[list("abc"), list("abc")].to_numpy()
    np.testing.assert_array_equal(by_name.coef(), ss.spom(X, names, cost=sorted_ones,
                                                          **options).coef())  # fmt: skip
    for cost, sentence in ((np.eye(3), "0 on the"), (-COST, "at least 0"), (COST[:2], "shape"),
                           (COST * np.nan, "finite")):  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            ss.spom(X, y, cost=cost, **options)
        with pytest.raises(ValueError, match=sentence):
            structured.viterbi(np.zeros((2, 3)), np.zeros((3, 3)), y=[0, 1], cost=cost)
    with pytest.raises(ValueError, match="the log loss has none"):
        ss.spom(X, y, cost=COST, loss="log", **options)
    with pytest.raises(ValueError, match="give y as well"):
        structured.viterbi(np.zeros((2, 3)), np.zeros((3, 3)), cost=COST)


def test_decoding_with_costs_is_decoding_of_scores_with_costs():
    rng = np.random.default_rng(9)
    S, T, y = rng.normal(size=(6, 3)), rng.normal(size=(3, 3)), rng.integers(3, size=6)
    labels, scores = structured.viterbi(S, T, lengths=[2, 4], y=y, cost=COST)
    other, same = structured.viterbi(S + COST[y], T, lengths=[2, 4])
    np.testing.assert_array_equal(labels, other)
    np.testing.assert_allclose(scores, same)
    plain, ones = (structured.viterbi(S, T, y=y, **given)  # by default a wrong label costs 1
                   for given in ({}, {"cost": 1.0 - np.eye(3)}))  # fmt: skip
    assert plain[0].tolist() == ones[0].tolist() and plain[1] == ones[1]
    A, heads = rng.normal(size=(5, 5)), np.array([0, 1, 1, 3])
    cost = rng.uniform(0.0, 3.0, size=(5, 5))
    more = cost.copy()
    more[heads, np.arange(1, 5)] = 0.0
    found, score = structured.best_tree(A, heads=heads, cost=cost)
    other, same = structured.best_tree(A + more)
    np.testing.assert_array_equal(found, other)
    assert score == pytest.approx(same)
    one, same = structured.best_tree(A, heads=heads, cost=np.ones((5, 5))), structured.best_tree(
        A, heads=heads)  # fmt: skip
    assert one[0].tolist() == same[0].tolist() and one[1] == same[1]
    for bad, sentence in ((-cost, "at least 0"), (cost[:4], "shape")):
        with pytest.raises(ValueError, match=sentence):
            structured.best_tree(A, heads=heads, cost=bad)
    with pytest.raises(ValueError, match="give heads as well"):
        structured.best_tree(A, cost=cost)


def test_weights_of_transitions():
    """beta is proportional to the norms of all groups, transitions among them."""
    X, y = draw(10)
    for options in ({"norm": "l1_squared"}, {"penalty": [penalties.L1()]}):
        model = ss.spom(X, y, lengths=LENGTHS, groups=GROUPS, lam=0.05, eta0=0.4,
                        transitions="group", **options)  # fmt: skip
        n = np.array([np.linalg.norm(model.coef()[g == GROUPS]) for g in range(3)])
        n = np.append(n, np.linalg.norm(model.tied))
        found = model.weights(transitions=True)
        assert list(found) == [*model.group_labels, "transitions"]
        np.testing.assert_allclose(list(found.values()), n / n.sum(), atol=1e-10)
        assert list(model.weights()) == model.group_labels
    fixed = ss.spom(X, y, lengths=LENGTHS, groups=GROUPS, lam=0.05, eta0=0.4)
    assert fixed.weights(transitions=True)["transitions"] == 1.0
