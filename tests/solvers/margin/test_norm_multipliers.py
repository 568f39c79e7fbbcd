"""Losses with kinks under norms of whole vectors: columns of all sizes, sums, ridge parts.

Judges are linear programmes where the norm is polyhedral, Kelley's cuts where it is not, and the
gap itself, which other tests hold to be an upper bound.
"""

import numpy as np
import pytest
from kinked_oracle import bounds, lengths, pieces, squares
from scipy.optimize import linprog

import sparsesolve as ss
from sparsesolve import penalties as P

p = 9
RING = [(j, (j + 1) % p) for j in range(p)]
GRID = [(r * 3 + c, r * 3 + c + 1) for r in range(3) for c in range(2)]
GRID += [(r * 3 + c, r * 3 + c + 3) for r in range(2) for c in range(3)]
WINDOWS = [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8]]
TREE = [list(range(p)), [0, 1, 2, 3], [4, 5, 6, 7, 8], [0, 1]]
NORMS = {
    "fused": P.TotalVariation(l1=0.4),
    "image": P.TotalVariation2D((3, 3)),
    "ring": P.GraphTV(RING, l1=0.3),
    "slope": P.Slope(),
    "trace": P.TraceNorm((3, 3)),
    "k-support": P.KSupport(3),
    "overlap linf": P.OverlapLinf(WINDOWS),
    "overlap l2": P.OverlapL2(WINDOWS),
    "tree l2": P.TreeL2(TREE),
    "tree linf": P.TreeLinf(TREE),
    "berhu": P.Berhu(),
    "apart": P.Separate({(0, 1, 2, 3, 4): P.TotalVariation(l1=0.3), (5, 6, 7, 8): P.L1(0.5)}),
    "l1 and trace": P.Sum([P.L1(0.5), P.TraceNorm((3, 3))]),
    "two variations": P.Sum([P.TotalVariation(), P.TotalVariation2D((3, 3))]),
    "overlap and variation": P.Sum([P.OverlapL2(WINDOWS), P.TotalVariation()]),
}
LOSSES = {
    "hinge": ss.families.hinge(),
    "quantile": ss.families.quantile(0.3),
    "epsilon_insensitive": ss.families.epsilon_insensitive(0.2),
}


def table(seed, kind, n=15, sized=True):
    """X (n, 9), whose columns have sizes 1e-3 to 1e3 where `sized`, and y."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, p))
    y = Z[:, 0] - Z[:, 1] + rng.normal(size=n)
    return Z * 10.0 ** (sized * rng.integers(-3, 4, p)), np.sign(y) if kind == "hinge" else y


def lines(D):
    """Return rows of P(b) = sum_i |(D b)_i| as (A, t): A b <= t of so many t."""
    return np.vstack([D, -D]), np.tile(np.eye(len(D)), (2, 1))


def difference(edges):
    """Return the rows b_j - b_i."""
    return np.eye(p)[[j for _, j in edges]] - np.eye(p)[[i for i, _ in edges]]


def polyhedral(name):
    """Return (A, T, weights): P(b) = min w't over A b <= T t."""
    if name in ("overlap linf", "tree linf"):
        groups = WINDOWS if name == "overlap linf" else TREE
        own = [(np.vstack([np.eye(p)[g], -np.eye(p)[g]]), k) for k, g in enumerate(groups)]
        if name == "tree linf":  # features in no group stand for themselves: here are none
            assert set(sum(groups, [])) == set(range(p))
        T = np.vstack([np.tile(np.eye(len(groups))[k], (len(A), 1)) for A, k in own])
        return np.vstack([A for A, _ in own]), T, np.sqrt([len(g) for g in groups])
    chain = [(j, j + 1) for j in range(p - 1)]
    D, w = {
        "fused": (np.vstack([difference(chain), np.eye(p)]), np.r_[np.ones(p - 1), [0.4] * p]),
        "image": (difference(GRID), np.ones(len(GRID))),
        "ring": (np.vstack([difference(RING), np.eye(p)]), np.r_[np.ones(p), [0.3] * p]),
        "two variations": (difference(chain + GRID), np.ones(len(chain + GRID))),
    }[name]
    return *lines(D), w


