"""Paths of chains: certificates from the data alone, known optima, degenerate data."""

import _thread
import signal
import threading
import warnings

import numpy as np
import pytest
from chain_enumeration import labellings, partition
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties

LENGTHS = np.array([4, 1, 3, 4, 2, 4, 3])
K, P = 3, 4


def draw(seed=0, p=P):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(LENGTHS.sum(), p)) * (rng.random((LENGTHS.sum(), p)) < 0.7)
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + rng.gumbel(size=(len(X), 3)), axis=1)]
    return X, y


def slow_objective(parts, X, y, w, lam, alpha, groups, kind, allowed=None):
    """P(b), and D of the dual point that F' gives, by listing all labellings."""
    codes, ptr = np.searchsorted(["a", "b", "c"], y), np.r_[0, np.cumsum(LENGTHS)]
    S = X @ parts["coef"] + parts["intercept"]
    T = np.where(True if allowed is None else allowed, parts["transitions"], -np.inf)
    loss, entropy = 0.0, 0.0
    U, pairs, ends = np.zeros_like(S), np.zeros((K, K)), np.zeros((2, K))
    for s, (i, j) in enumerate(zip(ptr[:-1], ptr[1:], strict=True)):
        log_z, nodes, both = partition(S[i:j], T, parts["start"], parts["stop"])
        scores = dict(labellings(S[i:j], T, parts["start"], parts["stop"]))
        loss += w[s] * (log_z - scores[tuple(codes[i:j])])
        mean = sum(np.exp(v - log_z) * v for v in scores.values() if v > -np.inf)
        entropy += w[s] * (log_z - mean)
        U[i:j] = w[s] * (np.eye(K)[codes[i:j]] - nodes)
        for a, b in zip(codes[i : j - 1], codes[i + 1 : j], strict=True):
            pairs[a, b] += w[s]
        pairs -= w[s] * np.sum(both, axis=0) if j - i > 1 else 0.0
        ends[0] += U[i]
        ends[1] += U[j - 1]
    Z = X.T @ U
    t = np.concatenate([parts[name].ravel() for name in ("intercept", "transitions", "start",
                                                         "stop")])  # fmt: skip
    g = np.concatenate([U.sum(axis=0), pairs.ravel(), ends.ravel()])
    B, both = parts["coef"], None
    members = [np.flatnonzero(np.asarray(groups) == k) for k in dict.fromkeys(groups)]
    omega = alpha * sum(np.sqrt(len(m)) * np.linalg.norm(B[m]) for m in members)
    weight = [np.sqrt(len(m)) * np.linalg.norm(np.ones(1)) for m in members]
    ridge = 0.5 * (1 - alpha) * sum(d * np.sum(B[m] ** 2)
                                    for d, m in zip(weight, members, strict=True))  # fmt: skip
    value = loss + lam * (omega + ridge)
    if kind == "ridge":
        value += 0.5 * lam * t @ t
    elif kind == "group":
        value += lam * np.sqrt(K + 3) * np.linalg.norm(t)
    scale = 1.0
    if alpha == 1.0:
        for m in members:
            size = np.linalg.norm(Z[m])
            scale = min(scale, lam * np.sqrt(len(m)) / size if size > 0 else 1.0)
    if kind == "group":
        scale = min(scale, lam * np.sqrt(K + 3) / max(np.linalg.norm(g), 1e-300))
    dual = scale * entropy
    if kind == "ridge":
        dual -= 0.5 * np.sum((scale * g) ** 2) / lam
    elif kind == "free":
        dual -= 20.0 * np.abs(scale * g).sum()
    if alpha < 1.0:
        for d, m in zip(weight, members, strict=True):
            over = max(np.linalg.norm(Z[m]) - lam * alpha * d, 0.0)
            dual -= 0.5 * over**2 / (lam * (1 - alpha) * d)
    return value, dual


