"""What each structured norm is by itself: worked numbers, degrees of freedom, what it refuses."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties as P

NORMS = [
    P.TotalVariation(), P.TotalVariation(l1=0.3),
    P.TotalVariation([1.0, 0.5, 2.0], order=[2, 0, 1, 3]),
    P.Slope(), P.Slope([3.0, 2.0, 1.0, 0.0]), P.TraceNorm((2, 2)), P.Spectral("spectral", (2, 2)),
    P.Spectral("frobenius", (2, 2)), P.L1(2.0), P.LatentGroupL2([[0, 1], [1, 2, 3]]),
    P.Separate({0: None, (1, 3): P.L1(), 2: P.L1(3.0)}),
]  # fmt: skip


@pytest.mark.parametrize("penalty", NORMS, ids=repr)
def test_arrays_in_and_new_arrays_out(penalty):
    b = np.array([1.0, -2.0, 0.5, 3.0])
    held = b.copy()
    out = penalty.prox(b, 0.0)
    assert not np.shares_memory(out, b) and (out == b).all()
    out = penalty.prox(b.tolist(), 0.5)
    assert not np.shares_memory(out, b) and (b == held).all()
    assert penalty.value(0 * b) == 0.0 and penalty.value(b) > 0.0
    assert penalty.value(-3 * b) == pytest.approx(3 * penalty.value(b), rel=1e-9)
    again = pickle.loads(pickle.dumps(penalty))
    assert (again.prox(b, 0.5) == out).all() and repr(again) == repr(penalty)
    with pytest.raises(ValueError, match=r"coefficients must be a vector \(p,\)"):
        penalty.value(np.ones((2, 2)))


TREE = [range(4), range(4, 8), range(8), range(8, 16), *[[j] for j in range(16)]]
LARGER = [
    P.TreeL2(TREE), P.TreeLinf(TREE), P.TotalVariation2D((4, 4), l1=0.2), P.TrendFilter(),
    P.OverlapLinf(P.window_groups(16, 3)),
]  # fmt: skip


@pytest.mark.parametrize("penalty", LARGER, ids=lambda penalty: type(penalty).__name__)
def test_sparse_x_weights_saved_models_and_validation(tmp_path, penalty):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((70, 16))
    Z, y = np.where(np.abs(X) > 1.0, X, 0.0), X[:, :4].sum(axis=1) + rng.standard_normal(70)
    options = {"penalty": penalty, "weights": np.resize([1.0, 2.0], 70), "n_lambdas": 8,
               "standardize": False}  # fmt: skip
    fit, other = (ss.path(A, y, tol=1e-10, **options) for A in (Z, sparse.csc_array(Z)))
    assert other.coefs.toarray() == pytest.approx(fit.coefs.toarray(), abs=1e-5)
    ss.save(fit, tmp_path / "fit.npz")
    assert (ss.load(tmp_path / "fit.npz").coefs != fit.coefs).nnz == 0
    cv = ss.cv_path(X, y, penalty=penalty, seed=0, n_folds=3, n_lambdas=8)
    assert cv.lambda_min <= cv.lambda_1se and cv.path.gaps.max() <= 1e-7
    assert np.isfinite(ss.criteria(fit, Z, y)["bic"]).all()
    assert ss.selection.at_radius(fit, 1.0, Z, y).value == pytest.approx(1.0, abs=1e-3)
    copied = pickle.loads(pickle.dumps(penalty))
    assert copied.prox(Z[0], 0.1) == pytest.approx(penalty.prox(Z[0], 0.1))


def test_worked_numbers():
    assert P.TotalVariation().value([1, 3, 3, 0]) == 5.0
    assert P.TotalVariation([2, 1, 1], l1=0.5).value([1, 3, 3, 0]) == 10.5
    assert P.TotalVariation(order=[0, 2, 1]).value([1, 3, 1]) == 2.0
    assert P.Slope([3, 2, 1]).value([1, -5, 2]) == 20.0
    assert P.Slope([3, 2, 1]).polar([3, 3, 3]) == 1.5
    assert P.TraceNorm((2, 2)).value([3, 0, 0, -4]) == 7.0
    assert P.TraceNorm((2, 2)).polar([3, 0, 0, -4]) == 4.0
    assert P.Spectral("spectral", (2, 2)).value([3, 0, 0, -4]) == 4.0
    assert P.Spectral("frobenius", (2, 2)).value([3, 0, 0, -4]) == 5.0
    assert P.LatentGroupL2([[0, 1], [1, 2]], [1, 1]).polar([3, 4, 0]) == 5.0
    assert P.LatentGroupL2([[0, 1], [1, 2]], [1, 1]).value([0, 2, 0]) == pytest.approx(2.0)
    assert P.Separate({0: None, 1: P.L1(2.0)}).value([7, 3]) == 6.0
    bh = P.Slope(q=0.2).over(3)
    assert bh._w[0] == 1.0 and (np.diff(bh._w) < 0).all()
    assert P.Slope(kind="oscar", q=0.5).over(3)._w.tolist() == [1.0, 0.75, 0.5]


def test_penalties_on_groups_answer_on_arrays():
    groups = P.GroupL2([[0, 1], [2]], [1.0, 2.0])
    assert groups.value([3, 4, -1]) == 7.0 and groups.polar([3, 4, -1]) == 5.0
    assert groups.prox([3, 4, -1], 1.0) == pytest.approx([2.4, 3.2, 0.0])
    assert P.GroupLinf([0, 0, 0], [1.0]).prox([3.0, 1.0, 1.0], 1.0).tolist() == [2.0, 1.0, 1.0]
    assert P.SparseGroup([0, 0], 1.0).value([1.0, -2.0]) == 3.0


def test_trace_prox_by_both_ways():
    """By eigenvalues of inner products, and by the SVD."""
    rng = np.random.default_rng(0)
    for shape in ((3, 5), (5, 3), (4, 4), (1, 6)):
        V = rng.standard_normal(shape)
        left, s, right = np.linalg.svd(V, full_matrices=False)
        for t in (1e-9, 0.1, 1.0, 10.0):
            twin = (left * np.maximum(s - t, 0.0)) @ right
            assert P.TraceNorm(shape).prox(V.ravel(), t) == pytest.approx(twin.ravel(), abs=1e-13)


def test_latent_groups_hold_their_features_of_all_responses():
    rows = P.LatentGroupL2([[0, 1], [1, 2, 3]]).over(4).over_responses(2)
    flat = P.LatentGroupL2([[0, 1, 4, 5], [1, 2, 3, 5, 6, 7]], [2**0.5, 3**0.5])
    B = np.random.default_rng(0).standard_normal((2, 4))
    assert rows.value(B) == pytest.approx(flat.value(B.ravel()))
    assert rows.prox(B, 0.3).ravel() == pytest.approx(flat.prox(B.ravel(), 0.3))
    assert rows.polar(B) == pytest.approx(flat.polar(B.ravel()))


def test_latent_vectors_sum_to_b_and_have_its_value():
    penalty = P.LatentGroupL2([[0, 1, 2], [2, 3], [3, 4, 0]])
    b = np.array([1.0, -0.5, 2.0, 0.3, 0.0])
    parts = penalty.latent(b)
    assert sum(parts) == pytest.approx(b, abs=1e-12) and len(parts) == 3
    size = sum(np.sqrt(n) * np.linalg.norm(v) for n, v in zip((3, 2, 3), parts, strict=True))
    assert penalty.value(b) == pytest.approx(size)
    rng = np.random.default_rng(0)  # weak duality: no z of dual norm 1 has more
    best = max(b @ z / penalty.polar(z) for z in rng.standard_normal((20_000, 5)))
    assert 0.8 * size < best <= size * (1 + 1e-9)


def test_latent_value_of_small_entries():
    """An entry far below the others is in the sum: the value is not below z'b of a feasible z."""
    penalty = P.LatentGroupL2([[0, 1, 2], [0, 1, 2], [2]])
    b = np.array([0.0, -1.5e-5, 1.2])
    z = np.array([0.0, -np.sqrt(2.0), 1.0])  # of lengths sqrt(3) and 1 in the groups
    assert penalty.polar(z) <= 1.0 + 1e-12
    assert z @ b * (1.0 - 1e-12) <= penalty.value(b) <= z @ b * (1.0 + 1e-9)
    assert sum(penalty.latent(b)) == pytest.approx(b, rel=1e-12, abs=0)


