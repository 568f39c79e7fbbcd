"""Total variation on a chain: prox by its inclusion, dual norms by all intervals, any scale.

Dual steps on images: their gap by its definition, feasible flows, pieces, threads.
"""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sparsesolve.penalties.prox.chains import (
    DualSteps,
    chain_value,
    prox_chain,
    sparse_chain_polar,
)


def _draws(count=600):
    rng = np.random.default_rng(0)
    for trial in range(count):
        n = rng.integers(1, 15)
        v = rng.standard_normal(n).round(rng.integers(0, 3)) * 10.0 ** rng.integers(-3, 4)
        w = np.where(rng.random(n - 1) < 0.15, 0.0, rng.random(n - 1)) if trial % 2 else None
        yield v, 10.0 ** rng.uniform(-3, 3), w


def test_polar_of_intervals():
    for z, mu, given in _draws():
        n, w = len(z), np.ones(len(z) - 1) if given is None else given
        ends = np.concatenate([[0.0], w, [0.0]])
        best = max(
            abs(z[i:j].sum()) / (mu * (j - i) + ends[i] + ends[j])
            for i in range(n) for j in range(i + 1, n + 1)
        )  # fmt: skip
        assert sparse_chain_polar(z, mu, w) == pytest.approx(best, rel=1e-12)


def test_long_chains_and_extreme_levels():
    rng = np.random.default_rng(1)
    v = np.cumsum(rng.standard_normal(20_000)) + 3 * rng.standard_normal(20_000)
    for t in (1e-12, 0.1, 10.0, 1e4, 1e9):
        b = prox_chain(v, t)
        z = np.cumsum(v - b)[:-1]
        assert (np.abs(z) <= t + 1e-7).all()
        assert -z @ np.diff(b) == pytest.approx(t * chain_value(b), rel=1e-8, abs=1e-6)
    assert prox_chain(v, 1e9) == pytest.approx(np.full(20_000, v.mean()))
    assert (prox_chain(v, 0.0) == v).all() and prox_chain(v, 0.0) is not v


@pytest.mark.parametrize("n", [2, 37, 5000])
@pytest.mark.parametrize("t", [1e-3, 0.3, 4.0, 1e6])
def test_the_direct_scan_is_the_taut_string(n, t):
    """Weights of 1, given, go by the string; not given, by the scan, or by the string after it."""
    rng = np.random.default_rng(n)
    for v in (np.cumsum(rng.standard_normal(n)) + rng.standard_normal(n), np.zeros(n),
              np.resize([1.0, -1.0], n), np.round(rng.standard_normal(n))):  # fmt: skip
        string = prox_chain(v, t, np.ones(n - 1))
        assert prox_chain(v, t) == pytest.approx(string, abs=1e-12 * (n + np.abs(v).sum()))


# Images


def _images(count=40, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        m, n = rng.integers(1, 40, 2)
        V = rng.standard_normal((m, n)) * 10.0 ** rng.integers(-3, 4)
        yield V.round(1) if rng.random() < 0.3 else V, *(rng.exponential(0.5, 2) * np.abs(V).max())


def _residual(V, down, right):
    """V less what the flows take out of each pixel."""
    P = V.copy()
    P[:-1] -= down
    P[1:] += down
    P[:, :-1] -= right
    P[:, 1:] += right
    return P


def test_the_gap_is_that_of_feasible_flows():
    for V, t0, t1 in _images():
        steps = DualSteps(V, t0, t1, 1)
        gap = steps.approximate(0.0, 7)
        down, right = steps.flows()
        size = np.abs(V).sum() + t0 + t1
        assert (np.abs(down) <= t0 + 1e-12 * size).all()
        assert (np.abs(right) <= t1 + 1e-12 * size).all()
        P = _residual(V, down, right)
        primal = t0 * np.abs(np.diff(P, axis=0)).sum() + t1 * np.abs(np.diff(P, axis=1)).sum()
        primal += 0.5 * ((P - V) ** 2).sum()
        dual = 0.5 * ((V**2).sum() - (P**2).sum())
        assert gap == pytest.approx(primal - dual, abs=1e-10 * size * np.abs(V).max(initial=0.0))


def test_gaps_go_to_zero_and_stop_the_steps():
    V = np.random.default_rng(1).standard_normal((30, 20))
    steps = DualSteps(V, 0.3, 0.5, 1)
    assert steps.approximate(1e-6, 1000) <= 1e-6 and steps.steps < 200
    assert steps.approximate(0.0, 1000) <= 1e-11


def test_pieces_are_connected_where_chains_are_equal():
    V = np.random.default_rng(2).standard_normal((20, 30))
    steps = DualSteps(V, 0.3, 0.3, 1)
    steps.approximate(1e-13, 1000)
    # near the optimum both chains have its pieces
    P, place = _residual(V, *steps.flows()), np.arange(V.size).reshape(V.shape)
    tail = np.concatenate([place[:-1].ravel(), place[:, :-1].ravel()])
    head = np.concatenate([place[1:].ravel(), place[:, 1:].ravel()])
    same = np.abs(P.ravel()[tail] - P.ravel()[head]) < 1e-6
    edges = sparse.coo_array((same[same], (tail[same], head[same])), (V.size, V.size))
    count, label = connected_components(edges.tocsr(), directed=False)
    found = steps.pieces()
    assert sorted(set(found)) == list(range(count))
    assert len(set(zip(label, found, strict=True))) == count


def test_any_number_of_threads_gives_the_same_bits():
    V = np.random.default_rng(3).standard_normal((67, 45))
    answers = []
    for threads in (1, 2, 5):
        steps = DualSteps(V, 0.4, 0.2, threads)
        answers.append((steps.approximate(0.0, 12), *steps.flows(), steps.pieces()))
    for other in answers[1:]:
        assert all((np.asarray(a) == b).all() for a, b in zip(answers[0], other, strict=True))
