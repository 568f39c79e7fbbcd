"""Nested groups: worked numbers, paths, equal answers of equal problems, clusterings, refusals."""


import numpy as np
import pytest
from scipy.cluster.hierarchy import ward

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(4)
X = RNG.standard_normal((70, 16))
SIGNAL = X[:, :4].sum(axis=1) - X[:, 5]
Y = SIGNAL + 0.5 * RNG.standard_normal(70)
GROUPS = [range(4), range(4, 8), range(8), range(8, 16), range(12, 16), *[[j] for j in range(16)]]
TREES = [P.TreeL2(GROUPS), P.TreeLinf(GROUPS)]
RESPONSES = {
    "gaussian": Y, "binomial": Y > 0.5, "poisson": RNG.poisson(np.exp(0.3 * SIGNAL)),
    "cox": np.column_stack([RNG.exponential(np.exp(-0.3 * SIGNAL)), RNG.random(70) < 0.8]),
    "multigaussian": np.column_stack([Y, -Y]), "multinomial": np.digitize(Y, [0.0, 1.0]),
}  # fmt: skip


def test_worked_numbers():
    pair = P.TreeL2([[0, 1], [0, 1, 2]], [1.0, 2.0])
    assert pair.value([3.0, 4.0, 0.0]) == 15.0 and pair.value([3.0, 4.0, 12.0]) == 5.0 + 26.0
    assert pair.prox([3.0, 4.0, 0.0], 1.0) == pytest.approx([1.2, 1.6, 0.0])
    assert pair.polar([3.0, 4.0, 0.0]) == pytest.approx(5.0 / 3.0)
    assert P.TreeLinf([[0, 1], [0, 1, 2]], [1.0, 2.0]).value([3.0, 4.0, 12.0]) == 4.0 + 24.0
    assert P.TreeLinf([[0, 1], [0, 1, 2]], [1.0, 2.0]).polar([3.0, 3.0, 0.0]) == 2.0
    assert P.TreeLinf([range(3)], [1.0]).prox([3.0, 1.0, 2.5], 1.0).tolist() == [2.25, 1.0, 2.25]
    assert P.TreeL2([["a"]]).over(2, ["b", "a"]).value([2.0, 0.0]) == 2.0  # b: a group of one


def test_special_trees_are_known_norms():
    rng, labels = np.random.default_rng(0), [0, 0, 1, 1, 1, 2]
    d = {0: 1.0, 1: 0.5, 2: 2.0}
    for tree, other in (
        (P.TreeL2(labels, d), P.GroupL2(labels, list(d.values()))),
        (P.TreeLinf(labels, d), P.GroupLinf(labels, list(d.values()))),
        (P.TreeL2([[j] for j in range(6)]), P.L1()),
        (P.TreeLinf([range(6)], [0.0]), P.TreeL2([range(6)], [0.0])),
    ):
        for _ in range(10):
            v = rng.standard_normal(6)
            assert tree.value(v) == pytest.approx(other.value(v))
            assert tree.prox(v, 0.4) == pytest.approx(other.prox(v, 0.4), abs=1e-13)
            if tree.value(v) > 0.0:
                assert tree.polar(v) == pytest.approx(other.polar(v), rel=1e-13)


@pytest.mark.parametrize("penalty", TREES, ids=["l2", "linf"])
def test_tangent_is_the_second_order_model(penalty):
    """Differences of the value along the tangent's directions."""
    rng, bound = np.random.default_rng(3), penalty.over(16)
    b = bound.prox(3.0 * rng.standard_normal(16), 0.2)
    b[4:8] = 0.0
    tangent = bound.tangent(b)
    for _ in range(5):
        d = rng.standard_normal(len(tangent.gradient))
        C = tangent.curvature(b) if tangent.curvature else np.zeros((len(d), len(d)))
        for h in (1e-3, 1e-4):
            step = tangent.step(h * d)
            change = bound.value(b + step) - bound.value(b)
            assert change == pytest.approx(h * tangent.gradient @ d + 0.5 * h * h * d @ C @ d,
                                           abs=50 * h**3 + 1e-13)  # fmt: skip
    assert np.linalg.norm(tangent.directions @ d) > 0.0


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("penalty", TREES, ids=["l2", "linf"])
def test_paths_of_all_families(family, penalty):
    options = {"family": family, "penalty": penalty, "n_lambdas": 5, "lambda_min_ratio": 0.05}
    fit = ss.path(X, RESPONSES[family], tol=1e-9, stop=None, **options)
    loose = ss.path(X, RESPONSES[family], tol=1e-5, solver="fista", stop=None, **options)
    assert not fit.status.any() and fit.gaps.max() <= 1e-9
    assert loose.dev_ratio == pytest.approx(fit.dev_ratio, abs=5e-3)
    for b in (fit.coefs if isinstance(fit.coefs, list) else [fit.coefs]):
        assert not b.toarray()[:, 0].any()
    if isinstance(fit.coefs, list):  # a feature enters for all responses
        support = [m.toarray() != 0.0 for m in fit.coefs]
        assert all((own == support[0]).mean() > 0.95 for own in support)


