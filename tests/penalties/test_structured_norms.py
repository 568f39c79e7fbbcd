"""Structured norms on paths: what each is by itself, names, files, responses, mappings, groups."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import ward

import sparsesolve as ss
from sparsesolve import penalties as P
from sparsesolve.penalties.nonnegative import Nonnegative
from sparsesolve.penalties.whole import WholePenalty
from sparsesolve.solvers.reductions import mapped

RNG = np.random.default_rng(4)
X = RNG.standard_normal((70, 16))
Y = X[:, :4].sum(axis=1) - X[:, 5] + 0.5 * RNG.standard_normal(70)
TREE = [range(4), range(4, 8), range(8), range(8, 16), *[[j] for j in range(16)]]
LARGER = [
    P.TreeL2(TREE), P.TreeLinf(TREE), P.TotalVariation2D((4, 4), l1=0.2), P.TrendFilter(),
    P.OverlapLinf(P.window_groups(16, 3)),
]  # fmt: skip


@pytest.mark.parametrize("penalty", LARGER, ids=lambda penalty: type(penalty).__name__)
def test_sparse_x_weights_saved_models_and_validation(tmp_path, penalty):
    Z = np.where(np.abs(X) > 1.0, X, 0.0)
    options = {"penalty": penalty, "weights": np.resize([1.0, 2.0], 70), "n_lambdas": 8,
               "standardize": False}  # fmt: skip
    fit, other = (ss.path(A, Y, tol=1e-10, **options) for A in (Z, sparse.csc_array(Z)))
    assert other.coefs.toarray() == pytest.approx(fit.coefs.toarray(), abs=1e-5)
    ss.save(fit, tmp_path / "fit.npz")
    assert (ss.load(tmp_path / "fit.npz").coefs != fit.coefs).nnz == 0
    cv = ss.cv_path(X, Y, penalty=penalty, seed=0, n_folds=3, n_lambdas=8)
    assert cv.lambda_min <= cv.lambda_1se and cv.path.gaps.max() <= 1e-7
    assert np.isfinite(ss.criteria(fit, Z, Y)["bic"]).all()
    assert ss.selection.at_radius(fit, 1.0, Z, Y).value == pytest.approx(1.0, abs=1e-3)
    copied = pickle.loads(pickle.dumps(penalty))
    assert copied.prox(Z[0], 0.1) == pytest.approx(penalty.prox(Z[0], 0.1))


PLACE = np.arange(16).reshape(4, 4)
EDGES = [*zip(PLACE[:-1].flat, PLACE[1:].flat, strict=True),
         *zip(PLACE[:, :-1].flat, PLACE[:, 1:].flat, strict=True)]  # fmt: skip
NAMES = [f"v{j}" for j in range(16)]


@pytest.mark.parametrize("named, penalty", [
    (P.TreeL2({str(k): [NAMES[j] for j in g] for k, g in enumerate(TREE)}), P.TreeL2(TREE)),
    (P.GraphTV([(NAMES[a], NAMES[b]) for a, b in EDGES]), P.TotalVariation2D((4, 4))),
], ids=["tree", "graph"])  # fmt: skip
def test_names_and_other_features(named, penalty):
    options = {"n_lambdas": 6, "tol": 1e-11}
    fit = ss.path(X, Y, penalty=named, feature_names=NAMES, **options)
    other = ss.path(X, Y, penalty=penalty, **options)
    assert fit.coefs.toarray() == pytest.approx(other.coefs.toarray(), abs=1e-4)
    mixed = P.Separate({0: None, range(1, 17): penalty})
    both = ss.path(np.column_stack([X[:, 9], X]), Y + X[:, 9], penalty=mixed, n_lambdas=6)
    assert not both.status.any() and abs(both.coef(both.lambdas[0])[0]) > 0.3


NESTED, CROSSING = [[0, 1], [2, 3], [0, 1, 2, 3], [4, 5]], [[0, 1, 2], [2, 3], [3, 4, 5]]


@pytest.mark.parametrize("kind, groups", [
    (P.OverlapL2, CROSSING), (P.OverlapLinf, CROSSING), (P.LatentGroupL2, CROSSING),
    (P.TreeL2, NESTED), (P.TreeLinf, NESTED),
])  # fmt: skip
def test_groups_hold_their_features_of_all_responses_or_of_some_features(kind, groups):
    rng, both = np.random.default_rng(0), [[*g, *(j + 6 for j in g)] for g in groups]
    for weights in (None, np.arange(1.0, len(groups) + 1.0)):
        own, d = kind(groups, weights).over(6), weights
        d = [len(g) ** 0.5 for g in groups] if d is None else d  # sizes in one response
        rows, flat = own.over_responses(2), kind(both, d)
        B = rng.standard_normal((2, 6))
        assert rows.value(B) == pytest.approx(flat.value(B.ravel()))
        assert rows.prox(B, 0.3).ravel() == pytest.approx(flat.prox(B.ravel(), 0.3), abs=1e-10)
        assert rows.polar(B) == pytest.approx(flat.polar(B.ravel()), rel=1e-7)
        which, b = np.array([1, 2, 5]), np.zeros(6)
        if kind is not P.LatentGroupL2:
            b[which] = rng.standard_normal(3)
            assert own.part(which).value(b[which]) == pytest.approx(own.value(b))


def test_rows_are_solved_together():
    rng = np.random.default_rng(5)
    for groups, p in ((P.interval_groups(6), 6), (P.window_groups((8, 8), 3), 64)):
        norm = P.OverlapLinf(groups).over(p)
        V = rng.standard_normal((12, p)) * 10.0 ** rng.integers(-3, 4, (12, 1))
        V[3], t = 0.0, rng.exponential(0.3, 12) * np.abs(V).max(axis=1)
        t[5] *= 100.0
        for rows in (V, V[2:5], V):  # the network is kept, and made again for another number
            own = t[2:5] if len(rows) == 3 else t
            found = norm.prox_rows(rows, own)
            for b, v, level in zip(found, rows, own, strict=True):
                assert b == pytest.approx(norm.prox(v, level), abs=1e-13 * np.abs(v).max())
        whole = WholePenalty(norm, p, alpha=0.7)
        for b, v, level in zip(whole.prox_rows(V, t), V, t, strict=True):
            assert b == pytest.approx(whole.prox(v, level), abs=1e-13 * np.abs(v).max())
        positive = Nonnegative(norm)
        for b, v, level in zip(positive.prox_rows(V, t), V, t, strict=True):
            assert b == pytest.approx(positive.prox(v, level), abs=1e-13 * np.abs(v).max())


def test_trace_prox_by_both_ways():
    """By eigenvalues of inner products, and by the SVD."""
    rng = np.random.default_rng(0)
    for shape in ((3, 5), (5, 3), (4, 4), (1, 6)):
        V = rng.standard_normal(shape)
        left, s, right = np.linalg.svd(V, full_matrices=False)
        for t in (1e-9, 0.1, 1.0, 10.0):
            twin = (left * np.maximum(s - t, 0.0)) @ right
            assert P.TraceNorm(shape).prox(V.ravel(), t) == pytest.approx(twin.ravel(), abs=1e-13)


def test_latent_vectors_sum_to_b_and_have_its_value():
    penalty = P.LatentGroupL2([[0, 1, 2], [2, 3], [3, 4, 0]])
    b = np.array([1.0, -0.5, 2.0, 0.3, 0.0])
    parts = penalty.latent(b)
    assert sum(parts) == pytest.approx(b, abs=1e-12) and len(parts) == 3
    size = sum(np.sqrt(n) * np.linalg.norm(v) for n, v in zip((3, 2, 3), parts, strict=True))
    assert penalty.value(b) == pytest.approx(size)


def test_latent_value_of_small_entries():
    """An entry far below the others is in the sum: the value is not below z'b of a feasible z."""
    penalty = P.LatentGroupL2([[0, 1, 2], [0, 1, 2], [2]])
    b = np.array([0.0, -1.5e-5, 1.2])
    z = np.array([0.0, -np.sqrt(2.0), 1.0])  # of lengths sqrt(3) and 1 in the groups
    assert penalty.polar(z) <= 1.0 + 1e-12
    assert z @ b * (1.0 - 1e-12) <= penalty.value(b) <= z @ b * (1.0 + 1e-9)
    assert sum(penalty.latent(b)) == pytest.approx(b, rel=1e-12, abs=0)


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


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_the_basis(degree):
    own = P.TrendFilter(degree).over(15).mapping()
    T = own.times(np.eye(15)).T
    z = RNG.standard_normal((3, 15))
    assert own.adjoint(z) == pytest.approx(z @ T, abs=1e-10)
    assert own.form(np.eye(15)) == pytest.approx(T.T, abs=1e-10)
    for k in range(15):
        which, values = own.sources(k)
        assert T[which, k] == pytest.approx(values, abs=1e-11)
    q = degree + 1
    theta = np.diff(T, n=q, axis=0)  # D T: one knot for each column, over its length
    assert np.abs(theta[:, :q]).max() < 1e-12
    factors = np.asarray(own.penalty().l1)
    assert theta[:, q:] == pytest.approx(np.diag(factors[q:]), abs=1e-11) and not factors[:q].any()


def test_columns_formed_as_they_come(monkeypatch):
    Z = sparse.csc_array(np.where(np.abs(X) > 1.0, X, 0.0))
    options = {"penalty": P.TrendFilter(), "tol": 1e-9}
    whole = ss.path(Z, Y, n_lambdas=8, **options)
    monkeypatch.setattr(mapped, "SMALL_MAPPED", 0)
    fit = ss.path(Z, Y, lambdas=whole.lambdas, **options)
    assert fit.coefs.toarray() == pytest.approx(whole.coefs.toarray(), abs=1e-4)
    assert fit.gaps.max() <= 1e-9
