"""Hostile input to ss.path: the right answer by an exact certificate, or one clear sentence."""

import contextlib
import copy
import decimal
import signal
import subprocess
import sys
import threading
import warnings

import claims
import hostile_designs
import hostile_options
import numpy as np
import oracle
import pytest
import scipy.sparse as sp

import sparsesolve as ss

SOLVED = {**hostile_designs.SOLVED, **hostile_options.SOLVED}
EITHER = {**hostile_designs.EITHER, **hostile_options.EITHER}
REFUSED = {**hostile_designs.REFUSED, **hostile_options.REFUSED}
MODEL = ("alpha", "weights", "offset", "intercept", "standardize", "penalty_factor", "lower",
         "upper")  # fmt: skip
GAP, SECONDS = 1e-6, 60
ULPS = 32 * np.finfo(float).eps
SMALLEST = decimal.Decimal(5e-324)


@contextlib.contextmanager
def time_limit():
    """Raise after some time in the main thread of a system with alarms, so that a hang ends."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(*_):
        raise TimeoutError(f"no answer within {SECONDS} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def dense(X):
    """Return the values that X stands for, read as a user would."""
    if sp.issparse(X):
        return X.astype(np.float64).toarray()
    return np.asarray(X, dtype=np.float64)


def content(value):
    """Return what an argument holds, to see whether it was changed."""
    if sp.issparse(value):
        return {k: content(v) for k, v in vars(value).items()}
    if isinstance(value, np.memmap):  # its file may be too short to be read
        return value.shape
    if isinstance(value, np.ndarray):
        return value.dtype, value.strides, value.tolist()
    return copy.deepcopy(value) if isinstance(value, (list, dict)) else repr(value)


def solve(arguments):
    before = {name: content(value) for name, value in arguments.items()}
    try:
        with time_limit():
            return ss.path(**arguments)
    finally:
        after = {name: content(value) for name, value in arguments.items()}
        assert repr(before) == repr(after), "an argument was changed"


def assert_shape(fit, p):
    """Finite numbers everywhere, λs falling, df counting what is not zero."""
    length = len(fit.lambdas)
    assert length >= 1 and fit.coefs.shape == (p, length)
    for values in (fit.lambdas, fit.coefs.toarray(), fit.intercepts, fit.dev_ratio, fit.gaps):
        assert np.isfinite(values).all()
    assert (np.diff(fit.lambdas) < 0).all() and (fit.lambdas >= 0).all()
    assert np.array_equal(fit.df, (fit.coefs.toarray() != 0).sum(axis=0))
    assert isinstance(fit.stop_reason, str) and fit.stop_reason
    assert len(str(fit).splitlines()) >= min(length, 20)  # head and tail of a long path


def assert_point(problem, fit, k):
    """The coefficients of point k are optimal, their intercept too, and the figures are true."""
    b, b0, lam = fit.coefs.toarray()[:, k], fit.intercepts[k], fit.lambdas[k]
    at, short = f"lambda[{k}] = {lam!r}", problem.intercept_short_of(b0, b)
    if problem.intercept:
        means = abs(problem.mean * claims.decimals(b)).sum()
        size = abs(problem.w @ (problem.y - problem.o)) + means
        slack = decimal.Decimal(1e-6) * problem.spread + decimal.Decimal(ULPS) * size
        assert abs(short) <= slack + 16 * SMALLEST, f"intercept at {at}"
        b0 = claims.decimals(b0) + short
    else:
        assert b0 == 0
    gap, rounding = problem.gap(b0, b, lam), decimal.Decimal(1e-60) * max(abs(problem.y)) ** 2
    assert gap <= GAP or gap * problem.null <= rounding, (
        f"gap {gap:.2e} (claimed {fit.gaps[k]:.2e}) at {at}"
    )
    if problem.null > rounding:
        explained = 1 - problem.objective(b0, b, 0.0) / problem.null
        assert abs(explained - decimal.Decimal(fit.dev_ratio[k])) <= 1e-5, f"dev_ratio at {at}"


def assert_right(arguments, fit):
    X = dense(arguments["X"])
    y = np.asarray(arguments["y"], dtype=np.float64).ravel()
    model = {name: arguments[name] for name in MODEL if name in arguments}
    assert_shape(fit, X.shape[1])
    for limit, side in (("lower", 1), ("upper", -1)):
        if limit in model:
            assert (side * (fit.coefs.toarray().T - np.asarray(model[limit])) >= 0).all(), limit
    with decimal.localcontext(claims.ARITHMETIC):
        problem = claims.Judge(X, y, numbers=claims.DIGITS, **model)
        count = len(fit.lambdas)
        for k in sorted({*range(0, count, max(1, count // 25)), count - 1}):
            assert_point(problem, fit, k)
        if arguments.get("lambdas") is None and problem.null:
            assert_first(problem, fit.lambdas[0])
    assert_predicts(arguments, fit, X)


def assert_first(problem, first):
    """The grid starts where the first coefficient leaves 0, or as near as the data can tell."""
    if not problem.unbounded.all():
        return  # then it may start above
    largest, spread = problem.lambda_max(), problem.spread
    rounding = decimal.Decimal(1e-9) + decimal.Decimal(ULPS) * problem.cancellation()
    near = abs(decimal.Decimal(float(first)) - largest) <= rounding * largest + SMALLEST
    # Rounding is all that is left where the null model fits exactly.
    assert near or largest <= spread * rounding, f"lambda_max {largest:.6e}, grid from {first!r}"


def assert_predicts(arguments, fit, X):
    offset = arguments.get("offset")
    known = np.zeros(len(X)) if offset is None else np.asarray(offset, dtype=np.float64)
    link = fit.predict(arguments["X"], offset=offset)
    k = len(fit.lambdas) - 1
    with decimal.localcontext(claims.ARITHMETIC):
        terms = claims.decimals(X) * claims.decimals(fit.coefs.toarray()[:, k])
        b0, known = decimal.Decimal(float(fit.intercepts[k])), claims.decimals(known)
        error = abs(claims.decimals(link[:, k]) - (terms.sum(axis=1) + b0 + known))
        size = abs(terms).sum(axis=1) + abs(b0) + abs(known)
        assert all(error <= decimal.Decimal(ULPS * X.shape[1]) * size + 16 * SMALLEST), "predict"


@pytest.mark.parametrize("solver", ["working_set", "sufficient"])
@pytest.mark.parametrize("name", SOLVED)
def test_solved(name, solver):
    arguments = {**SOLVED[name](), "solver": solver}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "y is boolean")  # a hint at family='binomial'
        fit = solve(arguments)
    assert_right(arguments, fit)
    assert (fit.gaps <= arguments.get("tol", 1e-7)).all()


@pytest.mark.parametrize("name", EITHER)
def test_either(name):
    arguments = EITHER[name]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fit = solve(arguments)
        except (ValueError, TypeError) as error:
            assert_sentence(error)
            return
    kinds = [warning.category for warning in caught]
    if kinds == [ss.ConvergenceWarning]:
        assert_shape(fit, dense(arguments["X"]).shape[1])
        assert any(status != 0 for status in fit.status)
        return
    assert kinds == []
    assert_right(arguments, fit)


def assert_sentence(error):
    text = str(error)
    assert 10 < len(text) < 400 and "\n" not in text and "Traceback" not in text


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    maker, words = REFUSED[name]
    arguments = maker()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((ValueError, TypeError), match=words) as caught:
            solve(arguments)
    assert_sentence(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"alpha": 0.5, "weights": np.arange(1.0, 21.0), "intercept": False},
        {"penalty_factor": [0, 1, np.inf, 2, 1, 0], "offset": np.sin(np.arange(20.0))},
        {"lower": -0.1, "upper": [1, 0, 0.5, np.inf, 1, 1], "standardize": False},
    ],
)
def test_the_certificate_tells_right_from_wrong(options):
    """The judge of this file, on coefficients of a slow solver and on worse ones."""
    X, y, lam = hostile_designs.X, hostile_designs.Y, 0.2
    offset = options.get("offset", 0.0)
    b0, b = oracle.solve(X, y, lam, **options)
    least, null = (
        oracle.objective(X, y, b0, b, lam, **options),
        oracle.null_objective(X, y, **options),
    )
    with decimal.localcontext(claims.ARITHMETIC):
        problem = claims.Judge(X, y, numbers=claims.DIGITS, **options)
        assert abs(problem.gap(b0, b, lam)) < 1e-10
        if "lower" not in options:
            assert float(problem.lambda_max()) == pytest.approx(oracle.lambda_max(X, y, **options))
        for shrunk in (0.999 * b, 0.9 * b, 0.0 * b):
            best = (y - offset - X @ shrunk).mean() if options.get("intercept", True) else 0.0
            worse = (oracle.objective(X, y, best, shrunk, lam, **options) - least) / null
            assert 0 < worse <= problem.gap(best, shrunk, lam) * decimal.Decimal(1 + 1e-9)
            assert not options.get("intercept", True) or abs(
                problem.intercept_short_of(best, shrunk)) < 1e-12  # fmt: skip


def test_a_callback_that_raises():
    def stop(point):
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        solve(hostile_designs.case(stop=stop))
    solve(hostile_designs.case())


def test_a_million_threads():
    """Not in this process: threads that the system does not give may end it."""
    script = (
        "import numpy as np, sparsesolve as ss; X = np.random.default_rng(0).normal(size=(9, 9))\n"
        "try: print(ss.path(X, X[:, 0], n_lambdas=5, n_threads=10**6).df)\n"
        "except ValueError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=SECONDS)
    assert done.returncode == 0 and done.stdout and not done.stderr


def test_more_entries_than_an_int32_counts():
    """A sparse 70,000 x 40,000: what is not stored is zero, also beyond 2**31 positions."""
    rng = np.random.default_rng(3)
    rows, columns = rng.integers(70_000, size=400), rng.integers(40_000, size=400)
    X = sp.coo_array((rng.standard_normal(400), (rows, columns)), shape=(70_000, 40_000))
    y = np.zeros(70_000)
    y[rows] = rng.standard_normal(400)
    big = ss.path(X, y, n_lambdas=5, stop=None, standardize=False, intercept=False)
    row_set, row = np.unique(rows, return_inverse=True)
    column_set, column = np.unique(columns, return_inverse=True)
    packed = sp.coo_array((X.data, (row, column)), shape=(len(row_set), len(column_set)))
    # Mean losses: the packed problem has λs larger by the ratio of the row counts.
    small = ss.path(
        packed, y[row_set], lambdas=big.lambdas * (70_000 / len(row_set)),
        standardize=False, intercept=False, tol=1e-10)  # fmt: skip
    found = big.coefs.toarray()[column_set]
    np.testing.assert_allclose(found, small.coefs.toarray(), atol=1e-3 * abs(found).max())
    assert big.coefs.nnz == np.count_nonzero(found)
