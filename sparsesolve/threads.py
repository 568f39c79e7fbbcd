"""How many threads to use, and BLAS held to one thread while ours run."""

import functools
import operator
import os
import threading
from contextlib import contextmanager

from threadpoolctl import ThreadpoolController

MOST_PER_CORE = 4  # more slow each other, and a million may end the process

_forked = False
_blas_held = threading.Lock()


def _after_fork_in_child():
    global _forked, _blas_held
    _forked = True
    _blas_held = threading.Lock()  # its holder may be a thread that the child does not have


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def usable_cores():
    """Return the number of cores this process may use: fewer than the machine has when pinned."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13; it also heeds PYTHON_CPU_COUNT
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_threads):
    """Turn the argument ``n_threads`` into a number of threads.

    Parameters
    ----------
    n_threads : int or None
        A positive number, or -1 or None for all cores this process may use.

    Returns
    -------
    int
        From 1 to 4 for each core this process may use. Always 1 in a process made by ``fork``:
        GNU OpenMP's threads do not survive a fork, and a parallel loop in the child would wait
        for them forever. Start processes by ``spawn`` or ``forkserver`` (joblib's loky does) to
        use threads in them.

    Raises
    ------
    TypeError
        If it is not an integer.
    ValueError
        If it is 0 or less than -1.
    """
    n_threads = -1 if n_threads is None else n_threads
    wanted = "n_threads must be a positive whole number, or -1 for all cores"
    try:
        count = operator.index(n_threads)
    except TypeError:
        raise TypeError(f"{wanted}, not {n_threads!r}") from None
    if isinstance(n_threads, bool):
        raise TypeError(f"{wanted}, not {n_threads}")
    if count == 0 or count < -1:
        raise ValueError(f"{wanted}, not {count}")
    if _forked:
        return 1
    return usable_cores() if count == -1 else min(count, MOST_PER_CORE * usable_cores())


@contextmanager
def one_blas_thread():
    """Hold numpy's and scipy's BLAS to one thread inside a ``with`` block, then restore it.

    Only the outermost block of the process changes anything. Were each of two overlapping blocks
    in two Python threads to save and restore, the later one would save the 1 set by the earlier
    one and leave it behind. A block that outlives the one that holds BLAS runs on with BLAS's own
    number of threads: slower perhaps, never wrong.
    """
    held = _blas_held
    if not held.acquire(blocking=False):
        yield
        return
    try:
        with _blas_controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        held.release()


@functools.cache
def _blas_controller():
    """Return the one controller; making it walks all loaded libraries (milliseconds)."""
    import scipy.linalg.cython_blas  # noqa: F401  (a controller knows only what is loaded by now)

    return ThreadpoolController()
