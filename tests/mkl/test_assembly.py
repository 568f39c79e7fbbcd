"""What users pass for several kernels, as a problem in inner units, and what is refused.

Constants taken out of kernels that are all but constant.
"""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.families import read_family
from sparsesolve.mkl.assembly import level, read_problem
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.norms import read_norm
from sparsesolve.mkl.reading import read_kernels
from sparsesolve.mkl.screening import LowRankCache

N, M = 12, 3
RNG = np.random.default_rng(37)
Y = 100.0 * RNG.normal(size=N) + 7.0
W, SHIFT = RNG.uniform(0.5, 3.0, N), RNG.normal(size=N)
KINDS = np.arange(N) % 3


def read(y=Y, family="gaussian", norm="l1", **options):
    kernels = Kernels([np.eye(N)] * M, np.ones(M), LowRankCache([None] * M, N))
    given = {"kernel_weights": None, "weights": None, "offset": None, "intercept": True, **options}
    norm = read_norm(norm)
    return read_problem(kernels, y, read_family(family), norm, **given)


@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("offset", [None, SHIFT])
@pytest.mark.parametrize("intercept", [True, False])
def test_squared_error_is_less_mean_and_offset_over_a_power_of_two(weights, offset, intercept):
    problem, names, deviance = read(weights=weights, offset=offset, intercept=intercept)
    w = np.ones(N) if weights is None else W
    share, rest = w / w.sum(), Y - (0.0 if offset is None else SHIFT)
    assert problem.weights == pytest.approx(share) and names is None
    mean = share @ rest if intercept else 0.0
    scale = 2.0**problem.exponent
    assert scale * problem.mean[0] == pytest.approx(mean)
    at_zero = problem.loss_at(np.zeros((1, N)))
    assert at_zero[1][0] * scale == pytest.approx(share * (rest - mean))
    assert problem.null_value * scale**2 == pytest.approx(0.5 * share @ (rest - mean) ** 2)
    assert deviance == pytest.approx(w @ (rest - mean) ** 2)
    assert (problem.offset == 0.0).all() and problem.shape == (1, N)
    lams = np.array([3.0, 0.5])
    assert problem.user_lambdas(np.array([problem.inner_lambda(lam) for lam in lams])) == (
        pytest.approx(lams))  # fmt: skip


def test_classes_keep_their_loss_and_offset():
    y = np.where(Y > 0, "yes", "no")
    problem, names, deviance = read(y, "binomial", weights=W, offset=SHIFT)
    assert names.tolist() == ["no", "yes"] and (problem.exponent, problem.unit) == (0, 0)
    assert problem.offset.tolist() == [SHIFT.tolist()]
    eta = SHIFT + problem.null_intercept[0]
    p = 1 / (1 + np.exp(-eta))
    assert W @ ((y == "yes") - p) == pytest.approx(0.0, abs=1e-9)
    assert deviance == pytest.approx(-2 * W @ np.log(np.where(y == "yes", p, 1 - p)))
    counts = np.column_stack([np.full(N, 3), KINDS + 1])
    weighted = read(counts, "binomial", weights=W)[0]
    assert weighted.weights == pytest.approx(W * (KINDS + 4) / (W @ (KINDS + 4)))


def test_several_classes_and_responses():
    problem, names, _ = read(KINDS, "multinomial")
    assert problem.shape == (3, N) and names.tolist() == [0, 1, 2] and problem.joined
    shares = np.exp(problem.null_intercept)
    assert shares / shares.sum() == pytest.approx(np.bincount(KINDS) / N)
    offset = RNG.normal(size=(N, 2))
    problem, _, deviance = read(np.column_stack([Y, -Y]), "multigaussian", offset=offset)
    rest = np.column_stack([Y, -Y]) - offset
    assert deviance == pytest.approx(((rest - rest.mean(axis=0)) ** 2).sum())
    assert problem.mean * 2.0**problem.exponent == pytest.approx(rest.mean(axis=0))
    assert not problem.joined


