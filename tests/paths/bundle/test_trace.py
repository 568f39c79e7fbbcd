"""A trace: the gap of the best so far, and a clock that stands while it is observed."""

import time

import numpy as np

from sparsesolve.paths.bundle.trace import Recorder, Trace


def test_gaps_are_of_the_best_so_far():
    trace = Trace("pragam", np.array([3.0, 1.0, 2.0]), np.array([0.0, -1.0, 0.5]), np.zeros(3),
                  np.zeros(3), np.zeros(1), 0.0)  # fmt: skip
    assert trace.gaps.tolist() == [3.0, 1.0, 0.5] and trace.gap == 0.5


def test_the_clock_stands_while_it_is_observed(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    record = Recorder()
    now[0] = 1.0
    record.pause()
    now[0] = 5.0
    record.go_on()
    now[0] = 7.0
    record.record(1.0, 0.0, 2)
    assert record.trace("pegasos", np.zeros(1), 0.0).seconds.tolist() == [3.0]
