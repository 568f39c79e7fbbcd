"""Generated hostile calls of every path: right by an independent certificate, or one sentence.

Never a crash, a hang, a NaN, a RuntimeWarning or changed data.
"""

import warnings

import mkl_oracle
import numpy as np
import numpy_losses
import random_problems
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from random_problems import GROUPED, SEVERAL, Call
from test_hostile_calls import RESPONSES, scaled
from test_hostile_lasso import assert_sentence, content, time_limit

import sparsesolve as ss

FAMILIES = [*RESPONSES]
EXAMPLES = settings(max_examples=60)
SCALES = st.sampled_from([1.0, 1.0, 1.0, 2.0**-40, 2.0**40, 1e-150, 1e150, 1e-300, 1e300])
ODD = st.sampled_from([None] * 8 + [np.nan, np.inf, -np.inf])


def every_other(X):
    return np.repeat(np.repeat(X, 2, 0), 2, 1)[::2, ::2]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def unsorted(X):
    """With every entry in two halves, rows falling."""
    S = sp.csc_array(X)
    parts = [slice(a, b) for a, b in zip(S.indptr, S.indptr[1:], strict=False)]
    made = sp.csc_array(S.shape)
    made.data = np.concatenate([np.repeat(S.data[p], 2)[::-1] / 2 for p in parts])
    made.indices = np.concatenate([np.repeat(S.indices[p], 2)[::-1] for p in parts])
    made.indptr = 2 * S.indptr
    return made


def wide_indices(X):
    S = sp.csr_array(X)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


def explicit_zeros(X):
    S = sp.csc_array(np.where(X == 0, 1.0, X))
    S.data[:] = X.T.ravel()
    return S


STORAGE = [
    np.ascontiguousarray, np.asfortranarray, every_other, read_only, unsorted, wide_indices,
    explicit_zeros, sp.coo_array, sp.lil_array, sp.dok_array, sp.bsr_array,
    lambda X: X[::-1, ::-1].copy()[::-1, ::-1], lambda X: X.astype(object),
    lambda X: X.astype(">f8"), lambda X: X.astype(np.longdouble), lambda X: X.tolist(),
]  # fmt: skip
NARROW = [np.float16, np.float32, np.int8, np.int64, bool]  # of moderate values only


@st.composite
def designs(draw, rows=None):
    """(X as stored, X with every column divided by a power of two, the powers, is it poisoned)."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, p = rows or draw(st.integers(2, 9)), draw(st.integers(1, 7))
    X = rng.standard_normal((n, p))
    X = draw(st.sampled_from([X, np.round(X), X * (rng.random((n, p)) < 0.5), X + 100.0]))
    for j in range(p):
        kind = draw(st.integers(0, 9))
        if kind < 4:
            X[:, j] = [X[:, 0], -X[:, p - 1], 0 * X[:, 0], 0 * X[:, 0] + 3.0][kind]
    narrow = draw(st.sampled_from([None, None, *NARROW]))
    if narrow:
        X = np.clip(X, -100, 100).astype(narrow)
        return X, X.astype(float), np.zeros(p, dtype=int), False
    X = X * np.array(draw(st.lists(SCALES, min_size=p, max_size=p)))
    power = scaled(X)[1]
    poison = draw(ODD)
    if poison is not None:
        X[draw(st.integers(0, n - 1)), draw(st.integers(0, p - 1))] = poison
    with np.errstate(invalid="ignore"):
        return draw(st.sampled_from(STORAGE))(X), np.ldexp(X, -power), power, poison is not None


@st.composite
def weightings(draw, n):
    """(weights, are they none)."""
    values = st.sampled_from([1.0, 2.0, 1.0, 0.5, 0.0, 1e-6, 1e6])
    w = draw(st.lists(values, min_size=n, max_size=n))
    kind = draw(st.integers(0, 9))
    if kind > 3:
        return None, False
    w = np.array(w)
    w[0] = [w[0], -1.0, np.nan, np.inf][kind]
    return w, kind > 0 or not w.any()


@st.composite
def calls(draw):
    """A Call of `path` on powers of two, and whether it must be refused."""
    X, unit, power, poisoned = draw(designs())
    n, p = unit.shape
    family = draw(st.sampled_from(FAMILIES))
    kind = None if family in SEVERAL else draw(st.sampled_from([None, None, *GROUPED]))
    y = RESPONSES[family][np.argsort(np.argsort(np.arange(n) * 7 % 11))]
    weights, none = draw(weightings(n))
    limit = draw(st.sampled_from([None] * 5 + [0.0, 1.0, 1e-9, np.inf, -1.0, np.nan]))
    options = {"standardize": True}
    if weights is not None:
        options["weights"] = weights
    if family != "cox":
        options["intercept"] = draw(st.booleans())
    if limit is not None and family not in SEVERAL:  # of the scaled columns too: 0 or one unit
        options["lower"] = np.full(p, -limit) if limit in (0, np.inf) else -np.ldexp(limit, -power)
    if draw(st.booleans()) and family not in random_problems.NO_FORMULA:
        options["alpha"] = draw(st.sampled_from([0.0, 0.5, 1.0]))
    steer = {"n_lambdas": 3, "stop": None, "lambda_min_ratio": 0.05, "max_iter": 200}
    lambdas = draw(st.sampled_from([None] * 5 + [[0.01, 0.1, 0.1], [1e300], [-1.0], [np.nan], []]))
    if lambdas is not None:
        steer["lambdas"] = lambdas
    lists = [list(range(g, min(g + 2, p))) for g in range(0, p, 2)] if kind else None
    call = Call(family, unit, y, options, steer, kind=kind, lists=lists, stored=X)
    bad_limit = limit is not None and family not in SEVERAL and not limit >= 0
    bad_lambda = lambdas is not None and (lambdas == [] or not lambdas[0] >= 0)
    return call, power, poisoned or none or bad_limit or bad_lambda


def answer(function):
    """What a call returns, or the sentence that refuses it; the package's data are not changed."""
    with warnings.catch_warnings(), time_limit():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ss.ConvergenceWarning)
        try:
            return function()
        except (ValueError, TypeError) as error:
            assert_sentence(error)
            return str(error)