@pytest.mark.parametrize("options, sentence", [
    ({"y": Y[:-1]}, "y has 11 rows but the kernels are of 12 samples"),
    ({"offset": SHIFT[:-1]}, "offset has 11 rows but the kernels are of 12 samples"),
    ({"kernel_weights": [1, 2]}, "kernel_weights has shape (2,); give one per kernel, (3,)"),
    ({"kernel_weights": 2.0}, "kernel_weights has shape (); give one per kernel, (3,)"),
    ({"kernel_weights": [1, 0, -1]}, "kernel_weights holds 0.0 at position 1; every weight must "
     "be positive, inf to leave a kernel out"),
    ({"kernel_weights": [1, 1, np.nan]}, "kernel_weights holds nan at position 2; every weight "
     "must be positive, inf to leave a kernel out"),
    ({"y": KINDS, "family": "multinomial", "offset": SHIFT},
     "offset has shape (12,); it must be (12, 3), a column per response"),
    ({"y": (np.abs(Y), np.ones(N)), "family": "cox"}, "family='cox' ties the samples by its loss, "
     "which kernels are not made for; use a family whose loss is a sum over the samples"),
])  # fmt: skip
def test_what_is_refused(options, sentence):
    with pytest.raises(ValueError) as caught:
        read(**options)
    assert str(caught.value) == sentence


def gaussian(X, width):
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(-1) / (2.0 * width**2))


def centred(K):
    C = np.eye(len(K)) - 1.0 / len(K)
    return C @ K @ C


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((50, 2))


def test_only_kernels_that_are_mostly_constant_lose_their_constants(X):
    raw = [gaussian(X, 1.0), gaussian(X, 30.0), np.ones((50, 50)),
           gaussian(X, 300.0).astype(np.float32)]  # fmt: skip
    before = [K.copy() for K in raw]
    read = read_kernels(raw, 1)
    levelled, means = level(read)
    assert list(means) == [1]
    assert all(levelled.items[m] is read.items[m] for m in (0, 2, 3))
    np.testing.assert_allclose(means[1], raw[1].mean(axis=0))
    np.testing.assert_allclose(levelled.items[1], centred(raw[1]), atol=1e-15)
    for K, old in zip(raw, before, strict=True):
        np.testing.assert_array_equal(K, old)


def test_bounds_and_factors_are_those_of_what_is_left(X):
    levelled, _ = level(read_kernels([gaussian(X, 1.0), gaussian(X, 30.0)], 1))
    u = np.random.default_rng(1).standard_normal((3, 50))
    largest = np.linalg.eigvalsh(levelled.items[1])[-1]
    assert largest <= levelled.bounds[1] ** 2 * (1 + 1e-12) <= 50 * largest
    true = np.einsum("qi,ij,qj->", u, levelled.items[1], u)
    off = abs(levelled.near.squares(u)[1] - true)
    assert off <= levelled.near.errors[1] * (u * u).sum() < 1e-3 * true


@pytest.mark.parametrize("seed", [3, 6, 7])
def test_softmax_paths_of_wide_kernels_converge_to_those_of_centred_ones(seed):
    """Sizes are below what rounding tells of them late in these paths, constants included."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((50, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.standard_normal(50), [-0.5, 0.5])
    raw = [gaussian(X, 30.0), gaussian(X, 300.0)]
    options = {
        "family": "multinomial", "n_lambdas": 20, "lambda_min_ratio": 1e-4, "stop": None,
    }  # fmt: skip
    fit = ss.mkl_path(raw, y, **options)
    other = ss.mkl_path([centred(K) for K in raw], y, **options)
    assert fit.gaps.max() <= 1e-7
    np.testing.assert_allclose(fit.lambdas, other.lambdas, rtol=1e-9)
    found, true = fit.predict(raw), other.predict([centred(K) for K in raw])
    np.testing.assert_allclose(found, true, atol=1e-5)
    # and new samples, whose blocks are as they come
    new = X + 0.1
    blocks = [np.exp(-((new[:, None] - X[None]) ** 2).sum(-1) / (2.0 * w**2)) for w in (30, 300)]
    old = [block - block.mean(axis=1)[:, None] - K.mean(axis=0) + K.mean()
           for block, K in zip(blocks, raw, strict=True)]  # fmt: skip
    np.testing.assert_allclose(fit.predict(blocks), other.predict(old), atol=1e-5)
