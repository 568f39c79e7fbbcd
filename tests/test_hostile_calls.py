"""Hostile data to every public function: the right answer, or one clear sentence."""

import warnings
from dataclasses import replace

import hostile_designs
import numpy as np
import pytest
import random_problems
import scipy.sparse as sp
from hostile_designs import N, P, X, Y
from random_problems import Call
from test_hostile_lasso import assert_sentence, content, dense, time_limit

import sparsesolve as ss

RANK = np.argsort(np.argsort(Y))
RESPONSES = {
    "gaussian": Y, "huber": Y, "binomial": (RANK >= N / 2) * 1.0, "probit": (RANK >= N / 2) * 1.0,
    "cloglog": (RANK >= N / 2) * 1.0, "squared_hinge": np.where(RANK >= N / 2, 1.0, -1.0),
    "poisson": RANK // 5 * 1.0, "negative_binomial": RANK // 5 * 1.0, "tweedie": RANK // 5 * 1.0,
    "gamma": 0.5 + RANK, "multinomial": RANK % 3, "multigaussian": np.column_stack([Y, Y[::-1]]),
    "cox": np.column_stack([1.0 + RANK, (np.arange(N) % 3 > 0) | (RANK == 0)]),
}  # fmt: skip
DESIGNS = [
    "two rows", "one column", "wide", "a constant column", "constant columns only",
    "a zero column", "zeros only", "duplicated columns", "negated columns", "collinear columns",
    "rank one", "identity", "one-hot with intercept", "a mean of 1e8", "X of 1e155",
    "X of 1e-155", "X of 1e300", "X of 1e-300", "columns from 1e-300 to 1e300", "integers",
    "bytes", "booleans", "objects", "float16", "longdouble", "big-endian", "a matrix",
    "negative strides", "every other row and column", "broadcast columns", "unaligned",
    "coo with duplicates", "csc unsorted, with duplicates", "explicit zeros", "int64 indices",
    "empty columns", "an empty sparse matrix", "sparse of mean 1e5", "sparse of 1e200",
]  # fmt: skip
PENALISED = [(name, None) for name in RESPONSES] + [
    (name, kind) for name in ("gaussian", "binomial", "cox") for kind in random_problems.GROUPED
]


def scaled(stored):
    """The values in float64, each column divided by a power of two, and the powers."""
    values = dense(stored)
    power = np.frexp(np.abs(values).max(axis=0))[1]
    return np.ldexp(values, -power), power


def response_of(family, n):
    """The family's response for the first rows, of which small ones still hold two classes."""
    y = RESPONSES[family]
    return y[np.argsort(RANK)[np.linspace(0, N - 1, n).astype(int)]] if n < N else y


@pytest.mark.parametrize("family, kind", PENALISED)
def test_designs_are_solved_in_every_family(family, kind):
    """Judged on columns divided by powers of two, whose coefficients are known exactly."""
    with np.errstate(all="ignore"):
        for name in DESIGNS:
            stored = hostile_designs.SOLVED[name]()["X"]
            values, power = scaled(stored)
            n, p = values.shape
            call = Call(family, values, response_of(family, n), {"intercept": family != "cox",
                        "standardize": True}, {"n_lambdas": 5, "stop": None}, kind=kind,
                        lists=kind and [[*range(g, min(g + 2, p))] for g in range(0, p, 2)],
                        stored=stored)  # fmt: skip
            if family == "cox":
                call.options.pop("intercept")
            call.steer["lambda_min_ratio"] = 0.05
            before = repr(content(stored))
            with time_limit():
                fit = call.fit()
            assert repr(content(stored)) == before, name
            assert not fit.status.any(), (name, fit.gaps)
            several = isinstance(fit.coefs, list)
            parts = fit.coefs if several else [fit.coefs]
            assert all(np.isfinite(part.data).all() for part in parts), name
            parts = [sp.csc_array(np.ldexp(c.toarray(), power[:, None])) for c in parts]
            fit, call.stored = replace(fit, coefs=parts if several else parts[0]), values
            claims, missed, false, _ = random_problems.judged(call, fit)
            assert claims >= 1 and not missed and not false, (name, false)


def kernels(x):
    return ss.mkl_path([np.ones((N, N)), x], Y)


