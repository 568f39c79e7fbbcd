"""Passes: what is read, in which order, and when they end."""

from types import SimpleNamespace

import numpy as np
import pytest

import sparsesolve as ss
from sparsesolve.online.passes import learn_passes


class Fit:
    """Keeps what it is given; a block is a tuple of row numbers."""

    def __init__(self, method):
        self.settings, self.told, self._loss_so_far = SimpleNamespace(method=method), [], 0.5

    def _measure(self, blocks):
        self.told.append(("measured", [block.rows for block in blocks]))

    def _learn(self, block):
        self.told.append(("learned", block.rows))


def blocks(order):
    """Five rows, in blocks of three at most."""
    order = range(5) if order is None else order
    for first in (0, 3):
        rows = list(order)[first : first + 3]
        yield SimpleNamespace(rows=rows, n=len(rows))


def test_every_pass_has_its_order():
    orders = iter([None, [4, 3, 2, 1, 0]])
    fit = learn_passes(Fit("ftrl"), blocks, 2, lambda: next(orders))
    assert fit.told == [("learned", [0, 1, 2]), ("learned", [3, 4]),
                        ("learned", [4, 3, 2]), ("learned", [1, 0])]  # fmt: skip


def test_svrg_measures_all_rows_in_their_order_before_it_learns_them():
    fit = learn_passes(Fit("svrg"), blocks, 1, lambda: [4, 3, 2, 1, 0])
    assert fit.told[0] == ("measured", [[0, 1, 2], [3, 4]])
    assert fit.told[1:] == [("learned", [4, 3, 2]), ("learned", [1, 0])]


@pytest.mark.parametrize("ends_after, passes", [(1, 1), (3, 3), (9, 4)])
def test_rows_held_out_may_end_it_and_say_what_comes_back(ends_after, passes):
    best, losses = SimpleNamespace(), []

    def ends(fit):
        losses.append(len(fit.told))
        return len(losses) >= ends_after

    watch = SimpleNamespace(ends=ends, best=best, losses=losses)
    found = learn_passes(Fit("rda"), blocks, 4, lambda: None, watch)
    assert found is best and found.holdout_losses is losses
    np.testing.assert_array_equal(losses, 2 * np.arange(1, passes + 1))


def test_progress_tells_rows_and_loss(capsys):
    learn_passes(Fit("ftrl"), blocks, 2, lambda: None, rows=5, progress=True)
    told = capsys.readouterr().err
    ss.online(np.eye(3), np.arange(3.0), lam=0.1, progress=True)
    assert "nan" not in capsys.readouterr().err
    assert "10" in told and "loss 0.5" in told
