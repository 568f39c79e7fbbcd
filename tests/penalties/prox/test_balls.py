"""Projections: by sorting, by their inclusion, and what they refuse."""

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve import penalties
from sparsesolve.penalties import prox


def _by_sorting(size, total):
    ranked = np.sort(size)[::-1]
    cut = (np.cumsum(ranked) - total) / np.arange(1, len(size) + 1)
    return cut[np.flatnonzero(ranked > cut)[-1]]


def _draws():
    rng = np.random.default_rng(0)
    for trial in range(300):
        v = rng.standard_normal(rng.integers(1, 30)).round(trial % 4)
        yield v * 10.0 ** rng.integers(-3, 4), 10.0 ** rng.uniform(-2, 2)


def test_l1_and_simplex_by_sorting():
    for v, r in _draws():
        b, size = prox.project_l1(v, r), np.abs(v)
        if size.sum() <= r:
            assert (b == v).all() and b is not v
        else:
            left = np.maximum(size - _by_sorting(size, r), 0.0)
            assert b == pytest.approx(np.sign(v) * left, rel=1e-12, abs=1e-12 * size.max())
        c = prox.project_simplex(v, r)
        left = np.maximum(v - _by_sorting(v, r), 0.0)
        assert c == pytest.approx(left, abs=1e-12 * (r + size.max()))
        assert c.sum() == pytest.approx(r)


def _size(x, groups, d):
    return sum(d[g] * np.linalg.norm(x[groups == g]) for g in range(4))


def test_groups_by_the_inclusion_of_a_projection():
    """(v - b)'(c - b) <= 0 for points c of the ball; and of one group it is that of l2."""
    rng = np.random.default_rng(1)
    for v, r in _draws():
        groups, d = rng.integers(0, 4, len(v)), rng.random(4) + 0.1
        order = list(dict.fromkeys(groups.tolist()))
        b = prox.project_groups(v, r, groups, d[order])
        assert _size(b, groups, d) <= r * (1 + 1e-9)
        for _ in range(5):
            c = rng.standard_normal(len(v))
            c *= r / _size(c, groups, d)
            assert (v - b) @ (c - b) <= 1e-10 * (1 + v @ v + r * r)
        one = prox.project_groups(v, r, np.zeros(len(v)))
        assert one == pytest.approx(prox.project_l2(v, r))


def test_the_others():
    assert prox.project_l2([3.0, 4.0], 1.0) == pytest.approx([0.6, 0.8])
    assert prox.project_linf([3.0, -4.0, 0.5], 1.0).tolist() == [1.0, -1.0, 0.5]
    assert prox.project_l1([1.0, 2.0], 0.0).tolist() == [0.0, 0.0]
    v = np.array([3.0, 1.0])
    for project in (prox.project_l1, prox.project_l2, prox.project_linf):
        assert not np.shares_memory(project(v, 10.0), v)


@pytest.mark.parametrize("call, sentence", [
    (lambda: prox.project_l1([np.nan], 1.0), "v holds NaN or infinity"),
    (lambda: prox.project_l1(np.ones((2, 2)), 1.0), r"v must be finite numbers \(n,\)"),
    (lambda: prox.project_l2([1.0], -1.0), "radius must be a finite number of at least 0"),
    (lambda: prox.project_simplex([1.0], 0.0), "a positive total"),
    (lambda: prox.project_simplex([], 1.0), "needs a coordinate"),
    (lambda: prox.project_groups([1.0], 1.0, [0, 1]), "groups has 2 labels for 1"),
    (lambda: prox.project_groups([1.0], 1.0, [0], [-1.0]), "weights has -1.0 for group 0"),
])  # fmt: skip
def test_what_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("gamma", [0.0, 1e-9, 0.3, 50.0])
def test_elastic_net_ball_by_bisection(gamma):
    """b = (|v| - theta)_+ / (1 + gamma theta) with theta from 200 halvings."""
    rng = np.random.default_rng(6)
    for k in range(60):
        v, radius = rng.standard_normal(7) * 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(-2, 1)
        v = np.round(v) if k % 3 == 0 else v
        low, high = 0.0, np.abs(v).max()

        def at(theta, v=v):
            return np.maximum(np.abs(v) - theta, 0.0) / (1.0 + gamma * theta)

        def size(b):
            return np.sum(np.abs(b) + gamma / 2 * b**2)

        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if size(at(middle)) > radius else (low, middle)
        want = np.sign(v) * at(low) if size(v) > radius else v
        found = prox.project_elastic_net(v, radius, gamma)
        assert found == pytest.approx(want, abs=1e-13 * max(1.0, np.abs(v).max()))
        if gamma > 0.0:
            ball, z = penalties.ElasticNetBall(radius, gamma), v - found
            assert ball.value(found) == 0.0
            assert ball.conjugate(z) == pytest.approx(z @ found, rel=1e-7, abs=1e-13 * (v @ v))
            assert ball.conjugate(v) >= v @ found - 1e-12 * (v @ v)
    assert prox.project_elastic_net(v, radius, 0.0) == pytest.approx(prox.project_l1(v, radius))


