"""Kernels that exist already: centred and scaled, and the same of raw blocks for new samples."""

import pickle

import mkl_oracle
import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import mkl

RNG = np.random.default_rng(0)
BOTH = RNG.normal(size=(37, 4))
JOINT = [np.exp(-np.subtract.outer(x, x) ** 2) * (2 + m) for m, x in enumerate(BOTH.T)]
RAW, NEW = np.array([K[:30, :30] for K in JOINT]), [K[30:, :30] for K in JOINT]
OWN = [np.diag(K)[30:] for K in JOINT]


@pytest.mark.parametrize("centre", [False, True])
@pytest.mark.parametrize("scale", [None, "trace", "diagonal"])
def test_kernels_and_blocks_are_those_of_the_joint_matrix(centre, scale):
    made = mkl.precomputed(RAW, centre=centre, scale=scale)
    blocks = made.between((NEW, OWN) if scale == "diagonal" else NEW)
    for item, block, K in zip(made.items, blocks, JOINT, strict=True):
        kernel, exact = mkl_oracle.treated(K, 30, centre, scale)
        np.testing.assert_allclose(item, kernel, atol=1e-12)
        np.testing.assert_allclose(block, exact, atol=1e-12)


def test_names_find_their_blocks():
    named = dict(zip("abcd", RAW, strict=True))
    made = mkl.precomputed(named, centre=True)
    new = dict(zip("dcba", NEW[::-1], strict=True))
    for block, same in zip(made.between(new), made.between(list(NEW)), strict=True):
        assert np.array_equal(block, same)
    fit = ss.mkl_path(made, BOTH[:30, 1], n_lambdas=5)
    some = {name: new[name] for name, used in zip("abcd", fit.kernel_weights.any(axis=1),
                                                  strict=True) if used}  # fmt: skip
    assert np.array_equal(fit.predict(some), fit.predict(new))


def test_without_kernels_and_pickled_they_still_make_blocks():
    made = mkl.precomputed(RAW, scale="trace")
    for grams in (made.without_kernels(), pickle.loads(pickle.dumps(made))):
        assert np.array_equal(grams.between(NEW)[2], made.between(NEW)[2])
    assert made.without_kernels().nbytes == 0 < made.nbytes


def test_blocks_that_do_not_fit_are_refused():
    made, unit = mkl.precomputed(RAW), mkl.precomputed(RAW, scale="diagonal")
    with pytest.raises(ValueError, match=r"unit diagonal; give \(blocks, diagonals\)"):
        unit.between(NEW)
    with pytest.raises(ValueError, match="kernels holds 3 blocks; 4 are needed"):
        made.between(NEW[:3])
    with pytest.raises(ValueError, match="the block of kernel 1 is missing"):
        made.between([NEW[0], None, *NEW[2:]])
    with pytest.raises(ValueError, match=r"the block of kernel 3 has shape \(7, 29\)"):
        made.between([*NEW[:3], NEW[3][:, 1:]])
    with pytest.raises(TypeError, match="scale a factor Z"):
        mkl.precomputed([mkl.LowRank(BOTH)])


def test_all_cores_and_numbers_of_threads_that_are_none():
    one, all_cores = (mkl.precomputed(RAW, scale="trace", n_threads=k) for k in (1, -1))
    assert all(np.array_equal(a, b) for a, b in zip(one.items, all_cores.items, strict=True))
    for bad in (0, -5, "a", True):
        with pytest.raises((TypeError, ValueError), match="n_threads must be a positive whole"):
            mkl.precomputed(RAW, n_threads=bad)


def test_names_that_are_numbers_find_their_blocks_and_others_are_refused():
    _, raw, y = mkl_oracle.problem(0, n=30, M=3)
    named = dict(enumerate(raw))
    fit = ss.mkl_path(mkl.precomputed(named), y, n_lambdas=5)
    plain = ss.mkl_path(named, y, n_lambdas=5)
    np.testing.assert_allclose(fit.predict(named), plain.predict(named))
    with pytest.raises(ValueError, match="not fitted to a kernel 'wave'"):
        fit.predict({"wave": raw[0]})
    with pytest.raises(ValueError, match="kernels without names"):
        ss.mkl_path(mkl.precomputed(list(raw)), y, n_lambdas=5).predict(named)
    for path in (fit, plain):
        with pytest.raises(TypeError, match="kernels is a float; give a block"):
            path.predict(3.5)
