"""ThreadCount: how many threads share a pass when other processes may use the cores.

If a pass of a tenth of a millisecond waits for a thread without a core, it loses a time slice of
the scheduler, some milliseconds, and a path makes thousands of passes. After a pass that took far
longer than one thread would have needed, the next passes therefore use one thread, and twice as
many of them each time. The longer threads are on time, the sooner they are used again.

Passes are split such that the number of threads does not change a bit of the result.
"""

cdef extern from "pass_threads.h" nogil:
    ctypedef struct ThreadCount "ss_team":
        int level, punctual     # see pass_threads.h
        long alone
    double omp_get_wtime() noexcept
    ThreadCount* ss_here() noexcept
    void ss_stay_alone() noexcept

# A multiplication with an addition in cache counts as this many values read in order.
cdef double OPERATION = 0.25
# A shared pass is late if it takes longer than LATE seconds plus SLOWEST seconds per value read
# in order. One thread alone would stay within the second term.
cdef double LATE = 2e-3
cdef double SLOWEST = 2e-9
# After the first late pass this many passes use one thread.
cdef long ALONE = 64
# After each further late pass the number doubles, at most MOST times.
DEF MOST = 10
# After this many punctual passes in a row the number is halved.
DEF PUNCTUAL = 16


cdef int begin_pass(int wanted) noexcept nogil:
    """Return the number of threads for a pass that is large enough to share."""
    return _members(ss_here(), wanted)


cdef double clock() noexcept nogil:
    """Return the time in seconds before a shared pass; call `end_pass` after it."""
    return omp_get_wtime()


cdef void end_pass(int threads, double begun, double values) noexcept nogil:
    """Record the duration of a pass over `values` values that `threads` threads shared."""
    if threads > 1:
        _judge(ss_here(), omp_get_wtime() - begun, values)


cdef int _members(ThreadCount* count, int wanted) noexcept nogil:
    if wanted > 1 and count.alone > 0:
        count.alone -= 1
        return 1
    return wanted


cdef void _judge(ThreadCount* count, double seconds, double values) noexcept nogil:
    if seconds > LATE + SLOWEST * values:
        count.alone, count.punctual = ALONE << count.level, 0
        count.level = min(count.level + 1, MOST)
        return
    count.punctual += 1
    if count.punctual == PUNCTUAL:
        count.level, count.punctual = max(count.level - 1, 0), 0


def stay_alone():
    """Run every parallel region alone from here on: for a process made by ``fork``."""
    ss_stay_alone()


def members(int wanted, seconds, double values=0.0):
    """Return the number of threads of each pass if the shared ones take so long. For tests.

    Parameters
    ----------
    seconds : (k,)
        Duration of each pass if it is shared.
    """
    cdef ThreadCount count = ThreadCount(level=0, punctual=0, alone=0)
    found = []
    for second in seconds:
        found.append(_members(&count, wanted))
        if found[len(found) - 1] > 1:
            _judge(&count, second, values)
    return found
