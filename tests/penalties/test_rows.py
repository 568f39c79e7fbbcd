"""Rows of K coefficients: the penalty of one response on all K p of them, or on groups of K.

The best constant for a row, against a search.
"""

import numpy as np
import pytest
from scipy import optimize
from sparsesolve.penalties.elastic_net_rows import ElasticNetRows, centre

from sparsesolve.penalties import ElasticNet, GroupL2, GroupLinf, SparseGroup
from sparsesolve.penalties.rows import Rows, on_rows

K, P = 3, 5
V = np.array([1.0, 0.5, 2.0, 0.0, 3.0])
RNG = np.random.default_rng(2)


def twins(kind):
    """The penalty on (K, p) arrays, and one on the same laid out as a vector."""
    if kind == "grouped":
        none, free = np.zeros(P, dtype=bool), np.full(K * P, np.inf)
        group = GroupL2(np.tile(np.arange(P), K), weights=np.ones(P)).over(K * P)
        return on_rows(ElasticNet(P, 0.7, V), True), group.under(0.7, V, none, -free, free, 1.0)
    low, high = np.resize([-0.3, -np.inf], P), np.resize([0.2, np.inf, 0.4], P)
    one = ElasticNet(P, 0.7, V, low, high)
    return on_rows(one, False), ElasticNet(K * P, 0.7, *(np.tile(x, K) for x in (V, low, high)))


@pytest.mark.parametrize("kind", ["single", "grouped"])
def test_all_answers_are_those_of_the_coefficients_laid_out_as_one_vector(kind):
    rows, flat = twins(kind)
    for lam in (0.1, 1.0, 5.0):
        X = 2.0 * RNG.standard_normal((K, P))
        B = rows.prox(X, lam)
        assert B.ravel() == pytest.approx(flat.prox(X.ravel(), lam))
        assert rows.value(B, lam) == pytest.approx(flat.value(B.ravel(), lam))
        assert rows.polar(X) == pytest.approx(flat.polar(X.ravel()))
        assert rows.conjugate(X, lam) == pytest.approx(flat.conjugate(X.ravel(), lam))
        Z = np.where(V > 0.0, X, 0.0)  # what is unpenalised is the caller's
        assert rows.feasible_scale(Z, lam) == pytest.approx(flat.feasible_scale(Z.ravel(), lam))


# Groups

GROUPS, SIZE = ["a", "b", "a", None, "b", "a"], 6
LOW, HIGH = -np.arange(1.0, 7.0), np.full(SIZE, np.inf)
FACTORS = np.array([1.0, 0.5, 2.0])


@pytest.fixture(params=[GroupL2, SparseGroup, GroupLinf])
def penalty(request):
    given = request.param(GROUPS, weights={"b": 3.0})
    return given.over(SIZE).under(0.7, FACTORS, np.zeros(3, dtype=bool), LOW, HIGH, 1.0)


def test_a_part_is_its_groups_alone(penalty):
    part = penalty.part([2, 0])
    order = [3, 0, 2, 5]
    assert list(part.start) == [0, 1, 4] and list(part.lower) == list(LOW[order])
    x = RNG.standard_normal(SIZE)
    x[[1, 4]] = 0.0
    assert part.value(x[order], 0.3) == pytest.approx(penalty.value(x, 0.3))
    assert part.prox(x[order], 0.3) == pytest.approx(penalty.prox(x, 0.3)[order])
    assert part.levels(x[order]) == pytest.approx(penalty.levels(x)[[2, 0]])


def test_no_groups_are_a_part_too(penalty):
    none = penalty.part(np.zeros(0, dtype=int))
    assert none.n_groups == 0 and none.value(np.zeros(0)) == 0.0


def test_one_row_is_the_penalty_itself(penalty):
    x = RNG.standard_normal(SIZE)
    one = penalty.repeated(1)
    for name in ("value", "prox", "levels", "entry_lambdas"):
        assert getattr(one, name)(x) == pytest.approx(getattr(penalty, name)(x))


def test_a_block_has_the_features_of_its_group_in_all_rows(penalty):
    """Rows side by side as features of their own say the same, weights being those of one row."""
    rows = Rows(penalty.repeated(K))
    wide = type(penalty)([g or "c" for g in GROUPS] * K,
                         weights=[np.sqrt(3), 3.0, 1.0])  # fmt: skip
    wide = wide.over(K * SIZE).under(0.7, FACTORS[[0, 1, 2]], np.zeros(3, dtype=bool),
                                  np.tile(LOW, K), np.tile(HIGH, K), 1.0)  # fmt: skip
    X = RNG.standard_normal((K, SIZE))
    assert rows.value(X, 0.2) == pytest.approx(wide.value(X.ravel(), 0.2))
    assert rows.prox(X, 0.2).ravel() == pytest.approx(wide.prox(X.ravel(), 0.2))
    assert rows.polar(X) == pytest.approx(wide.polar(X.ravel()))
    assert rows.conjugate(X, 0.2) == pytest.approx(wide.conjugate(X.ravel(), 0.2))
    assert rows.feasible_scale(X, 0.2) == pytest.approx(wide.feasible_scale(X.ravel(), 0.2))


def test_the_first_level_of_a_ridge_takes_alpha_for_a_thousandth():
    ridge, net = (GroupL2(GROUPS).over(SIZE).under(alpha, FACTORS, np.zeros(3, dtype=bool), -HIGH,
                                                HIGH, 1.0).repeated(K)
                  for alpha in (0.0, 1e-3))  # fmt: skip
    z = RNG.standard_normal(K * SIZE)
    assert ridge.entry_lambdas(z) == pytest.approx(net.entry_lambdas(z))


