"""Data far from 0, steps too far, kernels that say nothing: right numbers, and no crash."""

import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss
from sparsesolve import mkl


@pytest.mark.parametrize("kind, mean", [(np.float32, 2000), (np.float64, 1e8), (np.int64, 10**8)])
def test_distances_are_those_of_columns_far_from_zero(kind, mean):
    rng = np.random.default_rng(0)
    x = (mean + rng.integers(-400, 400, size=60) / 100).astype(kind)[:, None]
    expected = np.exp(-((x.astype(float) - x.astype(float).T) ** 2) / 2)
    function = mkl.gaussian(1.0)
    assert function(x, x) == pytest.approx(expected, abs=1e-14)
    assert function(x[:5], x) == pytest.approx(expected[:5], abs=1e-14)
    assert function(sparse.csr_array(x), sparse.csr_array(x)).shape == (60, 60)


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
@pytest.mark.parametrize("seed", [4, 8])
def test_an_outlying_row_shortens_steps_and_does_not_end_them(seed):
    """A step at whose end the loss overflows is not taken."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(42, 2))
    X[0] *= 30
    y = np.exp(np.clip(10 * X[:, 0], -12, 12)) * rng.gamma(1, size=42)
    K = [np.outer(x, x) for x in X.T] + [(1 + np.outer(X[:, 0], X[:, 0])) ** 3]
    fit = ss.mkl_path(K, y, family=ss.families.gamma(), n_lambdas=15)
    assert fit.gaps.max() <= 1e-7 and fit.df[-1] > 0 and not fit.status.any()
    if seed == 4:  # its last three lambdas are slow
        slow = ss.mkl_path(K, y, family=ss.families.gamma(), lambdas=fit.lambdas[:12],
                           solver="proximal")  # fmt: skip
        assert ((slow.gaps <= 1e-7) | (slow.status > 0)).all() and np.isfinite(slow.gaps).all()


@pytest.mark.filterwarnings("ignore::sparsesolve.ConvergenceWarning")
def test_norms_close_to_l1_take_no_endless_step():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=70)
    K = [np.exp(-(np.subtract.outer(x, x) ** 2)) for x in X.T] + [np.outer(x, x) for x in X.T]
    fit = ss.mkl_path(K, y, norm=mkl.lp(64 / 63), n_lambdas=10)
    assert np.isfinite(fit.gaps).all() and np.median(fit.gaps) <= 1e-7


def test_counts_and_a_kernel_so_wide_that_steps_go_far():
    """Trial predictors for which no intercept is best, or whose loss overflows, go too far."""
    rng = np.random.default_rng(10)
    x, y = rng.normal(size=(40, 2)), rng.integers(0, 2, size=40)
    K = np.exp(-1e-4 * ((x[:, None] - x) ** 2).sum(axis=-1))
    fit = ss.mkl_path([K], y, family="poisson", n_lambdas=12)
    assert not fit.status.any() and fit.gaps.max() <= 1e-7
