"""Hostile data to every public function: the right answer, or one clear sentence."""

import warnings
from dataclasses import replace

import claims
import hostile_designs
import mkl_oracle
import numpy as np
import pytest
import random_problems
import scipy.sparse as sp
from hostile_designs import N, P, X, Y, put
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


def lars(stored, unit, power, y, w, **options):
    """Every knot is a solution of the lasso."""
    fit = ss.lars_path(stored, y, weights=w, **options)
    coefs = sp.csc_array(np.ldexp(fit.coefs.toarray(), power[:, None]))
    assert np.isfinite(coefs.data).all() and np.isfinite(fit.intercepts).all()
    limits = {"lower": np.zeros(len(power))} if options else {}
    call = Call("gaussian", unit, y, {"weights": w, **limits}, {})
    fit, own = replace(fit, coefs=coefs), random_problems.Gaps(call)
    for k in np.flatnonzero((fit.status == 0) & (fit.lambdas > 1e-6 * fit.lambdas[0])):
        assert own.nothing or own.gap(fit, k) <= 1e-6 + random_problems.rounding(call)


def omp(stored, unit, power, y, w, **options):
    """Least squares on the chosen columns, and the norm of what it leaves."""
    fit, root = ss.omp_path(stored, y, weights=w, **options), np.sqrt(w / w.sum())
    coefs = np.ldexp(fit.coefs.toarray(), power[:, None])
    assert np.isfinite(coefs).all()
    for k in range(len(fit.lambdas)):
        A = np.column_stack([np.ones(len(y)), unit[:, coefs[:, k] != 0]]) * root[:, None]
        best = root * y - A @ np.linalg.lstsq(A, root * y, rcond=1e-12)[0]
        left = root * (y - unit @ coefs[:, k] - fit.intercepts[k])
        assert np.linalg.norm(left) <= np.linalg.norm(best) + 1e-6 * np.linalg.norm(root * y)
        np.testing.assert_allclose(fit.lambdas[k], np.linalg.norm(left), atol=1e-6)


def codes(stored, unit, power, y, w, positive=False):
    """The gap of |y - D a|^2 / 2 + lam |a|_1, over |y|^2 / 2; huge and tiny atoms are refused."""
    atoms = np.ldexp(unit, power)
    lam = 0.1 * max(abs(atoms.T @ y).max(), 1e-300)
    if np.abs(power).max() > 400:
        with pytest.raises(ValueError, match="the largest entry of D is .*; rescale D"):
            ss.sparse_code(y[:, None], stored, lam=lam, positive=positive)
        return
    found = ss.sparse_code(y[:, None], stored, lam=lam, positive=positive)
    a = np.ravel(found.codes.toarray())
    r, u = y - atoms @ a, atoms.T @ (y - atoms @ a)
    s = min(1.0, lam / max((u if positive else abs(u)).max(), lam))
    gap = r @ r / 2 + lam * abs(a).sum() - (s * r @ y - s * s * r @ r / 2)
    assert np.isfinite(a).all() and not found.status.any() and gap <= 1e-6 * (y @ y) / 2


def folds(stored, unit, power, y, w):
    """The path of all rows, and finite scores."""
    options = {"n_lambdas": 5, "lambda_min_ratio": 0.1, "weights": w}
    cv, plain = ss.cv_path(stored, y, n_folds=2, seed=0, **options), ss.path(stored, y, **options)
    np.testing.assert_allclose(np.ldexp(cv.path.coefs.toarray(), power[:, None]),
                               np.ldexp(plain.coefs.toarray(), power[:, None]), atol=1e-9)
    assert np.isfinite(cv.mean).all() and cv.lambda_min in cv.lambdas


DOORS = {"lars_path": (lars, {}), "positive": (lars, {"positive": True}),
         "omp_path": (omp, {"method": "omp"}), "forward": (omp, {"method": "forward"}),
         "sparse_code": (codes, {}), "positive codes": (codes, {"positive": True}),
         "cv_path": (folds, {})}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_designs_are_solved_by_other_functions(door):
    weights, (judge, options) = np.resize([1.0, 2.0, 0.5, 0.0, 1e-6], N), DOORS[door]
    failed = []
    for name in DESIGNS:
        stored = hostile_designs.SOLVED[name]()["X"]
        unit, power = scaled(stored)
        before = repr(content(stored))
        with time_limit(), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            try:
                judge(stored, unit, power, Y[: len(unit)], weights[: len(unit)], **options)
                assert repr(content(stored)) == before, "X was changed"
            except Exception as error:
                failed.append((name, error))
    assert not failed


A = np.random.default_rng(2).standard_normal((N, 5))
KERNELS = {  # which are right, and of those that are not the words
    "zero": (0 * A @ A.T, None), "ones": (np.ones((N, N)), None), "identity": (np.eye(N), None),
    "large": (A @ A.T * 2.0**30, None), "of rank 1": (np.outer(Y, Y), None),
    "negative": (-A @ A.T, "semidefinite"), "not symmetric": (
        A @ A.T + np.triu(np.ones((N, N)), 1), "symmetric"),
    "NaN": (put(A @ A.T, (2, 3), np.nan), "nan"),
}  # fmt: skip


@pytest.mark.parametrize("family", ["gaussian", "binomial"])
def test_kernels_are_right_or_refused(family):
    loss, y = claims.LOSSES[family], RESPONSES[family]
    for name, (kernel, words) in KERNELS.items():
        pair = [kernel, X @ X.T]
        with time_limit(), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            if words:
                with pytest.raises(ValueError, match=words) as caught:
                    ss.mkl_path(pair, y, family=family, n_lambdas=4)
                assert_sentence(caught.value)
                continue
            fit = ss.mkl_path(pair, y, family=family, n_lambdas=4, lambda_min_ratio=0.1)
        gaps = [mkl_oracle.relative_gap(np.array(pair), y, fit, k, loss)
                for k in np.flatnonzero(fit.lambdas > 0)]  # fmt: skip
        assert max(gaps) <= 2e-6 and np.isfinite(fit.dual_coefs).all(), name


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
