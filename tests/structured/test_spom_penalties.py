"""SPOM with penalties in turn: algorithm 1 with J > 1 step by step, against a dense twin."""

import numpy as np
import pytest
from structured.test_spom import GROUPS, LENGTHS, PTR, K, N, against, draw, features

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.structured.group_norm import penalty_norm

LAM, ETA = 0.3, 0.7
INNER, OUTER, ACROSS = [[0, 1], [2, 3]], [[0, 1, 2, 3], [4, 5]], [[1, 2, 4], [0, 3, 5]]


def soft(v, t):
    return np.sign(v) * np.maximum(np.abs(v) - t, 0.0)


def shrink(v, groups, t):
    """The prox of t sum_g sqrt(size of g) |v_g|, for v (p,) or all K columns of (p, K)."""
    v = v.copy()
    for group in groups:
        size, cut = np.linalg.norm(v[group]), t * np.sqrt(len(group))
        v[group] *= 1.0 - cut / size if size > cut else 0.0
    return v


# What `spom` takes, the same in plain numpy for parameters (p, K), and Omega.
IN_TURN = {
    "sparse group": (
        [(0.5, penalties.L1()), (2.0, penalties.GroupL2([0, 0, 1, 1, 2, 2]))],
        [lambda W, t: soft(W, 0.5 * t), lambda W, t: shrink(W, [[0, 1], [2, 3], [4, 5]], 2 * t)],
        lambda W: 0.5 * np.abs(W).sum() + 2 * size_of(W, [[0, 1], [2, 3], [4, 5]])),
    "hierarchical": (
        [penalties.L1(), penalties.GroupL2([0, 0, 1, 1, 2, 3], [2**0.5] * 2 + [0, 0]),
         penalties.GroupL2([0, 0, 0, 0, 1, 1])],
        [soft, lambda W, t: shrink(W, INNER, t), lambda W, t: shrink(W, OUTER, t)],
        lambda W: np.abs(W).sum() + size_of(W, INNER) + size_of(W, OUTER)),
    "overlapping": (
        [penalties.GroupL2([0, 0, 0, 0, 1, 1]), (0.3, penalties.GroupL2([0, 1, 1, 0, 1, 0]))],
        [lambda W, t: shrink(W, OUTER, t), lambda W, t: shrink(W, ACROSS, 0.3 * t)],
        lambda W: size_of(W, OUTER) + 0.3 * size_of(W, ACROSS)),
}  # fmt: skip


def size_of(W, groups):
    return sum(np.sqrt(len(g)) * np.linalg.norm(W[g]) for g in groups)


def slow(X, y, order, operators, hinge, alpha=1.0, group=False, radius=np.inf):
    """All iterates (W, t), the first of which are 0, by enumeration of labellings."""
    W, t = np.zeros((6, K)), np.zeros(K * K + 2 * K)
    seen = [(W, t)]
    for step, s in enumerate(order, 1):
        x, gold = X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]])
        (own, tied), _ = against(x, gold, W, t, hinge)
        eta, true = ETA / np.sqrt(step), features(x, gold)
        W, t = W + eta * (true[0] - own), t + eta * (true[1] - tied)
        for operator in operators:
            W = operator(W, alpha * eta * LAM)
        W = W / (1.0 + (1.0 - alpha) * eta * LAM)
        size = np.linalg.norm(t)
        t = t * max(1.0 - np.sqrt(K + 2) * eta * LAM / size, 0.0) if group else t / (1 + eta * LAM)
        total = np.sqrt(np.sum(W**2) + np.sum(t**2))
        if total > radius:
            W, t = W * radius / total, t * radius / total
        seen.append((W, t))
    return seen


