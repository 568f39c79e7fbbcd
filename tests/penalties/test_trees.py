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


@pytest.mark.parametrize("penalty", TREES, ids=["l2", "linf"])
def test_whole_groups_leave(penalty):
    fit = ss.path(X, Y, penalty=penalty, n_lambdas=20, lambda_min_ratio=0.05)
    chosen = fit.coef(fit.lambdas[8]) != 0.0
    assert chosen[:4].all() and not chosen[8:].any()


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
