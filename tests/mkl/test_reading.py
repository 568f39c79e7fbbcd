"""Kernels of every form give the same path; what is no kernel is refused by its name."""

import mkl_oracle
import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import mkl

X, K, Y = mkl_oracle.problem(1, n=50, M=5)
PLAIN = ss.mkl_path(K, Y, n_lambdas=15, tol=1e-10)


def same(kernels, rtol=1e-6):
    fit = ss.mkl_path(kernels, Y, lambdas=PLAIN.lambdas, tol=1e-10)
    np.testing.assert_allclose(fit.kernel_norms, PLAIN.kernel_norms, atol=rtol * 10)
    return fit


def test_lists_dicts_orders_and_views():
    same(list(K))
    same([np.asfortranarray(k) for k in K])
    same(np.repeat(K, 2, axis=2)[:, :, ::2])
    wide = np.zeros((5, 50, 64))
    wide[:, :, :50] = K
    same(wide[:, :, :50])
    fit = same({f"k{m}": k for m, k in enumerate(K)})
    assert fit.kernel_names.tolist() == ["k0", "k1", "k2", "k3", "k4"]


def test_factors_and_sparse_matrices_among_dense_ones():
    values, vectors = np.linalg.eigh(K[1])
    Z = vectors * np.sqrt(np.maximum(values, 0))
    same([K[0], mkl.LowRank(Z), sparse.csc_array(K[2]), sparse.coo_matrix(K[3]), K[4]])


def test_memory_maps_and_float32(tmp_path):
    file = np.lib.format.open_memmap(tmp_path / "k.npy", "w+", shape=K.shape, dtype="f4")
    file[:] = K
    file.flush()
    mapped = np.load(tmp_path / "k.npy", mmap_mode="r")
    single = same(mapped, rtol=1e-4)
    double = ss.mkl_path(mapped.astype(np.float64), Y, lambdas=PLAIN.lambdas, tol=1e-10)
    np.testing.assert_allclose(single.kernel_norms, double.kernel_norms, atol=1e-9)


def bad(m, change):
    kernels = K.copy()
    change(kernels[m])
    return kernels


def put(place, value):
    def change(kernel):
        kernel[place] = value

    return change


@pytest.mark.parametrize(
    "kernels, message",
    [
        (bad(2, put((3, 4), np.nan)), "kernel 2 holds nan at row 3, column 4"),
        (bad(1, put((7, 2), 0.9)), r"kernel 1 is not symmetric: entry \((7, 2|2, 7)\)"),
        (bad(3, put((5, 5), -1.0)), "kernel 3 is not positive semidefinite: entry 5 of its diag"),
        ([*K[:2], K[2] - 0.5 * np.eye(50)], "kernel 2 is not positive semidefinite: an eigenv"),
        ([*K[:2], K[2][:40, :40]], "kernel 2 is 40 x 40 but kernel 0 is 50 x 50"),
        ([K[0], K[1][:40]], r"kernel 1 has shape \(40, 50\); a kernel is square"),
        ({"a": K[0], "b": -K[1]}, "kernel 'b' is not positive semidefinite"),
        (K[0], "kernels is one matrix; give a list"),
        ([], "kernels is empty"),
        (K[0][0], r"kernels has shape \(50,\)"),
        ([mkl.LowRank(np.ones(5))], r"the factor of kernel 0 has shape \(5,\)"),
        ([mkl.LowRank(np.full((50, 2), np.inf))], "the factor of kernel 0 holds NaN or infinity"),
        ([sparse.csr_array(-np.eye(50))], "kernel 0 is not positive semidefinite"),
        ([sparse.csr_array(np.triu(K[0]))], "kernel 0 is not symmetric"),
        ([np.zeros((0, 0))], "at least one sample"),
    ],
)
def test_what_is_no_kernel_is_refused(kernels, message):
    with pytest.raises(ValueError, match=message):
        ss.mkl_path(kernels, Y)


def test_text_is_refused():
    with pytest.raises(TypeError, match="kernel 1 .*text"):
        ss.mkl_path([K[0], np.full((50, 50), "a")], Y)


def test_large_indefinite_kernels_are_found_by_lanczos_steps():
    from sparsesolve.mkl.reading import _least_ritz_value

    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(300, 300)))[0]
    values = np.linspace(0, 1, 300)
    values[0] = -0.05
    A = (Q * values) @ Q.T
    assert _least_ritz_value(A, 1) == pytest.approx(-0.05, rel=0.2)
    assert _least_ritz_value(Q[:, :100] @ Q[:, :100].T, 1) > -1e-10


def test_one_sample_of_odd_strides():
    K = np.ones((2, 2))[::2, ::2]
    assert ss.mkl_path([K], [1.0]).df.tolist() == [0]


def test_factors_whose_squares_overflow_are_refused():
    with pytest.raises(ValueError, match="kernel 0 holds numbers whose squares overflow"):
        ss.mkl_path([mkl.LowRank(np.full((5, 2), 1e77) * 1e80)], np.arange(5.0))