@pytest.mark.parametrize("kind", ["ridge", "group", "free"])
@pytest.mark.parametrize("alpha", [1.0, 0.6, 0.0])
def test_gaps_are_those_of_the_data_alone(kind, alpha):
    """The gap is that of objective and dual value as a slow twin computes them from the answer."""
    X, y = draw()
    groups = ["one", "two", "one", "two"]
    w = np.arange(1.0, 8.0)
    allowed = np.ones((K, K), dtype=bool)
    codes, ptr = np.searchsorted(["a", "b", "c"], y), np.r_[0, np.cumsum(LENGTHS)]
    seen = np.zeros((K, K), dtype=bool)
    for i, j in zip(ptr[:-1], ptr[1:], strict=True):
        seen[codes[i : j - 1], codes[i + 1 : j]] = True
    allowed &= seen | np.eye(K, dtype=bool)
    fit = ss.crf_path(X, y, lengths=LENGTHS, groups=groups, alpha=alpha, transitions=kind,
                      weights=w, tol=1e-6, allowed=allowed,
                      **({"n_lambdas": 4} if alpha else {"lambdas": [0.3, 0.05]}))  # fmt: skip
    assert fit.gaps.max() <= 1e-6
    for k, lam in enumerate(fit.lambdas):
        value, dual = slow_objective(fit.parts(lam), X, y, w / w.sum(), lam, alpha, groups, kind,
                                     allowed)  # fmt: skip
        assert (value - dual) / fit.null_value == pytest.approx(fit.gaps[k], abs=1e-9)
        assert fit.templates(lam).keys() <= {"one", "two"}
    assert fit.df.tolist() == sorted(fit.df.tolist())


def test_penalties_of_the_package_apply():
    X, y = draw(2)
    for penalty in (penalties.GroupL2([0, 0, 1, 1]), penalties.SparseGroup([0, 0, 1, 1]),
                    penalties.GroupLinf([0, 0, 1, 1])):  # fmt: skip
        fit = ss.crf_path(X, y, lengths=LENGTHS, penalty=penalty, n_lambdas=4)
        assert fit.gaps.max() <= 1e-4 and fit.df[0] == 0 and fit.df[-1] > 0


def test_lists_tables_and_sparse_matrices_are_one():
    X, y = draw(3)
    cuts = np.cumsum(LENGTHS)[:-1]
    options = {"lambdas": [0.1, 0.02]}
    table = ss.crf_path(X, y, lengths=LENGTHS, **options)
    parts = [sparse.csr_array(part) for part in np.split(X, cuts)]
    for other in (
        ss.crf_path(np.split(X, cuts), np.split(y, cuts), **options),
        ss.crf_path(parts, [part.tolist() for part in np.split(y, cuts)], **options),
        ss.crf_path(sparse.coo_array(X), y, lengths=LENGTHS, n_threads=2, **options),
    ):
        np.testing.assert_array_equal(other.coefs.toarray(), table.coefs.toarray())
    assert (table.predict(X, LENGTHS) == table.predict(parts)).all()
    nodes, pairs = table.marginals(X, LENGTHS, pairs=True)
    np.testing.assert_allclose(nodes.sum(axis=1), 1.0)
    assert pairs.shape == (len(X) - len(LENGTHS), K, K)


def test_sequences_of_no_weight_are_as_if_left_out():
    X, y = draw(4)
    w = np.array([1.0, 1.0, 0.0, 2.0, 1.0, 0.0, 1.0])
    rows = np.repeat(w > 0, LENGTHS)
    options = {"lambdas": [0.05], "tol": 1e-10, "alpha": 0.5}
    with_zeros = ss.crf_path(X, y, lengths=LENGTHS, weights=w, **options)
    without = ss.crf_path(X[rows], y[rows], lengths=LENGTHS[w > 0], weights=w[w > 0], **options)
    np.testing.assert_allclose(
        with_zeros.coefs.toarray(), without.coefs.toarray(), atol=1e-4
    )


def test_duplicated_templates_share_their_weight():
    """A second copy of a group changes nothing that is predicted."""
    X, y = draw(5)
    once = ss.crf_path(X, y, lengths=LENGTHS, groups=[0, 0, 1, 1], lambdas=[0.04], tol=1e-9)
    twice = ss.crf_path(np.hstack([X, X]), y, lengths=LENGTHS, groups=[0, 0, 1, 1, 2, 2, 3, 3],
                        lambdas=[0.04], tol=1e-9)  # fmt: skip
    both = twice.coef()[:P] + twice.coef()[P:]
    np.testing.assert_allclose(both, once.coef(), atol=1e-3)


