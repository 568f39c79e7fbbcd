"""What each structured norm is by itself: worked numbers, degrees of freedom, what it refuses."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import penalties as P

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


def test_latent_value_of_small_entries():
    """An entry far below the others is in the sum: the value is not below z'b of a feasible z."""
    penalty = P.LatentGroupL2([[0, 1, 2], [0, 1, 2], [2]])
    b = np.array([0.0, -1.5e-5, 1.2])
    z = np.array([0.0, -np.sqrt(2.0), 1.0])  # of lengths sqrt(3) and 1 in the groups
    assert penalty.polar(z) <= 1.0 + 1e-12
    assert z @ b * (1.0 - 1e-12) <= penalty.value(b) <= z @ b * (1.0 + 1e-9)
    assert sum(penalty.latent(b)) == pytest.approx(b, rel=1e-12, abs=0)