@EXAMPLES
@given(calls())
def test_path(drawn):
    call, power, refused = drawn
    before = repr(content(call.stored))
    fit = answer(call.fit)
    assert repr(content(call.stored)) == before
    if refused or isinstance(fit, str):
        assert isinstance(fit, str) or call.stored is None
        return
    several = isinstance(fit.coefs, list)
    parts = [sp.csc_array(np.ldexp(c.toarray(), power[:, None]))
             for c in (fit.coefs if several else [fit.coefs])]  # fmt: skip
    assert all(np.isfinite(c.data).all() for c in parts)
    for values in (fit.intercepts, fit.lambdas, fit.dev_ratio):
        assert np.isfinite(values).all()
    object.__setattr__(fit, "coefs", parts if several else parts[0])
    call.stored = call.X
    if "lower" in call.options:
        call.options["lower"] = np.ldexp(call.options["lower"], power)
    with np.errstate(all="ignore"):
        assert not random_problems.judged(call, fit)[2]


@EXAMPLES
@given(designs(), st.data())
def test_lars_path(drawn, data):
    """Every knot is a solution of the lasso."""
    X, unit, power, poisoned = drawn
    n = len(unit)
    y = np.random.default_rng(n).standard_normal(n)
    weights, none = data.draw(weightings(n))
    options = {"intercept": data.draw(st.booleans()), "standardize": True}
    if weights is not None:
        options["weights"] = weights
    positive = data.draw(st.booleans())
    fit = answer(lambda: ss.lars_path(X, y, positive=positive, **options))
    if poisoned or none or isinstance(fit, str):
        assert isinstance(fit, str)
        return
    if positive:
        options["lower"] = np.zeros(len(power))
    judge_points(fit, Call("gaussian", unit, y, options, {}), power)


def judge_points(fit, call, power):
    coefs = sp.csc_array(np.ldexp(fit.coefs.toarray(), power[:, None]))
    object.__setattr__(fit, "coefs", coefs)
    assert np.isfinite(coefs.data).all() and np.isfinite(fit.intercepts).all()
    own = random_problems.Gaps(call)
    if own.nothing:
        return
    for k in np.flatnonzero(fit.status == 0):
        if fit.lambdas[k] > 1e-6 * fit.lambdas[0]:
            assert own.gap(fit, k) <= 1e-6 + random_problems.rounding(call)


@EXAMPLES
@given(designs(), st.sampled_from(["omp", "forward"]), st.booleans(), st.data())
def test_omp_path(drawn, method, intercept, data):
    """Least squares on the chosen columns, and the norm of what it leaves."""
    X, unit, power, poisoned = drawn
    n = len(unit)
    y = np.random.default_rng(n).standard_normal(n)
    weights, none = data.draw(weightings(n))
    fit = answer(lambda: ss.omp_path(X, y, method=method, weights=weights, intercept=intercept))
    if poisoned or none or isinstance(fit, str):
        assert isinstance(fit, str)
        return
    w = np.ones(n) if weights is None else weights
    root = np.sqrt(w / w.sum())
    coefs = np.ldexp(fit.coefs.toarray(), power[:, None])
    assert np.isfinite(coefs).all()
    one = np.ones((n, int(intercept)))
    for k in range(len(fit.lambdas)):
        A = np.column_stack([one, unit[:, coefs[:, k] != 0]]) * root[:, None]
        best = root * y - A @ np.linalg.lstsq(A, root * y, rcond=1e-12)[0]
        left = root * (y - unit @ coefs[:, k] - fit.intercepts[k])
        assert np.linalg.norm(left) <= np.linalg.norm(best) + 1e-6 * np.linalg.norm(root * y)
        np.testing.assert_allclose(fit.lambdas[k], np.linalg.norm(left), atol=1e-6)


