"""Random problems of the size of real ones: what small ones never reach, or reach in few columns.

Working sets that grow, conjugate gradients, sketches of columns, factors that shrink, many starts
carried on from lambda to lambda. `problem(seed)` is a call of `path`, which
`random_problems.judged` judges.
"""

import numpy as np
import random_problems
from random_problems import STORAGE, model
from scipy import sparse

JUDGED = 12  # points of a path: decimals, or all of them, would take minutes


def problem(seed):
    """40 to 1,500 rows, 10 to 2,500 columns; none without a penalty, which might part classes."""
    rng = np.random.default_rng(seed)
    n, p = (int(np.exp(rng.uniform(*np.log(ends)))) for ends in ((40, 1500), (10, 2500)))
    X = _design(rng, n, p)
    share = float(rng.choice([0.01, 0.05, 0.3])) if rng.random() < 0.35 else 1.0
    X *= rng.random(X.shape) < share
    several = rng.random() < 0.15
    family = str(rng.choice(random_problems.SEVERAL if several else random_problems.ONE))
    signal = X @ (rng.standard_normal(p) * (rng.random(p) < 20 / p))
    signal *= rng.choice([0.5, 1.5, 3]) / max(signal.std(), 1e-9)
    options = _options(rng, family, n, p)
    y = random_problems.response(rng, family, signal)
    call = random_problems.Call(family, X, y, options, {})
    random_problems.add_penalty(rng, call, several)
    call.steer = {"n_lambdas": int(rng.choice([10, 30, 100])), "stop": None, "max_iter": 3000,
                  "lambda_min_ratio": 10.0 ** rng.uniform(-3.5, -1)}  # fmt: skip
    if rng.random() < 0.3:
        call.steer["tol"] = float(rng.choice([1e-4, 1e-9, 1e-11]))
    if rng.random() < 0.1 and not several and family != "cox":
        own = ["pass_newton"] if family != "gaussian" else ["working_set", "sufficient"]
        call.steer["solver"] = "bcd" if call.kind else str(rng.choice(own))
        call.steer["max_iter"] = 100  # where they are not chosen they may take minutes
    store = sparse.csc_array if share < 1.0 else STORAGE[rng.integers(4)]
    if rng.random() < 0.15:
        call.X = X = X.astype(np.float32).astype(float)
        call.stored = store(X.astype(np.float32))
    else:
        call.stored = store(X)
    return call


def _design(rng, n, p):
    """One of six kinds: plain, low rank, rounded, neighbours alike, all alike, repeated."""
    X, kind = rng.standard_normal((n, p)), rng.integers(6)
    if kind == 1:
        rank = max(1, min(n, p) // 3)
        left, right = rng.standard_normal((p, rank)), rng.standard_normal((rank, p))
        return X @ left @ right / np.sqrt(p * rank) + 0.3 * (rng.random() < 0.5) * X
    if kind == 2:
        return np.round(X)
    if kind == 3:
        X[:, 1:] += 0.9 * X[:, :-1]
    if kind == 4:
        X += 2 * rng.standard_normal((n, 1))
    return X[:, rng.integers(0, p, p)] * rng.choice([-1, 1], p) if kind == 5 else X


def _options(rng, family, n, p):
    options = model(rng, n, p)
    if "weights" in options:
        options["weights"] = rng.uniform(0.2, 3, n) * (rng.random(n) < 0.95)
    if "penalty_factor" in options:
        factors = options["penalty_factor"]
        options["penalty_factor"] = np.where(factors == 0, 0.5, factors)
    if family in ("cox", *random_problems.SEVERAL) or rng.random() < 0.3:
        options.pop("offset", None)
    if family == "cox":
        options.pop("intercept")
    return options