@pytest.mark.parametrize("penalty", TREES, ids=["l2", "linf"])
def test_whole_groups_leave_and_the_first_lambda_is_the_last_of_the_null_model(penalty):
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=20, lambda_min_ratio=0.05)
    chosen = fit.coef(fit.lambdas[8]) != 0.0
    assert chosen[:4].all() and not chosen[8:].any()
    near = fit.lambdas[0] * np.array([1 + 1e-9, 1 - 1e-6])
    top = ss.path(X, Y, penalty=penalty, lambdas=near, tol=1e-15).coefs.toarray()
    assert not top[:, 0].any() and top[:, 1].any()


def test_many_features_are_solved_for_few_of_them():
    """With 300 features the working sets of subtrees give what FISTA gives on all."""
    rng = np.random.default_rng(5)
    wide = rng.standard_normal((60, 300))
    y = wide[:, :6].sum(axis=1) + 0.3 * rng.standard_normal(60)
    groups = [range(a, a + s) for s in (3, 30, 300) for a in range(0, 300, s)]
    for make in (P.TreeL2, P.TreeLinf):
        options = {"penalty": make(groups), "n_lambdas": 8, "lambda_min_ratio": 0.1, "tol": 1e-9}
        fit, slow = ss.path(wide, y, **options), ss.path(wide, y, solver="fista", **options)
        assert not fit.status.any()
        assert fit.coefs.toarray() == pytest.approx(slow.coefs.toarray(), abs=1e-3)
        together = ss.path(wide, np.column_stack([y, -y]), family="multigaussian", **options)
        assert not together.status.any()


def test_names_mappings_and_other_features():
    names = [f"v{j}" for j in range(16)]
    named = P.TreeL2({str(k): [names[j] for j in g] for k, g in enumerate(GROUPS)})
    fit = ss.path(X, Y, penalty=named, feature_names=names, n_lambdas=6)
    assert fit.coefs.toarray() == pytest.approx(
        ss.path(X, Y, penalty=TREES[0], n_lambdas=6).coefs.toarray())  # fmt: skip
    mixed = P.Separate({0: None, range(1, 17): TREES[1]})
    both = ss.path(np.column_stack([X[:, 9], X]), Y + X[:, 9], penalty=mixed, n_lambdas=6)
    assert not both.status.any() and abs(both.coef(both.lambdas[0])[0]) > 0.3


def test_features_without_penalty_are_fitted_freely():
    free = P.TreeL2([range(15), [15]], [1.0, 0.0])
    assert free.over(16).kernel().toarray()[:, 0].tolist() == [0.0] * 15 + [1.0]
    nest = P.TreeLinf([range(3), range(3, 16), range(16)], [0.0, 1.0, 0.0]).over(16)
    assert nest.kernel().shape == (16, 3)
    fit = ss.path(X, Y + X[:, 15], penalty=free, n_lambdas=5)
    assert not fit.status.any() and fit.coef(fit.lambdas[0])[15] > 0.5


def test_groups_of_a_clustering():
    """Ward's tree of columns, two of which are near."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((20, 6))
    Z[:, 4] = Z[:, 1] + 0.01 * rng.standard_normal(20)
    groups = P.tree_groups(ward(Z.T))
    assert len(groups) == 11 and sorted(groups[-1]) == list(range(6))
    assert sorted(groups[6]) == [1, 4] and groups[:6] == [[j] for j in range(6)]
    assert P.tree_groups(ward(Z.T), leaves=False) == groups[6:]
    P.TreeL2(groups).value(np.ones(6))
    with pytest.raises(ValueError, match=r"linkage has shape \(20, 6\)"):
        P.tree_groups(Z)
    with pytest.raises(ValueError, match="joins 0 and 0 in row 1"):
        P.tree_groups([[0, 1, 1.0, 2], [0, 0, 1.0, 3]])


@pytest.mark.parametrize("make, kind, sentence", [
    (lambda: P.TreeL2([[0, 1], [1, 2]]), ValueError, "groups 0 and 1 cross: feature 1 is in both"),
    (lambda: P.TreeLinf({"u": [0, 1, 2], "v": [2, 3]}), ValueError, "groups 'v' and 'u' cross"),
    (lambda: P.TreeL2([[]]), ValueError, "group 0 has no features"),
    (lambda: P.TreeL2([[0, 9]]), ValueError, "group 0 holds 9; features are numbered"),
    (lambda: P.TreeL2([[0, 0]]), ValueError, "group 0 holds a feature twice"),
    (lambda: P.TreeL2([["a"]]), ValueError, "group 0 names 'a', but the columns"),
    (lambda: P.TreeL2([0, 1]), ValueError, "groups has 2 labels for 4 features"),
    (lambda: P.TreeL2([[0, 1]], [1, 2]), ValueError, "give one for each of 1 groups"),
    (lambda: P.TreeL2([[0, 1]], [-1.0]), ValueError, "weights has -1.0 for group 0"),
    (lambda: P.TreeL2([[0, 1]], [np.nan]), ValueError, "weights has nan for group 0"),
    (lambda: P.TreeL2({"u": [0]}, {"v": 1.0}), ValueError, "weights has none for group 'u'"),
    (lambda: P.TreeL2({"u": [0]}, {"u": 1, "v": 1.0}), ValueError, "names 'v', which is no group"),
    (lambda: P.TreeL2(3), TypeError, "groups is 3"),
])  # fmt: skip
def test_what_is_refused(make, kind, sentence):
    with pytest.raises(kind, match=sentence):
        make().value(np.ones(4))
