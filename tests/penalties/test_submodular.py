"""Norms of set functions against all sets, the norms that stand, and a quadratic program."""

from itertools import combinations

import numpy as np
import pytest
from cases import every

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


def test_some_features_alone():
    which = np.array([0, 2, 5])
    for given, F in FUNCTIONS.values():
        part = P.Submodular(given).over(SIZE).part(which)
        small = P.Submodular(lambda A, F=F: F(which[A])).over(3)
        v = RNG.standard_normal(3)
        assert part.value(v) == pytest.approx(small.value(v))
        assert part.polar(v) == pytest.approx(small.polar(v))


def test_a_dual_norm_is_close_where_entries_are_rounding():
    """It was a ratio over entries, 1.35 times too large: a path stalled at a gap of .2."""
    line = P.graph_cut([(j, j + 1) for j in range(29)], modular=2.0)
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(60, 30))
    fit = ss.path(Z, Z[:, 10:16].sum(axis=1) + rng.normal(size=60), n_lambdas=20,
                  penalty=P.Submodular(line))  # fmt: skip
    assert not fit.status.any() and fit.gaps.max() <= 1e-7
