"""Groups by lq norms: against the penalties that stand, another optimiser, and enumeration."""

import numpy as np
import pytest
from cases import every
from scipy.optimize import brentq, minimize

import sparsesolve as ss
from sparsesolve import penalties as P

RNG = np.random.default_rng(0)
GROUPS = [0, 0, 0, 1, 1, None, 2, 2, 2, 2]


def twin(v, t, q):
    """The prox of t |.|_q of one group, by bisection of its length and of each entry."""
    a = np.abs(v)
    dual = q / (q - 1.0)
    if np.sum(a**dual) ** (1 / dual) <= t:
        return np.zeros_like(v)

    def at(r):
        return np.array([brentq(lambda x, e=e: r * x + t * x ** (q - 1.0) - e, 0.0, 1.0 + e / r)
                         for e in a])  # fmt: skip

    r = brentq(lambda r: np.sum(at(r) ** q) - 1.0, 1e-9, np.sum(a**q) ** (1 / q), xtol=1e-13)
    return np.copysign(r * at(r), v)


@every("q", [1.2, 1.7, 2.5, 6.0])
def test_the_prox_by_bisection(q):
    for _ in range(10):
        v, t = RNG.standard_normal(4), RNG.uniform(0.05, 1.0)
        found = P.GroupLq([list(range(4))], q, [1.0]).prox(v, t)
        assert found == pytest.approx(twin(v, t, q), abs=1e-8)


@every("q, other", [(1.0, P.GroupLq), (2.0, P.GroupL2), (np.inf, P.GroupLinf)])
def test_the_ends_are_what_stands(q, other):
    omega = P.GroupLq(GROUPS, q)
    if q == 1.0:
        sizes = np.sqrt([3, 3, 3, 2, 2, 1, 4, 4, 4, 4])
    else:
        other = other(GROUPS).over(10)
    for _ in range(10):
        v, t = RNG.standard_normal(10), RNG.uniform(0.05, 1.0)
        if q == 1.0:
            assert omega.value(v) == pytest.approx(sizes @ np.abs(v))
            assert omega.polar(v) == pytest.approx((np.abs(v) / sizes).max())
            assert omega.prox(v, t) == pytest.approx(
                np.sign(v) * np.maximum(np.abs(v) - t * sizes, 0.0))  # fmt: skip
            continue
        for method in ("value", "polar"):
            assert getattr(omega, method)(v) == pytest.approx(getattr(other, method)(v))
        assert omega.prox(v, t) == pytest.approx(other.prox(v, t), abs=1e-14)


@every("q", [1.4, 3.0])
@every("family", ["gaussian", "binomial", "multinomial"])
def test_a_path_is_certified_and_no_other_optimiser_is_below(q, family):
    X = RNG.standard_normal((40, 6))
    link = X[:, 0] - 0.5 * X[:, 1] + 0.5 * RNG.standard_normal(40)
    y = {"gaussian": link, "binomial": link > 0, "multinomial": np.digitize(link, [-0.5, 0.5])}
    penalty = P.GroupLq([0, 0, 0, 1, 1, 1], q)
    fit = ss.path(X, y[family], family=family, penalty=penalty, n_lambdas=4, standardize=False,
                  lambda_min_ratio=0.1)  # fmt: skip
    assert fit.gaps.max() <= 1e-7
    if family != "gaussian":
        return
    lam, b = fit.lambdas[2], fit.coefs.toarray()[:, 2]

    def height(c):
        return np.mean((link - c[0] - X @ c[1:]) ** 2) / 2 + lam * penalty.value(c[1:])

    own = np.r_[fit.intercepts[2], b]
    best = minimize(height, own + 0.01, method="Powell", options={"xtol": 1e-9, "ftol": 1e-14})
    assert height(own) <= best.fun + 1e-8


def test_a_group_of_weight_0_is_left_alone():
    X = RNG.standard_normal((30, 4))
    fit = ss.path(X, X[:, 0] + X[:, 2], penalty=P.GroupLq([0, 0, 1, 1], 1.5, [0.0, 1.0]),
                  n_lambdas=3)  # fmt: skip
    assert fit.gaps.max() <= 1e-7
    least = np.linalg.lstsq(np.c_[np.ones(30), X[:, :2]], X[:, 0] + X[:, 2], rcond=None)[0]
    assert fit.coefs.toarray()[:, 0] == pytest.approx([*least[1:], 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("make, sentence", [
    (lambda: P.GroupLq([0, 1], 0.5), "q must be at least 1"),
    (lambda: P.GroupLq([[0, 1], [1]], 2.0).value([1.0, 1.0]), "groups must not overlap"),
    (lambda: P.GroupLq([0, 1], 2.0, [-1.0, 1.0]).value([1.0, 1.0]), "weights are finite and"),
])  # fmt: skip
def test_what_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
