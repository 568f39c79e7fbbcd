"""Contact: the point where a line of given slope touches a convex loss, by Newton's steps inside a bracket."""
from libc.math cimport INFINITY, copysign, fabs

DEF HARDLY = 1e-15     # of 1 + |t|: a step that is none
DEF MANY = 20          # steps, after which one that is not shorter by SLOW than the last, as down an exponential,
DEF SLOW = 0.5         # halves the bracket, or grows where there is none

cdef struct Contact:
    double t                # the point as far as it is known
    double low, high        # its bracket
    double reach            # how far the next step may go
    double step             # the last, and what t may be off once there is no next
    double tries            # steps so far


cdef inline Contact contact_from(double start) noexcept nogil:
    cdef Contact at
    at.t, at.low, at.high, at.reach, at.step, at.tries = start, -INFINITY, INFINITY, 1.0, INFINITY, 0.0
    return at


cdef inline bint settles(Contact* at, double off, double bend) noexcept nogil:
    """Take a step where the slope of the loss is `off` above the line's; True where t has hardly a double to go to."""
    cdef double step, trial
    cdef bint slow, short
    at.low, at.high = at.t if off < 0.0 else at.low, at.t if off > 0.0 else at.high
    step = fabs(off) / bend if bend > 0.0 else 0.0 if off == 0.0 else INFINITY
    at.tries += 1.0
    slow = at.tries > MANY and step > SLOW * at.step
    short = not step <= at.reach or (slow and at.high - at.low == INFINITY)
    if short:
        step, at.reach = at.reach, 2.0 * at.reach
    trial = at.t - copysign(step, off)
    if short and trial == at.t:         # t is so far out that the step does not show in it
        return False
    if trial != at.t and (slow or not at.low < trial < at.high) and at.high - at.low < INFINITY:
        trial, step = 0.5 * (at.low + at.high), at.high - at.low
    at.step = step
    # near a minimum at 0 the slope is coarser than t: steps of an ulp would go on, for the square of a step
    if (not short and step <= HARDLY * (1.0 + fabs(at.t))) or trial == at.t or trial == at.low or trial == at.high:
        return True
    at.t = trial
    return False
