"""Total variation on edges: against enumerations of sets, the taut string, and Fenchel-Young."""

from itertools import product

import numpy as np
import pytest

from sparsesolve.penalties.graph_tv import GraphTV

RNG = np.random.default_rng(11)
TAIL, HEAD = np.array([0, 1, 2, 3, 0, 1, 5]), np.array([1, 2, 3, 4, 2, 4, 6])  # parts 0-4, 5-6
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.5, 0.7, 0.3, 1.2])


def graph(l1=0.0, weights=WEIGHTS):
    return GraphTV(zip(TAIL, HEAD, strict=True), weights, l1).over(7)


def centred(z):
    """z minus its means on the two connected parts."""
    return np.concatenate([z[:5] - z[:5].mean(), z[5:] - z[5:].mean()])


def enumerated_polar(z, l1):
    """The largest |z(S)| / (l1 |S| + weight of the edges that leave S), over all sets S."""
    best = 0.0
    for bits in product([False, True], repeat=7):
        S = np.array(bits)
        size = l1 * S.sum() + WEIGHTS[S[TAIL] != S[HEAD]].sum()
        if size > 0.0:
            best = max(best, abs(z[S].sum()) / size)
    return best


@pytest.mark.parametrize("l1", [0.0, 0.4])
def test_the_polar_is_the_largest_ratio_over_all_sets(l1):
    for _ in range(5):
        z = RNG.standard_normal(7)
        z = z if l1 else centred(z)
        assert graph(l1).polar(z) == pytest.approx(enumerated_polar(z, l1), rel=1e-9)


def test_without_l1_constants_on_each_part_are_free():
    K = graph().kernel().toarray()
    assert sorted(map(tuple, K.T)) == [(0, 0, 0, 0, 0, 1, 1), (1, 1, 1, 1, 1, 0, 0)]
    b = RNG.standard_normal(7)
    assert graph().value(b + K @ [3.0, -2.0]) == pytest.approx(graph().value(b))
    assert graph().polar(np.eye(7)[0]) == np.inf and graph(0.1).kernel() is None


def test_edges_of_weight_0_join_nothing():
    own = graph(weights=np.where(np.arange(7) == 6, 0.0, WEIGHTS))
    assert own.kernel().shape == (7, 3)
    v = RNG.standard_normal(7)
    assert own.prox(v, 0.3)[5:].tolist() == v[5:].tolist()
