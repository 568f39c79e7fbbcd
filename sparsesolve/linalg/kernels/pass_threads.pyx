"""ThreadCount: how many threads share a pass, while others may keep the cores busy.

A pass of a tenth of a millisecond that waits for a thread without a core takes a slice of the scheduler's time, some
milliseconds, and a path makes thousands of passes.  So after a pass that took far longer than one thread would have,
the next ones are made by one thread, twice as many each time; the longer threads are punctual, the sooner they are
called again.  Passes are cut up so that the number of threads changes no bit: neither does this.
"""

cdef extern from "pass_threads.h" nogil:
    ctypedef struct ThreadCount "ss_team":
        int level, punctual     # see team.h
        long alone
    double omp_get_wtime() noexcept
    ThreadCount* ss_here() noexcept

cdef double OPERATION = 0.25
cdef double LATE = 2e-3         # seconds beyond what one thread would have taken at most,
cdef double SLOWEST = 2e-9      # so many a value that lies beside the last
cdef long ALONE = 64            # passes made by one thread after the first late one,
DEF MOST = 10                   # doubled so many times at most
DEF PUNCTUAL = 16               # passes in a row after which a later late one counts as one less


cdef int begin_pass(int wanted) noexcept nogil:
    """How many threads are to share a pass that is worth it."""
    return _members(ss_here(), wanted)


cdef double clock() noexcept nogil:
    """Seconds, before a pass that threads share; after it `end_pass` them."""
    return omp_get_wtime()


cdef void end_pass(int threads, double begun, double values) noexcept nogil:
    """Take note of a pass over so many values that so many threads shared."""
    if threads > 1:
        _judge(ss_here(), omp_get_wtime() - begun, values)


cdef int _members(ThreadCount* team, int wanted) noexcept nogil:
    if wanted > 1 and team.alone > 0:
        team.alone -= 1
        return 1
    return wanted


cdef void _judge(ThreadCount* team, double seconds, double values) noexcept nogil:
    if seconds > LATE + SLOWEST * values:
        team.alone, team.punctual = ALONE << team.level, 0
        team.level = min(team.level + 1, MOST)
        return
    team.punctual += 1
    if team.punctual == PUNCTUAL:
        team.level, team.punctual = max(team.level - 1, 0), 0


def members(int wanted, seconds, double values=0.0):
    """Of a new team: how many threads share each pass, if those that are shared take so long.

    Parameters
    ----------
    seconds : (k,)
        Of each pass, if it is shared.
    """
    cdef ThreadCount team = ThreadCount(level=0, punctual=0, alone=0)
    found = []
    for second in seconds:
        found.append(_members(&team, wanted))
        if found[len(found) - 1] > 1:
            _judge(&team, second, values)
    return found
