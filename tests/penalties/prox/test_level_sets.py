"""Proxes by level sets and largest ratios: against quadratic programmes and all sets."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from sparsesolve.penalties.prox.balls import project_l1
from sparsesolve.penalties.prox.regions import largest_ratio, network, prox_levels


def _graphs(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        p = rng.integers(2, 8)
        pairs = [(i, j) for i in range(p) for j in range(i) if rng.random() < 0.5]
        ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        w = rng.choice([0.25, 1.0, 2.0, rng.random()], len(ends))
        z = rng.standard_normal(p) * 10.0 ** rng.integers(-3, 4)
        yield ends, w, z.round(2) if rng.random() < 0.3 else z


def _edges(ends, w, p):
    return network(p, ends[:, 0], ends[:, 1], w, w)


def test_edges_against_a_bounded_least_squares_problem():
    """The dual: v - D'u nearest to 0 over |u_e| <= t w_e."""
    for ends, w, v in _graphs(100):
        p, t = len(v), 0.3 * np.abs(v).max() + 1e-3
        b = prox_levels(_edges(ends, w, p), v, t)
        held = w > 0.0
        if not held.any():
            assert b == pytest.approx(v)
            continue
        D = np.zeros((held.sum(), p))
        D[np.arange(len(D)), ends[held, 0]], D[np.arange(len(D)), ends[held, 1]] = 1.0, -1.0
        found = lsq_linear(D.T, v, (-t * w[held], t * w[held]), method="bvls", tol=1e-14)
        assert b == pytest.approx(v - D.T @ found.x, abs=1e-9 * np.abs(v).max())


def test_groups_against_their_dual():
    """No objective is below that of b: the dual optimum over vectors on the groups is the same."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        p, G = rng.integers(2, 8), rng.integers(1, 6)
        member = rng.random((G, p)) < 0.5
        w = rng.choice([0.5, 1.0, 2.0], G)
        g, j = np.nonzero(member)
        net = network(p, j, p + g, np.full(len(j), np.inf), np.zeros(len(j)), w)
        v, t = np.abs(rng.standard_normal(p)), rng.choice([0.01, 0.2, 0.5, 3.0])
        b = prox_levels(net, v, t, positive=True)
        assert (b >= 0.0).all() and (b <= v + 1e-15).all()
        largest = np.array([b[some].max(initial=0.0) for some in member])
        least = 0.5 * ((b - v) ** 2).sum() + t * w @ largest
        assert least - _dual(member, w, v, t) == pytest.approx(0.0, abs=1e-6)


def _dual(member, w, v, t):
    """The dual optimum, max |v|^2/2 - |v - sum xi|^2/2, by projected gradient with many steps."""
    xi = np.zeros(member.shape)
    ahead, last, L = xi, xi, max(member.sum(axis=0).max(), 1)
    for k in range(600):
        step = ahead + member * (v - ahead.sum(axis=0)) / L
        last = xi
        xi = np.stack([project_l1(x.clip(0.0), t * c) for x, c in zip(step, w, strict=True)])
        ahead = xi + k / (k + 3) * (xi - last)
    return 0.5 * v @ v - 0.5 * ((v - xi.sum(axis=0)).clip(0.0) ** 2).sum()


@pytest.mark.parametrize("size", [0.0, 0.5])
def test_ratios_by_all_sets(size):
    for ends, w, z in _graphs(150, seed=3):
        p = len(z)
        if size == 0.0:  # sums to 0, and all are joined: no set is without edges
            ends = np.vstack([ends, [(j, j + 1) for j in range(p - 1)]])
            w = np.r_[w, np.ones(p - 1)]
            z = z - z.mean()
        best = 0.0
        for code in range(1, 2**p):
            inside = (code >> np.arange(p)) & 1 == 1
            charge = size * inside.sum() + w[inside[ends[:, 0]] != inside[ends[:, 1]]].sum()
            if charge > 0.0:
                best = max(best, z[inside].sum() / charge)
        found = largest_ratio(_edges(ends, w, p), z, size)
        assert found == pytest.approx(best, rel=1e-12, abs=1e-13 * np.abs(z).max())
        assert largest_ratio(_edges(ends, w, p), z, size, 2.0 * best + 1.0) == 2.0 * best + 1.0


def test_ends():
    net = network(3, [0], [1], [1.0], [1.0])
    assert prox_levels(net, np.zeros(3), 1.0).tolist() == [0.0, 0.0, 0.0]
    assert prox_levels(net, np.array([1.0, 5.0, 7.0]), 1.0).tolist() == [2.0, 4.0, 7.0]
    assert prox_levels(net, np.array([1.0, 5.0, 7.0]), np.inf).tolist() == [3.0, 3.0, 7.0]
    assert largest_ratio(net, np.zeros(3), 1.0) == 0.0
    assert largest_ratio(net, np.array([-1.0, -1.0, -1.0]), 1.0) == 0.0
