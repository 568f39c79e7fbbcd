"""The number of threads, and BLAS restricted to one thread while ours run."""

import functools
import operator
import os
import threading
from contextlib import contextmanager

from threadpoolctl import ThreadpoolController

from sparsesolve.linalg.kernels.pass_threads import stay_alone

# More threads per core slow each other down, and a million could end the process.
MOST_PER_CORE = 4

_forked = False


def _after_fork_in_child():
    global _forked, _hold
    _forked = True
    stay_alone()  # also the regions of objects that were made with threads before the fork
    # The thread that restricted BLAS need not exist in the child.
    _hold = _Hold()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def usable_cores():
    """Return the number of cores this process may use, fewer than the machine has if pinned."""
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
        for them forever. `stay_alone` holds every loop there to one, whoever counted. Start
        processes by ``spawn`` or ``forkserver`` (joblib's loky does) to use threads in them.

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
    """Restrict numpy's and scipy's BLAS to one thread inside a ``with`` block, then restore it.

    The first of overlapping blocks changes BLAS and the last one to end restores it, whichever
    Python threads they run in. No block sees more than one BLAS thread, which could change the
    last bits of its results. (An OpenBLAS built with OpenMP, unlike those in the wheels of numpy
    and scipy, keeps a number of threads for each thread; only that of the first block changes.)
    """
    hold = _hold
    hold.enter()
    try:
        yield
    finally:
        hold.leave()


class _Hold:
    """The number of blocks that restrict BLAS, and the threads to restore after the last one."""

    def __init__(self):
        self.lock, self.blocks, self.before = threading.Lock(), 0, []

    def enter(self):
        with self.lock:
            if self.blocks == 0:
                counts = [(library, library.get_num_threads()) for library in _blas_libraries()]
                self.before = [pair for pair in counts if pair[1] not in (1, None)]
                for library, _ in self.before:
                    _set_threads(library, 1)
            self.blocks += 1

    def leave(self):
        with self.lock:
            self.blocks -= 1
            if self.blocks == 0:
                for library, count in self.before:
                    _set_threads(library, count)


def _set_threads(library, count):
    """Set the threads of a BLAS, from any Python thread: threadpoolctl 3.8 ignores all but the
    first one.
    """
    clear = getattr(library, "clear_controlling_thread", lambda force: None)
    clear(force=True)
    library.set_num_threads(count)
    clear(force=True)


_hold = _Hold()


@functools.cache
def _blas_libraries():
    """Return a controller of each BLAS; making them walks all loaded libraries (milliseconds)."""
    import scipy.linalg.cython_blas  # noqa: F401  (a controller knows only what is loaded by now)

    return ThreadpoolController().select(user_api="blas").lib_controllers
