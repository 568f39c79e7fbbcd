"""Faults put into a scratch build, so that a checker which finds nothing is known to be at work."""
from cython.parallel cimport prange
from libc.stdlib cimport free, malloc


def write_beyond(Py_ssize_t n):
    """Write one past the end of n numbers: for AddressSanitizer."""
    cdef double *place = <double *> malloc(n * sizeof(double))
    place[n] = 1.0
    free(place)


def overflow(int number):
    """Add one to a C int: undefined from the largest one, for UndefinedBehaviorSanitizer."""
    return number + 1


def race(double[::1] values, int n_threads):
    """Shift the values by one place, each from a neighbour that another thread may write."""
    cdef Py_ssize_t i
    for i in prange(values.shape[0] - 1, nogil=True, num_threads=n_threads, schedule="static"):
        values[i] = values[i + 1] + 1.0


def no_race(double[::1] values, int n_threads):
    """Change each value by itself, twice, in other blocks the second time: a clean program."""
    cdef Py_ssize_t i
    for i in prange(values.shape[0], nogil=True, num_threads=n_threads, schedule="static"):
        values[i] = values[i] + 1.0
    for i in prange(values.shape[0], nogil=True, num_threads=n_threads, schedule="dynamic"):
        values[i] = values[i] * 2.0
