"""QRWindow: once it encloses all columns, it is right about every one of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sparsesolve.linalg.factors.qr_window import QRWindow

A = np.random.default_rng(0).standard_normal((30, 16))
TARGET = np.random.default_rng(1).choice([-1.0, 1.0], 16)


def enclosed(active, ridge):
    """A basis of the active columns, found in a window, that then encloses all."""
    basis, W = QRWindow(1, 1), A[:, active]
    square = (A**2).sum(axis=0) + ridge
    basis.rewindow(np.empty(0, dtype=np.intc), np.empty((0, len(active))), W.T @ W,
                   square[active], len(active))
    for i, j in enumerate(active):
        assert basis.add(i, TARGET[j])
    gram = A.T @ A
    before = gram.copy()
    basis.enclose(gram, np.array(active, dtype=np.intc), square, 16)
    return basis, gram, before


@settings(max_examples=40)
@given(st.data(), st.sampled_from([0.0, 0.7]))
def test_it_knows_what_a_fresh_factorisation_would_say(data, ridge):
    active = data.draw(st.lists(st.integers(0, 15), unique=True, max_size=6))
    basis, gram, before = enclosed(active, ridge)
    for _ in range(data.draw(st.integers(0, 12))):
        j = data.draw(st.integers(0, 15))
        if j in active:
            k = active.index(j)
            basis.drop(k, j)
            del active[k]
        else:
            assert basis.add(j, TARGET[j])
            active.append(j)
        if data.draw(st.booleans()):
            basis.refresh(16)
        M = A[:, active].T @ A[:, active] + ridge * np.eye(len(active))
        lower, d, along, left = basis.state()
        assert lower @ lower.T == pytest.approx(M, abs=1e-10)
        expected = np.linalg.solve(M, TARGET[active])
        assert d == pytest.approx(expected, abs=1e-9)
        idle = [i for i in range(16) if i not in active]
        cross = A[:, active].T @ A[:, idle]
        assert along[idle] == pytest.approx(cross.T @ expected, abs=1e-9)
        outside = (A[:, idle] ** 2).sum(axis=0) + ridge
        outside -= (cross * np.linalg.solve(M, cross)).sum(axis=0)
        assert left[idle] == pytest.approx(outside, abs=1e-9)
        assert basis.window()[:, idle] == pytest.approx(np.linalg.solve(lower, cross), abs=1e-9)
    assert np.array_equal(gram, before)
