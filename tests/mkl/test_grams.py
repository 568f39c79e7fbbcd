"""Kernels made of tables: centring, scaling, how they are kept, and the same for new samples."""

import mkl_oracle
import numpy as np
import pandas
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import mkl

rng = np.random.default_rng(0)
X, NEW = rng.normal(size=(30, 4)), rng.normal(size=(7, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
SPECIFICATIONS = [
    (mkl.gaussian(1.5), None), (mkl.polynomial(2, 0.5), [1, 2]), (mkl.linear(), None),
    (lambda A, B: np.exp(-np.abs(A[:, None, 0] - B[:, 0])), 3),
]  # fmt: skip


def raw(A, B):
    gaussian = np.exp(-((A[:, None] - B) ** 2).sum(axis=2) / (2 * 1.5**2))
    polynomial = (A[:, 1:3] @ B[:, 1:3].T + 0.5) ** 2
    return [gaussian, polynomial, A @ B.T, np.exp(-np.abs(np.subtract.outer(A[:, 3], B[:, 3])))]


def dense(item):
    if isinstance(item, mkl.LowRank):
        return item.Z @ item.Z.T
    if isinstance(item, np.ndarray):
        return item
    return np.vstack([rows for _, _, rows in item.blocks()])


def expected(centre, scale):
    """Kernels of the fit and blocks of new samples, all from a joint matrix."""
    both = np.vstack([X, NEW])
    pairs = [mkl_oracle.treated(K, 30, centre, scale) for K in raw(both, both)]
    return [kernel for kernel, _ in pairs], [block for _, block in pairs]


@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("scale", [None, "trace", "diagonal"])
@pytest.mark.parametrize("store", [True, False])
def test_kernels_and_blocks_of_new_samples(centre, scale, store):
    made = mkl.build_grams(X, SPECIFICATIONS, centre=centre, scale=scale, store=store)
    kernels, blocks = expected(centre, scale)
    for item, kernel in zip(made.items, kernels, strict=True):
        np.testing.assert_allclose(dense(item), kernel, atol=1e-12)
    for block, exact in zip(made.between(NEW), blocks, strict=True):
        np.testing.assert_allclose(block, exact, atol=1e-12)


def test_paths_do_not_depend_on_how_kernels_are_kept():
    fits = [
        ss.mkl_path(made, Y, n_lambdas=12)
        for made in (mkl.build_grams(X, SPECIFICATIONS, scale="trace", store=s) for s in (1, 0))
    ]
    fits.append(ss.mkl_path(expected(False, "trace")[0], Y, n_lambdas=12))
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.kernel_norms, fits[0].kernel_norms, atol=1e-4)
    np.testing.assert_allclose(
        fits[0].predict(NEW), fits[2].predict(expected(False, "trace")[1]), atol=1e-4
    )


def test_float32_halves_the_memory():
    pair = [(mkl.gaussian(1.0), None)]
    one, two = mkl.build_grams(X, pair, dtype="float32"), mkl.build_grams(X, pair)
    assert 2 * one.nbytes == two.nbytes == 8 * 900
    np.testing.assert_allclose(one.items[0], two.items[0], atol=1e-6)


def test_frames_by_name_and_sparse_tables():
    frame = pandas.DataFrame(X, columns=list("abcd"))
    pairs = {"first": (mkl.gaussian(1.0), "a"), "two": (mkl.linear(), ["b", "d"])}
    made = mkl.build_grams(frame, pairs)
    assert made.names == ["first", "two"]
    np.testing.assert_allclose(dense(made.items[1]), X[:, [1, 3]] @ X[:, [1, 3]].T, atol=1e-12)
    thin = mkl.build_grams(sparse.csr_array(X), SPECIFICATIONS[:3])
    for item, kernel in zip(thin.items, raw(X, X), strict=False):
        np.testing.assert_allclose(dense(item), kernel, atol=1e-12)


def test_new_tables_have_the_columns_of_the_fit():
    with pytest.raises(ValueError, match="X has 2 columns; the kernels were made of 4"):
        mkl.build_grams(X, SPECIFICATIONS).between(NEW[:, :2])
    with pytest.raises(TypeError, match="the function of kernel 0 is 3"):
        mkl.build_grams(X, [(3, None)])


def test_memory_is_stated_before_a_stack_is_built(monkeypatch):
    monkeypatch.setattr("sparsesolve.mkl.grams._free_memory", lambda: 1e4)
    message = "2 kernels of 30 x 30 float64 take 1.44e-05 GB where 1e-05 GB are free"
    pairs = [(mkl.gaussian(1.0), None)] * 2
    with pytest.raises(MemoryError, match=message):
        mkl.build_grams(X, pairs)
    assert len(mkl.build_grams(X, pairs, dtype="float32")) == 2
    assert len(mkl.build_grams(X, pairs, store=False)) == 2


def tanh_kernel(A, B):
    return np.tanh(A @ B.T + 0.1)


@pytest.mark.parametrize("store", [True, False])
def test_functions_of_the_users_that_are_no_kernels_are_refused(store):
    """They had been taken on trust, and led to points that were certified and wrong."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 4))
    pairs = [(mkl.gaussian(1.0), None), (tanh_kernel, None)]
    grams = mkl.build_grams(table, pairs, store=store)
    assert grams.trusted == [True, False]
    with pytest.raises(ValueError, match="kernel 1 is not positive semidefinite: an eig"):
        ss.mkl_path(grams, table[:, 0], n_lambdas=3)
    true = mkl.build_grams(table, [(lambda A, B: np.exp(A @ B.T), None)], store=store)
    assert (ss.mkl_path(true, table[:, 0], n_lambdas=3).gaps <= 1e-7).all()


@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_inner_products_of_small_numbers_are_taken_in_double_precision(dtype, make):
    table = np.random.default_rng(0).integers(-90, 90, size=(12, 5))
    (found,) = mkl.build_grams(make(table.astype(dtype)), [(mkl.polynomial(3), None)]).items
    np.testing.assert_allclose(found, (table @ table.T + 1.0) ** 3, rtol=1e-15)


def test_no_new_samples_are_no_predictions():
    table = np.random.default_rng(0).normal(size=(20, 3))
    grams = mkl.build_grams(table, [(mkl.gaussian(1.0), None)])
    fit = ss.mkl_path(grams, table[:, 0], n_lambdas=4)
    assert fit.predict(table[:0]).shape == (0, 4)
