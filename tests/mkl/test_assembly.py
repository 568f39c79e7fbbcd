"""What users pass for several kernels, as a problem in inner units, and what is refused."""

import numpy as np
import pytest

from sparsesolve.families import read_family
from sparsesolve.mkl import elastic
from sparsesolve.mkl.assembly import read_problem
from sparsesolve.mkl.kernels import Kernels
from sparsesolve.mkl.low_rank_cache import LowRankCache
from sparsesolve.mkl.norms import read_norm

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
    assert problem.user_levels(np.array([problem.inner_level(lam) for lam in lams])) == (
        pytest.approx(lams))  # fmt: skip


def test_units_of_lambda_are_those_of_the_norm():
    """y over 2^e makes the lambda of l1 and elastic smaller by as much, and no square's."""
    exponent = read()[0].exponent
    assert exponent > 3
    for norm, unit in (("l1", exponent), ("l1_squared", 0), (elastic(0.5), exponent)):
        problem = read(norm=norm)[0]
        assert problem.unit == unit and problem.exponent == exponent


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


def test_kernel_weights():
    assert read()[0].factors.tolist() == [1, 1, 1] and read()[0].included.tolist() == [0, 1, 2]
    some = read(kernel_weights=[2, 0.5, np.inf])[0]
    assert some.factors.tolist() == [2, 0.5, np.inf] and some.included.tolist() == [0, 1]


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
