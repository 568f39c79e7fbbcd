"""Random fits of losses with kinks, each gap against a linear programme: are any false?

    python benchmarks/system/false_kinks.py [FIRST] [COUNT]

Small hostile problems: ties, repeated and constant columns, zero weights, unpenalised columns,
offsets, labels that are told apart. With an l1 penalty the optimum is that of a linear programme.
With a ridge part it is bounded below by our own answer at a tolerance of 1e-12 by another solver.
A certificate is false if the objective, recomputed here, is above the optimum by more than the
gap.
"""

import sys
from pathlib import Path

import fuzz
import numpy as np
from scipy.optimize import linprog

import sparsesolve as ss

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "oracles"))
import kinked_oracle as twin  # noqa: E402

FAMILIES = {
    "hinge": ss.families.hinge(),
    "quantile": ss.families.quantile(0.3),
    "epsilon_insensitive": ss.families.epsilon_insensitive(0.2),
}
SLACK = 1e-8  # of the null objective: what the programme's tolerances may hide


def drawn(seed):
    """A problem and the options of a path."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(list(FAMILIES))
    n, p = int(rng.integers(4, 40)), int(rng.integers(1, 10))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-2, 3, p)
    X = np.round(X) if rng.random() < 0.3 else X
    X[:, -1] = X[:, 0] if rng.random() < 0.2 else X[:, -1]
    y = X @ rng.normal(size=p) / (1e-9 + np.abs(X).max())
    y += rng.choice([0.1, 1.0]) * rng.normal(size=n)
    y = np.where(y > rng.normal() / 2, 1.0, -1.0) if kind == "hinge" else y.round(1)
    y[:2] = 1.0, -1.0
    w = rng.random(n) if rng.random() < 0.5 else np.ones(n)
    w[2:] *= rng.random(n - 2) < 0.9
    factor = rng.choice([0.0, 1.0, 2.0], p) if rng.random() < 0.3 else np.ones(p)
    factor[rng.integers(p)] = 1.0
    options = {
        "alpha": float(rng.choice([0.0, 1.0])), "weights": w,
        "intercept": bool(rng.random() < 0.7),
        "offset": rng.normal(size=n) if rng.random() < 0.3 else np.zeros(n),
        "penalty_factor": factor, "tol": 10.0 ** -rng.integers(3, 10),
        "n_lambdas": 4, "max_iter": int(rng.choice([3, 50, 20_000])), "standardize": False,
    }  # fmt: skip
    return kind, X, y, options


def lower_bound(kind, X, y, w, offset, level, intercept):
    """The optimum of the l1 problem."""
    n, p = X.shape
    slopes, constants = twin.pieces(kind, y)
    E = np.column_stack([X, -X, np.ones(n)])
    A = np.vstack([np.column_stack([s[:, None] * E, -np.eye(n)]) for s in slopes])
    free = (None, None) if intercept else (0, 0)
    found = linprog(
        np.r_[level, level, 0.0, w], A_ub=A, b_ub=-(slopes * offset + constants).ravel(),
        bounds=[*[(0, None)] * (2 * p), free, *[(None, None)] * n], options=twin.TIGHT,
    )  # fmt: skip
    return found.fun if found.status == 0 else None


def judged(seed, total):
    """Count the certificates of a path, and print those that are false."""
    kind, X, y, options = drawn(seed)
    fit = ss.path(X, y, family=FAMILIES[kind], **options)
    w = options["weights"] / options["weights"].sum()
    factor = options["penalty_factor"] * X.shape[1] / options["penalty_factor"].sum()
    null = fit.null_deviance / (2 * options["weights"].sum())
    l1 = options["alpha"] == 1.0
    best = None if l1 else ss.path(
        X, y, family=FAMILIES[kind], lambdas=fit.lambdas,
        **{**options, "tol": 1e-12, "max_iter": 20_000, "n_lambdas": 1, "solver": "multipliers"},
    )  # fmt: skip
    for k, (lam, gap) in enumerate(zip(fit.lambdas, fit.gaps, strict=True)):
        b, b0 = fit.coefs[:, [k]].toarray().ravel(), float(fit.intercepts[k])

        def value(b, b0, lam=lam):
            cost = np.abs(b) if l1 else 0.5 * b**2
            return twin.loss(kind, y, w, options["offset"] + X @ b + b0) + lam * factor @ cost

        if l1:
            free = options["intercept"]
            least = lower_bound(kind, X, y, w, options["offset"], lam * factor, free)
        else:
            least = value(best.coefs[:, [k]].toarray().ravel(), float(best.intercepts[k]))
        if least is not None and value(b, b0) - least > gap * null + SLACK * max(null, 1e-12):
            total["FALSE"] += 1
            print("FALSE", seed, k, kind, gap, (value(b, b0) - least) / null, flush=True)
        total["claims"] += 1


if __name__ == "__main__":
    asked = fuzz.seeds(__doc__, 25_000)
    fuzz.loop(judged, asked.first, asked.count, 1000)
