"""The progress bar: it reaches the end, keeps to stderr, and can be silent."""

import sys
import types

import pytest

from sparsesolve.paths import progress
from sparsesolve.paths.progress import progress_bar


@pytest.fixture
def no_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)


def test_own_bar(no_tqdm, capsys, monkeypatch):
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    with progress_bar(4) as advance:
        advance(1, "a long text")
        advance(2, "short")
        advance(4)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("\n") and shown.err.count("\n") == 1
    drawings = shown.err.strip("\n").split("\r")[1:]
    assert "1/4 a long text" in drawings[0] and "2/4 short" in drawings[1]
    assert len(drawings[1]) == len(drawings[0])  # blanks over what was there
    assert "#" * progress.WIDTH + "] 4/4" in drawings[-1]


def test_own_bar_does_not_draw_every_step(no_tqdm, capsys):
    with progress_bar(10_000) as advance:
        for done in range(1, 10_001):
            advance(done)
    assert capsys.readouterr().err.count("\r") < 100


def test_own_bar_may_end_early_or_be_empty(no_tqdm, capsys):
    with progress_bar(10) as advance:
        advance(3)
    assert "3/10" in capsys.readouterr().err
    with progress_bar(0):
        pass
    with pytest.raises(KeyboardInterrupt), progress_bar(10):
        raise KeyboardInterrupt
    assert capsys.readouterr().err.endswith("\n")


def test_tqdm_bar(capsys):
    pytest.importorskip("tqdm")
    with progress_bar(5) as advance:
        advance(2, "df 3")
        advance(5, "df 7")
    shown = capsys.readouterr()
    assert shown.out == "" and "5/5" in shown.err and "df 7" in shown.err


def test_silence(capsys, monkeypatch):
    with progress_bar(5, shown=False) as advance:
        advance(3, "text")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", None)  # a program without a console
    with progress_bar(5) as advance:
        advance(3)


def test_a_broken_tqdm_is_no_reason_to_fail(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    with progress_bar(5) as advance:
        advance(5)
    assert "5/5" in capsys.readouterr().err
