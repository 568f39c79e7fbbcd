"""Together: fits of rows in blocks run at the same time and share their passes."""

import threading
from concurrent.futures import ThreadPoolExecutor

from sparsesolve.data import read_flag
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.threads import one_blas_thread
from sparsesolve.paths.progress import progress_bar


def at_the_same_time(calls_of, matrix):
    """Return what each of calls_of(matrix), callables, returns; rows in blocks share passes."""
    if not isinstance(matrix, DistributedDesign):
        return [call() for call in calls_of(matrix)]

    def sharing(matrix):
        return [lambda *_, call=call: call() for call in calls_of(matrix)]

    return run_together(sharing, matrix)


def run_together(calls_of, matrix, progress=False):
    """Return what each of several calls (n_threads, wanted) returns, in order.

    calls_of(matrix) makes them for rows in blocks; they run in threads and share their passes.
    """
    visible, together = read_flag("progress", progress), Together(matrix.gather)
    calls, wanted, found = calls_of(matrix.copy(together)), Wanted(), []
    together.running = len(calls)

    def run(call):
        try:
            return call(1, wanted)
        finally:
            together.leave()

    with one_blas_thread(), progress_bar(len(calls), visible, unit="path") as advance:
        pool = ThreadPoolExecutor(len(calls))
        try:
            for one in [pool.submit(run, call) for call in calls]:
                found.append(one.result())
                advance(len(found))
        except BaseException:
            wanted.still = False
            raise
        finally:
            pool.shutdown()
    return found


class Wanted:
    """True while the paths of other threads are needed; each path asks after every lambda."""

    def __init__(self):
        self.still = True

    def __call__(self, *words):
        if not self.still:
            raise KeyboardInterrupt


class Together:
    """Answers the calls of several fits, which run in threads, by one call for all of them.

    A call waits until every fit that still runs has made one. So the fits share their passes.
    """

    def __init__(self, gather):
        self.gather, self.running = gather, 0  # fits
        self.calls, self.changed = [], threading.Condition()

    @property
    def moved(self):
        """Bytes that the passes have moved."""
        return self.gather.moved

    def keep(self, make, arguments):
        """Return what make(*arguments[k]) returns for every block, for later calls."""
        return self.gather.keep(make, arguments)

    def leave(self):
        """Count a fit as ended."""
        with self.changed:
            self.running -= 1
            self._answer()

    def __call__(self, function, arguments, merge):
        own = [function, arguments, merge, None, None]
        with self.changed:
            self.calls.append(own)
            self._answer()
            self.changed.wait_for(lambda: own[3] is not None)
        if own[4] is not None:
            raise own[4]
        return own[3][0]

    def _answer(self):
        """Make the pass if all running fits wait for it."""
        calls = self.calls
        if not calls or len(calls) < self.running:
            return
        self.calls = []
        try:
            asked = [(function, merge) for function, _, merge, *_ in calls]
            blocks = zip(*(arguments for _, arguments, *_ in calls), strict=True)
            each = [(k, asked, *rest) for k, rest in enumerate(blocks)]
            found = self.gather(_of_many, each, _of_two)
            for own, (_, part) in zip(calls, found, strict=True):
                own[3] = ([part[k] for k in range(len(each))] if own[2] is None else part,)
        except BaseException as error:
            for own in calls:
                own[3:] = (), error
        self.changed.notify_all()


def _of_many(block, k, asked, *arguments):
    """Return what several functions return of a block: (merge, result), a dict without one."""
    return [
        (merge, function(block, *rest) if merge is not None else {k: function(block, *rest)})
        for (function, merge), rest in zip(asked, arguments, strict=True)
    ]


def _of_two(left, right):
    return [
        (merge, a | b if merge is None else merge(a, b))
        for (merge, a), (_, b) in zip(left, right, strict=True)
    ]
