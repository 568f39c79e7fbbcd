"""Norms over nested groups, compared with plain loops, bisection and an optimality condition."""

import numpy as np
import pytest
from cases import every

from sparsesolve import penalties as P
from sparsesolve.penalties.prox import trees

NORMS = {"l2": P.TreeL2, "linf": P.TreeLinf}


def draw_groups(rng, p):
    """Nested groups: random intervals split again and again, some twice, scattered over p."""
    names, groups = rng.permutation(p), []

    def split(a, b):
        if rng.random() < 0.8:
            groups.append(names[a:b].tolist())
        if rng.random() < 0.2:
            groups.append(names[a:b].tolist())
        if b - a > 1 and rng.random() < 0.8:
            cut = int(rng.integers(a + 1, b))
            split(a, cut)
            split(cut, b)

    split(0, p)
    return groups


def ball_l1(x, radius):
    """The projection on the l1 ball, by bisection."""
    low, high = 0.0, np.abs(x).max()
    if np.abs(x).sum() <= radius:
        return x
    for _ in range(100):
        level = 0.5 * (low + high)
        over = np.maximum(np.abs(x) - level, 0.0).sum() > radius
        low, high = (level, high) if over else (low, level)
    return np.sign(x) * np.maximum(np.abs(x) - high, 0.0)


def slow_prox(kind, groups, d, v, t):
    """Group after group, the smallest first."""
    b = v.copy()
    for g in sorted(range(len(groups)), key=lambda g: len(groups[g])):
        which = groups[g]
        if kind == "l2":
            size = np.linalg.norm(b[which])
            b[which] = b[which] * (1.0 - t * d[g] / size) if size > t * d[g] else 0.0
        else:
            b[which] = b[which] - ball_l1(b[which], t * d[g])
    return b


@every("kind", NORMS)
@every("seed", range(100))
def test_prox_value_and_polar_of_random_trees(kind, seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(2, 25))
    groups = draw_groups(rng, p)
    d = rng.choice([0.0, 0.3, 1.0, 2.0], len(groups), p=[0.1, 0.3, 0.3, 0.3])
    every = [*groups, list(range(p)), *[[j] for j in range(p) if not any(j in g for g in groups)]]
    d_every = np.append(d, np.ones(len(every) - len(groups)))
    penalty = NORMS[kind](every, d_every)
    v, order = rng.standard_normal(p) * 10.0 ** rng.integers(-2, 3), 2 if kind == "l2" else np.inf
    value = sum(w * np.linalg.norm(v[g], order) for w, g in zip(d_every, every, strict=True))
    assert penalty.value(v) == pytest.approx(value, rel=1e-13)
    level = penalty.polar(v)
    scale = np.abs(v).max()
    for share in (1e-3, 0.1, 0.5, 0.9, 0.999):
        twin = slow_prox(kind, every, d_every, v, share * level)
        b = penalty.prox(v, share * level)
        assert b == pytest.approx(twin, abs=1e-10 * scale)
        z = (v - b) / (share * level)  # optimal: z'b = value(b), and z in the dual ball
        assert z @ b == pytest.approx(penalty.value(b), rel=1e-8, abs=1e-8 * scale)
        assert penalty.polar(z) <= 1.0 + 1e-9
    assert not penalty.prox(v, level * (1.0 + 1e-12)).any()
    assert penalty.prox(v, level * (1.0 - 1e-6)).any()


@pytest.mark.parametrize("kind", NORMS)
def test_large_trees(kind):
    """A quad-tree, and a chain of groups, where an order of heaps matters most."""
    rng = np.random.default_rng(0)
    place = np.arange(1024).reshape(32, 32)
    quads = [place[i : i + s, k : k + s].ravel().tolist() for s in (2, 4, 8, 16, 32)
             for i in range(0, 32, s) for k in range(0, 32, s)]  # fmt: skip
    chain = [list(range(j)) for j in range(2, 120)]
    for groups, p in ((quads, 1024), (chain, 120)):
        v = rng.standard_normal(p)
        d = [float(len(g)) ** 0.5 for g in groups]
        b = NORMS[kind](groups + [[p - 1]] * (p == 120)).prox(v, 0.02)
        twin = slow_prox(kind, groups + [[p - 1]] * (p == 120), [*d, 1.0], v, 0.02)
        assert b == pytest.approx(twin, abs=1e-12) and b.any()


def test_ties_are_equal_to_the_last_bit():
    rng = np.random.default_rng(1)
    penalty = P.TreeLinf([range(4), range(4, 10), range(10)])
    for _ in range(50):
        b = penalty.prox(rng.standard_normal(10), 0.4)
        assert len(np.unique(np.abs(b[:4][np.abs(b[:4]) > 0.999 * np.abs(b[:4]).max()]))) <= 1


def test_crossing_groups_are_found():
    node_of, parent, crossing = trees.nest(
        np.array([0, 2, 4]), np.array([0, 1, 1, 2]), 3
    )  # fmt: skip
    assert crossing == (0, 1)
    node_of, parent, crossing = trees.nest(np.array([0, 2, 5]), np.array([0, 1, 2, 1, 0]), 4)
    assert (node_of.tolist(), parent.tolist(), crossing) == ([0, 0, 1, -1], [1, -1], None)
