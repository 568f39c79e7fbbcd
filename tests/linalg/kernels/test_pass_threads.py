"""Threads that come back late are let alone for a while, and called again."""

import numpy as np
from sparsesolve.linalg.kernels.pass_threads import members

QUICK, LATE = 1e-4, 5e-3  # seconds of a pass


def test_punctual_threads_share_every_pass():
    assert members(4, [QUICK] * 1000) == [4] * 1000


def test_one_thread_is_never_waited_for():
    assert members(1, [LATE] * 100) == [1] * 100


def test_after_late_threads_passes_are_made_alone_twice_as_many_each_time():
    found = members(3, [LATE] * 2000)
    shared = np.flatnonzero(np.equal(found, 3))
    assert list(np.diff(shared)) == [65, 129, 257, 513, 1025]
    assert set(found) == {1, 3}


def test_a_late_pass_among_many_costs_as_much_as_the_first():
    seconds = [QUICK] * 4000
    for late in (0, 1000, 2000):
        seconds[late] = LATE
    found = np.array(members(2, seconds))
    assert np.count_nonzero(found == 1) == 3 * 64


def test_passes_over_more_values_may_take_longer():
    assert members(2, [LATE] * 100, values=1e7) == [2] * 100
    assert members(2, [40 * LATE] * 3, values=1e7) == [2, 1, 1]


def test_some_passes_are_shared_again_however_late_the_threads_have_been():
    seconds = [LATE] * 100_000 + [QUICK] * 100_000
    found = np.array(members(2, seconds))
    assert np.count_nonzero(found[:100_000] == 2) <= 12
    assert np.count_nonzero(found[100_000:] == 2) >= 30_000
