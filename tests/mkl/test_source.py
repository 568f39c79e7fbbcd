"""A kernel function on some columns: the kernel of the fit, and its block for new rows."""

import numpy as np
import pytest
from scipy import sparse

from sparsesolve.mkl import gaussian, linear, nystroem
from sparsesolve.mkl.kernels import BLOCK, LowRank
from sparsesolve.mkl.scaling import learn_scaling
from sparsesolve.mkl.source import MANY, Source

N = BLOCK + 30  # two blocks of rows
RNG = np.random.default_rng(31)
X, NEW = RNG.normal(size=(N, 4)) + 1.0, RNG.normal(size=(7, 4))
NAMES = np.array(["a", "b", "c", "d"])
SHARES = RNG.dirichlet(np.ones(N))


def source(pair, centre=False, scale=None, table=X, names=NAMES):
    return Source(pair, 3, table, names, centre, scale, SHARES)


def test_the_type_asked_for():
    for function in (gaussian(1.0), linear()):
        made = source((function, None))
        kernel = made.make(np.float32, True)
        assert getattr(kernel, "Z", kernel).dtype == np.float32
        assert made.block(NEW).dtype == np.float64


def test_a_factor_is_kept_where_it_is_smaller_than_the_kernel():
    wide = RNG.normal(size=(N, MANY + 1))
    assert isinstance(Source((linear(), None), 0, wide, None, False, None, SHARES).make(
        np.float64, True), np.ndarray)  # fmt: skip
    assert isinstance(Source((linear(), list(range(MANY))), 0, wide, None, False, None, SHARES)
                      .make(np.float64, True), LowRank)  # fmt: skip
    few = Source((linear(), None), 0, X[:3], None, False, None, np.full(3, 1 / 3))
    assert isinstance(few.make(np.float64, True), np.ndarray)  # more columns than rows
    always = Source((nystroem(gaussian(1.0), 5), None), 0, wide, None, False, None, SHARES)
    assert isinstance(always.make(np.float64, True), LowRank)


@pytest.mark.parametrize("columns, taken", [
    (None, [0, 1, 2, 3]), ("c", [2]), (1, [1]), (np.int8(1), [1]), (["d", 0], [3, 0]),
    ((1, 2), [1, 2]), (np.array([3]), [3]),
])  # fmt: skip
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_columns(columns, taken, store):
    part = source((linear(), columns), table=store(X)).part
    part = part.toarray() if sparse.issparse(part) else part
    assert part.tolist() == X[:, taken].tolist()


@pytest.mark.parametrize("pair, error, sentence", [
    (linear(), TypeError, "kernel 3 is .*; give a pair .function, columns."),
    ((linear(),), TypeError, "kernel 3 is .*; give a pair .function, columns."),
    ((3, None), TypeError, "^the function of kernel 3 is 3, which cannot be called$"),
    ((linear(), []), ValueError,
     "^kernel 3 has no columns; give at least one, or None for all$"),
    ((linear(), "q"), ValueError, "^kernel 3 asks for column 'q', which X does not have$"),
    ((linear(), [0, 4]), ValueError, "^the column of kernel 3 must be .* 3, not 4$"),
    ((linear(), -1), ValueError, "^the column of kernel 3 must be .*not -1$"),
])  # fmt: skip
def test_pairs_that_are_none(pair, error, sentence):
    with pytest.raises(error, match=sentence):
        source(pair)


def test_names_need_a_table_that_has_them():
    with pytest.raises(ValueError, match="^kernel 3 asks for column 'a', which X does not have$"):
        source((linear(), "a"), names=None)


def test_scaling_of_raw_kernels_is_in_double_and_keeps_what_is_zero():
    for dtype in (int, np.float32):
        rows = np.array([[1, 2], [3, 4], [0, 1]]).astype(dtype)
        K, shares = (rows @ rows.T).astype(float), np.full(3, 1 / 3)
        found = learn_scaling(shares, K @ shares, np.diagonal(K), True, "trace").apply(
            rows @ rows.T, None)  # fmt: skip
        assert found.dtype == np.float64 and np.trace(found) == pytest.approx(3.0)
    K, diagonal = np.diag([0.0, 25.0]), np.array([0.0, 25.0])
    scaling = learn_scaling(np.full(2, 0.5), np.zeros(2), diagonal, False, "diagonal")
    assert scaling.own_diagonal(diagonal).tolist() == [0.0, 1.0]
    assert scaling.apply(K, diagonal).tolist() == [[0, 0], [0, 1]]


def test_functions_of_another_shape():
    def sums(A, B):
        return (A @ B.T).sum(axis=0)

    made = source((sums, None))
    with pytest.raises(ValueError) as caught:
        made.raw(X[:2])
    assert str(caught.value) == (
        f"the kernel function {sums!r} returned shape ({N},) where (2, {N}) is needed"
    )