@pytest.mark.parametrize("power", [-900, -60, 60, 900])
@pytest.mark.parametrize("radius, gamma", [(1.0, 1.0), (1e-12, 1.0), (1e-9, 1e9), (2.0, 1e12)])
def test_elastic_net_ball_at_any_size(radius, gamma, power):
    """Terms at the edge, to the last digits; sizes in another unit are the same to the bit."""
    v = np.array([3.0, -2.0, 2.0, 1.0])
    b = prox.project_elastic_net(v, radius, gamma)
    assert np.sum(np.abs(b) + gamma / 2 * b**2) == pytest.approx(radius, rel=1e-14)
    other = [np.ldexp(v, power), np.ldexp(radius, power), np.ldexp(gamma, -power)]
    assert prox.project_elastic_net(*other).tolist() == np.ldexp(b, power).tolist()


def test_elastic_net_ball_in_a_path():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 5))
    ball = penalties.ElasticNetBall(0.8, 0.5)
    fit = ss.path(X, X[:, 0] + X[:, 1], penalty=ball, lambdas=[1.0], standardize=False)
    b = fit.coef(1.0)
    assert fit.gaps[0] <= 1e-7
    assert np.sum(np.abs(b) + 0.25 * b**2) == pytest.approx(0.8, rel=1e-6)


# A box and a hyperplane

RNG = np.random.default_rng(15)


def test_a_normal_of_0_leaves_the_box_alone():
    x = prox.box_hyperplane([3.0, -3.0, 0.5], -1.0, 1.0, [1.0, 0.0, 0.0], -0.25)
    assert x.tolist() == [-0.25, -1.0, 0.5]


@pytest.mark.parametrize("n", [1, 3, 40])
def test_the_conditions_of_optimality(n):
    """d^2 (x - m) is a multiple of a where no bound holds x, and points outwards at a bound."""
    for _ in range(20):
        m, a = 2.0 * RNG.standard_normal((2, n))
        lower, upper = -RNG.uniform(0.0, 1.0, n), RNG.uniform(0.0, 1.0, n)
        d, inside = RNG.uniform(0.5, 2.0, n), RNG.uniform(0.2, 0.8, n)
        z = a @ (lower + inside * (upper - lower))
        x = prox.box_hyperplane(m, lower, upper, a, z, d)
        assert a @ x == pytest.approx(z, abs=1e-11)
        assert (x >= lower).all() and (x <= upper).all()
        pull, free = d**2 * (x - m), (x > lower) & (x < upper)
        if free.any():
            t = (pull[free] / a[free])[np.abs(a[free]).argmax()]
            assert pull[free] == pytest.approx(t * a[free], abs=1e-9)
            rest = pull - t * a
            assert (rest[x == lower] >= -1e-9).all() and (rest[x == upper] <= 1e-9).all()


def test_levels_at_the_ends_of_the_box():
    m, a = np.zeros(3), np.array([1.0, -2.0, 1.0])
    assert prox.box_hyperplane(m, -1.0, 1.0, a, 4.0).tolist() == [1.0, -1.0, 1.0]
    with pytest.raises(ValueError, match="missed by 0.5"):
        prox.box_hyperplane(m, -1.0, 1.0, a, 4.5)


@pytest.mark.parametrize("change, sentence", [
    ({"m": [[1.0]]}, "^m has 2 dimensions"),
    ({"m": [np.nan, 0.0]}, "^m .*nan"),
    ({"lower": [0.0]}, r"^lower has shape \(1,\)"),
    ({"lower": 2.0}, "^lower is 2 above upper, 1, at 0"),
    ({"a": [np.inf, 1.0]}, "^a is infinite at 0"),
    ({"d": [1.0, 0.0]}, "^d is 0 at 1"),
    ({"z": np.inf}, "^z is inf"),
])  # fmt: skip
def test_what_is_no_box_or_hyperplane(change, sentence):
    given = {"m": [0.0, 0.0], "lower": 0.0, "upper": 1.0, "a": [1.0, 1.0], "z": 1.0, **change}
    with pytest.raises(ValueError, match=sentence):
        prox.box_hyperplane(**given)
