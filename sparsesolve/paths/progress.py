"""A progress bar on stderr: that of tqdm if it is installed, else a plain line."""

import sys
import time
from contextlib import contextmanager

# Seconds between two updates, so that a fast path does not spend its time on the bar.
INTERVAL = 0.1
# The bar has this many characters.
WIDTH = 30


@contextmanager
def progress_bar(total, shown=True, unit="lambda"):
    """Show the progress of a job until the ``with`` block ends.

    Parameters
    ----------
    total : int
        Number of steps of the job. It may end after fewer.
    shown : bool, default True
        False draws nothing, so that one ``with`` serves both cases.
    unit : str, default "lambda"
        Name of a step.

    Yields
    ------
    advance : callable (done, text="", *values)
        Report that `done` steps of `total` are finished (a count from the start, not an
        increment), with a few words on the last one: `text % values`, as in logging.
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
    """Return a tqdm bar, or None if tqdm is not installed."""
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
        # Blanks overwrite the rest of a longer line before this one.
        sys.stderr.write("\r" + line.ljust(self.length))
        sys.stderr.flush()
        self.drawn_at, self.length = time.monotonic(), len(line)

    def close(self):
        self.draw()
        sys.stderr.write("\n")
        sys.stderr.flush()
