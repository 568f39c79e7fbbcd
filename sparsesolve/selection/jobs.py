"""Jobs: many paths of the same data, one after the other or several at a time."""

import operator
from functools import partial

from sparsesolve.data import read_flag, refuse_unknown, shown
from sparsesolve.linalg.design.distributed import DistributedDesign
from sparsesolve.linalg.threads import one_blas_thread, thread_count, usable_cores
from sparsesolve.paths.options import PathOptions
from sparsesolve.paths.path import path, solve_path
from sparsesolve.paths.progress import progress_bar
from sparsesolve.selection.relaxed import refitted
from sparsesolve.selection.together import Wanted, run_together


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


def run_jobs(jobs, data, relaxed, n_jobs, progress, fit=None, sums=None):
    """Return the path of each job in order, and its refit if `relaxed`, else None.

    Parameters
    ----------
    jobs : list of (dict, str or None)
        All options of a path, and a name at the start of its errors.
    data : (matrix, y, names of the columns or None)
    n_jobs, progress
        As in :func:`run_calls`.
    fit : callable or None
        A function in place of path.
    sums : list or None
        Summaries of the rows of each job, of one alpha after the other; rows in blocks alone.
    """
    def calls(matrix):
        own = [matrix] if sums is None else [matrix.copy(known=one) for one in sums]
        return [partial(_solve, (own[k % len(own)], *data[1:]), options, name, relaxed, fit)
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


def _solve(data, options, name, relaxed, fit, n_threads, wanted):
    """Return the path of one job and its refit, or None; errors name the job."""
    try:
        names = data[2] if len(data) > 2 else None
        options = {**options, "n_threads": n_threads}
        if fit is not None:
            options["feature_names"] = names if names is not None else options["feature_names"]
            path = fit(*data[:2], **options)
        else:
            path = solve_path(*data[:2], PathOptions(**options), names, wanted)
        return path, refitted(path, *data[:2], wanted) if relaxed else None
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
