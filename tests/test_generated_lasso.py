"""Small random problems with any mix of options: no path claims more than is true."""

import decimal
import warnings

import exact
import numpy as np
import pytest
from scipy import sparse

import sparsesolve as ss

STORAGE = (np.ascontiguousarray, np.asfortranarray, sparse.csc_array, sparse.csr_array)
SEEN_WRONG = [122, 236, 251, 344, 388, 446, 465, 534, 543, 569, 658, 841, 846, 853]


def design(rng, n, p):
    """One of six kinds: plain, low rank, rounded, far from 0, badly scaled, repeated."""
    X = rng.standard_normal((n, p))
    kind = rng.integers(6)
    if kind == 1:
        rank = max(1, p // 2)
        X = X @ rng.standard_normal((p, rank)) @ rng.standard_normal((rank, p))
    elif kind == 2:
        X = np.round(X)
    elif kind == 3:
        X = X + 10.0 ** rng.integers(0, 9)
    elif kind == 4:
        X = X * 10.0 ** rng.uniform(-8, 8, p)
    elif kind == 5:
        X = X[:, rng.integers(0, p, p)] * rng.choice([-1, 1], p)
    return X * (rng.random((n, p)) < 0.4) if rng.random() < 0.3 else X


def model(rng, n, p):
    """Options that change the problem."""
    options = {}
    if rng.random() < 0.4:
        options["alpha"] = float(rng.choice([0, 1e-3, 0.3, 0.9, 1 - 1e-9]))
    if rng.random() < 0.4:
        weights = rng.choice([0, 1, 1, 1e-6, 3, 1e5], n).astype(float)
        options["weights"] = weights if weights.any() else np.ones(n)
    if rng.random() < 0.3:
        options["offset"] = rng.standard_normal(n)
    options["intercept"] = bool(rng.random() < 0.7)
    options["standardize"] = bool(rng.random() < 0.7)
    limited = rng.random() < 0.3
    if rng.random() < 0.4:
        options["penalty_factor"] = rng.choice(([] if limited else [0]) + [1, 2, 0.1, np.inf], p)
    if limited:
        options["lower"] = -rng.choice([0, 0.1, 1, np.inf], p)
        options["upper"] = rng.choice([0, 0.1, 1, np.inf], p)
    return options


def problem(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 25)), int(rng.integers(1, 20))
    X = design(rng, n, p)
    truth = rng.standard_normal(p) * (rng.random(p) < 0.4)
    y = X @ truth + 10.0 ** rng.uniform(-6, 1) * rng.standard_normal(n)
    options = model(rng, n, p)
    steer = {
        "solver": str(rng.choice(["auto", "working_set", "sufficient"])),
        "lambda_min_ratio": float(10.0 ** rng.uniform(-8, -1)),
    }
    return X, y, options, STORAGE[rng.integers(4)](X), steer


@pytest.mark.parametrize("seed", [*range(120), *SEEN_WRONG])
def test_claims_hold_in_exact_arithmetic(seed):
    X, y, options, stored, steer = problem(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ss.ConvergenceWarning)  # that is a claim kept
        fit = ss.path(stored, y, n_lambdas=15, stop=None, **options, **steer)
    coefs = fit.coefs.toarray()
    with decimal.localcontext(exact.ARITHMETIC):
        truth = exact.Problem(X, y, **options)
        if truth.null <= decimal.Decimal(1e-28) * truth.magnitude**2:
            return  # what is left of y is rounding
        rounding = 16 * np.finfo(float).eps * float(truth.cancellation())
        for k, lam in enumerate(fit.lambdas):
            found = truth.certificate(coefs[:, k], fit.intercepts[k], lam)
            if fit.status[k] == ss.Status.CONVERGED:
                assert found.gap <= max(2e-7, 2 * fit.gaps[k], rounding), f"point {k}"
            if options["intercept"]:
                slack = decimal.Decimal(1e-6) * found.spread + decimal.Decimal(1e-14) * found.size
                assert found.intercept_error <= slack, f"point {k}"