@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("case", IN_TURN)
def test_steps_on_label_sequences_are_those_of_a_dense_twin(case, hinge):
    X, y = draw(3)
    given, operators, _ = IN_TURN[case]
    order = np.random.default_rng(0).permutation(N)
    for alpha, group, radius, average in ((1.0, False, np.inf, False), (0.6, True, 1.2, False),
                                          (1.0, True, np.inf, True)):  # fmt: skip
        seen = slow(X, y, order, operators, hinge, alpha, group, radius)
        model = ss.spom(X, y, lengths=LENGTHS, penalty=given, lam=LAM, eta0=ETA, epochs=1,
                        loss="hinge" if hinge else "log", alpha=alpha, seed=0, average=average,
                        radius="auto" if radius == np.inf and alpha == 1.0 else radius,
                        transitions="group" if group else "fixed")  # fmt: skip
        W = np.mean([w for w, _ in seen[:-1]], axis=0) if average else seen[-1][0]
        t = np.mean([u for _, u in seen[:-1]], axis=0) if average else seen[-1][1]
        np.testing.assert_allclose(model.coef(), W, atol=1e-8)
        np.testing.assert_allclose(model.tied, t, atol=1e-8)


def test_classes_and_a_tree_of_groups_are_the_operators_inner_groups_first():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 6)), rng.integers(3, size=60)
    options = {"lengths": np.ones(60, dtype=int), "lam": 0.02, "eta0": 0.5, "epochs": 2}
    inner = penalties.GroupL2([0, 0, 1, 2, 3, 4], [2**0.5, 0, 0, 0, 0])
    outer = penalties.GroupL2([0, 0, 0, 0, 1, 2], [2.0, 0, 0])
    turns = ss.spom(X, y, penalty=[inner, outer], **options)
    weights = [2**0.5, 2.0, 0.0, 0.0]
    tree = penalties.TreeL2([[0, 1], [0, 1, 2, 3], [4], [5]], weights)
    np.testing.assert_allclose(ss.spom(X, y, penalty=tree, **options).coef(), turns.coef(),
                               atol=1e-10)  # fmt: skip


@pytest.mark.parametrize("kernels", [True, False])
def test_on_norms_of_groups_operators_are_those_of_vectors(kernels):
    """Proposition 1: each operator on the norms, and groups keep their directions."""
    X, y = draw(5)
    parts = [(0.5, penalties.L1()), penalties.GroupL2({"a": [0, 1], "b": [2]})]

    def operate(W, t):
        n = np.array([np.linalg.norm(W[g == GROUPS]) for g in range(3)])
        new = shrink(soft(n, 0.5 * t), [[0, 1], [2]], t)
        return W * np.divide(new, n, out=np.zeros(3), where=n > 0.0)[GROUPS][:, None]

    order = np.random.default_rng(0).permutation(N)
    W, t = slow(X, y, order, [operate], True)[-1]
    given = [X[:, g == GROUPS] @ X[:, g == GROUPS].T for g in range(3)] if kernels else X
    model = ss.spom(given, y, lengths=LENGTHS, groups=None if kernels else GROUPS, penalty=parts,
                    lam=LAM, eta0=ETA, epochs=1)  # fmt: skip
    np.testing.assert_allclose(model.tied, t, atol=1e-8)
    if not kernels:
        np.testing.assert_allclose(model.coef(), W, atol=1e-8)
        return
    for g in range(3):
        np.testing.assert_allclose(X[:, g == GROUPS].T @ model.parameters[g], W[g == GROUPS],
                                   atol=1e-8)  # fmt: skip


