"""Norms of set functions against all sets, the norms that stand, and a quadratic program."""

from itertools import combinations

import numpy as np
import pytest
from cases import every
from scipy.optimize import minimize

import sparsesolve as ss
from sparsesolve import penalties as P

SIZE = 6
RNG = np.random.default_rng(3)
GROUPS, WEIGHTS = [[0, 1, 2], [2, 3], [3, 4, 5], [5, 0]], [1.0, 2.0, 0.5, 1.5]
EDGES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (1, 4)]
SETS = [np.array(A) for k in range(1, SIZE + 1) for A in combinations(range(SIZE), k)]


def covered(A):
    """The weights of the groups that A touches."""
    return sum(d for g, d in zip(GROUPS, WEIGHTS, strict=True) if set(g) & set(A.tolist()))


def cut_and_price(A):
    inside = set(A.tolist())
    return sum((i in inside) != (j in inside) for i, j in EDGES) + 3.2 * len(inside)


FUNCTIONS = {
    "covered": (covered, covered),
    "root": (np.sqrt(np.arange(1, SIZE + 1)), lambda A: len(A) ** 0.5),
    "cut": (P.graph_cut(EDGES, modular=3.2), cut_and_price), "plain cut": (cut_and_price,) * 2,
    "mixed": (lambda A: covered(A) ** 0.7 + np.log1p(len(A)),) * 2,
}  # fmt: skip
every_function = every("omega, F", [
    pytest.param(P.Submodular(given), F, id=name) for name, (given, F) in FUNCTIONS.items()])


def norm_by_program(F, b):
    """The largest s'|b| over s >= 0 with s(A) <= F(A) for every set A."""
    from scipy.optimize import linprog

    rows = np.array([np.isin(np.arange(SIZE), A) * 1.0 for A in SETS])
    return -linprog(-np.abs(b), A_ub=rows, b_ub=[F(A) for A in SETS]).fun


@every_function
def test_value_and_dual_norm_by_all_sets(omega, F):
    for _ in range(10):
        b = np.round(2 * RNG.standard_normal(SIZE)) / 2 + (RNG.random() < 0.5) * RNG.random(SIZE)
        assert omega.value(b) == pytest.approx(norm_by_program(F, b), abs=1e-9)
        ratio = max(np.abs(b[A]).sum() / F(A) for A in SETS)
        assert omega.polar(b) == pytest.approx(ratio, rel=1e-11)
        assert omega.polar(b) >= ratio * (1 - 1e-14)  # a certificate takes no less


@every_function
def test_prox_is_optimal_by_all_sets(omega, F):
    """|v - b| within t F for every set, with (v - b)'b = t Omega(b)."""
    for k in range(20):
        v, t = RNG.standard_normal(SIZE), 10.0 ** RNG.uniform(-2, 0)
        v = np.round(v * 2) / 2 if k % 4 == 0 else v
        b = omega.prox(v, t)
        z = v - b
        assert max(np.abs(z[A]).sum() / F(A) for A in SETS) <= t * (1 + 1e-12)
        assert z @ b == pytest.approx(t * omega.value(b), abs=1e-12)


def test_covers_are_overlapping_groups_and_sizes_are_slope():
    cover, other = P.Submodular(covered), P.OverlapLinf(GROUPS, WEIGHTS)
    root, slope = (P.Submodular(np.sqrt(np.arange(1, 7))),
                   P.Slope(np.diff(np.sqrt(np.arange(1, 7)), prepend=0.0)))
    for _ in range(10):
        v = RNG.standard_normal(SIZE)
        for one, two in ((cover, other), (root, slope)):
            assert one.value(v) == pytest.approx(two.value(v))
            assert one.polar(v) == pytest.approx(two.polar(v))
            assert one.prox(v, 0.2) == pytest.approx(two.prox(v, 0.2), abs=1e-12)


@every_function
def test_paths_are_certified(omega, F):
    X = RNG.standard_normal((40, SIZE))
    y = X @ [1.0, 1.0, 0.5, 0.0, 0.0, 0.0] + 0.3 * RNG.standard_normal(40)
    fit = ss.path(X, y, penalty=omega, n_lambdas=5, lambda_min_ratio=0.05)
    assert fit.gaps.max() <= 1e-7
    b, lam = fit.coefs.toarray()[:, 3], fit.lambdas[3]
    best = minimize(lambda c: np.mean((y - c[0] - X @ c[1:]) ** 2) / 2 + lam * omega.value(c[1:]),
                    np.r_[fit.intercepts[3], b] + 0.01, method="Powell",
                    options={"xtol": 1e-9, "ftol": 1e-14})  # fmt: skip
    own = np.mean((y - fit.intercepts[3] - X @ b) ** 2) / 2 + lam * omega.value(b)
    assert own <= best.fun + 1e-7


def test_some_features_alone():
    which = np.array([0, 2, 5])
    for given, F in FUNCTIONS.values():
        part = P.Submodular(given).over(SIZE).part(which)
        small = P.Submodular(lambda A, F=F: F(which[A])).over(3)
        v = RNG.standard_normal(3)
        assert part.value(v) == pytest.approx(small.value(v))
        assert part.polar(v) == pytest.approx(small.polar(v))


@pytest.mark.parametrize("make, sentence", [
    (lambda: P.Submodular([1.0, 2.0]).value([1.0, 1.0, 1.0]), "2 values for 3 features"),
    (lambda: P.Submodular([1.0, np.nan]), "finite numbers"),
    (lambda: P.Submodular([1.0, 3.0]).value([1.0, 1.0]), "not submodular"),
    (lambda: P.Submodular([1.0, 0.5]).value([1.0, 1.0]), "F falls by 0.5"),
    (lambda: P.Submodular(lambda A: len(A) ** 2).value([1.0, 1.0]), "not submodular"),
    (lambda: P.Submodular(P.graph_cut([(0, 1)], modular=0.5)).value([1.0, 1.0]), "F falls by"),
    (lambda: P.Submodular(P.graph_cut(EDGES[:2], modular=[2.0, 1.5, 2.0])).value(np.ones(3)),
     "F falls by 0.5 as feature 1 joins all others"),
    (lambda: P.Submodular(lambda A: cut_and_price(A) - 2.0 * (2 in A)).value(np.ones(SIZE)),
     "F falls by .* as feature 2 joins all others"),
    (lambda: P.Submodular(lambda A: float(0 in A)).value([1.0, 1.0]), "F is 0 for feature 1"),
    (lambda: P.graph_cut([(0, 0)]), "two different features"),
    (lambda: P.graph_cut([(0, 1)], -1.0), "weights of edges"),
    (lambda: P.Submodular(P.graph_cut([(0, 7)], modular=3.0)).value([1.0, 1.0]), "edges hold"),
])  # fmt: skip
def test_what_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
