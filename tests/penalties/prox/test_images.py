"""Dual steps on images: their gap by its definition, feasible flows, pieces, threads."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sparsesolve.penalties.prox.images import DualSteps


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