ENTRIES = {  # what is given as data, and the function that must look at it
    **{f"path {family}": lambda x, y=y, family=family: ss.path(
        x, y, family=random_problems.MADE.get(family, family)) for family, y in RESPONSES.items()},
    **{f"path {kind}": lambda x, kind=kind: ss.path(
        x, Y, penalty=random_problems.GROUPED[kind](np.arange(P) // 2))
       for kind in random_problems.GROUPED},
    "cv_path": lambda x: ss.cv_path(x, Y), "stability_path": lambda x: ss.stability_path(x, Y),
    "adaptive_factors": lambda x: ss.selection.adaptive_factors(x, Y),
    "lars_path": lambda x: ss.lars_path(x, Y), "omp_path": lambda x: ss.omp_path(x, Y),
    "hard_threshold_path": lambda x: ss.paths.hard_threshold_path(x, Y),
    "sparse_code, D": lambda x: ss.sparse_code(Y[:, None], x, lam=0.1),
    "sparse_code, Y": lambda x: ss.sparse_code(x, X, lam=0.1),
    "DictionaryLearning": lambda x: ss.DictionaryLearning(2, lam=0.1, seed=0).fit(x),
    "mkl_path": kernels,
    "predict": lambda x: FIT.predict(x), "predict, classes": lambda x: SEVERAL.predict(x),
    "relax": lambda x: ss.relax(FIT, x, Y), "criteria": lambda x: ss.criteria(FIT, x, Y),
    "assess": lambda x: ss.assess(FIT, x, Y), "refit": lambda x: ss.refit(FIT, x, Y, s=0.1),
    "extend": lambda x: FIT.extend(x, Y),
}  # fmt: skip
FIT = ss.path(X, Y, n_lambdas=10)
SEVERAL = ss.path(X, RANK % 3, family="multinomial", n_lambdas=10)
REFUSED = {
    name: maker for name, (maker, _) in hostile_designs.REFUSED.items()
    if set(maker()) == {"X", "y"} and maker()["y"] is hostile_designs.Y
    and name not in ("y too short", "corrupt csr")
}  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES)
def test_data_that_cannot_be_are_refused_by_every_function(entry):
    """NaN, infinities, text, dates, holes, corrupt and truncated storage."""
    for name, maker in {**REFUSED, "truncated": hostile_designs.truncated_map}.items():
        data = maker()["X"] if callable(maker) else maker
        with time_limit(), warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises((ValueError, TypeError)) as caught:
                ENTRIES[entry](data)
        assert "sparsesolve" in str(caught.traceback[-1].path), (name, caught.value)
        assert_sentence(caught.value)


def test_a_table_from_a_truncated_file_or_of_the_largest_floats():
    with pytest.raises(ValueError, match="truncated"):
        ss.make_design(hostile_designs.truncated_map()["X"])
    largest = np.where(X > 0, np.finfo(float).max, -np.finfo(float).max)
    design = ss.make_design({f"x{j}": column for j, column in enumerate(largest.T)})
    assert np.isfinite(design.encode({f"x{j}": [np.nan] for j in range(P)}).matrix).all()


def test_sizes_of_responses_do_not_matter_or_are_named():
    factors = ss.selection.adaptive_factors(X * 1e-155, Y, seed=0)
    np.testing.assert_allclose(factors, ss.selection.adaptive_factors(X, Y, seed=0), rtol=1e-6)
    assert np.isfinite(ss.path(X, np.full(N, 1e300), alpha=0.0).intercepts).all()
    huge = ss.path(X, Y * 1e300)
    for function in (ss.relax, ss.criteria):
        with pytest.raises(ValueError, match="beyond the largest 64-bit float; rescale y"):
            function(huge, X, Y * 1e300)
    table = ss.refit(ss.path(X, Y), X, Y, s=0.1)
    for unit, shift in ((2.0**-500, 0.0), (2.0**500, 0.0), (1.0, 1e6)):
        other = ss.refit(ss.path(X * unit + shift, Y), X * unit + shift, Y, s=0.1)
        np.testing.assert_allclose(other.statistics[1:], table.statistics[1:], rtol=1e-4)
        np.testing.assert_allclose(other.errors[1:] * unit, table.errors[1:], rtol=1e-4)
    with pytest.raises(ValueError, match="1 rows of positive weight"):
        ss.relax(ss.path(X[:1], Y[:1]), X[:1], Y[:1])
    with pytest.raises(ValueError, match="the trace of kernel 0 is .*rescale it"):
        ss.mkl_path([np.outer(Y, Y) * 1e-310], Y)
    assert not ss.paths.hard_threshold_path(np.zeros((N, 3)), Y, method="iht").df.any()
