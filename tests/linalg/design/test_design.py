"""Design: moments, products and norms of standardised columns, whatever their storage."""

import numpy as np
import pytest
from cases import every
from scipy import sparse
from sparsesolve.linalg.design.design import Design
from sparsesolve.linalg.working.columns import DensePackedColumns, SparsePackedColumns, pack

N, P = 37, 6


def data(seed=0):
    """Numbers that float32 holds exactly, half of them zero, and uneven weights of sum 1."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((N, P)) * [1, 5, 0.01, 1, 30, 1] + 1).astype(np.float32).astype(float)
    w = rng.random(N)
    return X * (rng.random((N, P)) < 0.5), w / w.sum()


def strided(X):
    held = np.full((N, 3 * P), np.nan, order="F")
    held[:, ::3] = X
    return held[:, ::3]


STORAGES = {
    "dense": np.asfortranarray,
    "single": lambda X: np.asfortranarray(X, dtype=np.float32),
    "every third column": strided,
    "sparse": sparse.csc_array,
    "sparse single": lambda X: sparse.csc_array(X.astype(np.float32)),
}


every_storage = every("storage", [pytest.param(STORAGES[name], id=name) for name in STORAGES])


def moments(X, w):
    """Weighted mean and standard deviation of each column in extended precision."""
    X, w = X.astype(np.longdouble), w.astype(np.longdouble)
    w = w / w.sum()  # in double it is 1 up to rounding, which a large mean would show
    mean = w @ X
    return mean, np.sqrt(w @ (X - mean) ** 2)


@every_storage
def test_moments_are_those_of_the_columns(storage):
    X, w = data()
    design = Design(storage(X))
    assert design.moments(w)
    mean, spread = moments(X, w)
    assert np.asarray(design.mean) == pytest.approx(mean.astype(float), rel=1e-14)
    assert np.asarray(design.spread) == pytest.approx(spread.astype(float), rel=1e-13)
    assert not np.any(design.exponent)


@every("centred", [True, False])
@every_storage
def test_products_and_norms_are_those_of_standardised_columns(storage, centred):
    X, w = data()
    design = Design(storage(X))
    design.moments(w)
    design.standardise(centred, 1.0 / np.asarray(design.spread))
    mean, spread = moments(X, w)
    Z = ((X - mean * centred) / spread).astype(float)
    u = np.random.default_rng(1).standard_normal(N)
    assert design.products(u) == pytest.approx(Z.T @ u, rel=1e-12, abs=1e-12)
    assert design.norms(w) == pytest.approx(np.sqrt(w @ Z**2), rel=1e-13)
    other = np.random.default_rng(2).random(N)
    other /= other.sum()
    assert design.norms(other) == pytest.approx(np.sqrt(other @ Z**2), rel=1e-13)


@every("centred", [True, False])
@every_storage
def test_products_of_several_vectors_and_stored_columns_stand_for_the_same_design(
    storage, centred
):
    X, w = data()
    design = Design(storage(X))
    design.moments(w)
    design.standardise(centred, 1.0 / np.asarray(design.spread))
    Z = np.asarray(design.unpacked(np.arange(P, dtype=np.intc)))
    u = np.random.default_rng(1).standard_normal((3, N))
    assert design.response_products(u) == pytest.approx(u @ Z, rel=1e-12, abs=1e-12)
    few = np.array([4, 0, 4], dtype=np.intc)
    for n_threads in (1, 2):
        some = design.response_products(u, few, n_threads)
        assert some == pytest.approx(u @ Z[:, few], rel=1e-12, abs=1e-12)
    matrix, offset = design.stored_columns(few)
    assert matrix.toarray() - offset == pytest.approx(Z[:, few], rel=1e-12, abs=1e-12)
    assert matrix.nnz <= np.count_nonzero(X[:, few]) or not sparse.issparse(storage(X))


@every("count", [1, 3, 4, 7, 8])
@every("odd", [None, 0, 2, 5])
@every("dtype", [np.float64, np.float32])
def test_columns_met_four_at_a_time_need_not_be_alike(count, odd, dtype):
    """One of them held in memory of its own, in double precision, or sparse among full ones."""
    rng = np.random.default_rng(count)
    X = rng.standard_normal((N, count))
    w, u, b = np.full(N, 1 / N), rng.standard_normal(N), rng.standard_normal(count)
    without = np.where(np.arange(count) == 1, 0.0, b)  # one is passed over
    for kind in ("own", "sparse"):
        Z, store = X.copy(), np.asfortranarray
        if odd is not None and odd < count:
            if kind == "sparse":
                Z[::2, odd], store = 0.0, sparse.csc_array
            else:
                Z[:, odd] += 2.0**20  # its mean is taken out
        Z = Z.astype(dtype)
        design = Design(store(Z))
        design.moments(w)
        design.standardise(True, 1.0 / np.asarray(design.spread))
        Z = Z.astype(np.longdouble)
        Z = ((Z - Z.mean(axis=0)) / Z.std(axis=0)).astype(float)
        which = np.arange(count, dtype=np.intc)
        assert design.products(u) == pytest.approx(Z.T @ u, rel=1e-10, abs=1e-10)
        for some in (b, without):
            found = design.combination(which, some)
            assert found == pytest.approx(Z @ some, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_are_the_same_by_any_number_of_threads(dtype):
    rng = np.random.default_rng(0)
    X, u = rng.standard_normal((3000, 703)).astype(dtype, order="F"), rng.standard_normal(3000)
    design = Design(X)
    one, two, three = (design.products(u, k) for k in (1, 2, 3))
    assert np.array_equal(one, two) and np.array_equal(one, three)
    assert one == pytest.approx(X.T.astype(float) @ u, abs=1e-10)


@every("value", [np.nan, np.inf, -np.inf])
@every("row", [0, 5, 17, N - 1])
@every_storage
def test_a_value_that_is_not_finite_is_noticed_anywhere(storage, value, row):
    X, w = data()
    X[row, 3] = value
    w[row] = 0.0  # even where it has no weight
    assert not Design(storage(X)).moments(w)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1e160, 1e-310])
def test_columns_of_extreme_size_are_held_divided_by_a_power_of_two(size):
    X, w = data()
    X = X * [1, 1, 1, 1, size, 1]
    for store in (np.asfortranarray, sparse.csc_array):
        design = Design(store(X))
        assert design.moments(w)
        mean, spread = moments(X, w)
        exponent = np.asarray(design.exponent)
        assert (exponent != 0).tolist() == [False] * 4 + [True, False]
        scale = np.longdouble(2.0) ** exponent
        rel = 1e-9 if size < 1e-300 else 1e-13  # denormal numbers have few digits
        found = (np.asarray(design.mean) * scale / mean).astype(float)
        assert found == pytest.approx(np.ones(P), rel=rel)
        found = (np.asarray(design.spread) * scale / spread).astype(float)
        assert found == pytest.approx(np.ones(P), rel=rel)


@pytest.mark.parametrize("shift", [1e3, 1e5, 1e8, 1e12])
def test_a_mean_far_beyond_the_spread_costs_no_digits(shift):
    rng = np.random.default_rng(4)
    X = np.round(rng.standard_normal((N, P)) * 2**10) / 2**10  # so that adding shift is exact
    w = rng.random(N)
    w /= w.sum()
    mean, spread = moments(X, w)
    Z = ((X - mean) / spread).astype(float)
    u = rng.standard_normal(N)
    for store in (np.asfortranarray, sparse.csc_array):
        design = Design(store(X + shift))
        design.moments(w)
        assert np.asarray(design.spread) == pytest.approx(spread.astype(float), rel=1e-12)
        design.standardise(True, 1.0 / np.asarray(design.spread))
        assert design.products(u) == pytest.approx(Z.T @ u, rel=1e-10, abs=1e-10)
        rounding = 1e-15 if shift > 2**16 else 1e-16 * shift
        assert np.abs(design.products(w)).max() < 10 * rounding  # centred


def test_a_sparse_column_without_zeros_is_a_dense_one():
    X, w = data()
    X[X == 0] = 0.5
    u = np.random.default_rng(1).standard_normal(N)
    found = []
    for matrix in (np.asfortranarray(X), sparse.csc_array(X)):
        design = Design(matrix)
        design.moments(w)
        found.append([design.mean, design.spread, design.products(u), design.norms(w)])
    assert np.array_equal(*found)


@every("weight", [0.0, 1e-20, 1e-12, 1e-6])
@every("level", [1.0, 1e4, 1e7])
def test_what_little_weight_a_sparse_column_leaves_out(weight, level):
    """Rows not stored: their weight is summed, not taken as 1 less the rest."""
    rng = np.random.default_rng(5)
    x = np.round(rng.standard_normal(N) * 2**10) / 2**10 + level
    w = np.where(np.arange(N) % 5 == 0, weight, rng.random(N))
    w /= w.sum()
    x[::5] = 0.0
    mean, spread = moments(x[:, None], w)
    design = Design(sparse.csc_array(x[:, None]))
    design.moments(w)
    assert np.asarray(design.spread) == pytest.approx(spread.astype(float), rel=1e-12)
    design.standardise(True, 1.0 / np.asarray(design.spread))
    z = ((x - mean[0]) / spread[0]).astype(float)
    u = rng.standard_normal(N) * np.sqrt(w)
    digits = 1e-15 * max(1.0, min(level / float(spread[0]), 2.0**16))
    error = design.products(u)[0] - z @ u
    assert abs(error) <= 100 * digits * np.linalg.norm(z * np.sqrt(w) + 1) * np.linalg.norm(u)
    assert design.norms(w) == pytest.approx([1.0], rel=1e-12)


@every("value", [1.0, 0.1, -2e9, 1e-300, 1e300])
@every("store", [np.asfortranarray, sparse.csc_array])
def test_a_constant_column_has_no_spread(value, store):
    X, w = data()
    X[:, 2] = value
    design = Design(store(X))
    design.moments(w)
    assert design.spread[2] == 0.0 and (np.delete(design.spread, 2) > 0).all()
    assert np.ldexp(design.mean[2], design.exponent[2]) == pytest.approx(value, rel=1e-15)


def test_empty_columns_and_an_empty_matrix():
    w = np.full(4, 0.25)
    design = Design(sparse.csc_array((4, 3)))
    assert design.moments(w)
    assert not np.any(design.mean) and not np.any(design.spread)


@every_storage
def test_the_matrix_is_not_changed(storage):
    X, w = data()
    X[:, 0] += 2.0**30
    X[:, 1] *= 1e-30
    matrix = storage(X)
    held = [matrix.data] if sparse.issparse(matrix) else [matrix]
    before = [array.copy() for array in held]
    for array in held:
        array.flags.writeable = False
    design = Design(matrix)
    design.moments(w)
    design.standardise(True, np.ones(P))
    design.products(w)
    assert all(map(np.array_equal, held, before))


# Products with many vectors, and working columns

@every("dtype", [np.float64, np.float32])
@every("p", [1, 63, 64, 130])
@every("K", [0, 1, 9])
@every("n", [20, 1024, 2050])
def test_they_are_the_products(dtype, n, p, K):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((n, p)) + 5, dtype=dtype)
    design = Design(X)
    assert design.moments(np.full(n, 1.0 / n))
    design.standardise(True, 1.0 / np.asarray(design.spread))
    u = rng.standard_normal((K, n))
    Z = (X.astype(float) - X.mean(axis=0, dtype=float)) / X.std(axis=0, dtype=float)
    one, two = (design.response_products(u, None, k) for k in (1, 2))
    assert one.shape == (K, p) and np.array_equal(one, two)
    assert one == pytest.approx(u @ Z, abs=1e-12 * n)
    some = np.flatnonzero(np.arange(p) % 3 == 0).astype(np.intc)
    assert design.response_products(u, some) == pytest.approx(u @ Z[:, some], abs=1e-12 * n)


@pytest.mark.parametrize("n", [20, 1025, 3000])
@pytest.mark.parametrize("full", [0, 2])
def test_some_columns_of_a_sparse_design_may_be_full(n, full):
    rng = np.random.default_rng(0)
    X = (rng.random((n, 4)) < 0.2) * rng.standard_normal((n, 4))
    X[:, full] = rng.standard_normal(n)
    u = rng.standard_normal((3, n))
    found = Design(sparse.csc_array(X)).response_products(u)
    assert found == pytest.approx(u @ X, abs=1e-12 * n)


def test_few_stored_values_are_held_as_sparse():
    """Zeros may be stored; a dense design is held as dense whatever its values."""
    root = np.full(20, 20**-0.5)
    for stored in (0, 14, 15, 100):
        places = np.arange(stored)
        matrix = sparse.csc_array((np.zeros(stored), (places % 20, places // 20)), (20, 5))
        kind = SparsePackedColumns if stored < 15 else DensePackedColumns
        assert type(pack(Design(matrix), root)) is kind, stored
        assert type(pack(Design(matrix), root, dense=True)) is DensePackedColumns
    assert type(pack(Design(np.zeros((20, 5), order="F")), root)) is DensePackedColumns
