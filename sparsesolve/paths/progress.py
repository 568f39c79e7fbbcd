"""A progress bar on stderr: tqdm's where it is installed, else one line of our own."""

import sys
import time
from contextlib import contextmanager

INTERVAL = 0.1  # seconds between two drawings: a fast path must not spend its time on the bar
WIDTH = 30  # characters of the bar


@contextmanager
def progress_bar(total, shown=True, unit="lambda"):
    """Show how far a job has come, until the ``with`` block ends.

    Parameters
    ----------
    total : int
        Steps in the whole job. It may end after fewer.
    shown : bool, default True
        False draws nothing, so that one ``with`` serves both cases.
    unit : str, default "lambda"
        What a step is called.

    Yields
    ------
    advance : callable (done, text="", *values)
        Tell that `done` steps of `total` are behind us (a count from the start, not an
        increment), with a few words on the last one: `text % values`, as logging has it.
    """
    if not shown or sys.stderr is None:
        yield lambda done, *words: None
        return
    bar = _tqdm_bar(total, unit) or _OwnBar(total)
    try:
        yield bar.advance
    finally:
        bar.close()


def _tqdm_bar(total, unit):
    """A bar of tqdm, or None where tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return _TqdmBar(tqdm(total=total, mininterval=INTERVAL, file=sys.stderr, unit=unit))


class _TqdmBar:
    def __init__(self, bar):
        self.bar = bar

    def advance(self, done, text="", *values):
        self.bar.set_postfix_str(text % values, refresh=False)
        self.bar.update(done - self.bar.n)

    def close(self):
        self.bar.refresh()
        self.bar.close()


class _OwnBar:
    def __init__(self, total):
        self.total, self.done, self.text = total, 0, ""
        self.drawn_at, self.length = -INTERVAL, 0

    def advance(self, done, text="", *values):
        self.done, self.text = done, text % values
        if time.monotonic() - self.drawn_at >= INTERVAL:
            self.draw()

    def draw(self):
        share = min(1.0, self.done / self.total) if self.total else 1.0
        bar = "#" * round(WIDTH * share)
        line = f"[{bar:.<{WIDTH}}] {self.done}/{self.total} {self.text}"
        # Blanks wipe what a longer line before this one left behind.
        sys.stderr.write("\r" + line.ljust(self.length))
        sys.stderr.flush()
        self.drawn_at, self.length = time.monotonic(), len(line)

    def close(self):
        self.draw()
        sys.stderr.write("\n")
        sys.stderr.flush()
