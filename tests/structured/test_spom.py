"""SPOM: an epoch step by step against a dense twin that decodes by enumeration; norms; means."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize

import sparsesolve as ss
from sparsesolve.structured.group_norm import GroupNorm
from sparsesolve.structured.spom_input import read_blocks
from sparsesolve.structured.spom_learner import SPOMLearner

K, LENGTHS = 3, [3, 1, 2, 2, 3]
N, n = len(LENGTHS), sum(LENGTHS)
PTR = np.r_[0, np.cumsum(LENGTHS)]
GROUPS = np.array([0, 0, 1, 1, 1, 2])


def draw(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.7)
    y = rng.integers(K, size=n)
    y[:K] = np.arange(K)
    return X, y


WRONG = 1.0 - np.eye(K)  # what it costs to take a label for another


def features(x, labels):
    """phi of a labelled sequence: (6, K) of features, and (K K + 2 K,) of transitions and ends."""
    own, tied = np.zeros((6, K)), np.zeros(K * K + 2 * K)
    for i, label in enumerate(labels):
        own[:, label] += x[i]
        if i:
            tied[labels[i - 1] * K + label] += 1.0
    tied[K * K + labels[0]] += 1.0
    tied[K * K + K + labels[-1]] += 1.0
    return own, tied


def against(x, gold, W, t, hinge, cost=WRONG):
    """phi of what the labels are compared with, and the loss, over all labellings."""
    every = [list(labels) for labels in itertools.product(range(K), repeat=len(gold))]
    parts = [features(x, labels) for labels in every]
    scores = np.array([np.sum(W * own) + t @ tied for own, tied in parts])
    true = np.sum(W * features(x, gold)[0]) + t @ features(x, gold)[1]
    if hinge:
        scores = scores + [np.sum(cost[gold, labels]) for labels in every]
        best = int(scores.argmax())
        return parts[best], scores[best] - true
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    mean = [sum(w * part[k] for w, part in zip(weights, parts, strict=True)) for k in (0, 1)]
    return mean, np.log(np.exp(scores - true).sum())


def slow_prox(lengths, kind, t, q, share):
    """The prox on norms by another optimiser."""
    def objective(v):
        return 0.5 * np.sum((v - lengths) ** 2) + t * GroupNorm(kind, q, share).value(np.abs(v))

    if kind == "elastic":  # one part after another, which is their order here: scale, then the sum
        lengths = lengths / (1.0 + t * share)
        kind, t = "l1_squared", t * (1.0 - share)
    found = minimize(objective, 0.9 * lengths, bounds=[(0, None)] * len(lengths),
                     options={"ftol": 1e-16, "gtol": 1e-12})  # fmt: skip
    return found.x


def dense_epoch(X, y, order, eta0, lam, kind, hinge, learned, radius):
    W, t, iterates = np.zeros((6, K)), np.zeros(K * K + 2 * K), []
    for step, s in enumerate(order, 1):
        iterates.append((W.copy(), t.copy()))
        x, gold = X[PTR[s] : PTR[s + 1]], list(y[PTR[s] : PTR[s + 1]])
        (own, tied), _ = against(x, gold, W, t, hinge)
        eta = eta0 / np.sqrt(step)
        true = features(x, gold)
        W, t = W + eta * (true[0] - own), t + eta * (true[1] - tied)
        sizes = np.array([np.linalg.norm(W[g == GROUPS]) for g in range(3)])
        both = np.append(sizes, np.linalg.norm(t)) if learned else sizes
        new = slow_prox(both, kind, eta * lam, 1.5, 0.5)
        for g in range(3):
            W[g == GROUPS] *= new[g] / sizes[g] if sizes[g] > 0 else 0.0
        t = t * (new[3] / both[3] if both[3] > 0 else 0.0) if learned else t / (1 + eta * lam)
        total = np.sqrt(np.sum(W**2) + np.sum(t**2))
        if total > radius:
            W, t = W * radius / total, t * radius / total
    return W, t, iterates


def learner(X, y, kind, hinge, learned, radius, average, lam=0.3, kernels=False):
    given = X
    if kernels:
        given = [np.ascontiguousarray(X[:, g == GROUPS] @ X[:, g == GROUPS].T) for g in range(3)]
    data = read_blocks(given, y, LENGTHS, None if kernels else GROUPS)
    return SPOMLearner(data.make, 3, data.ptr, data.codes, K, hinge, GroupNorm(kind), lam, learned,
                       radius=radius, average=average)  # fmt: skip


@pytest.mark.parametrize("hinge", [True, False])
@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("kind", ["l1_squared", "l1", "lp", "elastic", "l2"])
def test_an_epoch_is_that_of_a_dense_twin(kind, learned, hinge):
    X, y = draw()
    order = np.r_[np.random.default_rng(1).permutation(N), 0, 2]
    radius, eta0 = 1.5, 0.7
    W, t, iterates = dense_epoch(X, y, order, eta0, 0.3, kind, hinge, learned, radius)
    made = learner(X, y, kind, hinge, learned, radius, False)
    made.epoch(order, eta0)
    (found,), tied = made.parameters()
    np.testing.assert_allclose(found, W, atol=2e-5)
    np.testing.assert_allclose(tied, t, atol=2e-5)
    mean = learner(X, y, kind, hinge, learned, radius, True)
    mean.epoch(order, eta0)
    (found,), tied = mean.parameters()
    np.testing.assert_allclose(found, np.mean([w for w, _ in iterates], axis=0), atol=2e-5)
    np.testing.assert_allclose(tied, np.mean([t for _, t in iterates], axis=0), atol=2e-5)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("kind", ["l1_squared", "l1"])
@pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_array])
def test_kernels_do_what_their_features_do(kind, average, store):
    X, y = draw(2)
    order = np.random.default_rng(3).permutation(np.repeat(np.arange(N), 4))
    parts = [X[:, g == GROUPS] for g in range(3)]
    kernels = [store(part @ part.T) for part in parts]
    explicit = learner(X, y, kind, True, False, 2.0, average)
    data = read_blocks(kernels, y, LENGTHS, None)
    implicit = SPOMLearner(data.make, 3, data.ptr, data.codes, K, True, GroupNorm(kind), 0.3,
                           False, radius=2.0, average=average)  # fmt: skip
    for made in (explicit, implicit):
        made.epoch(order, 0.5)
    close = 1e-5 if store is np.float32 else 1e-10
    (W,), tied = explicit.parameters()
    coefs, other = implicit.parameters()
    np.testing.assert_allclose(other, tied, atol=close)
    for g in range(3):
        np.testing.assert_allclose(parts[g].T @ coefs[g], W[g == GROUPS], atol=close)
    np.testing.assert_allclose(implicit.norms()[0], explicit.norms()[0], atol=close)


@pytest.mark.parametrize("kernels", [True, False])
def test_norms_by_steps_are_norms_computed_at_once(kernels):
    X, y = draw(4)
    made = learner(X, y, "l1_squared", True, False, 3.0, False, lam=0.02, kernels=kernels)
    made.epoch(np.tile(np.arange(N), 40), 1.0)
    parameters, tied = made.parameters()
    if kernels:
        parts = [X[:, g == GROUPS] for g in range(3)]
        sizes = [np.linalg.norm(part.T @ A) for part, A in zip(parts, parameters, strict=True)]
    else:
        sizes = [np.linalg.norm(parameters[0][g == GROUPS]) for g in range(3)]
    np.testing.assert_allclose(made.norms()[0], sizes, rtol=1e-9)
    assert np.hypot(np.linalg.norm(sizes), np.linalg.norm(tied)) <= 3.0 + 1e-9


def test_the_kernel_that_says_something_is_chosen_and_the_model_predicts():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 20))
    y = np.where(X[:, 0] > 0, "up", "down")
    cut, lengths = 200, [10] * 20
    groups = np.array(["says"] * 2 + ["noise"] * 18)
    explicit = ss.spom(X[:cut], y[:cut], lengths=lengths, groups=groups, C=1.0, eta0=0.5)
    parts = {name: X[:, groups == name] for name in ("says", "noise")}
    kernels = {name: part[:cut] @ part[:cut].T for name, part in parts.items()}
    new = {name: part[cut:] @ part[:cut].T for name, part in parts.items()}
    implicit = ss.spom(kernels, y[:cut], lengths=lengths, C=1.0, eta0=0.5)
    mixed = ss.spom([ss.mkl.LowRank(parts["says"][:cut]), kernels["noise"]], y[:cut],
                    lengths=lengths, C=1.0, eta0=0.5)  # fmt: skip
    answers = [
        explicit.predict(X[cut:], [10] * 10), implicit.predict(new, [10] * 10),
        mixed.predict([parts["says"][cut:], new["noise"]], [10] * 10),
    ]  # fmt: skip
    for model, answer in zip((explicit, implicit, mixed), answers, strict=True):
        assert np.mean(answer == y[cut:]) > 0.85
        np.testing.assert_array_equal(answer, answers[0])
        weight = dict(zip(("says", "noise"), model.kernel_weights[-1], strict=True))
        assert weight["says"] > weight["noise"]
        assert model.objectives[-1] < model.objectives[0] and model.gap == np.inf
    assert explicit.coef().shape == (20, 2) and "no certificate" in repr(explicit)
    assert explicit.score(X[cut:], y[cut:], [10] * 10) > 0.85


def test_one_seed_gives_one_answer_and_data_are_left_alone():
    X, y = draw(9)
    kept = X.copy()
    one, two = (ss.spom(X, y, lengths=LENGTHS, groups=GROUPS, epochs=3, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.coef(), two.coef())
    np.testing.assert_array_equal(X, kept)
    assert one.eta0 in (0.01, 0.1, 1.0, 10.0)
    other = ss.spom(X, y, lengths=LENGTHS, groups=GROUPS, epochs=3, seed=5)
    assert not np.array_equal(one.coef(), other.coef())


@pytest.mark.parametrize("change, sentence", [
    ({"loss": "square"}, "loss"), ({"norm": "l3"}, "norm"), ({"C": -1.0}, "C"),
    ({"lam": 1.0, "C": 1.0}, "one of them"), ({"average": "all"}, "average must be"),
    ({"groups": [1, 2]}, "groups has 2"),
    ({"eta0": 0.0}, "eta0"), ({"lengths": [3]}, "lengths"),
])  # fmt: skip
def test_bad_options_are_told(change, sentence):
    X, y = draw()
    with pytest.raises(ValueError, match=sentence):
        ss.spom(X, y, **{"lengths": LENGTHS, **change})


def test_bad_kernels_are_told():
    X, y = draw()
    good = X @ X.T
    for bad, sentence in [
        (np.triu(good), "'b' is not symmetric"), (good * np.nan, "'b' holds nan"),
        (-good, "negative entries"), (good[:4, :4], "'b' has shape"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            ss.spom({"a": good, "b": bad}, y, lengths=LENGTHS)
    model = ss.spom({"a": good}, y, lengths=LENGTHS, epochs=2)
    with pytest.raises(ValueError, match="lacks the block 'a'"):
        model.predict({"c": good})
    with pytest.raises(ValueError, match="block 'a' has shape"):
        model.predict({"a": good[:, :3]})
    with pytest.raises(ValueError, match="fitted to blocks"):
        model.coef()


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_any_number_of_threads_gives_the_same_bits(loss):
    rng = np.random.default_rng(10)
    size = 2500  # two pieces of columns, the last of them short
    X = rng.normal(size=(size, 8))
    y, lengths = rng.integers(2, size=size), [50] * 50
    kernels = [X[:, :4] @ X[:, :4].T, (X[:, 4:] @ X[:, 4:].T).astype(np.float32),
               sparse.eye_array(size, format="csr")]  # fmt: skip
    one, three = (ss.spom(kernels, y, lengths=lengths, eta0=0.1, epochs=1, certify=1, loss=loss,
                          n_threads=threads) for threads in (1, 3))  # fmt: skip
    for a, b in zip(one.parameters, three.parameters, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.objective == three.objective and one.bound == three.bound


@pytest.mark.parametrize("average", [False, True])
def test_what_is_read_from_a_file_is_what_was_written(tmp_path, average):
    X, y = draw(14)
    names = np.array(["a", "b", "c"])
    parts = {"x": X @ X.T, "y": ss.mkl.LowRank(X)}
    table = ss.spom(X, names[y], lengths=LENGTHS, groups=GROUPS, C=1.0, certify=3, average=average)
    blocks = ss.spom(parts, y, lengths=LENGTHS, C=1.0, eta0=0.1)
    for model, new in ((table, X), (blocks, parts)):
        ss.save(model, tmp_path / "model.npz")
        other = ss.load(tmp_path / "model.npz")
        assert repr(other) == repr(model) and other.weights() == model.weights()
        assert (other.predict(new, LENGTHS) == model.predict(new, LENGTHS)).all()
        assert other.gap == model.gap and other.options == model.options
    mixed = ss.spom({("a", 1): X @ X.T}, y, lengths=LENGTHS, eta0=0.1)
    with pytest.raises(ValueError, match="name groups by text"):
        ss.save(mixed, tmp_path / "model.npz")


def test_a_picture_has_a_line_for_each_group_that_had_a_weight():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = draw(15)
    model = ss.spom(X, y, lengths=LENGTHS, groups=GROUPS, C=1.0, eta0=0.1)
    assert len(model.plot().lines) == np.count_nonzero(model.kernel_weights.any(axis=0))


def test_a_block_that_is_no_matrix_is_named():
    with pytest.raises(TypeError, match="block 'a' is a int; give a kernel matrix"):
        ss.spom({"a": 1}, ["u", "v"])


def test_features_have_names_that_are_kept_and_found_in_any_order(tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    y, lengths = np.where(X["a"] > 0, "up", "down"), [20, 20, 20]
    model = ss.spom(X, y, lengths=lengths, epochs=3, eta0=1.0)
    assert model.feature_names.tolist() == list("abcd")
    ss.save(model, tmp_path / "model.npz")
    for one in (model, ss.load(tmp_path / "model.npz")):
        across = one.predict(X[["d", "b", "c", "a"]], lengths)
        assert across.tolist() == model.predict(X.to_numpy(), lengths).tolist()
        assert one.feature_names.tolist() == list("abcd")
    with pytest.raises(ValueError, match="X has no column 'a'"):
        model.predict(X.rename(columns={"a": "z"}), lengths)


def test_sequences_of_dicts():
    X = [[{"word": "dogs"}, {"word": "bark"}], [{"word": w} for w in ("a", "cat", "sleeps")]]
    model = ss.spom(X, [["N", "V"], ["D", "N", "V"]], epochs=5, eta0=1.0, C=10.0)
    assert model.feature_names[:2].tolist() == ["word=dogs", "word=bark"]
    assert model.predict([[{"word": "cat"}, {"word": "sleeps"}]]).tolist() == ["N", "V"]
