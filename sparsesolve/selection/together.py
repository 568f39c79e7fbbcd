"""Together: fits of rows in blocks run at the same time and share their passes."""

from concurrent.futures import ThreadPoolExecutor

from sparsesolve.data import Together, read_flag
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
