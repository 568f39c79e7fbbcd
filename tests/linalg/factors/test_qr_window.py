"""QRWindow: after any joins and leaves it knows what a fresh factorisation would say, of a window
and of all columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sparsesolve.linalg.factors.qr_window import QRWindow

A = np.random.default_rng(0).standard_normal((30, 16))
TARGET = np.random.default_rng(1).choice([-1.0, 1.0], 16)


def opened(columns, active=()):
    basis = QRWindow(1, 1)
    W = A[:, columns]
    basis.rewindow(np.empty(0, dtype=np.intc), np.empty((0, len(columns))), W.T @ W,
                   (W**2).sum(axis=0), 0)
    return basis


def agrees(basis, active, window):
    """Everything the basis knows, from the columns themselves."""
    J, W = A[:, active], A[:, window]
    lower, d, along, left = basis.state()
    assert lower @ lower.T == pytest.approx(J.T @ J, abs=1e-10)
    expected = np.linalg.solve(J.T @ J, TARGET[active]) if active else np.empty(0)
    assert d == pytest.approx(expected, abs=1e-9)
    assert along == pytest.approx(W.T @ (J @ expected), abs=1e-9)
    outside = W - J @ np.linalg.lstsq(J, W, rcond=None)[0] if active else W
    assert left == pytest.approx((outside**2).sum(axis=0), abs=1e-9)
    assert basis.window() == pytest.approx(np.linalg.solve(lower, J.T @ W), abs=1e-9)


@settings(max_examples=40)
@given(st.data())
def test_any_sequence_of_joins_leaves_and_windows(data):
    window, active, homes = [0, 1, 2, 3], [], {}  # homes: which window column an active one is
    basis = opened(window)
    for _ in range(data.draw(st.integers(1, 14))):
        idle = [i for i, j in enumerate(window) if j not in active]
        step = data.draw(st.sampled_from(["join", "leave", "window"]))
        if step == "join" and idle:
            i = data.draw(st.sampled_from(idle))
            assert basis.add(i, TARGET[window[i]])
            active.append(window[i])
            homes[window[i]] = i
        elif step == "leave" and active:
            k = data.draw(st.integers(0, len(active) - 1))
            j = active.pop(k)
            basis.drop(k, homes.pop(j, None))
            if j not in window:
                window.append(j)
        elif step == "window":
            keep = [i for i in idle if data.draw(st.booleans())]
            held = [window[i] for i in keep]
            new = [j for j in range(16) if j not in held + active and data.draw(st.booleans())]
            known, fresh = A[:, active + held], A[:, new]
            basis.rewindow(np.array(keep, dtype=np.intc), known.T @ fresh, fresh.T @ fresh,
                           (fresh**2).sum(axis=0), 3)
            window, homes = held + new, {}
        else:
            basis.refresh(2)
        agrees(basis, active, window)


def test_a_dependent_column_stays_out():
    B = A[:, :4].copy()
    B[:, 2] = B[:, 0] - B[:, 1]
    basis = QRWindow()
    basis.rewindow(np.empty(0, dtype=np.intc), np.empty((0, 4)), B.T @ B, (B**2).sum(axis=0), 4)
    assert basis.add(0, 1.0) and basis.add(1, 1.0)
    assert not basis.add(2, 1.0) and basis.add(3, 1.0)
    assert basis.size == 3
    basis.drop(0, 0)
    assert basis.add(2, 1.0)


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
def test_once_it_encloses_all_columns_it_is_right_about_every_one(data, ridge):
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
