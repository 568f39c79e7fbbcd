"""Jobs: many paths of the same data, one after the other, several at a time, or sharing passes."""

import operator
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

from sparsesolve.data import read_flag, refuse_unknown, shown
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.threads import one_blas_thread, thread_count, usable_cores
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import path, solve_path
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
                while wait([one], timeout=1.0).not_done:
                    pass  # an interrupt that comes just before a wait is seen after it
                found.append(one.result())
                advance(len(found))
        except BaseException:
            wanted.still = False
            together.close()  # an interrupt may come before all have begun
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
        self.gather, self.running, self.open = gather, 0, True  # running: fits
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

    def close(self):
        """Let every call raise KeyboardInterrupt, those that wait too."""
        with self.changed:
            self.open = False
            self.changed.notify_all()

    def __call__(self, function, arguments, merge):
        own = [function, arguments, merge, None, None]
        with self.changed:
            self.calls.append(own)
            self._answer()
            self.changed.wait_for(lambda: own[3] is not None or not self.open)
        if own[3] is None:
            raise KeyboardInterrupt
        if own[4] is not None:
            raise own[4]
        return own[3][0]

    def _answer(self):
        """Make the pass if all running fits wait for it."""
        calls = self.calls
        if not calls or len(calls) < self.running or not self.open:
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


def read_options(options, function=path):
    """Return all options of path, defaults included; `function` has further ones."""
    defaults = path.__kwdefaults__
    refuse_unknown(function.__name__, options, [*function.__kwdefaults__, *defaults], "function")
    if function.__name__ not in ("path", "cv_path"):
        refuse_checkpoint(options, function)
    return {**defaults, **options}


def refuse_checkpoint(options, function):
    """Raise ValueError if `function`, which makes many fits of its own, is given a checkpoint."""
    if options.get("checkpoint") is not None:
        raise ValueError(f"checkpoint is of path and cv_path; {function.__name__} makes fits of "
                         "its own; leave it out")  # fmt: skip


def run_jobs(jobs, data, n_jobs, progress, *, refit=None, fit=None, sums=None):
    """Return the path of each job in order, and what `refit` makes of it, else None.

    Parameters
    ----------
    jobs : list of (dict, str or None)
        All options of a path, and a name at the start of its errors.
    data : (matrix, y, names of the columns or None)
    n_jobs, progress
        As in :func:`run_calls`.
    refit : callable (path, matrix, y, wanted) or None
    fit : callable or None
        A function in place of path.
    sums : list or None
        Summaries of the rows of each job, of one alpha after the other; rows in blocks alone.
    """
    def calls(matrix):
        own = [matrix] if sums is None else [matrix.copy(known=one) for one in sums]
        return [partial(_solve, (own[k % len(own)], *data[1:]), options, name, refit, fit)
                for k, (options, name) in enumerate(jobs)]  # fmt: skip

    if isinstance(data[0], DistributedDesign):
        return run_together(calls, data[0], progress)
    return run_calls(calls(data[0]), jobs[0][0]["n_threads"], n_jobs, progress)


def run_calls(calls, n_threads, n_jobs, progress):
    """Return what each of several calls returns, in order.

    Parameters
    ----------
    calls : list of callable (n_threads, wanted)
        A call should end in an error soon after ``wanted()`` raises; None: it is wanted.
    n_threads : int
        Threads of one call alone. Calls at the same time have their share of the cores at most.
    n_jobs : int
        With 1 they run here, one after the other; otherwise by joblib, so that a backend that the
        user has registered distributes them. By default joblib uses threads, which share data.
    progress : bool
        Show a bar.
    """
    n_jobs = _read_jobs(n_jobs)
    visible = read_flag("progress", progress)
    with one_blas_thread(), progress_bar(len(calls), visible, unit="path") as advance:
        if n_jobs == 1:
            fits = []
            for call in calls:
                fits.append(call(n_threads, None))
                advance(len(fits))
            return fits
        try:
            from joblib import Parallel, delayed
        except ImportError:
            raise ImportError("n_jobs other than 1 needs joblib: pip install joblib") from None
        cores = usable_cores()
        most = max(1, cores // (n_jobs if n_jobs > 0 else cores))
        few = min(most, thread_count(n_threads))
        one_by_one = "generator" if visible else "list"  # only some backends have "generator"
        wanted, fits = Wanted(), []
        try:
            found = Parallel(n_jobs=n_jobs, prefer="threads", return_as=one_by_one)(
                delayed(call)(few, wanted) for call in calls
            )
            for fit in found:
                fits.append(fit)
                advance(len(fits))
        except BaseException:
            wanted.still = False
            raise
        return fits


def _solve(data, options, name, refit, fit, n_threads, wanted):
    """Return the path of one job and its refit, or None; errors name the job."""
    try:
        names = data[2] if len(data) > 2 else None
        options = {**options, "n_threads": n_threads}
        if fit is not None:
            options["feature_names"] = names if names is not None else options["feature_names"]
            path = fit(*data[:2], **options)
        else:
            path = solve_path(*data[:2], PathOptions(**options), names, wanted)
        return path, None if refit is None else refit(path, *data[:2], wanted)
    except ValueError as error:
        if name is None:
            raise
        raise ValueError(f"{name}: {error}") from error


def _read_jobs(n_jobs):
    wanted = "n_jobs must be a positive whole number, or -1 for all cores"
    try:
        count = operator.index(n_jobs)
    except TypeError:
        raise TypeError(f"{wanted}, not {shown(n_jobs)}") from None
    if count == 0 or count < -1:
        raise ValueError(f"{wanted}, not {count}")
    return count