def test_images_of_few_values_as_graphs():
    """Ties leave neighbouring regions of equal values; the same problem as a graph is the twin."""
    rng = np.random.default_rng(0)
    for m, n in ((2, 2), (3, 2), (3, 4), (4, 4)):
        place = np.arange(m * n).reshape(m, n)
        pairs = zip(np.r_[place[:-1].ravel(), place[:, :-1].ravel()].tolist(),
                    np.r_[place[1:].ravel(), place[:, 1:].ravel()].tolist(), strict=True)
        graph, image = P.GraphTV(list(pairs)), P.TotalVariation2D((m, n))
        for trial in range(300):
            v, t = rng.integers(-3, 4, m * n) * 1.0, (0.1, 0.25, 1.0)[trial % 3]
            assert image.prox(v, t) == pytest.approx(graph.prox(v, t), abs=1e-12)


def test_degrees_of_freedom():
    b = np.array([0.0, 0.0, 1.0, 1.0 + 1e-14, -2.0])
    assert P.TotalVariation().degrees(b) == 3 and P.TotalVariation(l1=1).degrees(b) == 2
    assert P.Slope().degrees(np.array([1.0, -1.0, 2.0, 0.0])) == 2
    assert P.Slope().degrees(0 * b) == 0
    assert P.TraceNorm((3, 4)).degrees(np.outer([1, 2, 3], [1, 0, 1, 1]).ravel() * 1.0) == 6
    parts = P.Separate({(0, 1): P.TotalVariation(), (2, 3, 4): P.L1()})
    assert parts.degrees(b) == 4


