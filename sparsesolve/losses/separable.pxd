"""Separable: a loss that is a sum over samples, from the functions of one sample.

Contact: the point where a line of given slope touches a convex loss, by Newton steps in a bracket.
"""
from libc.math cimport INFINITY, copysign, fabs

from sparsesolve.losses.base cimport Loss

cdef class Separable(Loss):
    cdef const double[::1] y, w
    cdef double origin  # a linear predictor at which values are near 0

    cdef double evaluate_block(self, Py_ssize_t start, Py_ssize_t stop, const double* eta,
                               double* u) noexcept nogil
    cdef double value(self, double y, double eta) noexcept nogil
    cdef double slope(self, double y, double eta) noexcept nogil
    cdef double second_derivative(self, double y, double eta) noexcept nogil
    cdef double least(self, double y) noexcept nogil
    cdef double least_slope(self, double y) noexcept nogil
    cdef double largest_slope(self, double y) noexcept nogil
    cdef double excess(self, double y, double eta, double v) noexcept nogil
    cdef double above(self, double y, double eta, double t, double v) noexcept nogil


# A step of at most this multiple of 1 + |t| ends the search.
DEF SMALLEST_STEP = 1e-15
# After MANY steps, a Newton step that is not shorter than half the last one is replaced: the
# bracket is halved, or the reach grows if there is no bracket. Newton steps down an exponential
# are that slow.
DEF MANY = 20

cdef struct Contact:
    double t                # the current estimate of the point
    double low, high        # the bracket
    double reach            # maximum length of the next step
    double step             # the last step, which bounds the error of t after the end
    double tries            # number of steps so far


cdef inline Contact contact_from(double start) noexcept nogil:
    cdef Contact at
    at.t, at.low, at.high = start, -INFINITY, INFINITY
    at.reach, at.step, at.tries = 1.0, INFINITY, 0.0
    return at


cdef inline bint newton_step(Contact* at, double off, double second_derivative) noexcept nogil:
    """Take a step, given that the slope of the loss exceeds the line's by `off`.

    Returns True once the next floating-point number is no better than t.
    """
    cdef double step, trial
    cdef bint slow, short
    at.low, at.high = at.t if off < 0.0 else at.low, at.t if off > 0.0 else at.high
    step = (fabs(off) / second_derivative if second_derivative > 0.0 else 0.0 if off == 0.0
            else INFINITY)
    at.tries += 1.0
    slow = at.tries > MANY and step > 0.5 * at.step
    short = not step <= at.reach or (slow and at.high - at.low == INFINITY)
    if short:
        step, at.reach = at.reach, 2.0 * at.reach
    trial = at.t - copysign(step, off)
    if short and trial == at.t:  # t is so far out that the step is below its rounding error
        return False
    if trial != at.t and (slow or not at.low < trial < at.high) and at.high - at.low < INFINITY:
        trial, step = 0.5 * (at.low + at.high), at.high - at.low
    at.step = step
    # Near a minimum at 0 the slope is coarser than t, and steps of one ulp would continue for the
    # square of a step.
    if (not short and step <= SMALLEST_STEP
        * (1.0 + fabs(at.t))) or trial == at.t or trial == at.low or trial == at.high:
        return True
    at.t = trial
    return False