def test_one_label_one_sequence_one_position():
    X, _ = draw(6)
    fit = ss.crf_path(X, ["only"] * len(X), lengths=LENGTHS)
    assert fit.lambdas.tolist() == [0.0] and set(fit.predict(X, LENGTHS)) == {"only"}
    fit = ss.crf_path([[1.0, 0.0], [0.0, 1.0]], [True, False], n_lambdas=3)
    assert fit.gaps.max() <= 1e-4
    assert fit.predict([[1.0, 0.0], [0.0, 1.0]]).tolist() == [True, False]
    fit = ss.crf_path([[1.0], [2.0]], [1, 2], lengths=[1, 1], n_lambdas=3)
    assert fit.gaps.max() <= 1e-4


def test_allowed_transitions_are_kept_in_prediction():
    X, _ = draw(7)
    y = np.concatenate([["a", "b", "c", "c"][:n] for n in LENGTHS])
    allowed = np.array([[True, True, False], [False, True, True], [False, False, True]])
    fit = ss.crf_path(X, y, lengths=LENGTHS, allowed=allowed, n_lambdas=3)
    cuts = np.cumsum(LENGTHS)[:-1]
    for path in np.split(np.searchsorted(fit.labels, fit.predict(X, LENGTHS)), cuts):
        assert allowed[path[:-1], path[1:]].all()
    with pytest.raises(ValueError, match="allowed forbids 'b' after 'a'"):
        ss.crf_path(X, y, lengths=LENGTHS, allowed=np.eye(3, dtype=bool))


def test_likelihood_and_score():
    X, y = draw(8)
    fit = ss.crf_path(X, y, lengths=LENGTHS, lambdas=[0.01])
    mean = -fit.log_likelihood(X, y, LENGTHS).mean()
    assert 1.0 - mean / fit.null_value == pytest.approx(fit.dev_ratio[0], abs=1e-12)
    assert fit.score(X, y, LENGTHS) == np.mean(fit.predict(X, LENGTHS) == y)
    with pytest.raises(ValueError, match="never saw"):
        fit.log_likelihood(X, np.where(y == "a", "new", y), LENGTHS)


def test_a_short_budget_is_told():
    X, y = draw(9)
    with pytest.warns(ss.ConvergenceWarning, match="1 of 1 lambdas miss"):
        fit = ss.crf_path(X, y, lengths=LENGTHS, lambdas=[1e-3], max_iter=1)
    assert fit.gaps[0] > 1e-4


def test_ctrl_c_ends_a_fit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9000, 40)), rng.integers(8, size=9000)
    # a shell that starts tests in the background sets the signal aside
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt), warnings.catch_warnings():
            ss.crf_path(X, y, lengths=[10] * 900, lambdas=[1e-9], tol=0.0, max_iter=10**6)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"lengths": [4, 4]}, "lengths add up to 8, but there are 21 rows"),
        ({"y": ["a"] * 20}, "y has 20 values but X has 21 rows"),
        ({"weights": [1.0]}, "weights"),
        ({"transitions": "l2"}, "transitions must be"),
        ({"penalty": "l1"}, "penalty=L1 is not a sum over disjoint groups"),
        ({"penalty": penalties.GroupL2}, "penalty is the class GroupL2"),
        ({"penalty": penalties.TotalVariation()}, "TotalVariation is not a sum over disjoint"),
        ({"penalty": penalties.MCP()}, "MCP is not a sum over disjoint groups"),
        ({"alpha": 2.0}, "alpha"),
        ({"groups": [0, 1], "penalty": None}, "groups has 2 labels for 4 features"),
        ({"groups": [0] * 4, "penalty": penalties.GroupL2([0] * 4)}, "give one of them"),
        ({"allowed": np.ones((2, 2), dtype=bool)}, "allowed must be a boolean array"),
    ],
)  # fmt: skip
def test_bad_options_are_told_in_one_sentence(change, sentence):
    X, y = draw()
    options = {"y": y, "lengths": LENGTHS, **change}
    with pytest.raises((ValueError, TypeError), match=sentence):
        ss.crf_path(X, **options)


def test_bad_tables_are_told_in_one_sentence():
    X, y = draw()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="X holds nan"):
        ss.crf_path(X, y, lengths=LENGTHS)
    with pytest.raises(ValueError, match="2 columns in sequence 1 and 1 in sequence 0"):
        ss.crf_path([np.ones((2, 1)), np.ones((1, 2))], ["a", "b", "a"])
    with pytest.raises(ValueError, match="empty sequence at position 1"):
        ss.crf_path([np.ones((2, 1)), np.ones((0, 1))], ["a", "b"])
