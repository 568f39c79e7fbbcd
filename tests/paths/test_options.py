"""Every option of ss.path in combination with every other and with every kind of design."""

import warnings

import numpy as np
import oracle
import pytest
from cases import every
from covering import meeting
from scipy import sparse

import sparsesolve as ss

CHOICES = {
    "storage": ["c", "f", "f32", "csc", "csc32", "csr"],
    "shape": [(45, 11), (18, 30)],
    "weights": [False, True],
    "offset": [False, True],
    "intercept": [True, False],
    "standardize": [True, False],
    "factors": ["none", "varied", "bare", "excluded", "all"],
    "limits": ["none", "box", "positive", "mixed"],
    "alpha": [1.0, 0.6, 0.02, 0.0],
}
ROUNDING = 1e-13  # what the oracle itself may be off by, relative to the null objective


def design(rng, n, p, storage):
    """Correlated columns of unlike scales, a third of the entries zero; shifted when dense."""
    X = rng.standard_normal((n, p))
    X[:, 1:] += 0.7 * X[:, :-1]
    X[rng.random((n, p)) < 0.35] = 0.0
    X *= np.resize([1.0, 8.0, 0.05], p)
    if storage in ("c", "f", "f32"):
        X += np.resize([0.0, 3.0, -1.0, 0.5], p)
    return stored(X, storage)


def stored(X, storage):
    """X in one of the storages that are tested."""
    return {
        "c": lambda: np.ascontiguousarray(X), "f": lambda: np.asfortranarray(X),
        "f32": lambda: np.asfortranarray(X, dtype=np.float32),
        "csc": lambda: sparse.csc_array(X), "csr": lambda: sparse.csr_matrix(X),
        "csc32": lambda: sparse.csc_array(X.astype(np.float32)),
    }[storage]()


def exact(X):
    """The numbers that X stores, dense in float64."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def problem(case, seed):
    """Data and options of ss.path for one row of the table."""
    rng = np.random.default_rng(seed)
    n, p = case["shape"]
    X = design(rng, n, p, case["storage"])
    Z = exact(X)
    b = np.where(np.arange(p) % 3 == 0, rng.standard_normal(p), 0) / Z.std(axis=0)
    y = 2 + Z @ b + 0.7 * rng.standard_normal(n)
    w = rng.integers(0, 4, n).astype(float)
    v = np.resize([1.0, 0.2, 3.0, 1.0, 0.7], p)
    v = {"none": None, "varied": v, "bare": np.where(np.arange(p) % 6 == 1, 0.0, v),
         "excluded": np.where(np.arange(p) % 4 == 2, np.inf, v),
         "all": np.resize([1.0, 0.0, np.inf, 0.5, 2.0, 4.0, 1.0], p)}[case["factors"]]
    size = 0.3 / Z.std(axis=0)
    lower, upper = {
        "none": (None, None), "box": (-size, size), "positive": (0.0, None),
        "mixed": (np.resize([-1, -np.inf, 0.0, -2], p) * size,
                  np.resize([np.inf, 1, 0.5, np.inf, 0.0], p) * size)}[case["limits"]]
    options = {"alpha": case["alpha"], "intercept": case["intercept"],
               "standardize": case["standardize"], "weights": w if case["weights"] else None,
               "offset": rng.standard_normal(n) if case["offset"] else None,
               "penalty_factor": v, "lower": lower, "upper": upper}
    return X, y, options


def copies(*values):
    return [v.copy() if hasattr(v, "copy") else v for v in values]


def same(a, b):
    """Equal in type, dtype and every stored number."""
    if sparse.issparse(a):
        return all(same(getattr(a, k), getattr(b, k)) for k in ("data", "indices", "indptr"))
    return a is b or (np.asarray(a).dtype == np.asarray(b).dtype and np.array_equal(a, b))


def check_against_oracle(fit, X, y, options, tol):
    """Certificate, objective, fitted values and, where they are unique, the coefficients."""
    Z = exact(X)
    q = oracle.standard_form(Z, y, **options)
    for k, lam in enumerate(fit.lambdas):
        b0, b = fit.intercepts[k], fit.coefs[:, [k]].toarray().ravel()
        gap = oracle.certificate(Z, y, b0, b, lam, **options)
        assert gap <= 1.01 * tol + ROUNDING, f"certificate {gap:.1e} at lambda {k}"
        best0, best = oracle.solve(Z, y, lam, **options)
        least = oracle.objective(Z, y, best0, best, lam, **options)
        lost = (oracle.objective(Z, y, b0, b, lam, **options) - least) / q.null
        assert -ROUNDING <= lost <= fit.gaps[k] + ROUNDING, (lost, fit.gaps[k])
        # half the squared distance of the fits, and mu / 2 times that of b, is below the gap
        reach = np.sqrt(2 * (gap + ROUNDING) * q.null)
        moved = (b - best) * q.scale
        assert np.linalg.norm(q.A @ moved) <= 1.01 * reach
        ridge = lam * (1 - q.alpha) * q.v[~q.dead]
        live = q.A[:, ~q.dead]
        mu = np.linalg.eigvalsh(live.T @ live + np.diag(ridge))[0]
        if mu > 1e-8:
            assert np.linalg.norm(moved) <= 1.01 * reach / np.sqrt(mu)
        assert fit.dev_ratio[k] == pytest.approx(oracle.dev_ratio(Z, y, b, **options), abs=1e-10)


@every("seed, case", list(enumerate(meeting(CHOICES, 3))))
def test_combination(seed, case):
    tol = 1e-12
    X, y, options = problem(case, seed)
    held = copies(X, y, *options.values())
    top = oracle.lambda_max(exact(X), y, **options)
    lambdas = top * np.array([1.0, 0.4, 0.1, 0.01, 1e-3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a path that meets its tolerance says nothing
        fit = ss.path(X, y, lambdas=lambdas, tol=tol, **options)
    assert all(map(same, held, [X, y, *options.values()]))
    assert fit.lambdas == pytest.approx(lambdas, rel=1e-15)
    assert (fit.gaps <= tol).all() and not np.any(fit.status)
    B = fit.coefs.toarray()
    assert (fit.df == (B != 0).sum(axis=0)).all()
    low, high = (np.full(X.shape[1], end) if limit is None else limit
                 for limit, end in ((options["lower"], -np.inf), (options["upper"], np.inf)))
    assert (np.transpose(B) >= low).all() and (np.transpose(B) <= high).all()
    if options["penalty_factor"] is not None:
        assert not B[np.isinf(options["penalty_factor"])].any()
    if not options["intercept"]:
        assert not fit.intercepts.any()
    check_against_oracle(fit, X, y, options, tol)


@pytest.mark.parametrize("count", [0, 2_000_000, 10**400])
def test_a_grid_no_memory_holds_is_refused(count):
    with pytest.raises(ValueError, match="n_lambdas must be between 1 and 1000000, not"):
        ss.path(np.eye(4), np.arange(4.0), n_lambdas=count)