# What solvers of several responses ask of the elastic net

WEIGHTS = np.array([1.0, 0.5, 2.0, 0.0, 1.0, 1.0])
LIMITS = np.array([-1.0, -0.2, -np.inf, -1.0, 0.0, -np.inf]), np.array([1, np.inf, 0.1, 2, 0.0, 1])


def rows(grouped=False, alpha=1.0, limited=False):
    limits = LIMITS if limited else (None, None)
    return ElasticNetRows(ElasticNet(SIZE, alpha, WEIGHTS, *limits), grouped)


FORMS = [(grouped, alpha, limited) for grouped in (False, True) for alpha in (1.0, 0.4, 0.0)
         for limited in (False, True) if not (grouped and limited)]  # fmt: skip


def draws():
    rng = np.random.default_rng(0)
    for size in (0.1, 1.0, 10.0):
        for _ in range(5):
            yield size * rng.standard_normal((K, SIZE)), size * rng.standard_normal((K, SIZE))


@pytest.mark.parametrize("grouped, alpha, limited", FORMS)
def test_excess_is_never_negative_where_it_is_finite_and_zero_at_rest(grouped, alpha, limited):
    """Omega(B) + Omega*(sC) - s B'C, for B within its limits and s from feasible_scale."""
    net = rows(grouped, alpha, limited)
    for B, C in draws():
        C[:, 3] = 0.0  # unpenalised
        if limited:
            B = np.clip(B, LIMITS[0], LIMITS[1])
        for strict in (False, True):
            s = net.scale_at(B, C, 0.7, strict)
            assert 0.0 <= s <= 1.0
            assert -1e-12 <= net.excess(B, C, 0.7, s) < np.inf
    assert net.excess(np.zeros((K, SIZE)), np.zeros((K, SIZE)), 0.7, 1.0) == 0.0


def test_polar_is_the_threshold_of_zero():
    for _, C in draws():
        assert rows().sizes(C) == pytest.approx(np.abs(C).max(axis=0))
        assert rows(True).sizes(C) == pytest.approx(np.sqrt((C**2).sum(axis=0)))
        low, high = LIMITS
        open_ = np.where(C > 0, high[None] > 0, low[None] < 0)
        assert rows(limited=True).sizes(C) == pytest.approx(np.abs(C * open_).max(axis=0))


def test_taken_rows_keep_their_numbers_and_minus_one_is_unpenalised():
    net = rows(limited=True).take(np.array([-1, 2, 0], dtype=np.intc))
    assert np.asarray(net.l1).tolist() == [0.0, 2.0, 1.0]
    assert np.asarray(net.lower).tolist() == [-np.inf, -np.inf, -1.0]
    assert np.asarray(net.upper).tolist() == [np.inf, 0.1, 1.0]


def test_held_are_the_penalised_and_those_that_press_on_a_limit():
    net = rows(limited=True)
    B, C = np.zeros((K, SIZE)), np.ones((K, SIZE))
    B[0, 3], B[1, 3] = 2.0, -1.0  # at their limits; C presses upwards only
    free = net.unpenalised_each(B, C, 1.0)
    assert not free[:, [0, 1, 2, 4, 5]].any()
    assert free[:, 3].tolist() == [False, True, True]


# The best constant


def shifted(b, alpha, grouped=False, low=-np.inf, high=np.inf):
    net = ElasticNet(1, alpha, None, np.array([low]), np.array([high]))
    B = np.array(b, dtype=float)[:, None]
    centre(B, ElasticNetRows(net, grouped))
    return B[:, 0]


def cost(b, alpha):
    return alpha * np.abs(b).sum() + 0.5 * (1 - alpha) * (b**2).sum()


@pytest.mark.parametrize("alpha", [1.0, 0.9, 0.5, 0.1, 0.0])
@pytest.mark.parametrize("K", [2, 3, 4, 7, 26])
def test_no_other_constant_costs_less(alpha, K):
    rng = np.random.default_rng(K)
    for k in range(20):
        b = rng.standard_normal(K) * (rng.random(K) < (0.5 if k % 2 else 1.0))
        search = optimize.minimize_scalar(
            lambda c, b=b: cost(b - c, alpha), bounds=(-4, 4), method="bounded",
            options={"xatol": 1e-10},
        )  # fmt: skip
        new = shifted(b, alpha)
        assert cost(new, alpha) <= search.fun + 1e-12
        assert np.ptp(new - b) <= 1e-14 or not b.any()


def test_the_lasso_takes_the_lower_median_out_so_that_one_coefficient_is_zero():
    assert shifted([3.0, 1.0, 2.0], 1.0).tolist() == [1.0, -1.0, 0.0]
    assert shifted([3.0, 1.0, 2.0, 7.0], 1.0).tolist() == [1.0, -1.0, 0.0, 5.0]
    assert shifted([3.0, 1.0], 1.0).tolist() == [1.0, -1.0]
    assert shifted([1.0, 2.0, 6.0], 1.0, grouped=True) == pytest.approx([-2.0, -1.0, 3.0])


def test_limits_hold_the_shift_back():
    assert shifted([-0.1, 0.04, 0.05, 0.02], 1.0, low=-0.1, high=0.05)[0] == -0.1
    assert shifted([3.0, 1.0, 2.0], 1.0, low=-0.5) == pytest.approx([1.5, -0.5, 0.5])


def test_zeros_where_the_kink_is_stay_zeros():
    for alpha in (1.0, 0.6):
        assert shifted([0.0, 0.3, -0.2, 0.0, 0.0], alpha).tolist() == [0.0, 0.3, -0.2, 0.0, 0.0]