@EXAMPLES
@given(designs(rows=6), st.sampled_from([0.5, 0.01, 1e300, 0.0, -1.0, np.nan]), st.booleans())
def test_sparse_code(drawn, lam, positive):
    """The gap of |y - D a|^2 / 2 + lam |a|_1, over |y|^2 / 2."""
    D, unit, power, poisoned = drawn
    Y = np.random.default_rng(1).standard_normal((6, 3))
    if np.any((power > 3) | (power < -3)):
        lam = lam if not lam >= 0 else 1e300  # lam is not that of the scaled atoms
    codes = answer(lambda: ss.sparse_code(Y, D, lam=lam, positive=positive))
    if poisoned or not lam >= 0 or isinstance(codes, str):
        assert isinstance(codes, str)
        return
    a = codes.codes.toarray() if sp.issparse(codes.codes) else codes.codes
    a = a if a.shape[1] == 3 else a.T
    atoms = np.ldexp(unit, power)
    assert np.isfinite(a).all()
    for k in np.flatnonzero(codes.status == 0):
        y = Y[:, k]
        r = y - atoms @ a[:, k]
        z = atoms.T @ r
        most = (z if positive else abs(z)).max()
        s = 1.0 if most <= lam else lam / most
        primal = r @ r / 2 + lam * abs(a[:, k]).sum()
        assert primal - (s * r @ y - s * s * r @ r / 2) <= 1e-6 * (y @ y) / 2 or lam == 0
        if lam == 0:
            assert abs(z[z > 0] if positive else z).max(initial=0) <= 1e-3 * np.linalg.norm(y)


@settings(max_examples=15)
@given(designs(rows=12), st.sampled_from(["gaussian", "binomial", "poisson"]), st.booleans())
def test_cv_path(drawn, family, keep):
    X, unit, power, poisoned = drawn
    y = RESPONSES[family][:12]
    options = {"n_lambdas": 5, "lambda_min_ratio": 0.1, "seed": 0, "n_folds": 3}
    cv = answer(lambda: ss.cv_path(X, y, family=family, keep=keep, **options))
    if poisoned or isinstance(cv, str):
        assert isinstance(cv, str)
        return
    plain = ss.path(X, y, family=family, n_lambdas=5, lambda_min_ratio=0.1)
    np.testing.assert_allclose(np.ldexp(cv.path.coefs.toarray(), power[:, None]),
                               np.ldexp(plain.coefs.toarray(), power[:, None]), atol=1e-9)
    assert np.isfinite(cv.mean).all() and cv.lambda_min in cv.lambdas


@st.composite
def kernel_lists(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, kernels, bad = 10, [], False
    for _ in range(draw(st.integers(1, 4))):
        A = rng.standard_normal((n, draw(st.integers(1, 12))))
        K = A @ A.T
        kind = draw(st.integers(0, 14))
        if kind < 4:
            K = [0 * K, np.ones((n, n)), np.eye(n), K * 2.0**30][kind]
        elif kind < 7:
            K, bad = [-K, A @ A.T + np.triu(np.ones((n, n)), 1), np.where(K > 0, K, np.nan)][
                kind - 4], True
            bad = bad and not (kind == 6 and np.isfinite(K).all())
        kernels.append(K)
    return kernels, bad


@settings(max_examples=25)
@given(kernel_lists(), st.sampled_from(["gaussian", "binomial"]))
def test_mkl_path(drawn, family):
    kernels, bad = drawn
    y = RESPONSES[family][:10]
    fit = answer(lambda: ss.mkl_path(kernels, y, family=family, n_lambdas=4, lambda_min_ratio=0.1))
    if bad or isinstance(fit, str):
        assert isinstance(fit, str)
        return
    loss = {"gaussian": numpy_losses.GAUSSIAN, "binomial": numpy_losses.BINOMIAL}[family]
    assert np.isfinite(fit.dual_coefs).all()
    for k in np.flatnonzero(fit.status == 0):
        if fit.lambdas[k] > 0:
            assert mkl_oracle.relative_gap(np.array(kernels), y, fit, k, loss) <= 2e-6
