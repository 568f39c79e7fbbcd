"""Systems of overlapping blocks: full and sparse ones, compared with the sums written out."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from sparsesolve.penalties.prox import sum_of_norms
from sparsesolve.penalties.prox.sum_of_norms import BlockSystem

FEATURES = np.array([0, 1, 2, 2, 3, 4, 4, 0], dtype=np.intc)
START = np.array([0, 3, 6, 8], dtype=np.intc)
OF = np.repeat([0, 1, 2], np.diff(START))


@pytest.mark.parametrize("dense, pair", [(0.0, 50.0), (0.0, 0.0), (10.0, 50.0)],
                         ids=["products", "pairs", "sparse"])  # fmt: skip
def test_solutions_of_sums_written_out(monkeypatch, dense, pair):
    monkeypatch.setattr(sum_of_norms, "DENSE", dense)
    monkeypatch.setattr(sum_of_norms, "PAIR", pair)
    rng = np.random.default_rng(0)
    x, y, held, pull = (rng.standard_normal(k) for k in (8, 8, 3, 5))
    system, held = BlockSystem(5, FEATURES, START, OF), 5.0 + held**2
    H = np.diag(1.0 + np.bincount(FEATURES, held[OF], minlength=5))
    products = np.zeros((5, 5))
    for g in range(3):
        own = slice(START[g], START[g + 1])
        a, b = np.zeros(5), np.zeros(5)
        a[FEATURES[own]], b[FEATURES[own]] = x[own], y[own]
        products += 0.5 * (np.outer(a, b) + np.outer(b, a))
    assert system.solve(held, x, y, pull) == pytest.approx(np.linalg.solve(H - products, pull))
    assert system.matrix(x, y, np.arange(5.0)) == pytest.approx(np.diag(np.arange(5.0)) - products)


@pytest.mark.parametrize("dense", [0.0, 10.0])
def test_singular_systems_are_told(monkeypatch, dense):
    monkeypatch.setattr(sum_of_norms, "DENSE", dense)
    system = BlockSystem(1, np.zeros(1, np.intc), np.array([0, 1], np.intc), np.zeros(1, int))
    with pytest.raises(LinAlgError):
        system.solve(np.zeros(1), np.ones(1), np.ones(1), np.ones(1))
