"""Spans of columns: an orthonormal basis under weights, and the way back to the columns."""

import signal
import sys
import threading

import numpy as np
import pytest
from scipy import sparse
from sparsesolve.linalg.design.design import Design

from sparsesolve.linalg.factors.span import Span, Spans, heard, told_apart

W = np.array([0.1, 0.3, 0.0, 0.2, 0.4])


def standardised(X, store=np.asfortranarray):
    design = Design(store(X))
    assert design.moments(W)
    design.standardise(True, np.full(X.shape[1], 2.0))
    return design, 2.0 * (X - W @ X)


@pytest.mark.parametrize("store", [np.asfortranarray, sparse.csc_array])
def test_a_basis_of_what_the_columns_span_and_no_more(store):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((5, 6))
    X[:, 4] = X[:, 1] - 3 * X[:, 2]  # dependent
    design, Z = standardised(X, store)
    which = np.array([1, 2, 4])
    span = Span(design, which, np.sqrt(W), True)
    A = np.sqrt(W)[:, None] * Z[:, which]
    assert span.Q.shape == (5, 2)
    assert span.Q.T @ span.Q == pytest.approx(np.eye(2), abs=1e-14)
    assert A @ span.back == pytest.approx(span.Q, abs=1e-12)
    assert span.Q @ (span.Q.T @ A) == pytest.approx(A, abs=1e-12)


def test_the_way_back_is_the_shortest_in_units_of_the_columns_sizes():
    X = np.random.default_rng(3).standard_normal((5, 2))
    X[:, 1] = X[:, 0]
    design, _ = standardised(X)
    span = Span(design, np.array([0, 1]), np.sqrt(W), True)
    assert span.back[0] == pytest.approx(span.back[1])


def test_no_columns_span_nothing():
    design, _ = standardised(np.random.default_rng(3).standard_normal((5, 2)))
    span = Span(design, np.array([], dtype=int), np.sqrt(W), True)
    assert span.Q.shape == (5, 0) and span.back.shape == (0, 0)


@pytest.mark.parametrize("eps", [1e-2, 1e-6, 1e-10, 0.0])
def test_columns_told_apart_span_what_the_columns_do(eps):
    X = np.random.default_rng(3).standard_normal((5, 3))
    X[:, 1] = X[:, 0] + eps * X[:, 2]
    design, Z = standardised(X)
    spans = Spans(design, np.sqrt(W), True)
    found = spans.apart([0, 1])
    assert (found is spans.apart([0, 1])) and found.shape == (5, 2 if eps else 1)
    heavy = np.sqrt(W)[:, None] * found
    assert told_apart(heavy.T @ heavy)
    if eps == 1e-2:
        assert found == pytest.approx(Z[:, :2])
    else:
        assert heavy.T @ heavy == pytest.approx(np.eye(found.shape[1]), abs=1e-13)
    seen = np.linalg.lstsq(heavy, np.sqrt(W)[:, None] * Z[:, :2], rcond=None)[0]
    assert found[W > 0] @ seen == pytest.approx(Z[W > 0, :2], abs=1e-9)
    r = np.array([0.0, 1.0, 5.0, -2.0, 1.0])
    Q = np.linalg.qr(heavy)[0]
    assert spans.projection([0, 1], r) == pytest.approx(np.linalg.norm(Q.T @ r), abs=1e-12)


def test_each_response_has_the_columns_that_span_its_own():
    design, Z = standardised(np.random.default_rng(3).standard_normal((5, 3)))
    free = np.array([[True, True, False], [False, False, True], [True, True, False]])
    columns, mine = Spans(design, np.sqrt(W), True).apart_in_each(np.arange(3), free)
    assert columns[:, mine[0]] == pytest.approx(Z[:, :2]) and (mine[0] == mine[2]).all()
    assert columns[:, mine[1]] == pytest.approx(Z[:, 2:])
    constant = np.insert(free, 1, [True, False, True], axis=1)
    columns, mine = Spans(design, np.sqrt(W), True).apart_in_each([0, -1, 1, 2], constant)
    assert columns[:, mine[0]] == pytest.approx(np.column_stack([np.ones(5), Z[:, :2]]))
    assert columns[:, mine[1]] == pytest.approx(Z[:, 2:])


def test_what_is_heard_is_what_the_function_says():
    assert heard(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        heard(divmod, 7, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
def test_a_signal_is_heard_while_a_function_goes_on():
    goes_on, ended = threading.Event(), []

    def long_work():
        signal.raise_signal(signal.SIGINT)
        ended.append(goes_on.wait(60.0))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may set it aside
    try:
        with pytest.raises(KeyboardInterrupt):
            heard(long_work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not ended
    goes_on.set()


def test_a_combination_vanishes_by_the_size_of_its_terms_alone():
    """Not by the number of rows: a sum of two columns of 10,000 rows has two roundings a row."""
    n = 10_000
    u, v = np.random.default_rng(0).standard_normal((2, n))
    design = Design(np.asfortranarray(np.column_stack([u, -u, -u + 1e-12 * v])))
    w = np.full(n, 1.0 / n)
    design.moments(w)
    design.standardise(False, np.ones(3))
    spans = Spans(design, np.sqrt(w), False, design.norms(w))
    directions = sparse.csc_array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    columns = np.stack([design.combination(np.array([0, j], np.intc), np.ones(2)) for j in (1, 2)])
    assert spans.vanish(columns.T.copy(), directions).tolist() == [True, False]
    span = spans.along(directions)
    assert span.Q.shape == (n, 1) and abs(span.Q[:, 0] @ v) == pytest.approx(
        np.linalg.norm(v), rel=1e-3
    )
