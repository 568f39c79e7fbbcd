"""What an MKLPath says: predictions, tables, pictures; nothing in it can be changed."""

import pickle

import mkl_oracle
import numpy as np
import pytest

import sparsesolve as ss

X, K, Y = mkl_oracle.problem(2, n=50, M=5)
TRAIN, TEST = slice(0, 40), slice(40, 50)
KERNELS, NEW = K[:, TRAIN, TRAIN], K[:, TEST, TRAIN]
FIT = ss.mkl_path(KERNELS, Y[TRAIN], n_lambdas=20)


def test_predictions_at_and_between_lambdas():
    k = 7
    f = np.einsum("m,mij,j->i", FIT.kernel_weights[:, k], NEW, FIT.dual_coefs[:, k])
    np.testing.assert_allclose(FIT.predict(NEW, s=FIT.lambdas[k]), f + FIT.intercepts[k])
    both = FIT.predict(NEW, s=[FIT.lambdas[3], FIT.lambdas[4]])
    s = 0.25 * FIT.lambdas[3] + 0.75 * FIT.lambdas[4]
    np.testing.assert_allclose(FIT.predict(NEW, s=s), both @ [0.25, 0.75])
    assert FIT.predict(NEW).shape == (10, len(FIT.lambdas))
    np.testing.assert_allclose(FIT.predict(NEW, s=0), FIT.predict(NEW)[:, -1])


def test_idle_kernels_are_not_asked_for():
    s = FIT.lambdas[2]
    active = FIT.active(s)
    blocks = [NEW[m] if m in active else None for m in range(5)]
    np.testing.assert_allclose(FIT.predict(blocks, s=s), FIT.predict(NEW, s=s))
    with pytest.raises(ValueError, match="block of kernel . is missing, and the kernel is active"):
        FIT.predict(blocks, s=0)
    np.testing.assert_allclose(FIT.predict(blocks, s=FIT.lambdas[0]), np.mean(Y[TRAIN]))


@pytest.mark.parametrize("s", [[], [0.1, 0.2]])
def test_active_kernels_are_those_of_one_lambda(s):
    with pytest.raises(ValueError, match="give one lambda"):
        FIT.active(s)


def test_bad_blocks():
    with pytest.raises(ValueError, match="holds 2 blocks; the path was fitted to 5"):
        FIT.predict(NEW[:2])
    with pytest.raises(ValueError, match=r"shape \(10, 3\); it must be \(n_new, 40\)"):
        FIT.predict(NEW[:, :, :3])
    with pytest.raises(ValueError, match="holds NaN"):
        FIT.predict(np.full(NEW.shape, np.nan))
    with pytest.raises(ValueError, match="different numbers of new samples"):
        FIT.predict([NEW[0], *NEW[1:, :5]])
    with pytest.raises(ValueError, match="kernels is missing"):
        FIT.predict()
    with pytest.raises(ValueError, match="kind is 'clas'"):
        FIT.predict(NEW, kind="clas")
    with pytest.raises(ValueError, match="has no classes"):
        FIT.predict(NEW, kind="class")


def test_classes_names_and_offsets():
    labels = np.where(Y > 0.5, "yes", "no")[TRAIN]
    named = {f"k{m}": kernel for m, kernel in enumerate(KERNELS)}
    fit = ss.mkl_path(named, labels, family="binomial", offset=X[TRAIN, 3], n_lambdas=10)
    blocks = {f"k{m}": block for m, block in enumerate(NEW)}
    with pytest.raises(ValueError, match="fitted with an offset"):
        fit.predict(blocks)
    eta = fit.predict(blocks, offset=X[TEST, 3])
    response = fit.predict(blocks, kind="response", offset=X[TEST, 3])
    np.testing.assert_allclose(response, 1 / (1 + np.exp(-eta)))
    assert (fit.predict(blocks, kind="class", offset=X[TEST, 3]) ==
            np.where(eta > 0, "yes", "no")).all()  # fmt: skip
    with pytest.raises(ValueError, match="not fitted to a kernel 'other'; it has '"):
        fit.predict({"other": NEW[0]})


def test_weights_sum_to_one_where_anything_is_active():
    sums = FIT.kernel_weights.sum(axis=0)
    np.testing.assert_allclose(sums[FIT.df > 0], 1)
    assert not sums[FIT.df == 0].any()
    assert (FIT.df == np.count_nonzero(FIT.kernel_norms, axis=0)).all()


def test_tables():
    assert repr(FIT).startswith("<MKLPath gaussian: ")
    assert "of 5 kernels at the end" in repr(FIT)
    lines = str(FIT).splitlines()
    assert "5 kernels" in lines[0] and len(lines) == 3 + len(FIT.lambdas)
    assert lines[2].split() == ["Df", "%Dev", "Lambda", "Gap"]
    assert "5 kernels" in FIT._repr_html_()


@pytest.mark.parametrize("what, xvar", [("weights", "lambda"), ("norms", "dev")])
def test_pictures(what, xvar):
    ax = FIT.plot(what=what, xvar=xvar, label=True)
    lines = ax.collections[0].get_segments()
    assert len(lines) == np.count_nonzero(FIT.kernel_norms.any(axis=1))
    assert ax.get_ylabel() in ("Kernel weight", "Norm of the kernel's function")


def test_bad_pictures():
    with pytest.raises(ValueError, match="what is"):
        FIT.plot(what="weight")
    with pytest.raises(ValueError, match="xvar is"):
        FIT.plot(xvar="norm")


def test_a_path_keeps_no_kernel():
    """Pickled with 30 kernels of 600 samples it took 83 MB."""
    grams = ss.mkl.build_grams(X[TRAIN], [(ss.mkl.gaussian(1.0), None)] * 5)
    fit = ss.mkl_path(grams, Y[TRAIN], n_lambdas=4)
    assert fit.grams.nbytes == 0 < grams.nbytes
    assert repr(grams) == "<Grams: 5 kernels, 0.064 MB>"
    assert repr(fit.grams) == "<Grams: 5 kernels, none of them kept>"
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.predict(X[TEST]), fit.predict(X[TEST]))