def programme(kind, X, y, lam, name):
    """Return the least objective, by the simplex method, in columns of one size."""
    n = len(y)
    A, T, w = polyhedral(name)
    slopes, constants = pieces(kind, y)
    size = np.abs(X).max(axis=0)  # b is sought as b * size
    E = np.column_stack([X / size, np.ones(n)])
    loss = np.vstack([np.column_stack([s[:, None] * E, -np.eye(n)]) for s in slopes])
    rows = np.column_stack([A / size, np.zeros((len(A), 1 + n)), -T])
    largest = np.abs(rows).max(axis=1)
    found = linprog(
        np.r_[np.zeros(p + 1), np.ones(n) / n, lam * w],
        A_ub=np.vstack([np.column_stack([loss, np.zeros((len(loss), len(w)))]),
                        rows / largest[:, None]]),
        b_ub=np.r_[-constants.ravel(), np.zeros(len(rows))],
        bounds=[(None, None)] * (p + 1) + [(None, None)] * n + [(0, None)] * len(w),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    return found.fun


def value(kind, X, y, fit, lam, omega):
    slopes, constants = pieces(kind, y)
    b = fit.coef(lam)
    loss = (slopes * (X @ b + fit.intercept(lam)) + constants).max(axis=0).mean()
    return loss + lam * omega(b)


@pytest.mark.parametrize("sized", [True, False])
@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("norm", NORMS)
def test_every_norm_reaches_its_tolerance_in_few_steps(norm, kind, sized):
    X, y = table(6, kind, 15 if sized else 60, sized)
    fit = ss.path(X, y, family=LOSSES[kind], penalty=NORMS[norm], n_lambdas=3, max_iter=1000,
                  lambda_min_ratio=0.05, stop=None, standardize=False)  # fmt: skip
    assert len(fit.gaps) == 3
    assert fit.gaps.max() <= 1e-7


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("norm", ["fused", "image", "ring", "overlap linf", "tree linf",
                                  "two variations"])  # fmt: skip
def test_polyhedral_norms_reach_the_value_of_a_linear_programme(norm, kind):
    for seed in range(2):
        X, y = table(seed, kind)
        penalty = NORMS[norm].over(p)
        fit = ss.path(X, y, family=LOSSES[kind], penalty=NORMS[norm], n_lambdas=3, stop=None,
                      lambda_min_ratio=0.1, standardize=False, tol=1e-9)  # fmt: skip
        for lam, gap in zip(fit.lambdas, fit.gaps, strict=True):
            found = value(kind, X, y, fit, lam, penalty.norm)
            least = programme(kind, X, y, lam, norm)
            assert gap <= 1e-9
            assert abs(found - least) <= 1e-7


@pytest.mark.parametrize("kind", LOSSES)
def test_overlapping_groups_with_a_ridge_part_lie_between_bounds_of_cuts(kind):
    X, y = table(0, kind, 30, sized=False)
    alpha, lam = 0.8, 0.05
    fit = ss.path(X, y, family=LOSSES[kind], penalty=P.OverlapL2(WINDOWS), alpha=alpha,
                  lambdas=[lam], standardize=False, tol=1e-9)  # fmt: skip
    terms = lengths(WINDOWS, [alpha * lam * 3**0.5] * 4) + squares([(1 - alpha) * lam] * p)
    low, high = bounds(kind, X, y, np.ones(30) / 30, terms, close=1e-7)

    def omega(b):
        groups = sum(3**0.5 * np.linalg.norm(b[g]) for g in WINDOWS)
        return alpha * groups + (1 - alpha) / 2 * b @ b

    found = value(kind, X, y, fit, lam, omega)
    assert fit.gaps[0] <= 1e-9
    assert low - 1e-9 <= found <= high + 1e-9


def test_a_vanishing_lambda_and_the_null_model_are_solved_as_well():
    X, y = table(3, "quantile", 40, sized=False)
    fit = ss.path(X, y, family=LOSSES["quantile"], penalty=NORMS["ring"], standardize=False,
                  lambdas=[100.0, 1e-3, 0.0], stop=None)  # fmt: skip
    plain = ss.path(X, y, family=LOSSES["quantile"], standardize=False, lambdas=[0.0])
    assert fit.gaps.max() <= 1e-7
    assert not fit.coef(100.0).any()
    a, b = (value("quantile", X, y, f, 0.0, lambda b: 0.0) for f in (fit, plain))
    null = value("quantile", X, y, fit, 100.0, lambda b: 0.0)
    assert abs(a - b) <= 1e-7 * null  # gaps are relative to the null model's loss
