"""A penalty on groups, shown some of its groups alone, or all rows of several responses."""

import numpy as np
import pytest

from sparsesolve.penalties import GroupL2, GroupLinf, SparseGroup
from sparsesolve.penalties.rows import Rows

P, K = 6, 3
GROUPS, LISTS = ["a", "b", "a", None, "b", "a"], [[0, 2, 5], [1, 4], [3]]
LOW, HIGH = -np.arange(1.0, 7.0), np.full(P, np.inf)
FACTORS = np.array([1.0, 0.5, 2.0])
RNG = np.random.default_rng(0)


@pytest.fixture(params=[GroupL2, SparseGroup, GroupLinf])
def penalty(request):
    given = request.param(GROUPS, weights={"b": 3.0})
    return given.over(P).under(0.7, FACTORS, np.zeros(3, dtype=bool), LOW, HIGH, 1.0)


def test_a_part_is_its_groups_alone(penalty):
    part = penalty.part([2, 0])
    order = [3, 0, 2, 5]
    assert list(part.start) == [0, 1, 4] and list(part.lower) == list(LOW[order])
    x = RNG.standard_normal(P)
    x[[1, 4]] = 0.0
    assert part.value(x[order], 0.3) == pytest.approx(penalty.value(x, 0.3))
    assert part.prox(x[order], 0.3) == pytest.approx(penalty.prox(x, 0.3)[order])
    assert part.levels(x[order]) == pytest.approx(penalty.levels(x)[[2, 0]])


def test_no_groups_are_a_part_too(penalty):
    none = penalty.part(np.zeros(0, dtype=int))
    assert none.n_groups == 0 and none.value(np.zeros(0)) == 0.0


def test_one_row_is_the_penalty_itself(penalty):
    x = RNG.standard_normal(P)
    one = penalty.repeated(1)
    for name in ("value", "prox", "levels", "entry_lambdas"):
        assert getattr(one, name)(x) == pytest.approx(getattr(penalty, name)(x))


def test_a_block_has_the_features_of_its_group_in_all_rows(penalty):
    """Rows side by side as features of their own say the same, weights being those of one row."""
    rows = Rows(penalty.repeated(K))
    wide = type(penalty)([g or "c" for g in GROUPS] * K,
                         weights=[np.sqrt(3), 3.0, 1.0])  # fmt: skip
    wide = wide.over(K * P).under(0.7, FACTORS[[0, 1, 2]], np.zeros(3, dtype=bool),
                                  np.tile(LOW, K), np.tile(HIGH, K), 1.0)  # fmt: skip
    X = RNG.standard_normal((K, P))
    assert rows.value(X, 0.2) == pytest.approx(wide.value(X.ravel(), 0.2))
    assert rows.prox(X, 0.2).ravel() == pytest.approx(wide.prox(X.ravel(), 0.2))
    assert rows.polar(X) == pytest.approx(wide.polar(X.ravel()))
    assert rows.conjugate(X, 0.2) == pytest.approx(wide.conjugate(X.ravel(), 0.2))
    assert rows.feasible_scale(X, 0.2) == pytest.approx(wide.feasible_scale(X.ravel(), 0.2))


def test_the_first_level_of_a_ridge_takes_alpha_for_a_thousandth():
    ridge, net = (GroupL2(GROUPS).over(P).under(alpha, FACTORS, np.zeros(3, dtype=bool), -HIGH,
                                                HIGH, 1.0).repeated(K)
                  for alpha in (0.0, 1e-3))  # fmt: skip
    z = RNG.standard_normal(K * P)
    assert ridge.entry_lambdas(z) == pytest.approx(net.entry_lambdas(z))
