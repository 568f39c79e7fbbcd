"""Projections: by sorting, by their inclusion, and what they refuse."""

import numpy as np
import pytest

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
    (lambda: prox.project_groups([1.0], 1.0, [0], [-1.0]), "weights has -1.0 at 0"),
])  # fmt: skip
def test_what_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