@pytest.mark.parametrize("make, kind, sentence", [
    (lambda: P.TotalVariation(l1=-1), ValueError, "l1 must be at least 0"),
    (lambda: P.TotalVariation(l1="x"), TypeError, "l1 must be a number"),
    (lambda: P.TotalVariation([1, 2]), ValueError, r"weights has shape \(2,\); give one for each"),
    (lambda: P.TotalVariation([1, np.nan, 1]), ValueError, "weights has nan at 1"),
    (lambda: P.TotalVariation(order=[0, 1, 1, 2]), ValueError, "order must hold each"),
    (lambda: P.Slope([1, 2, 1, 0]), ValueError, "lambdas rises from 1 to 2 at 1"),
    (lambda: P.Slope([1, -1]), ValueError, "lambdas ends at -1"),
    (lambda: P.Slope([1, 0.5]), ValueError, "lambdas has 2 weights for 4"),
    (lambda: P.Slope(q=1.0), ValueError, "q must be above 0 and below 1"),
    (lambda: P.Slope(kind="x"), ValueError, "kind must be one of 'bh'"),
    (lambda: P.TraceNorm((3, 2)), ValueError, r"shape \(3, 2\) does not have 4 entries"),
    (lambda: P.TraceNorm((3,)), ValueError, "shape must be a pair"),
    (lambda: P.TraceNorm(), ValueError, "TraceNorm without a shape is for families of several"),
    (lambda: P.Spectral("nuclear"), ValueError, "of must be one of 'trace'"),
    (lambda: P.Separate({}), TypeError, "parts must be a mapping"),
    (lambda: P.Separate({0: None, (0, 1, 2, 3): P.L1()}), ValueError, "feature 0 is in two sets"),
    (lambda: P.Separate({0: None}), ValueError, "feature 1 is in no set"),
    (lambda: P.Separate({"age": None}), ValueError, "parts names 'age', which is 0 columns"),
    (lambda: P.Separate({9: None}), ValueError, "parts names feature 9"),
    (lambda: P.LatentGroupL2([[0, 9]]), ValueError, "group 0 holds 9; features are numbered"),
    (lambda: P.LatentGroupL2([[]]), ValueError, "group 0 has no features"),
    (lambda: P.LatentGroupL2([[0, 0]]), ValueError, "group 0 holds a feature twice"),
    (lambda: P.LatentGroupL2([["a"]]), ValueError, "group 0 names 'a'"),
    (lambda: P.LatentGroupL2([[0, 1]], [0.0]), ValueError, "weights has 0 for group 0"),
    (lambda: P.graph_groups([(1, 1)]), ValueError, "joins feature 1 to itself"),
    (lambda: P.graph_groups([(0, 1), (1, 0)]), ValueError, "edge 1, .* occurs twice"),
    (lambda: P.graph_groups([(0, 1, 2)]), ValueError, "an edge is a pair"),
])  # fmt: skip
def test_what_is_refused(make, kind, sentence):
    with pytest.raises(kind, match=sentence):
        made = make()
        made.value(np.ones(4))