@pytest.mark.parametrize("q", [2.0, 3.0, 5.0])
def test_powers_of_two_and_more(q):
    """b - b0 + t q b^(q-1) = 0 for each norm, by bisection."""
    X, y = draw(6)

    def operate(W, t):
        W = W.copy()
        for g in range(3):
            n = np.linalg.norm(W[g == GROUPS])
            low, high = 0.0, n
            for _ in range(200):
                b = 0.5 * (low + high)
                low, high = (low, b) if b - n + t * q * b ** (q - 1) > 0.0 else (b, high)
            W[g == GROUPS] *= b / n if n > 0.0 else 0.0
        return W

    order = np.random.default_rng(0).permutation(N)
    W, t = slow(X, y, order, [operate], False)[-1]
    options = {"lengths": LENGTHS, "groups": GROUPS, "norm": "lp", "q": q, "loss": "log",
               "lam": LAM}  # fmt: skip
    model = ss.spom(X, y, eta0=ETA, epochs=1, **options)
    np.testing.assert_allclose(model.coef(), W, atol=1e-8)
    np.testing.assert_allclose(model.tied, t, atol=1e-8)
    sure = ss.spom(X, y, eta0=0.3, epochs=60, certify=200, **options)
    assert 0.0 <= sure.relative_gap < 0.02
    assert np.hypot(np.linalg.norm(sure.coef()), np.linalg.norm(sure.tied)) <= sure.radius


def test_norms_of_groups_and_of_transitions_add_up():
    """What the proximal operator takes away is in the subdifferential of the value."""
    norm = penalty_norm(penalties.GroupL2([0, 0, 1]), 3, None, 1, 1.0, False, 2.0)
    v = np.array([3.0, 4.0, 1.0, 5.0])
    assert norm.value(v) == pytest.approx(5.0 * np.sqrt(2.0) + 1.0 + 10.0)
    new = norm.prox(v, 0.3)
    assert (v - new) / 0.3 @ new == pytest.approx(norm.value(new))


@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("case", IN_TURN)
def test_the_bound_is_below_every_objective(case, hinge, group):
    X, y = draw(7)
    given, _, omega = IN_TURN[case]
    model = ss.spom(X, y, lengths=LENGTHS, penalty=given, lam=0.05, eta0=0.3, epochs=40,
                    loss="hinge" if hinge else "log", certify=80,
                    transitions="group" if group else "fixed")  # fmt: skip

    def objective(W, t):
        mean = np.mean([against(X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]]), W, t,
                                hinge)[1] for s in range(N)])  # fmt: skip
        size = np.linalg.norm(t)
        return 0.05 * (omega(W) + (np.sqrt(K + 2) * size if group else 0.5 * size**2)) + mean

    assert model.objective == pytest.approx(objective(model.coef(), model.tied), rel=1e-9)
    assert 0.0 <= model.relative_gap < 0.1
    rng = np.random.default_rng(8)
    for scale in (0.03, 0.3, 1.0):
        W = model.coef() + scale * rng.normal(size=(6, K))
        t = model.tied + scale * rng.normal(size=model.tied.shape)
        assert objective(W, t) >= model.bound


def test_features_in_use_have_their_names_and_files_keep_the_model(tmp_path):
    import pandas as pd

    rng = np.random.default_rng(10)
    X = pd.DataFrame(rng.normal(size=(80, 4)), columns=list("abcd"))
    y = np.where(X["b"] > 0, "up", "down")
    parts = [penalties.L1(), penalties.GroupL2({"left": ["a", "b"], "right": ["c", "d"]})]
    model = ss.spom(X, y, lengths=[20] * 4, penalty=parts, lam=0.2, eta0=0.5)
    assert list(model.weights()) == list("abcd")
    assert max(model.weights(), key=model.weights().get) == "b" and "b" in model.used()
    ss.save(model, tmp_path / "model.npz")
    other = ss.load(tmp_path / "model.npz")
    assert repr(other) == repr(model) and "penalty" in repr(model)
    assert (other.predict(X, [20] * 4) == model.predict(X, [20] * 4)).all()


@pytest.mark.parametrize("penalty, sentence", [
    ([], "empty sequence"), ([(-1.0, penalties.L1())], "c > 0"), (penalties.MCP(), "not convex"),
    (penalties.TotalVariation(), "grow with the size"), (penalties.GroupL2([0, 1]), "2"),
])  # fmt: skip
def test_penalties_that_do_not_fit_are_told(penalty, sentence):
    X, y = draw()
    with pytest.raises(ValueError, match=sentence):
        ss.spom(X, y, lengths=LENGTHS, penalty=penalty)
